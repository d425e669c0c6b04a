//! Nothing lost, nothing done twice: a run of four items that is killed at every instant, whose requests, git and disk
//! fail in every way, and that meets another run.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros)]

mod crash;
mod disk;
mod ending;
mod gits;
mod invariants;
mod journal;
mod meeting;
mod requests;
mod scene;
mod signals;
