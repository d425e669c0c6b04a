//! The fix loop's decisions: which findings are worked on, what belongs together, what verification means.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::loops::{Buckets, Demoted, Left};
use crate::model::review::{Envelope, ReviewFinding, Severity, Word};
use crate::policy::findings::left_out;

/// Findings that share files are fixed together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub findings: Vec<ReviewFinding>,
    /// What a fix may touch; more only after a scope expansion.
    pub files: Vec<String>,
}

/// Splits an envelope: confirmed findings of at least the severity `least` are worked on, in groups, the worst first.
/// The others are in the buckets, with the reason.
pub fn select(envelope: &Envelope, least: Severity) -> (Vec<Group>, Buckets) {
    let (mut work, mut buckets) = (Vec::new(), Buckets::default());
    for finding in &envelope.findings {
        let id = finding.id;
        match left_out(finding, least) {
            None => work.push(finding.clone()),
            Some(why) if finding.verdict == Some(Word::Demoted) => {
                buckets.demoted.push(Demoted { id, severity: finding.severity, why });
            }
            Some(why) => buckets.dropped.push(Left { id, why }),
        }
    }
    (groups(work), buckets)
}

/// A finding without a file stands alone.
fn groups(work: Vec<ReviewFinding>) -> Vec<Group> {
    let mut by_file: BTreeMap<String, Vec<ReviewFinding>> = BTreeMap::new();
    let mut groups = Vec::new();
    for finding in work {
        match finding.file.clone() {
            Some(file) => by_file.entry(file).or_default().push(finding),
            None => groups.push(Group { findings: vec![finding], files: Vec::new() }),
        }
    }
    groups.extend(by_file.into_iter().map(|(file, findings)| Group { findings, files: vec![file] }));
    groups.sort_by_key(|group| {
        group.findings.iter().map(|finding| (finding.severity, finding.id)).min().unwrap_or((Severity::P3, u32::MAX))
    });
    groups
}

/// Nobody but whoever handed it in speaks for the finding.
pub fn lacks_evidence(finding: &ReviewFinding) -> bool {
    finding.evidence.as_ref().is_none_or(|text| text.trim().is_empty())
}

/// What the project's commands say about a fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tests {
    /// There are none.
    None,
    Green,
    /// Red now, and not so before.
    Worse(String),
    /// Red now as it was before: it says nothing about the fix.
    SameRed(String),
    /// It could not be started, or did not end.
    CannotRun(String),
}

/// What became of the lines that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// The finding names no lines, or only empty ones.
    Unknown,
    Gone,
    Stays,
}

/// The lines `start..=end` (from 1), looked up before and after a fix by their text, not by their numbers.
pub fn spot(before: &str, after: &str, start: Option<u64>, end: Option<u64>) -> Spot {
    let Some(start) = start else { return Spot::Unknown };
    let end = end.unwrap_or(start);
    let place = |line: u64| usize::try_from(line).unwrap_or(usize::MAX);
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    let Some(block) = before.get(place(start) - 1..place(end).min(before.len())) else { return Spot::Unknown };
    if block.iter().all(String::is_empty) {
        return Spot::Unknown;
    }
    let count = |text: &[String]| text.windows(block.len()).filter(|window| *window == block).count();
    if count(&after) < count(&before) { Spot::Gone } else { Spot::Stays }
}

/// The outcome of verifying one finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verified {
    Resolved(String),
    /// Less bad than it was said to be.
    Demoted(Severity, String),
    Persists(String),
    /// Verification could not run; this is no attempt.
    Inconclusive(String),
}

/// Round 1, without an agent.
pub fn without_agent(changed: bool, tests: &Tests, spot: Spot) -> Verified {
    let resolved = |why: &str| Verified::Resolved(why.to_owned());
    match (changed, tests, spot) {
        (false, ..) => Verified::Persists("nothing was changed".to_owned()),
        (_, Tests::CannotRun(why), _) => Verified::Inconclusive(why.clone()),
        (_, Tests::Worse(why), _) => Verified::Persists(why.clone()),
        (_, _, Spot::Stays) => Verified::Persists("the lines of the finding are as they were".to_owned()),
        (_, Tests::SameRed(why), _) => Verified::Inconclusive(format!("{why}, as before the fix")),
        (_, Tests::Green, Spot::Gone) => resolved("the tests are green, and the lines of the finding are changed"),
        (_, Tests::Green, Spot::Unknown) => resolved("the tests are green"),
        (_, Tests::None, Spot::Gone) => resolved("the lines of the finding are changed"),
        (_, Tests::None, Spot::Unknown) => {
            Verified::Inconclusive("there is no test command, and the finding names no lines".to_owned())
        }
    }
}

/// Round 2: a verifier's envelope, finding by finding. `severe`: what it saw that is new and P0 or P1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    pub words: BTreeMap<u32, Verified>,
    pub new: Vec<ReviewFinding>,
    pub severe: Vec<ReviewFinding>,
}

/// A finding that the verifier has no word on, or only a word without evidence, is not resolved.
pub fn by_verifier(asked: &[ReviewFinding], known: &BTreeSet<u32>, answer: &Envelope) -> Judged {
    let mut judged = Judged::default();
    for finding in asked {
        let said = answer.findings.iter().find(|said| said.id == finding.id);
        judged.words.insert(finding.id, said.map_or_else(unsaid, word));
    }
    let others = answer.findings.iter().filter(|said| !known.contains(&said.id));
    judged.new = others.filter(|said| said.verdict != Some(Word::Rejected)).cloned().collect();
    judged.severe = judged.new.iter().filter(|said| said.severity <= Severity::P1).cloned().collect();
    judged
}

