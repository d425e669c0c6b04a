//! Where a suggestion belongs in a file, and the file with it applied. Bytes in, bytes out: nothing but the range
//! changes, line ends stay as they are.

use std::ops::Range;

use crate::model::suggestion::{LineRange, Suggestion};

/// Lines around a range that tell it from another with the same words.
const CONTEXT: usize = 3;

/// Why a suggestion cannot be put in its place without judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// Neither the reviewed commit nor the hunk shows the lines.
    Unseen,
    /// The lines are not in the file any more.
    Changed,
    /// They are there more than once.
    Ambiguous,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unseen => "what the reviewer saw cannot be told",
            Self::Changed => "its lines changed since the review",
            Self::Ambiguous => "its lines are in the file more than once",
        })
    }
}

/// What the reviewer had before their eyes.
struct Seen<'a> {
    before: Vec<&'a [u8]>,
    lines: Vec<&'a [u8]>,
    after: Vec<&'a [u8]>,
}

/// The lines (from 0) of `file` that a suggestion replaces. `reviewed` is the file in the commit that was reviewed.
///
/// # Errors
/// When that cannot be told for certain.
pub fn place(file: &[u8], suggestion: &Suggestion, reviewed: Option<&[u8]>) -> Result<Range<usize>, Misfit> {
    let original = suggestion.original.ok_or(Misfit::Unseen)?;
    let seen = reviewed
        .and_then(|bytes| from_file(bytes, original))
        .or_else(|| from_hunk(&suggestion.hunk, original))
        .ok_or(Misfit::Unseen)?;
    let present: Vec<&[u8]> = split(file).into_iter().map(text).collect();
    if let Some(live) = suggestion.live.and_then(|live| zero_based(live, present.len()))
        && present[live.clone()] == seen.lines[..]
    {
        return Ok(live);
    }
    let known = |at: &usize| neighbours(&present, *at, &seen);
    let mut found = (0..=present.len().saturating_sub(seen.lines.len()))
        .filter(|at| present[*at..].starts_with(&seen.lines))
        .peekable();
    if found.peek().is_none() {
        return Err(Misfit::Changed);
    }
    let placed: Vec<usize> = found.filter(known).collect();
    match placed[..] {
        [at] => Ok(at..at + seen.lines.len()),
        [] => Err(Misfit::Changed),
        _ => Err(Misfit::Ambiguous),
    }
}

/// A line beside the range is the one that was seen there; blank ones prove nothing.
fn neighbours(present: &[&[u8]], at: usize, seen: &Seen<'_>) -> bool {
    let worth = |line: &[u8]| !line.trim_ascii().is_empty();
    let above = seen.before.iter().rev().zip(present[..at].iter().rev()).take_while(|(a, b)| a == b);
    let below = seen.after.iter().zip(&present[at + seen.lines.len()..]).take_while(|(a, b)| a == b);
    let alone = !seen.before.iter().chain(&seen.after).any(|line| worth(line));
    alone || above.chain(below).any(|(line, _)| worth(line))
}

fn zero_based(range: LineRange, length: usize) -> Option<Range<usize>> {
    let first = usize::try_from(range.first).ok()?.checked_sub(1)?;
    let last = usize::try_from(range.last).ok()?;
    (first < last && last <= length).then_some(first..last)
}

fn from_file(bytes: &[u8], range: LineRange) -> Option<Seen<'_>> {
    let lines: Vec<&[u8]> = split(bytes).into_iter().map(text).collect();
    let range = zero_based(range, lines.len())?;
    Some(Seen {
        before: lines[range.start.saturating_sub(CONTEXT)..range.start].to_vec(),
        after: lines[range.end..lines.len().min(range.end + CONTEXT)].to_vec(),
        lines: lines[range].to_vec(),
    })
}

