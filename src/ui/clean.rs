//! Cleaning of foreign text on its way to a person.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::model::text::{mask_secrets, one_line, strip_escapes, strip_invisible};

/// One harmless line of at most `max` characters.
pub(super) fn line(text: &str, max: usize) -> String {
    one_line(&mask_secrets(text), max)
}

/// Harmless text of several lines: no escapes, no invisible characters, no secrets, no tabs.
pub(super) fn block(text: &str) -> String {
    let text = strip_escapes(&strip_invisible(&mask_secrets(&text.replace("\r\n", "\n"))));
    text.replace('\t', "    ").lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// A finished document for the terminal. With `color` its own colours stay; every other escape goes.
pub(super) fn document(text: &str, color: bool) -> String {
    // Line by line: an unclosed string in one line must not swallow the lines after it.
    text.split('\n').map(|line| document_line(line, color)).collect::<Vec<_>>().join("\n")
}

fn document_line(line: &str, color: bool) -> String {
    static COLORS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\x1b\[[0-9;]*m").expect("a constant pattern"));
    let masked = mask_secrets(line);
    if !color || !masked.contains('\u{1b}') {
        return strip_escapes(&masked);
    }
    let mut out = String::with_capacity(masked.len());
    let mut end = 0;
    for found in COLORS.find_iter(&masked) {
        out.push_str(&strip_escapes(&masked[end..found.start()]));
        out.push_str(found.as_str());
        end = found.end();
    }
    out.push_str(&strip_escapes(&masked[end..]));
    out
}

/// JSON with the secrets in its strings masked, and with the control characters escaped that JSON
/// itself lets through (DEL and C1). Everything else stays byte for byte.
pub(super) fn json(document: &str) -> String {
    static STRINGS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""(?:[^"\\]|\\.)*""#).expect("a constant pattern"));
    let masked = STRINGS.replace_all(document, |found: &Captures| json_string(&found[0]));
    masked.chars().fold(String::with_capacity(masked.len()), |mut out, c| {
        match u32::from(c) {
            code @ 0x7f..=0x9f => out.push_str(&format!("\\u{code:04x}")),
            _ => out.push(c),
        }
        out
    })
}

fn json_string(literal: &str) -> String {
    let Ok(text) = serde_json::from_str::<String>(literal) else { return literal.to_owned() };
    let masked = mask_secrets(&text);
    if masked == text { literal.to_owned() } else { serde_json::Value::String(masked).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_0123456789012345678901234567890123456789";

    #[test]
    fn a_document_keeps_its_colours_and_loses_every_other_escape() {
        let text = "\u{1b}[1mbold\u{1b}[0m \u{1b}]0;title\u{7}x\u{1b}[2Jy\u{1b}]8;;http://evil\nnext";
        assert_eq!(document(text, true), "\u{1b}[1mbold\u{1b}[0m xy8;;http://evil\nnext");
        // A string without an end is shown as text: it must not hide what follows.
        assert_eq!(document(text, false), "bold xy8;;http://evil\nnext");
    }

    #[test]
    fn json_stays_json_when_a_secret_in_it_is_masked() {
        let text = format!(r#"{{"b": "say \"{TOKEN}\"", "a": "https://x/", "at": "@me", "c1": "{}31m"}}"#, '\u{9b}');
        let clean = json(&text);
        assert_eq!(clean, r#"{"b": "say \"***\"", "a": "https://x/", "at": "@me", "c1": "\u009b31m"}"#);
        assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok());
    }

    #[test]
    fn a_block_keeps_its_lines_and_nothing_else() {
        let text = format!("\r\n a\tb \r\n{TOKEN}\u{200b}\u{1b}[31m!\n\n");
        assert_eq!(block(&text), " a    b\n***!");
    }
}
