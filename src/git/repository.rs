//! The operator's repository, opened once and only read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::env::Env;
use crate::model::repo::RepoId;

#[derive(Debug, Error, Diagnostic)]
pub enum GitError {
    #[error("`{}` is not inside a git repository", path.display())]
    #[diagnostic(
        code(prfix::git::no_repository),
        help("run `git prfix` inside the repository, or pass `--repo <path>`")
    )]
    NotARepository { path: PathBuf },
    #[error("{what}: {why}")]
    #[diagnostic(code(prfix::git::failed))]
    Failed { what: String, why: String },
}

/// A remote as configured and as git would use it.
#[derive(Debug, Clone)]
pub struct Remote {
    pub name: String,
    /// As written in the configuration.
    pub url: String,
    /// After `url.<base>.insteadOf`.
    pub fetch_url: String,
    /// After `pushInsteadOf`, or `remote.<name>.pushurl`.
    pub push_url: String,
    /// Which GitHub repository the configured URL (else the rewritten one) names.
    pub repo: Option<RepoId>,
}

/// Whether one commit is reachable from another, as far as this repository can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    Yes,
    No,
    /// Shallow history or missing objects: treat as a refusal.
    Unknown,
}

pub struct Repository {
    pub(super) inner: gix::ThreadSafeRepository,
}

impl Repository {
    /// Opens the repository that `path` lies in; from a linked worktree as well. `GIT_DIR`,
    /// `GIT_WORK_TREE` and `safe.directory` are respected as git does.
    pub fn discover(path: &Path, env: &Env) -> Result<Self, GitError> {
        todo!()
    }
    /// The git directory of the worktree we were started in.
    pub fn git_dir(&self) -> &Path {
        todo!()
    }
    /// The directory that all worktrees share; the program's own state lives in `prfix/` below it.
    pub fn common_dir(&self) -> &Path {
        todo!()
    }
    /// Root of the work tree; `None` for a bare repository.
    pub fn work_dir(&self) -> Option<&Path> {
        todo!()
    }
    pub fn remotes(&self) -> Result<Vec<Remote>, GitError> {
        todo!()
    }
    /// Short name of the checked-out branch; `None` when detached.
    pub fn current_branch(&self) -> Option<String> {
        todo!()
    }
    /// `branch.<name>.remote` and the short name of `branch.<name>.merge`.
    pub fn upstream(&self, branch: &str) -> Option<(String, String)> {
        todo!()
    }
    /// Tip of a local ref, in hex.
    pub fn ref_oid(&self, name: &str) -> Option<String> {
        todo!()
    }
    /// All values of the `prfix` section and others below `prefix`, as `git config` would list them
    /// (nearer scopes last), lower-cased keys. Includes `git -c` on our own command line.
    pub fn config(&self, prefix: &str) -> Result<Vec<(String, String)>, GitError> {
        todo!()
    }
    pub fn ancestry(&self, ancestor: &str, descendant: &str) -> Ancestry {
        todo!()
    }
    /// Regular files (not links) below `prefix` in the tree of a commit, straight from the object
    /// store. Fails when the commit or one of the blobs is missing.
    pub fn files_at(&self, commit: &str, prefix: &str) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        todo!()
    }
    /// All paths of regular files in the tree of a commit, with their blob ids.
    pub fn paths_at(&self, commit: &str) -> Result<BTreeMap<String, String>, GitError> {
        todo!()
    }
    /// One file of a commit, raw; `None` when it is not there.
    pub fn file_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        todo!()
    }
    /// Tree id of a commit.
    pub fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        todo!()
    }
    /// Removes refs that the program made for itself (`refs/prfix/…`), never others.
    pub fn delete_private_ref(&self, name: &str) -> Result<(), GitError> {
        todo!()
    }
}
