//! A few requests at once.

/// Requests at once. GitHub asks for restraint: its secondary limits count concurrent ones.
const AT_ONCE: usize = 4;

/// Does the work for each item, a few at once, and gives the results in the order of the items.
pub(super) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    crate::process::each(items, AT_ONCE, work)
}
