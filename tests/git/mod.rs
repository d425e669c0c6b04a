//! The git layer against git itself: real repositories in temporary folders.

mod commit;
mod fingerprint;
mod fixture;
mod integrate;
mod isolation;
mod lease;
mod messy;
mod network;
mod repository;
mod scope;
mod staging;
mod worktree;
mod worktree_kinds;
mod worktree_remove;
