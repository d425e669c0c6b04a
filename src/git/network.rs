//! Fetch and push through the user's git, so that their credentials, helpers and proxies hold.

use std::path::Path;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use super::Repository;

#[derive(Debug, Error, Diagnostic)]
pub enum FetchError {
    #[error("`{url}` has no branch `{branch}`")]
    #[diagnostic(code(prfix::fetch::no_branch))]
    NoBranch { url: String, branch: String },
    #[error("fetching `{branch}` from `{url}` failed: {stderr}")]
    #[diagnostic(code(prfix::fetch::failed), help("check the network and your git credentials: `git ls-remote {url}`"))]
    Failed { url: String, branch: String, stderr: String },
}

/// Fetches one branch into a private ref below `refs/prfix/`; no tags, no FETCH_HEAD, no
/// maintenance. Returns the commit.
pub fn fetch(repo: &Repository, url: &str, branch: &str, into: &str, timeout: Duration) -> Result<String, FetchError> {
    todo!()
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    Pushed,
    /// The remote had the commit already.
    UpToDate,
    /// The remote's branch moved: not a fast-forward any more.
    Rejected {
        stderr: String,
    },
    /// A hook (ours or the server's), protection, or missing rights said no.
    Refused {
        stderr: String,
    },
    /// Network, time limit, or anything else; whether it took must be looked up.
    Failed {
        stderr: String,
    },
}

/// Pushes exactly `commit` to `refs/heads/<branch>` at `url`: never forced, no tags, the
/// repository's own pre-push hook in force. Run from `worktree`.
pub fn push(worktree: &Path, url: &str, commit: &str, branch: &str, timeout: Duration) -> PushOutcome {
    todo!()
}

/// The commit that `refs/heads/<branch>` has at `url` (`git ls-remote`); `None` when it is not there.
pub fn remote_head(
    repo: &Repository,
    url: &str,
    branch: &str,
    timeout: Duration,
) -> Result<Option<String>, FetchError> {
    todo!()
}
