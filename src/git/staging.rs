//! Staging of exact paths, equal to `git add -- <path>` and `git rm --cached -- <path>`.

use std::path::Path;

use gix::bstr::BString;

use super::GitError;

/// Puts the present state of each path (content, mode, deletion) into the index. Nothing else moves.
pub fn stage(worktree: &Path, paths: &[BString]) -> Result<(), GitError> {
    todo!()
}
