//! A watch: what it was told, what it has done, what is left to a person; and what its gate sees.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::pr::PrState;
use super::repo::RepoId;

pub const SCHEMA: &str = "git-prfix.watch/1";

/// What the rounds of a watch have worked on, by keys that name something at the state that it had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Comments, checks and conflicts that had their one attempt.
    #[serde(default)]
    pub attempted: BTreeSet<String>,
    /// What was asked, whoever's comment it stands in, so that a finding that comes back is known.
    #[serde(default)]
    pub findings: BTreeSet<String>,
    /// Checks that were run again, each on one commit.
    #[serde(default)]
    pub rerun: BTreeSet<String>,
}

impl Memory {
    pub fn extend(&mut self, other: &Self) {
        self.attempted.extend(other.attempted.iter().cloned());
        self.findings.extend(other.findings.iter().cloned());
        self.rerun.extend(other.rerun.iter().cloned());
    }
}

/// What was said at the start, kept so that `resume` goes on with the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Minutes between two polls.
    pub every: u32,
    pub reply: bool,
    pub instructions: Option<String>,
    /// What the fix may touch beyond code: `ci`, `tests`, `prfix`.
    #[serde(default)]
    pub allow: Vec<String>,
    #[serde(default)]
    pub allow_unverified: bool,
    #[serde(default)]
    pub accept_red_baseline: bool,
}

/// The process that drives a watch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// New with every start, so that a take-over is noticed.
    pub session: String,
    pub pid: u32,
    /// RFC 3339.
    pub since: String,
}

/// Something that only a person can decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// A comment's URL or a check's name.
    pub source: String,
    pub what: String,
    pub head: String,
    /// RFC 3339.
    pub at: String,
}

/// Why nothing more is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    Merged,
    Closed,
    /// `git prfix stop`.
    Stopped,
    MaxPushes,
    Budget,
    /// Two foreign moves of the branch in one round.
    SomeoneElsePushes,
    /// The author may not push to the repository (any more).
    AuthorCannotPush,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    pub reason: EndReason,
    /// RFC 3339.
    pub at: String,
}

/// Everything that is known of a watch; `<git common dir>/prfix/pr-<n>/watch.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub schema: String,
    pub number: u64,
    pub repo: RepoId,
    pub node_id: String,
    pub title: String,
    pub head_branch: String,
    /// `owner/name` of the repository that is pushed to.
    pub push_target: String,
    /// The head when it was last looked at.
    pub head: String,
    pub options: Options,
    /// A person confirmed these options on a terminal; what a start without one needs.
    pub confirmed: Option<String>,
    pub owner: Option<Owner>,
    /// Commits that this watch pushed, oldest first.
    pub pushed: Vec<String>,
    /// As it was when it was last looked at, for `status`.
    pub max_pushes: u32,
    /// RFC 3339.
    pub started_at: String,
    pub last_check: Option<String>,
    pub last_round: Option<String>,
    /// The last run whose result is in here.
    pub last_run: Option<String>,
    /// A round began and has not ended.
    pub round: Option<String>,
    /// What the gate saw last.
    pub seen: Option<Seen>,
    pub memory: Memory,
    pub needs_human: Vec<Decision>,
    pub ended: Option<End>,
}

/// What a poll is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Digest of everything that the gate reads but mergeability.
    pub digest: String,
    /// `None` while GitHub computes it.
    pub conflicting: Option<bool>,
}

/// One pull request in the answer of a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polled {
    pub node_id: String,
    pub state: PrState,
    pub head_oid: String,
    pub seen: Seen,
    /// Names of checks that have not ended.
    pub pending: Vec<String>,
}

/// The answer of a poll.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Poll {
    pub list: Vec<Polled>,
    /// Rate-limit points that it cost, and that are left.
    pub cost: u64,
    pub remaining: Option<u64>,
}

macro_rules! as_str {
    ($($variant:ident => $text:literal, $sentence:literal;)*) => {
        impl EndReason {
            /// The spelling of documents.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
            /// In a reader's words.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence),* }
            }
        }
    };
}
as_str! {
    Merged => "merged", "the pull request was merged";
    Closed => "closed", "the pull request was closed";
    Stopped => "stopped", "`git prfix stop` ended it";
    MaxPushes => "max-pushes", "it used all of its pushes";
    Budget => "budget", "the budget of the pull request is used up";
    SomeoneElsePushes => "someone-else-pushes", "someone else is pushing to this pull request";
    AuthorCannotPush => "author-cannot-push", "the pull request's author may not push to the repository";
}
