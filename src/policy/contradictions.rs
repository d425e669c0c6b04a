//! Items that cannot both be done. What reads clearly so is found here; the fix agent is asked to name the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use crate::model::manifest::Manifest;
use crate::model::spec::{ItemKind, SpecItem};
use crate::model::text::one_line;

/// `use A instead of B`.
static PREFER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\buse\s+`?([^\s`]+)`?,?\s+(?:instead of|rather than|and not|not)\s+`?([^\s`]+)`?")
        .expect("constant pattern")
});
/// `replace B with A`.
static REPLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:replace|change|rename|turn)\s+`?([^\s`]+)`?\s+(?:with|by|to|into)\s+`?([^\s`]+)`?")
        .expect("constant pattern")
});
/// Only of what is marked as code: prose removes and keeps many things.
static REMOVE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:remove|delete|drop)\s+(?:the\s+)?`([^`\s]+)`").expect("constant pattern"));
static KEEP: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:keep|leave)\s+(?:the\s+)?`([^`\s]+)`").expect("constant pattern"));
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bcontradicts\s+items?\s+#?(\d+)").expect("constant pattern"));

/// What a request wants to become of something; `to` is empty for what is to go, and the same as `from` for what is to stay.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    from: String,
    to: String,
}

fn wishes(request: &str) -> Vec<Wish> {
    let term = |text: &str| text.trim_end_matches(['.', ',', ';', ':', '!', '?']).to_owned();
    let mut found = Vec::new();
    // A negated wish says the opposite, which the patterns do not read.
    let sentences = request.split(['\n', '!', '?']).flat_map(|line| line.split(". "));
    for sentence in
        sentences.filter(|text| !text.to_lowercase().split_whitespace().any(|w| w == "don't" || w == "never"))
    {
        found.extend(PREFER.captures_iter(sentence).map(|g| Wish { from: term(&g[2]), to: term(&g[1]) }));
        found.extend(REPLACE.captures_iter(sentence).map(|g| Wish { from: term(&g[1]), to: term(&g[2]) }));
        found.extend(REMOVE.captures_iter(sentence).map(|g| Wish { from: term(&g[1]), to: String::new() }));
        found.extend(KEEP.captures_iter(sentence).map(|g| Wish { from: term(&g[1]), to: term(&g[1]) }));
    }
    found
}

fn opposed(a: &Wish, b: &Wish) -> bool {
    (a.from == b.from && a.to != b.to) || (a.from == b.to && a.to == b.from && a.from != a.to)
}

fn same_lines(a: &SpecItem, b: &SpecItem) -> bool {
    let range = |item: &SpecItem| item.line.map(|last| (item.start_line.unwrap_or(last), last));
    match (range(a), range(b)) {
        (Some((a0, a1)), Some((b0, b1))) => a.path == b.path && a0 <= b1 && b0 <= a1,
        _ => false,
    }
}

/// Items of `open` that contradict one another, each with a reason that quotes the other.
pub fn find(open: &[&SpecItem]) -> BTreeMap<u32, String> {
    let asks = |item: &&&SpecItem| matches!(item.kind, ItemKind::Thread | ItemKind::Review | ItemKind::Comment);
    let asking: Vec<(&SpecItem, Vec<Wish>)> =
        open.iter().filter(asks).map(|item| (*item, wishes(&item.request))).collect();
    let mut found = BTreeMap::new();
    for (a, of_a) in &asking {
        let other = asking.iter().find(|(b, of_b)| {
            b.id != a.id && same_lines(a, b) && of_a.iter().any(|x| of_b.iter().any(|y| opposed(x, y)))
        });
        if let Some((b, _)) = other {
            found.insert(a.id, format!("{}: decide which of them is wanted", against(a, b)));
        }
    }
    found
}

/// Both sides, quoted.
fn against(own: &SpecItem, other: &SpecItem) -> String {
    let quote = |item: &SpecItem| one_line(&item.request, 160);
    format!("\"{}\" contradicts item {} ({}): \"{}\"", quote(own), other.id, other.source(), quote(other))
}

/// What the agent says to contradict: the ids of each item's opposites.
fn named(manifest: &Manifest) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (key, reason) in &manifest.needs_human {
        let Ok(id) = key.trim_start_matches('#').parse() else { continue };
        let others = NAMED.captures_iter(reason).filter_map(|groups| groups[1].parse::<u32>().ok());
        found.entry(id).or_default().extend(others.filter(|other| *other != id));
    }
    found.retain(|_, others| !others.is_empty());
    found
}

