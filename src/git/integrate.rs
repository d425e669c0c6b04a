//! Bringing our own unpushed commits and a branch that moved together, without force.

use std::path::Path;

use gix::bstr::BString;
use miette::Diagnostic;
use thiserror::Error;

use super::{GitError, child};
use crate::process::Ended;

/// Settings that would move other branches or hide changes are overruled.
const PLAIN_REBASE: &[&str] = &[
    "-c",
    "rebase.updateRefs=false",
    "rebase",
    "--quiet",
    "--merge",
    "--no-autostash",
    "--no-autosquash",
    "--no-fork-point",
    "--no-rebase-merges",
    "--empty=drop",
];

#[derive(Debug, Error, Diagnostic)]
pub enum RebaseError {
    #[error("the commits conflict with the new base in {}", paths.join(", "))]
    #[diagnostic(code(prfix::rebase::conflict), help("they were left as they are; merge, or rebase by hand"))]
    Conflict { paths: Vec<String> },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Git(#[from] GitError),
}

/// Moves the commits after `old_base` on top of `new_base`, on the branch that is checked out, and
/// returns its new tip. Only for commits that were never pushed. The repository's hooks run.
///
/// # Errors
/// On a conflict, or when a hook or git refuses; the branch is as it was then.
pub fn rebase_onto(worktree: &Path, old_base: &str, new_base: &str) -> Result<String, RebaseError> {
    let run = child::git_without_upkeep(worktree).args(PLAIN_REBASE).args(["--onto", new_base, old_base]);
    let output = run.run().map_err(|error| child::could_not_start("rebasing", &error))?;
    if output.success() {
        return Ok(child::text(worktree, ["rev-parse", "--verify", "HEAD"], "rebasing")?);
    }
    let paths = conflicts(worktree)?;
    let why = child::said(&output);
    if is_rebasing(worktree) {
        child::succeed(
            child::git(worktree).through_interrupts().args(["rebase", "--abort"]),
            "taking the rebase back",
        )?;
    }
    if paths.is_empty() {
        return Err(GitError::failed("rebasing", why).into());
    }
    Err(RebaseError::Conflict { paths: paths.iter().map(ToString::to_string).collect() })
}

fn is_rebasing(worktree: &Path) -> bool {
    child::output(worktree, ["rev-parse", "--verify", "--quiet", "REBASE_HEAD"], "reading REBASE_HEAD").is_ok()
        || git_path(worktree, "rebase-merge").is_some_and(|path| path.exists())
}

fn git_path(worktree: &Path, name: &str) -> Option<std::path::PathBuf> {
    let path = child::text(worktree, ["rev-parse", "--git-path", name], "looking for a file of git").ok()?;
    Some(worktree.join(path))
}

/// How a merge began. Nothing is committed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeStart {
    /// The branch contained the commit already; no merge is under way.
    UpToDate,
    /// Everything is staged; the next commit concludes it.
    Clean,
    /// These paths hold conflict markers or miss a side.
    Conflicts(Vec<BString>),
}

/// Starts to merge `oid` into what is checked out.
///
/// # Errors
/// When git refuses, for instance because of changed files; nothing is under way then.
pub fn start_merge(worktree: &Path, oid: &str) -> Result<MergeStart, GitError> {
    let what = format!("merging {}", crate::model::text::short(oid));
    let run = child::git_without_upkeep(worktree).args([
        "merge",
        "--quiet",
        "--no-commit",
        "--no-ff",
        "--no-autostash",
        "--no-stat",
    ]);
    let output = run.arg(oid).run().map_err(|error| child::could_not_start(&what, &error))?;
    let under_way = git_path(worktree, "MERGE_HEAD").is_some_and(|path| path.exists());
    match (output.ended, under_way) {
        (Ended::Exited(0), true) => Ok(MergeStart::Clean),
        (Ended::Exited(0), false) => Ok(MergeStart::UpToDate),
        (Ended::Exited(1), true) => Ok(MergeStart::Conflicts(conflicts(worktree)?)),
        (_, under_way) => {
            if under_way {
                abort_merge(worktree)?;
            }
            Err(GitError::failed(&what, child::said(&output)))
        }
    }
}

/// Takes a merge that is under way back.
///
/// # Errors
/// When there is none, or git cannot.
pub fn abort_merge(worktree: &Path) -> Result<(), GitError> {
    let run = child::git(worktree).through_interrupts().args(["merge", "--abort"]);
    child::succeed(run, "taking the merge back").map(drop)
}

/// Paths with more than one version in the index.
fn conflicts(worktree: &Path) -> Result<Vec<BString>, GitError> {
    let args = ["diff", "--name-only", "--diff-filter=U", "--no-ext-diff", "-z"];
    let listed = child::output(worktree, args, "listing conflicts")?;
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(BString::from).collect())
}
