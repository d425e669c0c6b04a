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
pub fn tail(raw: &[u8], total: Option<u64>) -> LogTail {
    let cut = total.is_some_and(|total| total > raw.len() as u64);
    let text = String::from_utf8_lossy(raw);
    // The first line of a cut log is a part of a line, and may be a part of a secret.
    let text = if cut { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &text };
    let masked = mask_secrets(&without_key_end(&clean(text)));
    let lines: Vec<&str> = masked.lines().collect();
    let steps = failing_steps(&lines);
    let step = steps.first().and_then(|(start, _)| step_name(&lines, *start));
    let parts: Vec<&[&str]> = if steps.is_empty() {
        vec![&lines[..]]
    } else {
        steps.iter().map(|(start, end)| &lines[*start..=*end]).collect()
    };
    let room = MAX_TEXT / parts.len().max(1);
    let (texts, shortened): (Vec<String>, Vec<bool>) = parts.into_iter().map(|part| shown(part, room)).unzip();
    LogTail { step, text: texts.join("\n"), total_bytes: total, truncated: cut || shortened.contains(&true) }
}

/// The end of some lines as GitHub's page shows them, and whether something was cut.
fn shown(lines: &[&str], room: usize) -> (String, bool) {
    let shown: Vec<String> = lines.iter().filter_map(|line| show(line)).collect();
    last_bytes(&shown.join("\n"), room)
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

/// First and last line of each step that failed, in order: a step ends in the runner's error about its
/// exit status; where there is none, the last error counts. The first step is what broke the job, later ones
/// ran in spite of it (`if: always()`).
fn failing_steps(lines: &[&str]) -> Vec<(usize, usize)> {
    let of = |end: usize| (lines[..end].iter().rposition(|line| is_step_start(line)).unwrap_or(0), end);
    let ended = |line: &str| line.starts_with("##[error]Process completed with exit code");
    let ends: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| ended(line)).map(|(at, _)| at).collect();
    if ends.is_empty() {
        return lines.iter().rposition(|line| line.starts_with("##[error]")).map(of).into_iter().collect();
    }
    ends.into_iter().map(of).collect()
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

/// The last whole lines of at most `room` bytes, and whether something was cut.
fn last_bytes(text: &str, room: usize) -> (String, bool) {
    if text.len() <= room {
        return (text.to_owned(), false);
    }
    let mut start = text.len() - room;
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
    fn the_step_that_failed_first_is_the_one_that_broke_the_job() {
        let raw = log(&[
            "##[group]Run make test",
            "##[endgroup]",
            "assertion failed",
            "##[error]Process completed with exit code 2.",
            "##[group]Run ./upload-reports",
            "##[endgroup]",
            "no reports",
            "##[error]Process completed with exit code 1.",
        ]);
        let tail = tail(&raw, None);
        assert_eq!(tail.step.as_deref(), Some("Run make test"));
        let at = |text: &str| tail.text.find(text).unwrap();
        assert!(at("assertion failed") < at("no reports"));
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
