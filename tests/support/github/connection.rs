//! A page of a connection: the slice that `first`, `last`, `after` and `before` name, with its counts.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::store::{Store, target};

/// Opaque to clients, as GitHub's are.
fn cursor(index: usize) -> String {
    format!("Y3Vyc29yOnYyOp{index:x}")
}

fn index(cursor: &str) -> Option<usize> {
    usize::from_str_radix(cursor.strip_prefix("Y3Vyc29yOnYyOp")?, 16).ok()
}

/// The fields of `<Node>Connection` for the asked page of `items`.
pub fn page(store: &Store, items: Vec<Value>, ty: &str, args: &Value) -> Map<String, Value> {
    let number = |name: &str| args[name].as_u64().and_then(|n| usize::try_from(n).ok());
    let place = |name: &str| args[name].as_str().and_then(index);
    let total = items.len();
    let mut low = place("after").map_or(0, |i| i + 1).min(total);
    let mut high = place("before").unwrap_or(total).clamp(low, total);
    if let Some(first) = number("first") {
        high = high.min(low + first);
    }
    if let Some(last) = number("last") {
        low = low.max(high.saturating_sub(last));
    }
    let nodes = &items[low..high];
    let edge = format!("{}Edge", ty.trim_end_matches("Connection"));
    let edges: Vec<Value> = nodes
        .iter()
        .enumerate()
        .map(|(i, node)| json!({"__typename": edge, "cursor": cursor(low + i), "node": node}))
        .collect();
    let mut page = Map::new();
    page.insert("totalCount".into(), json!(total));
    page.insert("nodes".into(), json!(nodes));
    page.insert("edges".into(), json!(edges));
    let ends = if nodes.is_empty() { (None, None) } else { (Some(cursor(low)), Some(cursor(high - 1))) };
    let info = json!({"__typename": "PageInfo", "startCursor": ends.0, "endCursor": ends.1,
        "hasNextPage": high < total, "hasPreviousPage": low > 0});
    page.insert("pageInfo".into(), info);
    if ty == "StatusCheckRollupContextConnection" {
        count_states(store, &items, &mut page);
    }
    page
}

/// `checkRunCount`, `checkRunCountsByState` and their twins for commit statuses, over all pages.
fn count_states(store: &Store, items: &[Value], page: &mut Map<String, Value>) {
    let (mut runs, mut statuses) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
    for id in items.iter().filter_map(target) {
        if store.text(id, "__typename") == "CheckRun" {
            let conclusion = store.text(id, "conclusion");
            let state = if conclusion.is_empty() { store.text(id, "status") } else { conclusion };
            *runs.entry(state).or_default() += 1;
        } else {
            *statuses.entry(store.text(id, "state")).or_default() += 1;
        }
    }
    let list = |counts: &BTreeMap<String, u64>| -> Value {
        counts.iter().map(|(state, count)| json!({"state": state, "count": count})).collect()
    };
    page.insert("checkRunCount".into(), json!(runs.values().sum::<u64>()));
    page.insert("checkRunCountsByState".into(), list(&runs));
    page.insert("statusContextCount".into(), json!(statuses.values().sum::<u64>()));
    page.insert("statusContextCountsByState".into(), list(&statuses));
}
