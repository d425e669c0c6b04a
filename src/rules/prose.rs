//! What a comment says in words: without quotes, code, markup and decoration, cut into clauses.
//!
//! Rules about tone look at clauses, so that each part of "LGTM, but please rename it" is judged by itself.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::model::text;

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Lines that a mail program adds below an answer.
static MAIL_TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?m)^(?:On .{5,120} wrote:|-- ?|_{10,}|Reply to this email directly.*|Sent from my .*|Get Outlook for .*",
        r"|Am .{5,120} schrieb.*:|Le .{5,120} a écrit.*:|You are receiving this because .*)\s*$",
    ))
});
static IMAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?"));
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[([^\]]+)\]\([^)]*\)"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?[a-zA-Z][^<>]*>"));
static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r"https?://[^\s<>()]+"));
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"`+([^`\n]+)`+"));
static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?-u)(?:[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)?#\d+\b|\bGH-\d+\b|\b[A-Z][A-Z0-9]+-\d+\b"));
static SHA: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u)\b(?:[0-9a-f]{40}|[0-9a-f]{7,12})\b"));
static SHORTCODE: LazyLock<Regex> = LazyLock::new(|| pattern(r":([a-z+-][a-z0-9_+-]*|100):"));
static EMOTICON: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(^|\s)(?:[:;=8]'?-?[)DPpd]+|<3+|\^_?\^|[xX]D+|\\o/|:-?\*)(?:$|(?P<end>[\s.,!]))"));

/// Names of emoji that disagree, doubt or warn.
const GRAVE_NAMES: &[&str] = &[
    "-1",
    "thumbsdown",
    "x",
    "warning",
    "no_entry",
    "no_entry_sign",
    "confused",
    "thinking",
    "thinking_face",
    "question",
    "exclamation",
    "heavy_exclamation_mark",
    "stop_sign",
    "octagonal_sign",
    "disappointed",
    "facepalm",
    "rotating_light",
    "bug",
];
const GRAVE: &[char] =
    &['👎', '❌', '⚠', '🚫', '🛑', '❗', '❓', '🤔', '😕', '🤨', '😬', '🚨', '🐛', '🔴', '⛔', '🤷', '😞'];

/// Stands for an emoji that disagrees, doubts or warns.
const GRAVE_MARK: &str = "⚠";

/// The words of a comment: no HTML comments, quotes, fenced code, images or mail trailers. Links keep their text;
/// addresses, commits, issues and inline code become `url`, `sha`, `ref` and `code`.
pub(super) fn prose(body: &str) -> String {
    let clean = text::strip_invisible(&text::strip_html_comments(body)).replace("\r\n", "\n").replace('’', "'");
    let clean = without_blocks(&clean);
    let clean = replace(Cow::Owned(clean), '!', &IMAGE, "");
    let clean = replace(clean, '[', &LINK, "$1");
    let clean = replace(clean, '<', &TAG, " ");
    let clean = replace(clean, '/', &URL, "url");
    let clean = if clean.contains('`') {
        let named =
            CODE.replace_all(&clean, |code: &regex::Captures<'_>| if is_sha(&code[1]) { "sha" } else { "code" });
        Cow::Owned(named.into_owned())
    } else {
        clean
    };
    if !clean.bytes().any(|byte| byte.is_ascii_digit()) {
        return clean.trim().to_owned();
    }
    let clean: Cow<'_, str> = Cow::Owned(REFERENCE.replace_all(&clean, "ref").into_owned());
    let clean = SHA.replace_all(
        &clean,
        |found: &regex::Captures<'_>| {
            if is_sha(&found[0]) { "sha".to_owned() } else { found[0].to_owned() }
        },
    );
    clean.trim().to_owned()
}

/// Runs a replacement only where its first character occurs at all.
fn replace<'a>(text: Cow<'a, str>, needs: char, pattern: &Regex, with: &str) -> Cow<'a, str> {
    if text.contains(needs) { Cow::Owned(pattern.replace_all(&text, with).into_owned()) } else { text }
}

