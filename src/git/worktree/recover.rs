//! Locks that a git left behind which was killed with its run.

use std::fs;
use std::path::PathBuf;

use super::{Manager, Worktree};
use crate::git::GitError;

impl Manager<'_> {
    /// Takes away the locks of index, HEAD and branch that a killed git left in a worktree of ours. The caller holds
    /// the pull request's lock, so that no run works there; a person may.
    ///
    /// # Errors
    /// When a process works in the worktree: then the locks may be its own, and they stay.
    pub fn recover(&self, worktree: &Worktree) -> Result<(), GitError> {
        let what = format!("going on in `{}`", worktree.path.display());
        let registration =
            self.registration(&worktree.path)?.ok_or_else(|| GitError::failed(&what, "not registered"))?;
        let branch = format!("refs/heads/{}.lock", worktree.branch);
        let locks = [
            registration.git_dir.join("index.lock"),
            registration.git_dir.join("HEAD.lock"),
            self.repo.common_dir().join(branch),
        ];
        let held: Vec<&PathBuf> = locks.iter().filter(|lock| lock.exists()).collect();
        let Some(first) = held.first() else { return Ok(()) };
        if let Some(pid) = crate::process::working_in(&worktree.path) {
            let why =
                format!("process {pid} works there and may hold `{}`; run again when it has ended", first.display());
            return Err(GitError::failed(&what, why));
        }
        for lock in held {
            tracing::info!(target: "prfix::git", lock = %lock.display(), "a lock of a dead process is taken away");
            fs::remove_file(lock).map_err(|error| GitError::failed(&what, error))?;
        }
        Ok(())
    }
}
