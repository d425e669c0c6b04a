//! Review findings in the envelope `v1`: what reviewers hand in, and what verifiers answer.

use serde::{Deserialize, Serialize};

/// The one version of the envelope that is understood.
pub const VERSION: &str = "v1";

/// How bad a finding is. `P0` breaks, is insecure, loses data or violates a criterion; `P1` is incomplete or fragile;
/// `P2` is quality; `P3` is nicety.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    P0,
    P1,
    P2,
    P3,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A verifier's word on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// It holds for the code as it is.
    Confirmed,
    /// It holds, and is less bad than was said.
    Demoted,
    /// It does not hold, or not any more.
    Rejected,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewFinding {
    /// From 1, unique in its envelope.
    pub id: u32,
    pub severity: Severity,
    pub title: String,
    pub body: String,
    /// Relative to the root of the repository; without one, the finding is about no file in particular.
    pub file: Option<String>,
    pub line_start: Option<u64>,
    pub line_end: Option<u64>,
    /// From 0 to 1.
    pub confidence: f64,
    /// What the fix is measured by; always there for P0 and P1.
    pub criterion: Option<String>,
    pub verdict: Option<Word>,
    pub evidence: Option<String>,
}

/// Findings with what was run to make sure of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    pub schema_version: String,
    pub findings: Vec<ReviewFinding>,
    pub checks_run: Vec<String>,
}
