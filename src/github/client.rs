//! The typed client: every list read to its end, every failure told apart.

use std::sync::Arc;

use miette::Diagnostic;
use thiserror::Error;

use super::transport::{Transport, TransportError};
use crate::clock::Clock;
use crate::model::feedback::{Annotation, Checks, Comment, Harvest, LogTail};
use crate::model::pr::{Actor, PrNow, PullRequest};
use crate::model::repo::RepoId;

#[derive(Debug, Error, Diagnostic)]
pub enum GithubError {
    #[error(transparent)]
    #[diagnostic(transparent)]
    Transport(#[from] TransportError),
    #[error("GitHub does not accept the token: {message}")]
    #[diagnostic(code(prfix::github::unauthorized), help("sign in again with `gh auth login`, or set a valid token"))]
    Unauthorized { message: String },
    #[error("the token may not {what}: {message}")]
    #[diagnostic(code(prfix::github::forbidden), help("{help}"))]
    Forbidden { what: String, message: String, help: String },
    #[error("{what} was not found on {host}")]
    #[diagnostic(
        code(prfix::github::not_found),
        help("check the number and the repository; a token without access sees the same")
    )]
    NotFound { what: String, host: String },
    #[error("GitHub's rate limit is used up until {until}")]
    #[diagnostic(
        code(prfix::github::rate_limit),
        help("wait until then and run the same command again; it goes on where it stopped")
    )]
    RateLimited { until: String },
    #[error("GitHub's answer to {what} could not be used: {why}")]
    #[diagnostic(
        code(prfix::github::bad_answer),
        help("run again with `-v`; an incomplete answer is never taken for \"no feedback\"")
    )]
    BadAnswer { what: String, why: String },
    #[error("GitHub failed on {what}: {why}")]
    #[diagnostic(code(prfix::github::server), help("try again in a few minutes: https://www.githubstatus.com"))]
    Server { what: String, why: String },
}

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

pub struct Client {
    transport: Box<dyn Transport>,
    repo: RepoId,
    clock: Arc<dyn Clock>,
}

impl Client {
    pub fn new(transport: Box<dyn Transport>, repo: RepoId, clock: Arc<dyn Clock>) -> Self {
        Self { transport, repo, clock }
    }
    pub fn repo(&self) -> &RepoId {
        &self.repo
    }
    pub fn viewer(&self) -> Result<Actor, GithubError> {
        todo!()
    }
    /// Numbers and URLs of the open pull requests whose head is `branch`; `owner` narrows to one head owner.
    pub fn pull_requests_of_branch(&self, branch: &str, owner: Option<&str>) -> Result<Vec<PullRequest>, GithubError> {
        todo!()
    }
    /// Everything about one pull request, each list to its end; logs and annotations not yet.
    pub fn harvest(&self, number: u64) -> Result<Harvest, GithubError> {
        todo!()
    }
    /// Fills in log tails and annotations of the failing checks; what cannot be had becomes a `gap`.
    pub fn read_failures(&self, checks: &mut Checks) -> Result<(), GithubError> {
        todo!()
    }
    pub fn now(&self, number: u64) -> Result<PrNow, GithubError> {
        todo!()
    }
    /// One thread with all of its comments.
    pub fn thread(&self, thread: &str) -> Result<ThreadNow, GithubError> {
        todo!()
    }
    /// All comments of the conversation, to find our own summary by its marker.
    pub fn conversation(&self, pr: &PullRequest) -> Result<Vec<Comment>, GithubError> {
        todo!()
    }
    /// Replies in a thread. Never repeated blindly: when the answer is lost, the thread is read
    /// again and `marker` looked for.
    pub fn reply(&self, thread: &str, body: &str, marker: &str) -> Result<NewComment, GithubError> {
        todo!()
    }
    pub fn resolve(&self, thread: &str) -> Result<(), GithubError> {
        todo!()
    }
    /// Posts a conversation comment; like [`Client::reply`] for lost answers.
    pub fn comment(&self, pr: &PullRequest, body: &str, marker: &str) -> Result<NewComment, GithubError> {
        todo!()
    }
    pub fn permission(&self, login: &str) -> Result<Permission, GithubError> {
        todo!()
    }
    pub fn rerun_failed_jobs(&self, run_id: u64) -> Result<RerunOutcome, GithubError> {
        todo!()
    }
    /// OAuth scopes of the token (`X-OAuth-Scopes`), when GitHub names them.
    pub fn token_scopes(&self) -> Option<Vec<String>> {
        todo!()
    }
}
