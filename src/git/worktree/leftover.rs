//! What a process that died left behind, and how it is taken away without losing work.

use std::fs;
use std::path::Path;

use super::registry::Registration;
use crate::git::{GitError, Repository};

/// Folders that a package manager or a build makes again.
pub(super) const REBUILDABLE: &[&str] = &[
    "node_modules",
    "bower_components",
    "target",
    "dist",
    "build",
    "out",
    ".venv",
    "venv",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".gradle",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".cache",
    ".eggs",
    "coverage",
    "_build",
    "deps",
    ".bundle",
    ".dart_tool",
    ".terraform",
];

/// Takes away the registration, and the checkout if it is there. Only for one whose creation never
/// ended, or whose checkout is missing: nothing of anybody's can be in it.
pub(super) fn discard(repo: &Repository, registration: &Registration) -> Result<(), GitError> {
    let what = format!("clearing the leftover `{}`", registration.path.display());
    let inside = registration.git_dir.parent() == Some(repo.common_dir().join("worktrees").as_path());
    if !inside {
        return Err(GitError::failed(&what, "its registration lies outside the repository"));
    }
    for folder in [&registration.path, &registration.git_dir] {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(GitError::failed(&what, error)),
            _ => {}
        }
    }
    Ok(())
}

/// A checkout without registration holds nothing but what can be made again. Links are not followed.
pub(super) fn is_only_rebuildable(path: &Path) -> bool {
    let Ok(entries) = fs::read_dir(path) else { return false };
    entries.flatten().all(|entry| {
        let name = entry.file_name();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_file()) && name == ".git";
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_link || (is_folder && REBUILDABLE.iter().any(|known| name == *known))
    })
}

/// Forgets a merge, rebase, cherry-pick, revert or bisect that is under way, and a lock of the index
/// that a killed git left. The worktree is ours and nothing runs in it.
pub(super) fn end_operations(git_dir: &Path) {
    for folder in ["rebase-merge", "rebase-apply", "sequencer"] {
        let _ = fs::remove_dir_all(git_dir.join(folder));
    }
    for file in [
        "index.lock",
        "HEAD.lock",
        "MERGE_HEAD",
        "MERGE_MODE",
        "MERGE_MSG",
        "AUTO_MERGE",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "REBASE_HEAD",
        "SQUASH_MSG",
        "BISECT_LOG",
        "BISECT_START",
    ] {
        let _ = fs::remove_file(git_dir.join(file));
    }
}
