//! Git, native through gitoxide where a run leans on it; the user's git for network and commits.

mod ancestry;
mod attributes;
mod child;
mod commit;
mod config;
mod entries;
mod fingerprint;
pub mod guard;
mod history;
mod integrate;
mod network;
mod objects;
mod remotes;
mod repository;
mod scope;
mod staging;
mod worktree;

pub use ancestry::Ancestry;
pub use commit::{CommitError, commit, written_tree};
pub use entries::{IndexEntries, checkpoint, staged_diff, staged_of};
pub use fingerprint::{Fingerprint, Tampering};
pub use history::{diff_stat, diff_text, save_patch};
pub use integrate::{MergeStart, RebaseError, abort_merge, rebase_onto, start_merge};
pub use network::{FetchError, PushOutcome, fetch, push, remote_head};
pub use remotes::Remote;
pub use repository::{GitError, Repository};
pub use scope::{Change, ChangeKind, changed_paths};
pub use staging::stage;
pub use worktree::{Lease, Listed, Manager, Metadata, Refusal, State, Worktree, slug};

/// A path of git's as one of the file system's; on Unix both are bytes.
pub fn to_path(path: &gix::bstr::BStr) -> std::path::PathBuf {
    gix::path::from_bstr(std::borrow::Cow::Borrowed(path))
        .map_or_else(|_| std::path::PathBuf::from(path.to_string()), std::borrow::Cow::into_owned)
}

/// Refs that the program makes for itself.
const PRIVATE_REFS: &str = "refs/prfix/";