/// The head's side of a unified hunk, by line numbers.
fn from_hunk(hunk: &str, range: LineRange) -> Option<Seen<'_>> {
    let mut lines = hunk.split('\n');
    let header = lines.next()?.strip_prefix("@@ -")?;
    let first: u64 = header.split_once(" +")?.1.split([',', ' ']).next()?.parse().ok()?;
    let right: Vec<&[u8]> =
        lines.filter_map(|line| line.strip_prefix([' ', '+'])).map(|line| text(line.as_bytes())).collect();
    let start = usize::try_from(range.first.checked_sub(first)?).ok()?;
    let end = usize::try_from(range.last.checked_sub(first)? + 1).ok()?;
    // The hunk ends with the line that was commented on: everything in it is seen.
    (end <= right.len()).then(|| Seen {
        before: right[start.saturating_sub(CONTEXT)..start].to_vec(),
        lines: right[start..end].to_vec(),
        after: right[end..].to_vec(),
    })
}

/// Lines with their ends.
fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn text(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn end(line: &[u8]) -> &[u8] {
    &line[text(line).len()..]
}

/// One range and what stands there afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit<'a> {
    /// Lines from 0.
    pub range: Range<usize>,
    pub lines: &'a [String],
}

impl Edit<'_> {
    /// Both cannot be had.
    pub fn collides(&self, other: &Self) -> bool {
        self != other && self.range.start < other.range.end && other.range.start < self.range.end
    }
}

