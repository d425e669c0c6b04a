//! What the review of our own change found.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// One fault that a read-only agent sees in the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub path: String,
    pub item: Option<u32>,
    /// `unmet-intent`, `scope-creep`, `logic-inversion`, or the agent's own word.
    pub kind: String,
    pub confidence: Confidence,
    pub why: String,
    /// It went back to the fix agent; what stands in the report without this is for a person to judge.
    pub sent_back: bool,
}
