//! A review's findings as callers hand them in, and as verifiers give them back: the envelope, version `v1`.

use serde::{Deserialize, Serialize};

/// The version that is read and written.
pub const VERSION: &str = "v1";

/// How much a finding matters. P0 breaks, is insecure, loses data or violates a criterion; P1 is incomplete or fragile;
/// P2 is a matter of quality; P3 would be nice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    P0,
    P1,
    P2,
    P3,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
        }
    }
}

/// What a verifier said of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingVerdict {
    Confirmed,
    Demoted,
    Rejected,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewFinding {
    /// From 1, unique in its envelope.
    pub id: u32,
    pub severity: Severity,
    pub title: String,
    pub body: String,
    /// Relative to the repository's root, with `/`.
    pub file: Option<String>,
    /// From 1.
    pub line_start: Option<u64>,
    pub line_end: Option<u64>,
    /// 0 to 1.
    pub confidence: f64,
    /// What the finding violates; required for P0 and P1.
    pub criterion: Option<String>,
    pub verdict: Option<FindingVerdict>,
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    pub schema_version: String,
    pub findings: Vec<ReviewFinding>,
    pub checks_run: Vec<String>,
}
