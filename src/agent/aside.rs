//! The PR's own agent files, set aside while an agent runs.

use std::path::{Path, PathBuf};

/// Files moved out of the worktree; put back by [`SetAside::restore`], or when dropped.
pub struct SetAside {
    moved: Vec<(PathBuf, PathBuf)>,
}

impl SetAside {
    /// Moves `names` (files or folders at the root of the worktree) into `store`.
    pub fn take(worktree: &Path, names: &[String], store: &Path) -> std::io::Result<Self> {
        todo!()
    }
    /// Paths that were moved, relative to the worktree.
    pub fn names(&self) -> Vec<String> {
        todo!()
    }
    /// Puts everything back, over whatever the agent may have created in its place; names what it did create.
    pub fn restore(self) -> std::io::Result<Vec<String>> {
        todo!()
    }
}
