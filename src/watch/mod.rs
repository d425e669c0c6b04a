//! Watching pull requests: a gate that costs nothing, rounds that never ask.
//!
//! - `start`: what must hold before a watch begins, and the one question that it asks;
//! - `session`: a watch that this process drives: its lock, its record, whether it is still ours;
//! - `visit`: a closer look at one pull request, and a round of the pipeline when there is work;
//! - `polling`: the loop over all of them; `waiting`: its waits;
//! - `ending`: `stop`, and what becomes of worktrees;
//! - `service`: the words of a watch that runs by itself, as a process, a systemd unit or a launchd agent;
//! - `notify`: events for `prfix.notify`.
//!
//! Nothing here asks a person but `start`. What a round does is the pipeline's; what it works on is decided in
//! `policy::rounds`, when it polls and waits in `policy::watch`.

mod ending;
mod notify;
mod polling;
mod service;
mod session;
mod start;
mod visit;
mod waiting;

pub use ending::{Ending, stop};
pub use polling::{Closed, once, watch};
pub use service::{Service, words};
pub use session::{Watch, WatchError};
pub use start::{Start, resume, start};
pub use visit::Desk;
