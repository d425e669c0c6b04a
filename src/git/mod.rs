//! Git, native through gitoxide where a run leans on it; the user's git for network and commits.

mod commit;
mod fingerprint;
mod network;
mod repository;
mod scope;
mod staging;
mod worktree;

pub use commit::{CommitError, commit};
pub use fingerprint::{Fingerprint, Tampering};
pub use network::{FetchError, PushOutcome, fetch, push, remote_head};
pub use repository::{Ancestry, GitError, Remote, Repository};
pub use scope::{Change, ChangeKind, changed_paths};
pub use staging::stage;
pub use worktree::{Manager, Metadata, Refusal, Worktree};
