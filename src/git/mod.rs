//! Git, native through gitoxide where a run leans on it; the user's git for network and commits.

mod ancestry;
mod child;
mod commit;
mod config;
mod fingerprint;
mod network;
mod objects;
mod remotes;
mod repository;
mod scope;
mod staging;
mod worktree;

pub use ancestry::Ancestry;
pub use commit::{CommitError, commit};
pub use fingerprint::{Fingerprint, Tampering};
pub use network::{FetchError, PushOutcome, fetch, push, remote_head};
pub use remotes::Remote;
pub use repository::{GitError, Repository};
pub use scope::{Change, ChangeKind, changed_paths};
pub use staging::stage;
pub use worktree::{Manager, Metadata, Refusal, Worktree};

/// Refs that the program makes for itself.
const PRIVATE_REFS: &str = "refs/prfix/";