fn is_sha(word: &str) -> bool {
    (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Drops quoted lines, fenced code and whatever a mail program added.
fn without_blocks(body: &str) -> String {
    let body = match MAIL_TRAILER.find(body) {
        Some(trailer) => &body[..trailer.start()],
        None => body,
    };
    let mut fence: Option<&str> = None;
    let mut kept = String::with_capacity(body.len());
    for line in body.lines() {
        let bare = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| bare.starts_with(marker));
        match (fence, marker) {
            (Some(open), Some(marker)) if open == marker => fence = None,
            (Some(_), _) => {}
            (None, Some(marker)) => fence = Some(marker),
            (None, None) if bare.starts_with('>') => {}
            (None, None) => {
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    kept
}

/// The clauses of a comment in lower case, without emoji, greetings by name, bullets and emphasis. A question keeps
/// its mark. An emoji that disagrees, doubts or warns is a clause `⚠`.
pub(super) fn clauses(body: &str) -> Vec<String> {
    let words = decorated(&prose(body).to_lowercase());
    let mut clauses = Vec::new();
    let mut current = String::new();
    let mut chars = words.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '?' | '？' => {
                current.push('?');
                finish(&mut current, &mut clauses);
            }
            '⚠' => {
                finish(&mut current, &mut clauses);
                clauses.push(GRAVE_MARK.to_owned());
            }
            '-' if current.ends_with(' ') && next.is_some_and(char::is_whitespace) => {
                finish(&mut current, &mut clauses)
            }
            _ if ends_clause(c, next) => finish(&mut current, &mut clauses),
            _ => current.push(c),
        }
    }
    finish(&mut current, &mut clauses);
    clauses
}

fn ends_clause(c: char, next: Option<char>) -> bool {
    match c {
        '\n' | '!' | '！' | '。' | '，' | '、' | '；' | '…' | '—' | '–' | '(' | ')' | '（' | '）' | '～' | '~' => {
            true
        }
        '.' | ',' | ';' | ':' => next.is_none_or(|c| c.is_whitespace() || is_cjk(c)),
        _ => false,
    }
}

/// Chinese, Japanese and Korean leave no space behind a comma, even a Western one.
fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Replaces emoji, short codes and emoticons by nothing, or by the mark of a grave one.
fn decorated(text: &str) -> String {
    let text = if text.contains([':', ';', '=', '<', '^', '8', '\\']) || text.contains("xd") {
        EMOTICON.replace_all(text, "$1$end")
    } else {
        Cow::Borrowed(text)
    };
    let text = if text.contains(':') {
        let named = SHORTCODE.replace_all(
            &text,
            |code: &regex::Captures<'_>| {
                if GRAVE_NAMES.contains(&&code[1]) { GRAVE_MARK } else { " " }
            },
        );
        Cow::Owned(named.into_owned())
    } else {
        text
    };
    text.chars()
        .filter_map(|c| match c {
            _ if GRAVE.contains(&c) => Some('⚠'),
            _ if is_emoji(c) => None,
            _ => Some(c),
        })
        .collect()
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{fe0f}' | '\u{200d}'
        | '\u{20e3}' | '\u{e0020}'..='\u{e007f}')
}

fn finish(current: &mut String, clauses: &mut Vec<String>) {
    let mut clause = current.trim_matches(is_decoration);
    // "@sam thanks" and "thanks @sam" say "thanks".
    loop {
        let before = clause;
        if let Some(rest) = clause.strip_prefix('@') {
            let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_/".contains(c))).unwrap_or(rest.len());
            clause = rest[name..].trim_matches(is_decoration);
        }
        if let Some((rest, name)) = clause.rsplit_once(" @")
            && !name.contains(' ')
            && !name.ends_with('?')
        {
            clause = rest.trim_matches(is_decoration);
        }
        if clause == before {
            break;
        }
    }
    if clause.ends_with('?') || clause.chars().any(|c| c.is_alphanumeric() || c == '+') {
        clauses.push(squeeze(clause));
    }
    current.clear();
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || "*_#\"'“”«»„•¡¿-|>[]{}/\\=^·,.:;".contains(c)
}

/// Single spaces, no emphasis inside, and "soooo niiice" as "so nice".
fn squeeze(clause: &str) -> String {
    let mut out = String::with_capacity(clause.len());
    let mut run = (' ', 0);
    for c in clause.chars().filter(|c| !matches!(c, '*' | '"' | '“' | '”')) {
        let c = if c.is_whitespace() { ' ' } else { c };
        run = if c == run.0 { (c, run.1 + 1) } else { (c, 1) };
        if run.1 == 1 || (c != ' ' && run.1 == 2) {
            out.push(c);
        } else if run.1 == 3 && c.is_alphabetic() {
            out.pop();
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_code_and_markup_are_not_what_the_author_says() {
        let body = "> rename it\n\nDone in 1a2b3c4, see [the docs](https://x.y).\n```rs\nfoo()\n```\n<!-- hidden -->";
        assert_eq!(prose(body), "Done in sha, see the docs.");
    }

    #[test]
    fn a_mixed_comment_falls_into_its_parts() {
        assert_eq!(clauses("LGTM 🚀, but please rename `x`."), ["lgtm", "but please rename code"]);
        assert_eq!(clauses("@sam thanks! Soooo niiice :+1:"), ["thanks", "so nice"]);
        assert_eq!(clauses("Fixed?"), ["fixed?"]);
        assert_eq!(clauses("👎"), ["⚠"]);
        assert_eq!(clauses("🎉🎉 :tada:"), Vec::<String>::new());
        assert_eq!(clauses("いいですね！ありがとうございます。"), ["いいですね", "ありがとうございます"]);
        assert_eq!(clauses("see foo.rs:12:3 and v1.2"), ["see foo.rs:12:3 and v1.2"]);
    }

    #[test]
    fn what_a_mail_program_adds_is_cut() {
        assert_eq!(prose("Please rename it.\n\nOn Tue, Dec 1, 2026 at 9:00 Kim wrote:\n> old"), "Please rename it.");
    }
}
