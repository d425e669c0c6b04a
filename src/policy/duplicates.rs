//! Items that are one: said in several places in the same words, or called one by a triage rule.

use crate::model::spec::{ItemKind, SpecItem};

/// Merges what belongs together; the first of each stays where it is.
pub fn merge(items: Vec<SpecItem>) -> Vec<SpecItem> {
    same_words(by_rule(items))
}

/// One request said in several places becomes one item with several references. Only words that
/// are the same count, and only where the places agree: two threads on two lines stay two.
fn same_words(items: Vec<SpecItem>) -> Vec<SpecItem> {
    let mut merged: Vec<SpecItem> = Vec::new();
    for item in items {
        let key = words(&item.request);
        let twin = merged.iter_mut().find(|other| {
            mergeable(item.kind)
                && mergeable(other.kind)
                && key.len() >= 12
                && words(&other.request) == key
                && same_place(other, &item)
        });
        match twin {
            Some(twin) => {
                let mut item = item;
                match (&mut twin.suggestion, item.suggestion.take()) {
                    (Some(known), Some(same)) => known.authors.extend(same.authors),
                    (known, other) => *known = known.take().or(other),
                }
                absorb(twin, item);
            }
            None => merged.push(item),
        }
    }
    merged
}

/// Items for which triage rules gave the same word become one, wherever they stand. What is asked for, and where,
/// is said for each of them.
fn by_rule(items: Vec<SpecItem>) -> Vec<SpecItem> {
    let mut merged: Vec<SpecItem> = Vec::new();
    for item in items {
        let word = merge_word(&item);
        match merged.iter_mut().find(|other| word.is_some() && merge_word(other) == word) {
            Some(twin) => {
                let place = item.place().map_or_else(String::new, |place| format!(" at {place}"));
                twin.request = format!("{}\n\nAlso{place}: {}", twin.request, item.request);
                // A suggestion answers one of them only: the agent looks at all.
                twin.suggestion = None;
                absorb(twin, item);
            }
            None => merged.push(item),
        }
    }
    merged
}

fn merge_word(item: &SpecItem) -> Option<&str> {
    item.hint.as_ref().and_then(|hint| hint.merge.as_deref())
}

/// The first item keeps its place, if it has one; everything that the other one answers is answered with it.
fn absorb(twin: &mut SpecItem, item: SpecItem) {
    if twin.path.is_none() {
        (twin.path, twin.line, twin.start_line) = (item.path, item.line, item.start_line);
        (twin.side, twin.diff_hunk) = (item.side, item.diff_hunk);
    }
    twin.references.extend(item.references);
    twin.remarks.extend(item.remarks);
    twin.hint = match (twin.hint.take(), item.hint) {
        (Some(first), second) => Some(first.with(second)),
        (None, Some(second)) => Some(second.with(None)),
        (None, None) => None,
    };
}

fn mergeable(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Thread | ItemKind::Review | ItemKind::Comment | ItemKind::Criterion)
}

fn same_place(a: &SpecItem, b: &SpecItem) -> bool {
    match (&a.path, &b.path) {
        (Some(left), Some(right)) => left == right && a.line == b.line,
        _ => true,
    }
}

/// Letters and digits in lower case, everything else one space.
fn words(text: &str) -> String {
    let folded: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    folded.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}
