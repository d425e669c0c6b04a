//! The report of a run, `git-prfix.report/1`. Field names are part of the outer contract.

use serde::{Deserialize, Serialize};

use super::agent::Usage;
use super::finding::Finding;
use super::proof::Proof;
use super::spec::{Dropped, ItemKind, ItemStatus, Risk, Untrusted, Verdict};

pub const SCHEMA: &str = "git-prfix.report/1";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    pub schema: String,
    pub run: String,
    pub pr: PrSummary,
    pub outcome: Outcome,
    pub reason: Reason,
    pub unblock: Option<String>,
    pub commits: Vec<String>,
    pub items: Vec<ItemReport>,
    pub dropped: Vec<Dropped>,
    pub untrusted: Vec<Untrusted>,
    pub gates: Vec<GateReport>,
    /// What the review of our own change found.
    #[serde(default)]
    pub self_review: Vec<Finding>,
    pub threads: ThreadCounts,
    pub worktree: WorktreeReport,
    pub usage: Usage,
    pub warnings: Vec<String>,
    /// Reviewers that were asked to look again, and those that were not although they might have been.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviewers: Vec<ReviewerReport>,
    /// Of `git prfix sweep`: the runs that this report sums up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweeps: Vec<SweepReport>,
}

/// What became of a reviewer after the push.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewerReport {
    pub login: String,
    pub state: ReviewerState,
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewerState {
    /// It was asked, and has not answered yet.
    Asked,
    /// It looks or has looked at this head by itself, and was not asked.
    AtWork,
    /// It does not react; its silence is no approval.
    Down,
    /// The operator turned it off.
    Off,
}

impl ReviewerState {
    pub fn words(self) -> &'static str {
        match self {
            Self::Asked => "asked to look again",
            Self::AtWork => "looks by itself",
            Self::Down => "is down",
            Self::Off => "turned off",
        }
    }
}

/// One sweep of several over the same pull request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SweepReport {
    pub run: String,
    pub outcome: Outcome,
    pub reason: Reason,
    pub head_after: Option<String>,
    /// Threads that were resolved.
    pub resolved: usize,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PrSummary {
    pub number: u64,
    pub url: String,
    pub title: String,
    pub head_branch: String,
    pub head_before: String,
    pub head_after: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Done,
    Blocked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    Pushed,
    NothingToDo,
    AllTriagedOut,
    NoPush,
    DryRun,
    MergedDuringRun,
    ClosedDuringRun,
    Auth,
    NotOpen,
    ForkNoPush,
    UntrustedAuthor,
    Manifest,
    Invariants,
    Gates,
    PushRejected,
    Agent,
    NoCommit,
    NeedsHuman,
    Conflict,
    Guard,
    Interrupted,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ItemReport {
    pub id: u32,
    pub kind: ItemKind,
    pub source: String,
    pub author: String,
    pub path: Option<String>,
    pub line: Option<u64>,
    pub request: String,
    pub verdict: Option<Verdict>,
    pub reasoning: String,
    pub risk: Option<Risk>,
    pub status: ItemStatus,
    pub detail: String,
    /// What shows that it is fixed.
    #[serde(default)]
    pub proof: Proof,
    pub reply_url: Option<String>,
    pub resolved: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateStatus {
    Passed,
    Failed,
    TimedOut,
    Skipped,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GateReport {
    pub command: String,
    pub status: GateStatus,
    pub exit: Option<i32>,
    pub seconds: f64,
    pub before: Option<GateStatus>,
    /// It failed first, and passed with nothing changed.
    #[serde(default)]
    pub flaky: bool,
    pub log: String,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct ThreadCounts {
    pub unresolved_before: usize,
    pub unresolved_after: usize,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WorktreeReport {
    pub path: String,
    pub branch: String,
    pub kept: bool,
    pub why: String,
}
