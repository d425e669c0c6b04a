//! `rules diff`: how a local set of team files differs from the default branch's.

use std::fmt::Write;

use super::team::TeamFiles;
use crate::model::text::strip_escapes;

/// Lines of a file beyond which it is shown as replaced.
const MAX_LINES: usize = 4000;
/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// The difference as text, in the form of `diff -u`, without terminal escapes. Empty when there is none.
pub fn diff(published: &TeamFiles, local: &TeamFiles) -> String {
    let mut out = String::new();
    for path in local.differing(published) {
        let text = |files: &TeamFiles| files.get(&path).map(|bytes| strip_escapes(&String::from_utf8_lossy(bytes)));
        let (old, new) = (text(published), text(local));
        let name = |side: &str, text: &Option<String>| match text {
            Some(_) => format!("{side}/{path}"),
            None => "/dev/null".to_owned(),
        };
        let _ = writeln!(out, "--- {}\n+++ {}", name("a", &old), name("b", &new));
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        hunks(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>(), &mut out);
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edit {
    Same(usize, usize),
    Old(usize),
    New(usize),
}

fn hunks(old: &[&str], new: &[&str], out: &mut String) {
    let edits = edits(old, new);
    let changed: Vec<usize> = (0..edits.len()).filter(|i| !matches!(edits[*i], Edit::Same(..))).collect();
    let mut next = 0;
    while let Some(&first) = changed.get(next) {
        let start = first.saturating_sub(CONTEXT);
        let mut end = first;
        while let Some(&change) = changed.get(next).filter(|change| **change <= end + 2 * CONTEXT + 1) {
            end = change;
            next += 1;
        }
        write_hunk(&edits[start..(end + CONTEXT + 1).min(edits.len())], (old, new), out);
    }
}

fn write_hunk(edits: &[Edit], (old, new): (&[&str], &[&str]), out: &mut String) {
    let position = |find: fn(&Edit) -> Option<usize>| edits.iter().find_map(find).map_or(0, |line| line + 1);
    let old_start = position(|edit| match edit {
        Edit::Same(line, _) | Edit::Old(line) => Some(*line),
        Edit::New(_) => None,
    });
    let new_start = position(|edit| match edit {
        Edit::Same(_, line) | Edit::New(line) => Some(*line),
        Edit::Old(_) => None,
    });
    let old_count = edits.iter().filter(|edit| !matches!(edit, Edit::New(_))).count();
    let new_count = edits.iter().filter(|edit| !matches!(edit, Edit::Old(_))).count();
    let _ = writeln!(out, "@@ -{old_start},{old_count} +{new_start},{new_count} @@");
    for edit in edits {
        let _ = match edit {
            Edit::Same(line, _) => writeln!(out, " {}", old[*line]),
            Edit::Old(line) => writeln!(out, "-{}", old[*line]),
            Edit::New(line) => writeln!(out, "+{}", new[*line]),
        };
    }
}

/// The longest common subsequence, as edits in order.
fn edits(old: &[&str], new: &[&str]) -> Vec<Edit> {
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        return (0..old.len()).map(Edit::Old).chain((0..new.len()).map(Edit::New)).collect();
    }
    let width = new.len() + 1;
    let mut common = vec![0_u16; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut edits) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            edits.push(Edit::Same(i, j));
            (i, j) = (i + 1, j + 1);
        } else if j >= new.len() || i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1] {
            edits.push(Edit::Old(i));
            i += 1;
        } else {
            edits.push(Edit::New(j));
            j += 1;
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> TeamFiles {
        TeamFiles::from_files([(".prfix/rules.lua".to_owned(), text.as_bytes().to_vec())])
    }

    #[test]
    fn a_changed_line_stands_in_its_context_without_escapes() {
        let old = set("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        let new = set("1\n2\n3\n4\nfive\x1b[31m\n6\n7\n8\n9\n");
        let expected =
            "--- a/.prfix/rules.lua\n+++ b/.prfix/rules.lua\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(diff(&old, &new), expected);
        assert_eq!(diff(&old, &old), "");
    }

    #[test]
    fn a_new_file_is_shown_whole() {
        let text = diff(&TeamFiles::default(), &set("a\nb\n"));
        assert_eq!(text, "--- /dev/null\n+++ b/.prfix/rules.lua\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    }
}
