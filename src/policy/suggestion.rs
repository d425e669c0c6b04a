//! Finds `suggestion` blocks in a comment, as GitHub does: fenced code (CommonMark) whose info string begins with
//! that word.

use crate::model::feedback::{Comment, Side, Thread};
use crate::model::suggestion::{LineRange, Suggestion};

/// What a comment consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    pub blocks: Vec<Vec<String>>,
    /// Everything outside of the blocks that a reader sees.
    pub prose: String,
}

/// The suggestion of a thread's comment; `None` without a block, and where GitHub offers none either: on the base's
/// side and on whole files.
pub fn of_comment(thread: &Thread, comment: &Comment) -> Option<Suggestion> {
    let parsed = parse(&comment.body)?;
    if thread.file_level || thread.side == Side::Left || thread.start_side == Some(Side::Left) {
        return None;
    }
    let range = |start: Option<u64>, line: Option<u64>| {
        let last = line?;
        let first = start.unwrap_or(last);
        (first >= 1 && first <= last).then_some(LineRange { first, last })
    };
    Some(Suggestion {
        asks_more: asks_more(&parsed.prose),
        blocks: parsed.blocks,
        live: range(thread.start_line, thread.line).filter(|_| !thread.outdated),
        original: range(thread.original_start_line, thread.original_line),
        commit: thread.original_commit.clone(),
        hunk: thread.diff_hunk.clone(),
        authors: comment.author.iter().cloned().collect(),
    })
}

struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    suggestion: bool,
}

/// Reads a body; `None` when it has no block, or one that never ends.
pub fn parse(body: &str) -> Option<Parsed> {
    let mut parsed = Parsed::default();
    let mut open: Option<(Fence, Vec<String>)> = None;
    let mut hidden = false;
    for line in body.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
        if let Some((fence, mut lines)) = open.take() {
            if !closes(line, &fence) {
                lines.push(unindented(line, fence.indent).to_owned());
                open = Some((fence, lines));
            } else if fence.suggestion {
                parsed.blocks.push(lines);
            } else {
                parsed.prose.push_str(&format!("```\n{}\n```\n", lines.join("\n")));
            }
            continue;
        }
        let fence = if hidden { None } else { opens(line) };
        if let Some(fence) = fence {
            open = Some((fence, Vec::new()));
        } else {
            parsed.prose.push_str(&visible(line, &mut hidden));
            parsed.prose.push('\n');
        }
    }
    match open {
        Some((fence, _)) if fence.suggestion => None,
        _ => (!parsed.blocks.is_empty()).then_some(parsed),
    }
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

fn opens(line: &str) -> Option<Fence> {
    let indent = indent(line);
    let rest = &line[indent..];
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = rest.chars().take_while(|c| *c == mark).count();
    let info = rest[length..].trim();
    let fits = indent <= 3 && length >= 3 && !(mark == '`' && info.contains('`'));
    fits.then(|| Fence { mark, length, indent, suggestion: info.split_whitespace().next() == Some("suggestion") })
}

fn closes(line: &str, fence: &Fence) -> bool {
    let rest = &line[indent(line)..];
    let length = rest.chars().take_while(|c| *c == fence.mark).count();
    indent(line) <= 3 && length >= fence.length && rest[length..].trim().is_empty()
}

/// A fence that is indented takes as much from each of its lines.
fn unindented(line: &str, by: usize) -> &str {
    &line[indent(line).min(by)..]
}

/// A line without HTML comments, which may go on over lines.
fn visible(line: &str, hidden: &mut bool) -> String {
    let (mut out, mut rest) = (String::new(), line);
    loop {
        let mark = if *hidden { "-->" } else { "<!--" };
        let Some((before, after)) = rest.split_once(mark) else { break };
        if !*hidden {
            out.push_str(before);
        }
        *hidden = !*hidden;
        rest = after;
    }
    if !*hidden {
        out.push_str(rest);
    }
    out
}

/// Words that ask for something beyond the block, in the languages that reviewers use most.
const MORE: &[&str] = &[
    "also",
    "too",
    "additionally",
    "same",
    "elsewhere",
    "everywhere",
    "other",
    "others",
    "another",
    "all",
    "rest",
    "then",
    "test",
    "tests",
    "add",
    "update",
    "rename",
    "remove",
    "document",
    "docs",
    "changelog",
    "please",
    "should",
    "must",
    "need",
    "needs",
    "similar",
    "consider",
    "instead",
    "or",
    "something",
    "and",
    "auch",
    "bitte",
    "aussi",
    "también",
    "además",
    "anche",
    "também",
    "ook",
    "также",
    "też",
];
/// Words of a lead-in such as "This is off by one:".
const LEAD_IN: usize = 10;

