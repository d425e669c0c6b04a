//! `git commit` with the repository's own hooks, signing and identity.

use std::path::Path;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use super::{GitError, child};
use crate::model::text;
use crate::process::{Ended, Output};

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

/// Commits what is staged and returns the new commit's id; concludes a merge that was started. No
/// terminal, no editor, no prompt; every line of the message is kept, those with `#` too.
///
/// # Errors
/// What stood in the way, told apart as far as git says.
pub fn commit(worktree: &Path, message: &str, timeout: Duration) -> Result<String, CommitError> {
    let before = head(worktree);
    let run = child::git_without_upkeep(worktree).args(["commit", "--cleanup=verbatim", "--no-status", "--file=-"]);
    let message = format!("{}\n", message.trim_end());
    let output = run.stdin(message).timeout(timeout).run().map_err(|error| failed(&error))?;
    let after = head(worktree);
    // A post-commit hook may hang or fail when the commit itself is made already.
    match after.filter(|oid| before.as_ref() != Some(oid)) {
        Some(oid) => Ok(oid),
        None => Err(classify(&output, timeout)),
    }
}

fn head(worktree: &Path) -> Option<String> {
    child::text(worktree, ["rev-parse", "--verify", "--quiet", "HEAD"], "reading HEAD").ok()
}

fn failed(error: &impl ToString) -> CommitError {
    CommitError::Failed { stderr: error.to_string() }
}

fn classify(output: &Output, timeout: Duration) -> CommitError {
    let stderr = child::said(output);
    let stdout = output.text();
    let says = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    // Hooks print to standard error only, so that git's own words stand alone here.
    let is_nothing = |line: &str| {
        ["nothing to commit", "nothing added to commit", "no changes added to commit"]
            .iter()
            .any(|words| line.starts_with(words))
    };
    match output.ended {
        Ended::TimedOut => CommitError::TimedOut { seconds: timeout.as_secs(), stderr },
        _ if says(&[
            "tell me who you are",
            "unable to auto-detect email",
            "empty ident name",
            "no email was given",
        ]) =>
        {
            CommitError::Identity { stderr }
        }
        _ if says(&["failed to sign the data", "signing failed", "failed to write commit object"]) => {
            CommitError::Signing { stderr }
        }
        Ended::Exited(1) if stdout.lines().any(is_nothing) => CommitError::Nothing,
        // Git exits with 1 when a hook did, and with 128 when it fails itself.
        Ended::Exited(1) if !says(&["Error building trees", "empty commit message"]) => {
            CommitError::HookRefused { stderr }
        }
        _ if stderr.is_empty() => CommitError::Failed { stderr: text::one_line(&stdout, 500) },
        _ => CommitError::Failed { stderr },
    }
}

/// Tree id of what the index of a worktree holds at present.
///
/// # Errors
/// When paths are in conflict.
pub fn written_tree(worktree: &Path) -> Result<String, GitError> {
    child::text(worktree, ["write-tree"], "writing the index as a tree")
}
