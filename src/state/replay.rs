//! The pure fold from a journal to what a run has done so far.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::journal::{Effect, Entry, Event, GateRun, VERSION};
use super::store::StateError;
use crate::model::agent::Usage;
use crate::model::finding::Finding;
use crate::model::manifest::Manifest;
use crate::model::proof::Proof;
use crate::model::report::{Outcome, Reason};
use crate::model::spec::{ItemStatus, Triage};

/// One pass of the fix agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    pub manifest: Manifest,
    pub files: Vec<String>,
    /// The commit, once it is made.
    pub oid: Option<String>,
}

/// The state of a run, folded from its journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replay {
    pub started: bool,
    pub pr: u64,
    pub head: String,
    /// Unresolved threads when it began.
    pub unresolved: Option<usize>,
    pub specified: bool,
    /// Path, branch and base of the worktree.
    pub worktree: Option<(PathBuf, String, String)>,
    pub baseline: Option<Vec<GateRun>>,
    pub triage: BTreeMap<u32, Triage>,
    pub passes: BTreeMap<u32, Pass>,
    /// The head that our commits were rebased onto.
    pub rebased: Option<(String, String)>,
    /// The last verified commit with its gates.
    pub verified: Option<(String, Vec<GateRun>)>,
    /// Items that ended before the fix, with the reason.
    pub excused: BTreeMap<u32, (ItemStatus, String)>,
    /// Reviewed commits and what was found in them, in order.
    pub reviews: Vec<(String, Vec<Finding>)>,
    /// The proved commit with its proofs.
    pub proved: Option<(String, BTreeMap<u32, Proof>)>,
    /// Effects that were tried; whether they took must be looked up when they are not in `done`.
    pub tried: Vec<Effect>,
    pub done: BTreeMap<Effect, Option<String>>,
    pub usage: Usage,
    /// Agent calls that `usage` has counted, by name.
    pub paid: BTreeSet<String>,
    pub warnings: Vec<String>,
    pub finished: Option<(Outcome, Reason)>,
    /// An entry of another version was seen, or a damaged one: read past, but not to be continued.
    pub newer: bool,
}

impl Replay {
    /// What the review of a commit found, when there was one.
    pub fn reviewed(&self, oid: &str) -> Option<&[Finding]> {
        self.reviews.iter().find(|(reviewed, _)| reviewed == oid).map(|(_, findings)| findings.as_slice())
    }

    /// It has begun and not ended. One that nobody here can read may have.
    pub fn is_unfinished(&self) -> bool {
        (self.started || self.newer) && self.finished.is_none()
    }

    /// Folds one entry in.
    pub fn apply(&mut self, entry: Entry) {
        self.newer |= entry.v != VERSION;
        match entry.event {
            Event::Started { pr, head, unresolved, .. } => {
                (self.started, self.pr, self.head, self.unresolved) = (true, pr, head, unresolved);
            }
            Event::Resumed { .. } => self.finished = None,
            Event::Specified { .. } => self.specified = true,
            Event::Isolated { path, branch, base } => self.worktree = Some((path, branch, base)),
            Event::Baseline { gates } => self.baseline = Some(gates),
            Event::Triaged { verdict, usage } => {
                self.usage += usage;
                self.triage.insert(verdict.item_id, verdict);
            }
            Event::Fixed { pass, manifest, files, usage } => {
                self.usage += usage;
                self.passes.insert(pass, Pass { manifest, files, oid: None });
            }
            Event::Spent { usage, call, .. } => {
                self.usage += usage;
                self.paid.extend(call);
            }
            Event::Warned { text } => self.warnings.push(text),
            Event::Committed { pass, oid, files } => {
                if let Some(pass) = self.passes.get_mut(&pass) {
                    pass.oid = Some(oid);
                    pass.files = files;
                }
            }
            Event::Rebased { onto, oid } => {
                self.verified = None;
                self.rebased = Some((onto, oid));
            }
            Event::Verified { oid, gates } => self.verified = Some((oid, gates)),
            Event::Excused { item, status, why } => {
                self.excused.insert(item, (status, why));
            }
            Event::Reviewed { oid, findings } => self.reviews.push((oid, findings)),
            Event::Proved { oid, proofs } => self.proved = Some((oid, proofs.into_iter().collect())),
            Event::Trying { step } => self.tried.push(step),
            Event::Did { step, url } => {
                self.done.insert(step, url);
            }
            Event::Finished { outcome, reason, .. } => self.finished = Some((outcome, reason)),
            // For those who read what happened.
            Event::Ran { .. } | Event::Stopped { .. } => {}
            Event::Unknown => self.newer = true,
        }
    }
}

