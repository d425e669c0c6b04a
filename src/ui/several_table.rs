//! The end of several runs: a line for each.

use super::grid::list_table;
use crate::model::reports::Entry;
use crate::model::text::short;

/// Pull request, outcome, commit, items, and the one thing to do.
pub fn several_table(entries: &[Entry], width: usize, color: bool) -> String {
    let row = |entry: &Entry| {
        let items = entry.counts().iter().map(|(status, count)| format!("{count} {status}")).collect::<Vec<_>>();
        let pushed = entry.pushed().map(|oid| short(oid).to_owned()).unwrap_or_default();
        vec![entry.argument.clone(), entry.outcome(), pushed, items.join(", "), entry.unblock().unwrap_or_default()]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    list_table(&["pr", "outcome", "pushed", "items", "to do"], &rows, width, color)
}
