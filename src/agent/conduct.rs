//! What an agent did besides answering, as far as its output, its processes and its git tell: each is harmless by the
//! time it is read here, and is named in the report.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::model::text::{mask_secrets, one_line};
use crate::process::Output;

/// Traces that are read, and bytes of each: an agent may start git as often as it likes.
const TRACES: usize = 1000;
const TRACE_BYTES: u64 = 64 << 10;
/// Pushes that are named.
const PUSHES: usize = 8;

/// How tools complain that there is nobody to ask.
const TERMINAL: &[&[&str]] = &[
    &["terminal prompts disabled"],
    &["/dev/tty", "No such device or address"],
    &["/dev/tty", "Device not configured"],
    &["not a tty"],
];

/// Everything worth naming, each so that "the agent" fits before it. `traces` is the folder of git's own traces.
pub(super) fn read(output: &Output, traces: &Path, kept: usize) -> Vec<String> {
    let mut seen = Vec::new();
    if output.truncated {
        seen.push(format!("printed more than {} MiB; only the end was read", kept >> 20));
    }
    if !output.left.is_empty() {
        seen.push(format!("left processes running, which were ended: {}", one_line(&output.left.join(", "), 200)));
    }
    if has_escapes(&output.stdout) || has_escapes(&output.stderr) {
        seen.push("printed terminal escapes, which were removed".to_owned());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let asks = |line: &str| TERMINAL.iter().any(|parts| parts.iter().all(|part| line.contains(part)));
    if let Some(line) = stderr.lines().find(|line| asks(line)) {
        seen.push(format!("asked for a terminal and got none: {}", one_line(&mask_secrets(line), 160)));
    }
    seen.extend(pushes(traces));
    seen
}

/// Sequences that do more than colour, as bytes of UTF-8.
fn has_escapes(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(0x1b, rest) {
        rest = &rest[at + 1..];
        let Some(parameters) = rest.strip_prefix(b"[") else { return true };
        let end = parameters.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'));
        if end.map(|end| parameters[end]) != Some(b'm') {
            return true;
        }
    }
    // The C1 control sequence introducer and its like (ECMA-48).
    bytes.windows(2).any(|pair| pair[0] == 0xc2 && matches!(pair[1], 0x90 | 0x9b | 0x9d..=0x9f))
}

/// `git push`es that were tried. No transport is open to an agent, so none got through by itself.
fn pushes(traces: &Path) -> Option<String> {
    let mut seen = BTreeSet::new();
    for entry in std::fs::read_dir(traces).into_iter().flatten().flatten().take(TRACES) {
        seen.extend(pushed(&entry.path()));
    }
    let more = seen.len().saturating_sub(PUSHES);
    let mut named: Vec<_> = seen.into_iter().take(PUSHES).map(|line| format!("`{line}`")).collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    (!named.is_empty()).then(|| format!("tried to push: {}", named.join(", ")))
}

/// The command line of one git process, when it was a push (the events `start` and `cmd_name` of
/// git's api-trace2).
fn pushed(trace: &Path) -> Option<String> {
    // The agent can write here: nothing but a plain file is read.
    if !trace.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(trace).ok()?.take(TRACE_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut argv = String::new();
    for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match event["event"].as_str()? {
            "start" => {
                let words = event["argv"].as_array()?.iter().filter_map(Value::as_str);
                argv = one_line(&mask_secrets(&words.collect::<Vec<_>>().join(" ")), 160);
            }
            "cmd_name" => return (event["name"] == "push").then_some(argv),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_no_escapes_and_titles_clears_and_clipboards_are() {
        for plain in ["a\u{1b}[1;31mred\u{1b}[0m", "plain", "é\u{a0}"] {
            assert!(!has_escapes(plain.as_bytes()), "{plain:?}");
        }
        for escape in ["\u{1b}]0;x\u{7}", "\u{1b}[2J", "\u{1b}[", "\u{1b}c", "\u{9b}31m", "\u{9d}52;c;x"] {
            assert!(has_escapes(escape.as_bytes()), "{escape:?}");
        }
    }
}
