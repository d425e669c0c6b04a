//! What a run was doing when.

use serde::{Deserialize, Serialize};

/// One thing that a run's journal tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// RFC 3339, in UTC.
    pub at: String,
    pub what: String,
    /// Ends of logs among them; foreign.
    pub detail: Vec<String>,
}

/// A phase, or something that ran in one: a probe, the fix agent, a gate. Those of one phase may overlap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Span {
    pub label: String,
    pub phase: bool,
    /// Seconds since the run's first span.
    pub start: f64,
    pub seconds: f64,
    /// In a few words; empty for a phase.
    pub outcome: String,
}
