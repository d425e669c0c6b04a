//! Nothing lost, nothing done twice: a run of four items that is killed at every instant, whose requests, git and disk
//! fail in every way, and that meets another run.

mod crash;
mod ending;
mod gits;
mod invariants;
mod requests;
mod scene;
