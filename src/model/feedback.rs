//! Everything that people, bots and checks said about a pull request.

use serde::{Deserialize, Serialize};

use super::pr::{Actor, Association, PullRequest};

/// One comment, wherever it stands: in a thread, as a review's body, in the conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comment {
    /// GraphQL node id (`PRRC_`, `PRR_`, `IC_`).
    pub id: String,
    pub url: String,
    /// As GitHub returned it; untrusted text.
    pub body: String,
    /// `None` for a deleted account, which no rule about authors may match.
    pub author: Option<Actor>,
    pub association: Association,
    pub viewer_did_author: bool,
    /// RFC 3339.
    pub created_at: String,
    pub edited_at: Option<String>,
    /// Who edited it last (`Comment.editor`); trust is asked of them too.
    pub editor: Option<Actor>,
    /// The reason (`minimizedReason`) when the comment is hidden.
    pub minimized: Option<String>,
    /// `SUBMITTED` or `PENDING` for thread comments, the review's state for review bodies.
    pub state: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Side {
    /// The base file's line.
    Left,
    Right,
}

/// A review thread with all of its comments, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Thread {
    /// GraphQL node id (`PRRT_`), which resolving needs.
    pub id: String,
    pub path: String,
    /// The thread is about the whole file.
    pub file_level: bool,
    pub side: Side,
    /// The side of `start_line`, for a range.
    pub start_side: Option<Side>,
    /// Line in the present head; `None` when outdated or about the file.
    pub line: Option<u64>,
    pub start_line: Option<u64>,
    /// Lines in the commit that was reviewed.
    pub original_line: Option<u64>,
    pub original_start_line: Option<u64>,
    /// The commit that was reviewed.
    pub original_commit: Option<String>,
    pub outdated: bool,
    pub resolved: bool,
    pub viewer_can_reply: bool,
    pub viewer_can_resolve: bool,
    pub diff_hunk: String,
    pub comments: Vec<Comment>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Review {
    pub comment: Comment,
    /// `APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`, `DISMISSED`, `PENDING`.
    pub state: String,
    pub commit_oid: Option<String>,
    pub author_can_push: bool,
}

/// What a check says, after GitHub's many words for it were sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    Passed,
    /// `SKIPPED` and `NEUTRAL`: not failing, and no proof of anything.
    Skipped,
    Failed,
    /// Cancelled: not green, and no code is at fault.
    Cancelled,
    /// The workflow could not start: there is no job and no log.
    StartupFailure,
    /// Waits for a person (`ACTION_REQUIRED`), for instance a fork's workflow.
    ActionRequired,
    /// Never finished, and GitHub waits for it no longer (`STALE`, after two weeks).
    Stale,
    /// Queued, running or expected.
    Pending,
    /// GitHub would not tell; never green.
    Unreadable,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Annotation {
    pub path: String,
    pub start_line: u64,
    pub end_line: u64,
    /// `failure`, `warning`, `notice`.
    pub level: String,
    pub message: String,
}

/// The end of a failing job's log: what its failing step printed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LogTail {
    /// Name of the failing step, when its markers were found.
    pub step: Option<String>,
    /// Cleaned of time stamps, colours and groups; tokens masked.
    pub text: String,
    /// Bytes of the whole log, when known.
    pub total_bytes: Option<u64>,
    pub truncated: bool,
}

/// A check run or a commit status on the head commit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Check {
    /// `app | workflow | name`, or `status | context`; stable over re-runs (W55).
    pub key: String,
    pub name: String,
    pub state: CheckState,
    /// GitHub's own word for the state.
    pub raw_state: String,
    pub required: bool,
    pub url: Option<String>,
    pub app: Option<String>,
    pub workflow: Option<String>,
    /// Numeric id of the workflow run, for re-runs.
    pub run_id: Option<u64>,
    /// Numeric id of the job, which for Actions is the check run's.
    pub job_id: Option<u64>,
    pub started_at: Option<String>,
    /// The check's own title, summary or description.
    pub summary: String,
    pub log: Option<LogTail>,
    pub annotations: Vec<Annotation>,
    /// Why the log or the annotations are missing, or cost more than they should.
    pub gap: Option<String>,
}

/// The checks of one commit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Checks {
    /// The commit that they ran on; empty when GitHub has none.
    pub oid: String,
    pub list: Vec<Check>,
    /// GitHub refused some or all of them: nothing here may count as green.
    pub unreadable: Option<String>,
}

/// One complete reading of a pull request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Harvest {
    pub viewer: Actor,
    pub pr: PullRequest,
    pub threads: Vec<Thread>,
    pub reviews: Vec<Review>,
    pub comments: Vec<Comment>,
    pub checks: Checks,
    /// The viewer has an unsubmitted review, which would swallow replies.
    pub pending_review: bool,
    /// What GitHub did not give, in a reader's words.
    pub gaps: Vec<String>,
}
