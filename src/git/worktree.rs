//! Managed worktrees: created, reused, kept, listed and removed without `git worktree`.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{GitError, Repository};

/// A linked worktree that the program made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    pub path: PathBuf,
    /// Short name of its branch, which exists in the operator's repository.
    pub branch: String,
    /// Commit that it was created at.
    pub base: String,
}

/// Who a worktree belongs to; stored beside it, never inside the checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// Run or watch id.
    pub owner: String,
    pub pid: u32,
    /// RFC 3339.
    pub created_at: String,
    pub base_oid: String,
    pub base_branch: String,
    pub pr: Option<u64>,
    pub repo: String,
}

/// Why a worktree was not removed.
#[derive(Debug, Error, Diagnostic)]
pub enum Refusal {
    #[error("`{}` is not a worktree of ours", path.display())]
    #[diagnostic(code(prfix::worktree::foreign))]
    Foreign { path: PathBuf },
    #[error("`{}` is locked: {reason}", path.display())]
    #[diagnostic(code(prfix::worktree::locked), help("`git worktree unlock {}` when the work in it is no longer needed", path.display()))]
    Locked { path: PathBuf, reason: String },
    #[error("`{}` holds work: {}", path.display(), what.join(", "))]
    #[diagnostic(code(prfix::worktree::holds_work), help("look at it, then remove it with `git prfix worktree clean --force {}`", path.display()))]
    HoldsWork { path: PathBuf, what: Vec<String> },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Git(#[from] GitError),
}

/// The worktrees below one root folder, outside every repository.
pub struct Manager<'r> {
    repo: &'r Repository,
    root: PathBuf,
}

impl<'r> Manager<'r> {
    pub fn new(repo: &'r Repository, root: PathBuf) -> Self {
        Self { repo, root }
    }
    /// A clean managed worktree on branch `slug` (or `slug-2`, …) at `base`, its branch created or,
    /// when its tip is contained in `base`, moved there. Reused only when clean and unlocked.
    pub fn acquire(&self, slug: &str, base: &str, meta: &Metadata) -> Result<Worktree, GitError> {
        todo!()
    }
    /// A second, detached worktree for checks on the untouched head.
    pub fn acquire_detached(&self, slug: &str, base: &str, meta: &Metadata) -> Result<Worktree, GitError> {
        todo!()
    }
    /// Locks it with a reason (`git worktree lock`).
    pub fn keep(&self, worktree: &Worktree, reason: &str) -> Result<(), GitError> {
        todo!()
    }
    pub fn release(&self, worktree: &Worktree) -> Result<(), GitError> {
        todo!()
    }
    /// Removes the checkout and its registration; the branch ref stays. `pushed`: a commit that is
    /// known to be on the remote, so that work contained in it is not called unpushed.
    pub fn remove(&self, worktree: &Worktree, pushed: Option<&str>, force: bool) -> Result<(), Refusal> {
        todo!()
    }
    /// Throws away every change and untracked (not ignored) file, and goes back to `commit`.
    pub fn restore(&self, worktree: &Worktree, commit: &str) -> Result<(), GitError> {
        todo!()
    }
    pub fn metadata(&self, worktree: &Worktree) -> Option<Metadata> {
        todo!()
    }
    pub fn root(&self) -> &Path {
        &self.root
    }
}