/// The file with all edits, which do not collide. New lines end as the first line of their range did; where the range
/// was the end of a file without a final line end, there is none afterwards.
pub fn apply(file: &[u8], edits: &[Edit<'_>]) -> Vec<u8> {
    let lines = split(file);
    let mut sorted: Vec<&Edit<'_>> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.range.start);
    sorted.dedup();
    let (mut out, mut at) = (Vec::new(), 0);
    for edit in sorted {
        lines[at..edit.range.start].iter().for_each(|line| out.extend_from_slice(line));
        let usual = [lines[edit.range.start], lines[0]].map(end).into_iter().find(|end| !end.is_empty());
        let last = end(lines[edit.range.end - 1]);
        for (index, line) in edit.lines.iter().enumerate() {
            out.extend_from_slice(line.as_bytes());
            out.extend_from_slice(if index + 1 == edit.lines.len() { last } else { usual.unwrap_or(b"\n") });
        }
        at = edit.range.end;
    }
    lines[at..].iter().for_each(|line| out.extend_from_slice(line));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggestion(live: Option<(u64, u64)>, original: (u64, u64), hunk: &str) -> Suggestion {
        let range = |(first, last)| LineRange { first, last };
        Suggestion {
            blocks: vec![],
            asks_more: false,
            live: live.map(range),
            original: Some(range(original)),
            commit: None,
            hunk: hunk.into(),
            authors: vec![],
        }
    }

    fn edited(file: &str, range: Range<usize>, lines: &[&str]) -> String {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        String::from_utf8(apply(file.as_bytes(), &[Edit { range, lines: &lines }])).unwrap()
    }

    #[test]
    fn nothing_but_the_range_changes_and_line_ends_stay() {
        assert_eq!(edited("a\nb\nc\n", 1..2, &["B"]), "a\nB\nc\n");
        assert_eq!(edited("a\nb\nc\n", 0..3, &["x", "y"]), "x\ny\n");
        assert_eq!(edited("a\nb\nc\n", 1..2, &[]), "a\nc\n");
        assert_eq!(edited("a\r\nb\r\n", 1..2, &["B", "C"]), "a\r\nB\r\nC\r\n");
        assert_eq!(edited("a\r\nb", 1..2, &["B", "C"]), "a\r\nB\r\nC");
        assert_eq!(edited("a", 0..1, &["b", "c"]), "b\nc");
        assert_eq!(edited("a\nb", 1..2, &[]), "a\n");
        assert_eq!(apply(b"\xff\nb\n", &[Edit { range: 1..2, lines: &["B".into()] }]), b"\xff\nB\n");
    }

    #[test]
    fn edits_of_one_file_do_not_move_each_other() {
        let file: String = (0..12).map(|n| format!("line {n}\n")).collect();
        for first in 0..12 {
            for second in first + 1..12 {
                let (three, none) = (["x".to_owned(), "y".to_owned(), "z".to_owned()], []);
                let edits =
                    [Edit { range: second..second + 1, lines: &none }, Edit { range: first..first + 1, lines: &three }];
                assert!(!edits[0].collides(&edits[1]));
                let expected: String = (0..12)
                    .map(|n| match n {
                        _ if n == first => "x\ny\nz\n".to_owned(),
                        _ if n == second => String::new(),
                        _ => format!("line {n}\n"),
                    })
                    .collect();
                assert_eq!(String::from_utf8(apply(file.as_bytes(), &edits)).unwrap(), expected);
            }
        }
    }

    #[test]
    fn overlaps_collide_and_the_same_edit_twice_is_one() {
        let (a, b) = (["a".to_owned()], ["b".to_owned()]);
        let edit = |range, lines| Edit { range, lines };
        assert!(edit(1..3, &a[..]).collides(&edit(2..4, &a[..])));
        assert!(edit(1..3, &a[..]).collides(&edit(1..3, &b[..])));
        assert!(!edit(1..3, &a[..]).collides(&edit(1..3, &a[..])));
        assert!(!edit(1..3, &a[..]).collides(&edit(3..4, &b[..])));
        assert_eq!(apply(b"1\n2\n", &[edit(0..1, &a[..]), edit(0..1, &a[..])]), b"a\n2\n");
    }

    const HUNK: &str = "@@ -1,3 +10,4 @@ fn x\n fn count() {\n-    old\n+    let i = 0;\n+    while i <= n {";

    #[test]
    fn a_live_range_is_taken_when_its_lines_are_those_that_were_seen() {
        let file = "\n".repeat(9) + "fn count() {\n    let i = 0;\r\n    while i <= n {\n}\n";
        assert_eq!(place(file.as_bytes(), &suggestion(Some((12, 12)), (12, 12), HUNK), None), Ok(11..12));
        assert_eq!(place(file.as_bytes(), &suggestion(Some((11, 12)), (11, 12), HUNK), None), Ok(10..12));
    }

    #[test]
    fn a_range_that_drifted_is_found_by_its_neighbours_or_left_alone() {
        let moved = "// new\nfn count() {\n    let i = 0;\n    while i <= n {\n}\n";
        let outdated = suggestion(None, (12, 12), HUNK);
        assert_eq!(place(moved.as_bytes(), &outdated, None), Ok(3..4));
        // GitHub's line is not what was seen: the lines decide.
        assert_eq!(place(moved.as_bytes(), &suggestion(Some((1, 1)), (12, 12), HUNK), None), Ok(3..4));
        let twice = format!("{moved}{moved}");
        assert_eq!(place(twice.as_bytes(), &outdated, None), Err(Misfit::Ambiguous));
        let elsewhere = "fn other() {\n    while i <= n {\n}\n";
        assert_eq!(place(elsewhere.as_bytes(), &outdated, None), Err(Misfit::Changed));
        assert_eq!(place(b"fn count() {\n", &outdated, None), Err(Misfit::Changed));
        assert_eq!(place(b"", &outdated, None), Err(Misfit::Changed));
    }

    #[test]
    fn without_evidence_nothing_is_placed() {
        for hunk in ["", "@@", "@@ -1 +x @@\n a", "@@ -1,1 +1,1 @@\n a"] {
            assert_eq!(place(b"a\nb\n", &suggestion(Some((2, 2)), (2, 2), hunk), None), Err(Misfit::Unseen), "{hunk}");
        }
        let reviewed = b"a\nb\n";
        assert_eq!(place(b"a\nb\n", &suggestion(Some((2, 2)), (2, 2), ""), Some(reviewed)), Ok(1..2));
        assert_eq!(place(b"a\nB\n", &suggestion(Some((2, 2)), (2, 2), ""), Some(reviewed)), Err(Misfit::Changed));
    }
}
