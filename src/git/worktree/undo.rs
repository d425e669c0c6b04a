//! Taking things back inside a managed worktree, and throwing a scratch one away.

use super::{Manager, Worktree};
use crate::git::{GitError, child};

impl Manager<'_> {
    /// Puts single paths back to what they are in `commit`; those that are not in it are removed.
    ///
    /// # Errors
    /// When git cannot.
    pub fn restore_paths(&self, worktree: &Worktree, commit: &str, paths: &[String]) -> Result<(), GitError> {
        let what = format!("restoring paths in `{}`", worktree.path.display());
        for path in paths {
            let tracked = self.repo.has_path_at(commit, path)?;
            let run = child::plumbing(&worktree.path).env("GIT_LITERAL_PATHSPECS", "1");
            let run = if tracked {
                run.args(["checkout", "--quiet", "--no-overlay", commit, "--", path])
            } else {
                run.args(["rm", "--quiet", "-r", "--force", "--ignore-unmatch", "--cached", "--", path])
            };
            child::succeed(run, &what)?;
            if !tracked {
                remove(&worktree.path.join(path)).map_err(|error| GitError::failed(&what, error))?;
            }
        }
        Ok(())
    }

    /// Removes a scratch worktree that never held work of its own, whatever probes or tests left in it.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn discard(&self, worktree: &Worktree) -> Result<(), GitError> {
        self.take_away(&worktree.path)?;
        if let Some(name) = self.name_of(&worktree.path) {
            self.store.forget(&name);
        }
        Ok(())
    }
}

/// A path that git does not track; it may be gone already.
fn remove(path: &std::path::Path) -> std::io::Result<()> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
