//! The git layer against git itself: real repositories in temporary folders.

mod commit;
mod fixture;
mod integrate;
mod messy;
mod network;
mod repository;
mod scope;
mod staging;
mod worktree;
mod worktree_kinds;
mod worktree_remove;