/// Items that must go to a person because another one contradicts them, and do not.
pub fn one_sided(manifest: &Manifest) -> Vec<(u32, u32)> {
    let asked = |id: &u32| manifest.needs_human.keys().any(|key| key.trim_start_matches('#') == id.to_string());
    let pairs = named(manifest).into_iter().flat_map(|(id, others)| others.into_iter().map(move |other| (id, other)));
    pairs.filter(|(_, other)| !asked(other)).collect()
}

/// The agent's reason for an item, with the other side quoted where it names one.
pub fn quoted(reason: &str, own: u32, items: &[SpecItem]) -> String {
    let id = NAMED.captures(reason).and_then(|groups| groups[1].parse::<u32>().ok());
    let find = |id: u32| items.iter().find(|item| item.id == id);
    match (find(own), id.and_then(find)) {
        (Some(own), Some(other)) => format!("{} ({})", reason.trim(), against(own, other)),
        _ => reason.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: u32, line: u64, request: &str) -> SpecItem {
        let mut item = crate::policy::spec::plain_item(ItemKind::Thread, "https://x/1", request.to_owned());
        (item.id, item.path, item.line) = (id, Some("src/a.rs".into()), Some(line));
        item
    }

    #[test]
    fn opposite_wishes_for_the_same_lines_are_found_and_both_are_quoted() {
        for (a, b) in [
            ("Use `<` instead of `<=`.", "Please use <= rather than <!"),
            ("rename `n` to `len`", "Rename n to count."),
            ("Use a Vec instead of a slice, change i to index", "change i to at"),
            ("Remove `debug` here", "Keep the `debug` for now"),
        ] {
            let items = [item(1, 3, a), item(2, 3, b)];
            let found = find(&[&items[0], &items[1]]);
            assert_eq!(found.keys().copied().collect::<Vec<_>>(), [1, 2], "{a} / {b}");
            let both =
                |why: &String| why.contains(one_line(a, 160).as_str()) && why.contains(one_line(b, 160).as_str());
            assert!(found.values().all(both), "{found:?}");
        }
    }

    #[test]
    fn agreement_other_lines_and_other_things_are_no_contradiction() {
        for (line, a, b) in [
            (3, "Use `<` instead of `<=`.", "This should use < rather than <=."),
            (9, "rename `n` to `len`", "rename `n` to `count`"),
            (3, "rename `n` to `len`", "rename `i` to `at`"),
            (3, "Remove `debug`", "Remove the `debug`"),
            (3, "off by one", "typo"),
        ] {
            let items = [item(1, 3, a), item(2, line, b)];
            assert!(find(&[&items[0], &items[1]]).is_empty(), "{a} / {b}");
        }
    }

    #[test]
    fn a_contradiction_that_the_agent_names_concerns_both_sides() {
        let manifest: Manifest = serde_json::from_str(
            r#"{"touched_files": ["a"], "spec_item_map": {"a": [2]}, "needs_human": {"1": "Contradicts item 2: which one?"}}"#,
        )
        .unwrap();
        assert_eq!(one_sided(&manifest), [(1, 2)]);
        let items = [item(1, 3, "be strict"), item(2, 8, "be lenient")];
        let reason = quoted("Contradicts item 2: which one?", 1, &items);
        assert!(reason.contains("\"be strict\" contradicts item 2 (https://x/1): \"be lenient\""), "{reason}");
        assert_eq!(quoted("Which one? ", 1, &items), "Which one?");
    }
}