/// Reads and folds a journal. A torn last line is left out; a line in the middle that cannot be
/// read makes the journal one of another version.
pub fn replay(path: &Path) -> Result<Replay, StateError> {
    Ok(fold(&read(path)?))
}

fn read(path: &Path) -> Result<Vec<u8>, StateError> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        text => text.map_err(StateError::io(path, "read")),
    }
}

/// The entries of a journal in order, for those who read what happened; what cannot be read is left out.
pub fn entries(path: &Path) -> Result<Vec<Entry>, StateError> {
    Ok(lines(&read(path)?).filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Without a last one that has no end.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"))
}

/// Folds the bytes of a journal. The torn end of a crash may be cut in the middle of a character.
pub fn fold(bytes: &[u8]) -> Replay {
    let mut state = Replay::default();
    for line in lines(bytes) {
        match serde_json::from_slice(line) {
            Ok(entry) => state.apply(entry),
            Err(_) => state.newer = true,
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Journal;

    fn journal_of(events: Vec<Event>) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let mut journal = Journal::open(&path).unwrap();
        for event in events {
            journal.record("2026-01-01T00:00:00Z".parse().unwrap(), event).unwrap();
        }
        (dir, path)
    }

    #[test]
    fn effects_that_took_are_told_from_those_only_tried() {
        let reply = Effect::Reply { thread: "T1".into() };
        let resolve = Effect::Resolve { thread: "T1".into() };
        let (_dir, path) = journal_of(vec![
            Event::Started { pr: 7, head: "a".into(), options: vec![], unresolved: None },
            Event::Trying { step: reply.clone() },
            Event::Did { step: reply.clone(), url: Some("u".into()) },
            Event::Trying { step: resolve.clone() },
        ]);
        let state = replay(&path).unwrap();
        assert!(state.started && !state.newer);
        assert_eq!(state.done.get(&reply), Some(&Some("u".into())));
        assert!(state.tried.contains(&resolve) && !state.done.contains_key(&resolve));
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_cut_off_before_the_next_entry() {
        let (_dir, path) =
            journal_of(vec![Event::Started { pr: 7, head: "a".into(), options: vec![], unresolved: None }]);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"v\":1,\"at\":\"2026-01-01T00:0");
        std::fs::write(&path, &text).unwrap();
        assert!(!replay(&path).unwrap().newer);

        let mut journal = Journal::open(&path).unwrap();
        journal.record("2026-01-01T00:00:00Z".parse().unwrap(), Event::Specified { items: 1 }).unwrap();
        let state = replay(&path).unwrap();
        assert!(state.specified && !state.newer);
    }

    #[test]
    fn a_line_that_is_torn_at_any_byte_is_dropped_and_the_lines_before_it_stand() {
        let warned = Event::Warned { text: "„häßlich“ 🦀".into() };
        let (_dir, path) = journal_of(vec![Event::Specified { items: 3 }, warned]);
        let text = std::fs::read(&path).unwrap();
        let first = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let expected = fold(&text[..first]);
        for cut in first..text.len() {
            std::fs::write(&path, &text[..cut]).unwrap();
            assert_eq!(replay(&path).unwrap(), expected, "cut at byte {cut}");
            Journal::open(&path).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), &text[..first], "cut at byte {cut}");
        }
    }

    #[test]
    fn proofs_findings_and_excuses_come_back_as_they_were_written() {
        let proof = Proof { why: Some("w".into()), ..Proof::default() };
        let (_dir, path) = journal_of(vec![
            Event::Excused { item: 2, status: ItemStatus::Rerun, why: "flaky".into() },
            Event::Reviewed { oid: "a".into(), findings: vec![] },
            Event::Proved { oid: "a".into(), proofs: vec![(1, proof.clone())] },
        ]);
        let state = replay(&path).unwrap();
        assert!(!state.newer);
        assert_eq!(state.proved, Some(("a".to_owned(), BTreeMap::from([(1, proof)]))));
        assert_eq!(state.excused[&2], (ItemStatus::Rerun, "flaky".to_owned()));
        assert_eq!((state.reviewed("a"), state.reviewed("b")), (Some(&[][..]), None));
    }

    #[test]
    fn an_unknown_newer_event_is_readable_but_marks_the_run_as_not_to_be_continued() {
        let state = fold(b"{\"v\":1,\"at\":\"2026-01-01T00:00:00Z\",\"event\":\"teleported\",\"to\":3}\n");
        assert!(state.newer);
        let state = fold(b"{\"v\":2,\"at\":\"2026-01-01T00:00:00Z\",\"event\":\"specified\",\"items\":3}\n");
        assert!(state.newer && state.specified);
    }
}
