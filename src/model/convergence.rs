//! Whether a pull request has converged, and what is missing.

use serde::Serialize;

use super::pr::Mergeable;

/// Name and version of the document that `gate --json` prints.
pub const SCHEMA: &str = "git-prfix.gate/1";

/// A review thread that nobody has resolved, whoever wrote it and however outdated it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenThread {
    pub url: String,
    pub path: String,
    /// Line in the present head; `null` when outdated or about the whole file.
    pub line: Option<u64>,
    /// `ghost` for a deleted account.
    pub author: String,
    pub outdated: bool,
}

/// A check that is not green.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenCheck {
    pub name: String,
    /// `failed`, `cancelled`, `startup-failure`, `action-required`, `stale`, `pending`, `unreadable`, or `missing` for
    /// a required one that never ran on the head.
    pub state: &'static str,
    pub required: bool,
    pub url: Option<String>,
}

/// What stands between a pull request and its merge, as far as the program can see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Convergence {
    pub converged: bool,
    /// One sentence for each kind of obstacle; empty when there is none.
    pub reasons: Vec<String>,
    /// Nothing but time is missing: checks that run, an answer that GitHub has not computed.
    pub pending: bool,
    pub unresolved: Vec<OpenThread>,
    pub checks: Vec<OpenCheck>,
    pub mergeable: Mergeable,
    /// The viewer has a review that was not submitted.
    pub pending_review: bool,
}
