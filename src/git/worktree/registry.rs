//! The worktrees that are registered in the operator's repository, ours and others.

use std::path::{Path, PathBuf};

use crate::git::{GitError, Repository, child};

/// A registered linked worktree, whether its checkout is there or not.
#[derive(Debug, Clone)]
pub(super) struct Registration {
    /// `<common dir>/worktrees/<id>`.
    pub(super) git_dir: PathBuf,
    /// Root of the checkout.
    pub(super) path: PathBuf,
    /// The reason, possibly empty, when it is locked.
    pub(super) locked: Option<String>,
}

/// The lock reason that git and gitoxide hold while they create a worktree.
const INITIALIZING: &str = "initializing";

impl Registration {
    /// Its creation never came to an end.
    pub(super) fn is_half_made(&self) -> bool {
        self.locked.as_deref() == Some(INITIALIZING)
    }

    /// The `.git` file of the checkout leads back here.
    pub(super) fn is_linked(&self) -> bool {
        let link = std::fs::read(self.path.join(".git")).unwrap_or_default();
        let Some(target) = link.strip_prefix(b"gitdir: ") else { return false };
        let target = self.path.join(String::from_utf8_lossy(target).trim_end_matches('\n'));
        same_place(&target, &self.git_dir)
    }

    /// The commit that is checked out.
    pub(super) fn head(&self) -> Result<String, GitError> {
        child::text(&self.path, ["rev-parse", "--verify", "HEAD"], "reading HEAD")
    }

    /// The full name of the branch that is checked out; `None` when detached.
    pub(super) fn branch(&self) -> Option<String> {
        child::text(&self.path, ["symbolic-ref", "--quiet", "HEAD"], "reading HEAD").ok()
    }
}

fn same_place(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// All of them; one whose `gitdir` file cannot be read is left out, as git does.
pub(super) fn all(repo: &Repository) -> Result<Vec<Registration>, GitError> {
    let local = repo.local();
    let proxies = local.worktrees().map_err(|error| GitError::failed("listing worktrees", error))?;
    let registrations = proxies.into_iter().filter_map(|proxy| {
        let path = proxy.base().ok()?;
        let locked = proxy.is_locked().then(|| proxy.lock_reason().unwrap_or_default().to_string());
        Some(Registration { git_dir: proxy.git_dir().to_owned(), path, locked })
    });
    Ok(registrations.collect())
}