fn unsaid() -> Verified {
    Verified::Persists("the verifier has no word on it".to_owned())
}

fn word(said: &ReviewFinding) -> Verified {
    let evidence = said.evidence.clone().filter(|text| !text.trim().is_empty());
    match (said.verdict, evidence) {
        (Some(Word::Rejected), Some(evidence)) => Verified::Resolved(evidence),
        (Some(Word::Demoted), Some(evidence)) if said.severity > Severity::P1 => {
            Verified::Demoted(said.severity, evidence)
        }
        (Some(_), None) => Verified::Persists("the verifier gives no evidence".to_owned()),
        (Some(_), Some(evidence)) => Verified::Persists(evidence),
        (None, _) => unsaid(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(id: u32, severity: Severity, file: Option<&str>, verdict: Option<Word>) -> ReviewFinding {
        ReviewFinding {
            id,
            severity,
            title: "t".into(),
            body: "b".into(),
            file: file.map(str::to_owned),
            line_start: None,
            line_end: None,
            confidence: 1.0,
            criterion: Some("c".into()),
            verdict,
            evidence: Some("line 3".into()),
        }
    }

    fn envelope(findings: Vec<ReviewFinding>) -> Envelope {
        Envelope { schema_version: "v1".into(), findings, checks_run: vec![] }
    }

    #[test]
    fn only_confirmed_findings_that_are_bad_enough_are_worked_on_and_those_of_one_file_together() {
        let (confirmed, file) = (Some(Word::Confirmed), Some("a"));
        let envelope = envelope(vec![
            finding(1, Severity::P1, Some("b"), confirmed),
            finding(2, Severity::P1, file, confirmed),
            finding(3, Severity::P0, file, confirmed),
            finding(4, Severity::P2, file, confirmed),
            finding(5, Severity::P0, file, None),
            finding(6, Severity::P0, file, Some(Word::Rejected)),
            finding(7, Severity::P1, file, Some(Word::Demoted)),
        ]);
        let ids = |groups: &[Group]| -> Vec<Vec<u32>> {
            groups.iter().map(|group| group.findings.iter().map(|finding| finding.id).collect()).collect()
        };
        let (groups, buckets) = select(&envelope, Severity::P1);
        assert_eq!(ids(&groups), [vec![2, 3], vec![1]]);
        assert_eq!(buckets.dropped.iter().map(|left| left.id).collect::<Vec<_>>(), [4, 5, 6]);
        assert_eq!(buckets.demoted[0].id, 7);
        assert_eq!(ids(&select(&envelope, Severity::P2).0), [vec![2, 3, 4], vec![1]]);
    }

    #[test]
    fn lines_are_found_by_their_text_wherever_they_move() {
        let before = "a\nwhile i <= n {\n}\n";
        assert_eq!(spot(before, "a\nwhile i < n {\n}\n", Some(2), None), Spot::Gone);
        assert_eq!(spot(before, "new\na\n  while i <= n {\n}\n", Some(2), Some(2)), Spot::Stays);
        assert_eq!(spot(before, "", Some(2), Some(3)), Spot::Gone);
        assert_eq!(spot(before, before, Some(9), None), Spot::Unknown);
        assert_eq!(spot(before, before, None, None), Spot::Unknown);
    }

    #[test]
    fn what_cannot_be_verified_is_neither_resolved_nor_an_attempt() {
        let word = |tests: Tests, spot| without_agent(true, &tests, spot);
        assert!(matches!(word(Tests::Green, Spot::Unknown), Verified::Resolved(_)));
        assert!(matches!(word(Tests::Green, Spot::Stays), Verified::Persists(_)));
        assert!(matches!(word(Tests::Worse("x".into()), Spot::Gone), Verified::Persists(_)));
        assert!(matches!(word(Tests::SameRed("x".into()), Spot::Gone), Verified::Inconclusive(_)));
        assert!(matches!(word(Tests::CannotRun("x".into()), Spot::Gone), Verified::Inconclusive(_)));
        assert!(matches!(word(Tests::None, Spot::Unknown), Verified::Inconclusive(_)));
        assert!(matches!(without_agent(false, &Tests::Green, Spot::Gone), Verified::Persists(_)));
    }

    #[test]
    fn a_verifiers_word_counts_with_evidence_only_and_what_is_new_is_kept_apart() {
        let asked: Vec<ReviewFinding> = (1..=5).map(|id| finding(id, Severity::P1, None, None)).collect();
        let mut silent = finding(3, Severity::P1, None, Some(Word::Rejected));
        silent.evidence = None;
        let answer = envelope(vec![
            finding(1, Severity::P1, None, Some(Word::Rejected)),
            finding(2, Severity::P2, None, Some(Word::Demoted)),
            silent,
            finding(4, Severity::P1, None, Some(Word::Demoted)),
            finding(8, Severity::P2, None, Some(Word::Confirmed)),
            finding(9, Severity::P0, None, None),
        ]);
        let judged = by_verifier(&asked, &(1..=5).collect(), &answer);
        let words: Vec<&Verified> = judged.words.values().collect();
        assert!(matches!(
            words[..],
            [
                Verified::Resolved(_),
                Verified::Demoted(Severity::P2, _),
                Verified::Persists(_),
                Verified::Persists(_),
                Verified::Persists(_)
            ]
        ));
        assert_eq!((judged.new.len(), judged.severe.len()), (2, 1));
    }
}
