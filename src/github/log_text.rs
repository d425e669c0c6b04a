//! From the raw end of a job's log to what its failing step printed. Pure.
//!
//! The runner writes a byte-order mark, a time stamp in front of each line, and workflow commands
//! such as `##[group]` and `##[error]`.

use std::sync::LazyLock;

use regex::Regex;

use crate::model::feedback::LogTail;
use crate::model::text::{mask_secrets, strip_escapes};

/// Bytes of a step's output that are kept, from its end.
const MAX_TEXT: usize = 64 << 10;

/// Cleans the end of a log and cuts the failing step out of it. `total` are the bytes of the whole.
pub(super) fn tail(raw: &[u8], total: Option<u64>) -> LogTail {
    let cut = total.is_some_and(|total| total > raw.len() as u64);
    let text = String::from_utf8_lossy(raw);
    // The first line of a cut log is a part of a line, and may be a part of a secret.
    let text = if cut { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &text };
    let masked = mask_secrets(&without_key_end(&clean(text)));
    let lines: Vec<&str> = masked.lines().collect();
    let (step, kept) = match failing_step(&lines) {
        Some((start, end)) => (step_name(&lines, start), &lines[start..=end]),
        None => (None, &lines[..]),
    };
    let shown: Vec<String> = kept.iter().filter_map(|line| show(line)).collect();
    let (text, shortened) = last_bytes(&shown.join("\n"));
    LogTail { step, text, total_bytes: total, truncated: cut || shortened }
}

fn clean(text: &str) -> String {
    static STAMP: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\u{feff}?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?").expect("a constant pattern")
    });
    let line = |line: &str| {
        let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
        let line = STAMP.replace(line, "");
        // A progress bar overwrites its line; what a terminal would show is behind the last return.
        strip_escapes(line.rsplit('\r').next().unwrap_or_default())
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Drops the rest of a private key whose beginning was cut off.
fn without_key_end(text: &str) -> String {
    match (text.find("-----BEGIN "), text.find("PRIVATE KEY-----")) {
        (begin, Some(end)) if begin.is_none_or(|begin| begin > end) => {
            text[end..].split_once('\n').map_or("", |(_, rest)| rest).to_owned()
        }
        _ => text.to_owned(),
    }
}

/// First and last line of the step that failed: it ends in the runner's error about its exit
/// status, else in the last error.
fn failing_step(lines: &[&str]) -> Option<(usize, usize)> {
    let ended = |line: &&str| line.starts_with("##[error]Process completed with exit code");
    let error = |line: &&str| line.starts_with("##[error]");
    let end = lines.iter().rposition(ended).or_else(|| lines.iter().rposition(error))?;
    let start = lines[..end].iter().rposition(|line| is_step_start(line)).unwrap_or(0);
    Some((start, end))
}

fn is_step_start(line: &str) -> bool {
    line.starts_with("##[group]Run ") || line == "Post job cleanup."
}

fn step_name(lines: &[&str], start: usize) -> Option<String> {
    let line = lines.get(start).filter(|line| is_step_start(line))?;
    Some(line.strip_prefix("##[group]").unwrap_or(line).to_owned())
}

/// A line as GitHub's page shows it; `None` for those that it doesn't.
fn show(line: &str) -> Option<String> {
    let Some((command, rest)) = line.strip_prefix("##[").and_then(|line| line.split_once(']')) else {
        return Some(line.to_owned());
    };
    match command {
        "endgroup" => None,
        "error" => Some(format!("Error: {rest}")),
        "warning" => Some(format!("Warning: {rest}")),
        "notice" => Some(format!("Notice: {rest}")),
        _ => Some(rest.to_owned()),
    }
}

/// The last whole lines of at most [`MAX_TEXT`] bytes, and whether something was cut.
fn last_bytes(text: &str) -> (String, bool) {
    if text.len() <= MAX_TEXT {
        return (text.to_owned(), false);
    }
    let mut start = text.len() - MAX_TEXT;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let kept = text[start..].split_once('\n').map_or(&text[start..], |(_, rest)| rest);
    (kept.to_owned(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &[&str]) -> Vec<u8> {
        let stamp = "2026-01-02T03:04:05.1234567Z ";
        let body: String = lines.iter().map(|line| format!("{stamp}{line}\r\n")).collect();
        format!("\u{feff}{body}").into_bytes()
    }

    #[test]
    fn the_failing_step_is_cut_out_and_cleaned() {
        let raw = log(&[
            "##[group]Run actions/checkout@v4",
            "##[endgroup]",
            "cloning",
            "##[group]Run cargo test",
            "cargo test",
            "##[endgroup]",
            "\u{1b}[31mtest a ... FAILED\u{1b}[0m",
            "10%\r100% done",
            "##[error]Process completed with exit code 101.",
            "Post job cleanup.",
            "##[warning]cache is full",
        ]);
        let tail = tail(&raw, Some(raw.len() as u64));
        assert_eq!(tail.step.as_deref(), Some("Run cargo test"));
        let want =
            "Run cargo test\ncargo test\ntest a ... FAILED\n100% done\nError: Process completed with exit code 101.";
        assert_eq!((tail.text.as_str(), tail.truncated), (want, false));
    }

    #[test]
    fn without_markers_the_end_is_kept_and_secrets_are_masked() {
        let token = format!("ghp_{}", "a1".repeat(20));
        let long = format!("{}\n{token}\nlast line", "x".repeat(200).repeat(500));
        let tail = tail(long.as_bytes(), Some(long.len() as u64 + 10));
        assert_eq!(tail.step, None);
        assert!(tail.truncated && tail.text.ends_with("***\nlast line"), "{}", tail.text);
    }

    #[test]
    fn half_a_secret_at_the_cut_is_not_shown() {
        let half = "b3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\nok\n";
        assert_eq!(tail(format!("torn\n{half}").as_bytes(), Some(9999)).text, "ok");
        assert_eq!(tail(b"zzz_half_of_a_token\nok", Some(9999)).text, "ok");
    }

    #[test]
    fn only_the_end_of_a_chatty_step_is_kept() {
        let mut lines = vec!["##[group]Run make"];
        let chat = "y".repeat(1000);
        lines.extend(std::iter::repeat_n(chat.as_str(), 200));
        lines.push("##[error]broken");
        let tail = tail(&log(&lines), None);
        assert!(tail.text.len() <= MAX_TEXT && tail.truncated && tail.text.ends_with("Error: broken"));
        assert_eq!(tail.step.as_deref(), Some("Run make"));
    }
}
