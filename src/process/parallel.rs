//! The same work for several things at once.

use std::sync::{Mutex, PoisonError};

/// What the main thread has: a run goes deep.
const STACK: usize = 8 << 20;

/// Does the work for each item, `at_once` at a time, and gives the results in the order of the items. An item is taken
/// when a worker is free for it: an iterator that ends early (`take_while`) keeps the rest from being begun.
///
/// # Panics
/// When a thread cannot be started, or the work itself panics.
pub fn each<T: Send, R: Send>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    at_once: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let (items, done) = (Mutex::new(items.into_iter().enumerate()), Mutex::new(Vec::new()));
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = |mut taken: Option<(usize, T)>| {
        while let Some((at, item)) = taken {
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
            taken = next();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            let Some(first) = next() else { break };
            let builder = std::thread::Builder::new().stack_size(STACK);
            #[expect(clippy::expect_used, reason = "as std::thread::scope itself does")]
            builder.spawn_scoped(scope, || worker(Some(first))).expect("a thread");
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::each;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_stand_in_the_order_of_the_items_and_never_more_work_at_once_than_allowed() {
        let (busy, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let doubled = each(0..40, 3, |n| {
            most.fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            busy.fetch_sub(1, Ordering::SeqCst);
            n * 2
        });
        assert_eq!(doubled, (0..40).map(|n| n * 2).collect::<Vec<_>>());
        assert!(most.into_inner() <= 3);
    }

    #[test]
    fn an_iterator_that_ends_keeps_the_rest_from_being_begun() {
        let begun = AtomicUsize::new(0);
        let items = (0..9).take_while(|_| begun.load(Ordering::SeqCst) < 2);
        assert_eq!(each(items, 1, |n| (n, begun.fetch_add(1, Ordering::SeqCst)).0), [0, 1]);
    }
}
