//! `git commit` with the repository's own hooks, signing and identity.

use std::path::Path;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

#[derive(Debug, Error, Diagnostic)]
pub enum CommitError {
    #[error("a hook refused the commit")]
    #[diagnostic(code(prfix::commit::hook), help("read the hook's output above; hooks are never bypassed"))]
    HookRefused { stderr: String },
    #[error("the commit took longer than {seconds} s and was ended")]
    #[diagnostic(code(prfix::commit::timeout), help("a hook or a signing prompt hangs; see `prfix.hookTimeout`"))]
    TimedOut { seconds: u64, stderr: String },
    #[error("signing the commit failed")]
    #[diagnostic(
        code(prfix::commit::signing),
        help("make signing work without a prompt (unlock the agent), then resume")
    )]
    Signing { stderr: String },
    #[error("git has no identity to commit with")]
    #[diagnostic(code(prfix::commit::identity), help("set `user.name` and `user.email`"))]
    Identity { stderr: String },
    #[error("there is nothing to commit")]
    #[diagnostic(code(prfix::commit::empty))]
    Nothing,
    #[error("git commit failed: {stderr}")]
    #[diagnostic(code(prfix::commit::failed))]
    Failed { stderr: String },
}

/// Commits what is staged and returns the new commit's id. No terminal, no editor, no prompt.
pub fn commit(worktree: &Path, message: &str, timeout: Duration) -> Result<String, CommitError> {
    todo!()
}
