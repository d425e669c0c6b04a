//! `git prfix demo`: everything that a run needs, made up on the spot, so that a person can watch a
//! whole run without an account, an agent, `gh` or a network.
//!
//! The repository, the remote and the git commands are real, in a folder of their own. GitHub is
//! embedded in memory ([`github::DemoGithub`]); the agent is a script that this program runs as a
//! child process of itself ([`agent::run`]). May use the transport's trait, the model and the doors.

pub mod agent;
pub mod github;
mod pull_request;
mod scene;

pub use pull_request::{Comment, Thread, VIEWER};
pub use scene::{DemoError, Scene, scene};

/// Owner and name of the made-up repository.
pub const OWNER: &str = "octo";
pub const NAME: &str = "tally";

/// The branch of the made-up pull request, and its number.
pub const BRANCH: &str = "last-lines";
pub const NUMBER: u64 = 7;

/// What the pull request gets wrong, and what is right.
const WRONG: &str = "first=$((total - $2))";
const RIGHT: &str = "first=$((total - $2 + 1))";
