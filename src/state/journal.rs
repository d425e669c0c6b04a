//! The journal of a run: JSON lines, appended and synced before and after every effect.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::store::StateError;
use crate::model::agent::Usage;
use crate::model::finding::Finding;
use crate::model::manifest::Manifest;
use crate::model::proof::Proof;
use crate::model::report::{GateReport, GateStatus, Outcome, Reason};
use crate::model::spec::{ItemStatus, Triage};

/// Format of the entries. A reader of a lower version reads on, but never continues such a run.
pub const VERSION: u32 = 1;

/// A gate that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateRun {
    pub command: String,
    pub status: GateStatus,
    pub exit: Option<i32>,
    pub seconds: f64,
    pub log: String,
    /// It failed first, and passed with nothing changed.
    #[serde(default)]
    pub flaky: bool,
    /// Fingerprint of how it failed, to tell "the same red" from another.
    pub signature: Vec<String>,
}

impl GateRun {
    /// As the report shows it, with the same command's end in `baseline`, the runs on the untouched head.
    pub fn report(&self, baseline: &[GateRun]) -> GateReport {
        GateReport {
            command: self.command.clone(),
            status: self.status,
            exit: self.exit,
            seconds: self.seconds,
            before: baseline.iter().find(|run| run.command == self.command).map(|run| run.status),
            flaky: self.flaky,
            log: self.log.clone(),
        }
    }
}

/// Something done to git or to GitHub, by a name that is the same when the run is resumed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "kebab-case")]
pub enum Effect {
    Commit {
        pass: u32,
    },
    Push {
        oid: String,
    },
    Reply {
        thread: String,
    },
    Resolve {
        thread: String,
    },
    Summary,
    ReReview,
    /// A reviewer is asked to look again.
    AskReviewer {
        login: String,
    },
    /// Marks of the caller are set to null.
    ResetMarks,
    /// What a round of a fix loop changed is written into the checkout and staged.
    Stage {
        group: u32,
        round: u32,
    },
    /// Failed jobs of a workflow run are run again.
    Rerun {
        run: u64,
    },
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    Started {
        pr: u64,
        head: String,
        options: Vec<String>,
        /// Unresolved threads when it began.
        #[serde(default)]
        unresolved: Option<usize>,
    },
    /// A later process took the run over.
    Resumed {
        pid: u32,
    },
    /// `spec.json` is written.
    Specified {
        items: u32,
    },
    Isolated {
        path: PathBuf,
        branch: String,
        base: String,
    },
    Baseline {
        gates: Vec<GateRun>,
    },
    Triaged {
        verdict: Triage,
        usage: Usage,
    },
    /// The fix agent answered with a manifest that holds; its changes are in the worktree.
    Fixed {
        pass: u32,
        manifest: Manifest,
        files: Vec<String>,
        usage: Usage,
    },
    /// An agent call that has ended and is not told otherwise; keeps the cost.
    Spent {
        usage: Usage,
        /// Its name within the run, so that an answer that is used after a crash is counted once.
        #[serde(default)]
        call: Option<String>,
        /// Who was asked for what, and how it ended.
        #[serde(default)]
        what: String,
        #[serde(default)]
        outcome: String,
        /// The folder of its prompt and output.
        #[serde(default)]
        output: PathBuf,
    },
    /// Commands that ended in no verdict of their own: the set-up, gates that are red.
    Ran {
        what: String,
        commands: Vec<GateRun>,
    },
    /// Something that the report has to say, whoever ends the run.
    Warned {
        text: String,
    },
    /// The process leaves the run, which can be gone on with.
    Stopped {
        reason: Reason,
        unblock: String,
    },
    Committed {
        pass: u32,
        oid: String,
        files: Vec<String>,
    },
    /// Our unpushed commits were rebased onto a head that moved.
    Rebased {
        onto: String,
        oid: String,
    },
    Verified {
        oid: String,
        gates: Vec<GateRun>,
    },
    /// A failing check that the branch is not at fault for.
    Excused {
        item: u32,
        status: ItemStatus,
        why: String,
    },
    /// What the review of our own change found.
    Reviewed {
        oid: String,
        findings: Vec<Finding>,
    },
    /// What the verified commit proves, by item.
    Proved {
        oid: String,
        /// With the item; a map's keys would not survive an enum that is tagged inside.
        proofs: Vec<(u32, Proof)>,
    },
    /// An effect is about to be tried.
    Trying {
        step: Effect,
    },
    /// It took; `url` of what it made.
    Did {
        step: Effect,
        url: Option<String>,
    },
    Finished {
        outcome: Outcome,
        reason: Reason,
        #[serde(default)]
        unblock: Option<String>,
    },
    /// Written by a newer version.
    #[serde(other)]
    Unknown,
}

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    pub v: u32,
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: Event,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens for appending. A torn last line, left by a crash, is cut off first.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        let io = |doing| StateError::io(path, doing);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io("opened"))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io("read"))?;
        let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(io("repaired"))?;
        }
        file.seek(SeekFrom::End(0)).map_err(io("read"))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Appends one event and makes it last before returning.
    pub fn record(&mut self, at: Timestamp, event: Event) -> Result<(), StateError> {
        let io = |doing| StateError::io(&self.path, doing);
        let entry = Entry { v: VERSION, at, event };
        let mut line = serde_json::to_vec(&entry).map_err(|error| io("written")(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).and_then(|()| self.file.sync_data()).map_err(io("written"))
    }
}
