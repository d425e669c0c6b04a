//! Managed worktrees: created, reused, kept, listed and removed without `git worktree`, and so that
//! git's own commands behave afterwards as if it had made them.
//!
//! A checkout lies at `<root>/<repository>/<name>`; what is known of it lies beside it, in `.meta/`.
//! Nothing but the worktree's registration and its branch is written into the operator's repository.

mod acquire;
mod add;
mod fitness;
mod lease;
mod leftover;
mod precious;
mod recover;
mod registry;
mod remove;
mod store;
mod submodules;
mod sweep;
mod undo;

use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{GitError, Repository, child};
use registry::Registration;
use store::Store;

pub use lease::Lease;
pub use store::slug;
pub use sweep::{Listed, State};

/// A linked worktree that the program made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    pub path: PathBuf,
    /// Short name of its branch, which exists in the operator's repository; empty when detached.
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
    /// When the owner last said that it lives; see [`Lease`].
    #[serde(default)]
    pub seen_at: Option<String>,
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
    store: Store,
    hook_timeout: Duration,
}

impl<'r> Manager<'r> {
    pub fn new(repo: &'r Repository, root: PathBuf) -> Self {
        let store = Store::new(&root, repo.common_dir());
        // The default of `prfix.hookTimeout`.
        Self { repo, root, store, hook_timeout: Duration::from_secs(540) }
    }

    /// Ends a post-checkout hook that takes longer.
    #[must_use]
    pub fn with_hook_timeout(mut self, limit: Duration) -> Self {
        self.hook_timeout = limit;
        self
    }

    /// Locks it with a reason (`git worktree lock`); a reason that is there is replaced.
    ///
    /// # Errors
    /// When it is not registered, or the lock cannot be written.
    pub fn keep(&self, worktree: &Worktree, reason: &str) -> Result<(), GitError> {
        let reason = crate::model::text::one_line(reason, 500);
        self.set_lock(worktree, Some(&reason))
    }

    /// Takes the lock away; one that is not there is no error.
    ///
    /// # Errors
    /// When the worktree is not registered, or the lock cannot be removed.
    pub fn release(&self, worktree: &Worktree) -> Result<(), GitError> {
        self.set_lock(worktree, None)
    }

    fn set_lock(&self, worktree: &Worktree, reason: Option<&str>) -> Result<(), GitError> {
        let what = format!("locking or unlocking `{}`", worktree.path.display());
        let registration =
            self.registration(&worktree.path)?.ok_or_else(|| GitError::failed(&what, "not registered"))?;
        gix::worktree::set_lock(&registration.git_dir, reason.map(Into::into))
            .map_err(|error| GitError::failed(&what, error))
    }

    /// Throws away every change and untracked (not ignored) file, and goes back to `commit`, on its
    /// own branch whatever was checked out. A merge or rebase that is under way ends.
    ///
    /// # Errors
    /// When git cannot.
    pub fn restore(&self, worktree: &Worktree, commit: &str) -> Result<(), GitError> {
        let what = format!("restoring `{}`", worktree.path.display());
        let registration =
            self.registration(&worktree.path)?.ok_or_else(|| GitError::failed(&what, "not registered"))?;
        leftover::end_operations(&registration.git_dir);
        let run = |args: &[&str]| child::succeed(child::plumbing(&worktree.path).args(args), &what).map(drop);
        if worktree.branch.is_empty() {
            run(&["update-ref", "--no-deref", "-m", "prfix: restore", "HEAD", commit])?;
        } else {
            run(&["symbolic-ref", "-m", "prfix: restore", "HEAD", &format!("refs/heads/{}", worktree.branch)])?;
        }
        run(&["reset", "--quiet", "--hard", "--no-recurse-submodules", commit])?;
        run(&["clean", "--quiet", "-ffd"])
    }

    /// The managed worktree whose root is `path`; `None` when it is not one of ours. Its base is empty
    /// when the metadata is lost.
    ///
    /// # Errors
    /// When the registrations cannot be read.
    pub fn at(&self, path: &Path) -> Result<Option<Worktree>, GitError> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (Some(name), Some(registration)) = (self.name_of(&path), self.registration(&path)?) else {
            return Ok(None);
        };
        let branch = registration.branch().unwrap_or_default();
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(&branch).to_owned();
        let base = self.store.read(&name).map(|metadata| metadata.base_oid).unwrap_or_default();
        Ok(Some(Worktree { path, branch, base }))
    }

    /// What was stored when it was acquired.
    pub fn metadata(&self, worktree: &Worktree) -> Option<Metadata> {
        self.store.read(&self.name_of(&worktree.path)?)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name below our folder, when the path is directly in it.
    fn name_of(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(self.store.folder()).ok()?.to_str()?;
        (!name.is_empty() && !name.contains('/') && !name.starts_with('.')).then(|| name.to_owned())
    }

    fn registration(&self, path: &Path) -> Result<Option<Registration>, GitError> {
        Ok(registry::all(self.repo)?.into_iter().find(|registration| registration.path == path))
    }
}

/// `<common dir>/worktrees/<id>` of the worktree at `path`.
pub(super) fn admin_dir(repo: &Repository, path: &Path) -> Result<PathBuf, GitError> {
    let found = registered(repo)?.into_iter().find(|(registered, _)| registered == path);
    let missing = || GitError::failed(&format!("looking for `{}`", path.display()), "it is not a registered worktree");
    found.map(|(_, git_dir)| git_dir).ok_or_else(missing)
}

/// Checkout and git directory of every linked worktree.
pub(super) fn registered(repo: &Repository) -> Result<Vec<(PathBuf, PathBuf)>, GitError> {
    let all = registry::all(repo)?.into_iter();
    Ok(all.map(|registration| (registration.path, registration.git_dir)).collect())
}
