//! Gates before and after: green, red as before, or worse.

use crate::model::report::GateStatus;

/// How a gate ended, reduced to what can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub status: GateStatus,
    /// From [`signature`].
    pub signature: Vec<String>,
}

/// A gate after the fix, seen against the untouched head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Green,
    /// Red before, and red in the same way or with fewer complaints.
    SameRed,
    /// Green or unknown before, or red now with complaints that were not there.
    Worse,
}

/// Compares one gate.
pub fn compare(before: Option<&Ending>, after: &Ending) -> Change {
    if matches!(after.status, GateStatus::Passed | GateStatus::Skipped) {
        return Change::Green;
    }
    match before {
        Some(before) if before.status == after.status => {
            let known = |line: &String| before.signature.contains(line);
            if after.signature.iter().all(known) { Change::SameRed } else { Change::Worse }
        }
        _ => Change::Worse,
    }
}

/// The complaining lines of a gate's output, without what differs from run to run (numbers, paths of
/// temporary folders, times): sorted, unique, at most 200.
pub fn signature(output: &str) -> Vec<String> {
    const WORDS: &[&str] = &["fail", "error", "panic", "assert", "not ok", "exception", "✗", "✘", "×"];
    let complains = |line: &&str| {
        let line = line.to_lowercase();
        WORDS.iter().any(|word| line.contains(word))
    };
    let mut lines: Vec<String> = output.lines().filter(complains).map(steady).filter(|line| !line.is_empty()).collect();
    lines.sort();
    lines.dedup();
    lines.truncate(200);
    lines
}

/// A line without what moves by itself: bare numbers and durations, line numbers after a path, the
/// folders of absolute paths. Names keep their digits.
fn steady(line: &str) -> String {
    let clean = crate::model::text::strip_escapes(line);
    let words = clean.split_whitespace().map(|word| {
        if word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit()) {
            return "0".to_owned();
        }
        let word = if word.starts_with('/') { word.rsplit('/').next().unwrap_or(word) } else { word };
        word.split(':')
            .filter(|part| part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()))
            .collect::<Vec<_>>()
            .join(":")
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(status: GateStatus, output: &str) -> Ending {
        Ending { status, signature: signature(output) }
    }

    #[test]
    fn the_same_failure_in_another_second_is_the_same() {
        let before = ending(GateStatus::Failed, "test parse_7 ... FAILED\nfinished in 0.13s, 2 failed");
        let after = ending(GateStatus::Failed, "test parse_7 ... FAILED\nfinished in 12.01s, 2 failed");
        assert_eq!(compare(Some(&before), &after), Change::SameRed);
    }

    #[test]
    fn a_new_complaint_or_a_gate_that_was_green_is_worse() {
        let before = ending(GateStatus::Failed, "test a ... FAILED");
        let after = ending(GateStatus::Failed, "test a ... FAILED\ntest b2 ... FAILED");
        assert_eq!(compare(Some(&before), &after), Change::Worse);
        assert_ne!(signature("test b1 FAILED"), signature("test b2 FAILED"));
        assert_eq!(signature("src/a.rs:3:1 error: x"), signature("src/a.rs:9 error: x"));
        let green = ending(GateStatus::Passed, "");
        assert_eq!(compare(Some(&green), &before), Change::Worse);
        assert_eq!(compare(None, &before), Change::Worse);
        assert_eq!(compare(Some(&before), &green), Change::Green);
        let hang = ending(GateStatus::TimedOut, "");
        assert_eq!(compare(Some(&before), &hang), Change::Worse);
    }
}
