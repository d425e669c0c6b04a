//! The git layer against git itself: real repositories in temporary folders.

mod fixture;
mod network;
mod repository;
