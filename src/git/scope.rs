//! What changed in a worktree: the union of `diff HEAD`, staged and untracked-not-ignored (A32).

use std::path::Path;

use super::GitError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    TypeChanged,
    Untracked,
    /// A gitlink that moved.
    Submodule,
}

/// One changed path, relative to the root of the worktree, with `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    pub path: gix::bstr::BString,
    pub kind: ChangeKind,
}

/// Sorted by path; renames count as a deletion and an addition.
pub fn changed_paths(worktree: &Path) -> Result<Vec<Change>, GitError> {
    todo!()
}
