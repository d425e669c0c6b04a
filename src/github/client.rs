//! The typed client: every list read to its end, every failure told apart.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::pace::Pace;
use super::queries::Field;
use super::transport::Transport;
use crate::clock::Clock;
use crate::model::feedback::Comment;
use crate::model::repo::RepoId;

/// A comment that was just posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    pub id: String,
    pub url: String,
    /// `SUBMITTED`, or `PENDING` when an unsubmitted review swallowed it.
    pub state: String,
}

/// A thread right before it is answered.
#[derive(Debug, Clone)]
pub struct ThreadNow {
    pub resolved: bool,
    /// The head of its pull request, as GitHub's API has it.
    pub head_oid: Option<String>,
    pub viewer_can_reply: bool,
    pub viewer_can_resolve: bool,
    /// All comments, oldest first.
    pub comments: Vec<Comment>,
}

/// What a collaborator may do (`/collaborators/{login}/permission`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    Admin,
    Write,
    Read,
    None,
    /// We may not ask.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RerunOutcome {
    Started,
    AlreadyRunning,
    Refused { message: String },
}

/// A wait for a rate limit at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    pub whole: Duration,
    /// Nothing once the wait has ended.
    pub left: Duration,
}

type WaitSink = Box<dyn Fn(Waiting) + Send + Sync>;

/// GitHub, seen from one repository.
///
/// The operations are in the files around this one: `harvest`, `look`, `post`, `logs`, `access`.
pub struct Client {
    pub(super) transport: Box<dyn Transport>,
    pub(super) repo: RepoId,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) patience: Duration,
    pub(super) on_wait: Option<WaitSink>,
    pub(super) pace: Pace,
    pub(super) state: Mutex<State>,
}

/// What was learnt on the way.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Fields that this host lacks; `None` as long as nothing pointed to any.
    pub missing: Option<Vec<Field>>,
    /// OAuth scopes of the token, as the first answer told or did not tell them.
    pub scopes: Option<Option<Vec<String>>>,
}

impl Client {
    pub fn new(transport: Box<dyn Transport>, repo: RepoId, clock: Arc<dyn Clock>) -> Self {
        let patience = Duration::from_secs(15 * 60);
        Self { transport, repo, clock, patience, on_wait: None, pace: Pace::default(), state: Mutex::default() }
    }

    /// How long one request may wait for rate limits in sum; 15 minutes if not set.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Shows waits for rate limits: `sink` hears of each when it begins, every few seconds while it
    /// lasts, and at its end.
    #[must_use]
    pub fn on_wait(mut self, sink: impl Fn(Waiting) + Send + Sync + 'static) -> Self {
        self.on_wait = Some(Box::new(sink));
        self
    }

    /// Keeps the pace of writes together with other processes: those that name the same file.
    #[must_use]
    pub fn paced_by(mut self, file: Option<PathBuf>) -> Self {
        self.pace.file = file;
        self
    }

    pub fn repo(&self) -> &RepoId {
        &self.repo
    }

    /// `/repos/{owner}/{name}` and what follows.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{}{rest}", self.repo.owner, self.repo.name)
    }
}
