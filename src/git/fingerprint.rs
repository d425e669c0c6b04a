//! What an agent or a test must not change: taken before it runs, compared and put back after.

use super::{GitError, Repository, Worktree};

/// One thing that was changed behind the program's back, in a reader's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tampering {
    /// For instance `HEAD moved from 1a2b3c4 to 5d6e7f8`, `refs/heads/main was moved`,
    /// `.git/config was edited`, `hooks/pre-push was added`, `the stash grew`.
    pub what: String,
    /// It was put back as it was.
    pub undone: bool,
}

/// HEADs, all refs and their reflogs, configuration, hooks, `info/`, worktree metadata, and the
/// operator's own index.
pub struct Fingerprint {}

impl Fingerprint {
    pub fn take(repo: &Repository, worktree: &Worktree) -> Result<Self, GitError> {
        todo!()
    }
    /// Names every difference and undoes it. A commit that an agent made is taken back to its
    /// changes in the work tree (HEAD, not the files, is restored).
    pub fn restore(&self, repo: &Repository, worktree: &Worktree) -> Result<Vec<Tampering>, GitError> {
        todo!()
    }
}