/// Whether the words around a block may ask for something that the block does not do. A short lead-in doesn't; in
/// doubt it does, for then an agent reads them.
pub fn asks_more(prose: &str) -> bool {
    let text = without_tags(prose);
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = |word: &&str| {
        word.contains(['`', '/', '@', '#', '?', '('])
            || word.trim_end_matches(|c: char| !c.is_alphanumeric()).contains(['.', '_'])
    };
    let more = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        MORE.contains(&bare.as_str())
    };
    let listed = text.lines().any(|line| line.trim_start().starts_with(['-', '*', '+', '>', '|']));
    // Scripts without spaces: a word says nothing about how much is said.
    let dense = words.iter().any(|word| !word.is_ascii() && word.chars().count() > 12);
    words.len() > LEAD_IN || listed || dense || words.iter().any(|word| name(word) || more(word))
}

fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('>') else { return out + &rest[at..] };
        out.push(' ');
        rest = &rest[at + end + 1..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(body: &str) -> Vec<Vec<String>> {
        parse(body).map(|parsed| parsed.blocks).unwrap_or_default()
    }

    #[test]
    fn blocks_are_found_as_commonmark_finds_fenced_code() {
        for (body, expected) in [
            ("```suggestion\na\n```", vec![vec!["a"]]),
            ("Text:\r\n```suggestion\r\na\r\n  b\r\n```\r\n", vec![vec!["a", "  b"]]),
            ("````suggestion\n```\nx\n```\n````", vec![vec!["```", "x", "```"]]),
            ("~~~suggestion\na ``` b\n~~~", vec![vec!["a ``` b"]]),
            ("~~~~ suggestion more\na\n~~~\n~~~~~", vec![vec!["a", "~~~"]]),
            ("```suggestion\n```", vec![vec![]]),
            ("```suggestion\n\n```", vec![vec![""]]),
            ("  ```suggestion\n    a\n b\n  ```", vec![vec!["  a", "b"]]),
            ("```suggestion\na\n```\nor\n```suggestion\nb\n```", vec![vec!["a"], vec!["b"]]),
            ("```suggestion\n<!-- stays -->\n```", vec![vec!["<!-- stays -->"]]),
        ] {
            assert_eq!(blocks(body), expected, "{body:?}");
        }
    }

    #[test]
    fn what_github_shows_as_no_suggestion_is_none() {
        for body in [
            "",
            "no block",
            "```rust\na\n```",
            "```suggestions\na\n```",
            "> ```suggestion\n> a\n> ```",
            "    ```suggestion\n    a\n    ```",
            "~~~\n```suggestion\na\n```\n~~~",
            "<!--\n```suggestion\na\n```\n-->",
            "```suggestion\nnever ends",
            "``suggestion\na\n``",
            "```suggestion `x`\na\n```",
        ] {
            assert_eq!(parse(body), None, "{body:?}");
        }
    }

    #[test]
    fn any_lines_in_a_long_enough_fence_come_back_unchanged() {
        let pieces = ["", "`", "```", "~~~", "```suggestion", "  x", "\tx", "<!--", "-->", "a\u{e9}"];
        for first in pieces {
            for second in pieces {
                for fence in ["``````", "~~~~~~"] {
                    let body = format!("{fence}suggestion\n{first}\n{second}\n{fence}\n");
                    assert_eq!(blocks(&body), [[first, second]], "{body:?}");
                }
            }
        }
    }

    #[test]
    fn a_lead_in_asks_for_nothing_more_and_a_second_request_does() {
        for prose in
            ["", "\n", "Nit:", "This loop is off by one:", "Typo.", "<details><summary>Fix</summary></details>"]
        {
            assert!(!asks_more(prose), "{prose}");
        }
        for prose in [
            "Also rename it in the caller.",
            "Something like this?",
            "Same in src/b.rs",
            "Please add a test",
            "- one\n- two",
            "Bitte auch im Test",
            "这个循环多执行了一次并且调用者也需要修改才行吧",
            "This is a longer explanation of several things that nobody can be sure to have understood.",
        ] {
            assert!(asks_more(prose), "{prose}");
        }
    }
}
