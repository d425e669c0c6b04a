//! What the fix loop over review findings leaves: `git-prfix.loop/1`, an envelope with buckets.

use serde::{Deserialize, Serialize};

use super::agent::Usage;
use super::review::{ReviewFinding, Severity};

/// Name and version of the document that `loop --json` prints.
pub const SCHEMA: &str = "git-prfix.loop/1";

/// One try of the fix agent at a group of findings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// 1 or 2.
    pub round: u32,
    /// What git sees as changed, not what the agent says.
    pub files_changed: Vec<String>,
    /// The agent's own words.
    pub summary: String,
    pub concerns: Option<String>,
    /// What verification said, for the finding that it is told of.
    pub verification: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    pub id: u32,
    /// The round that did it.
    pub round: u32,
    pub evidence: String,
    /// False when a person accepted it unverified.
    pub verified: bool,
}

/// What a person decided about a finding that two rounds did not resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Somebody repairs what is staged by hand.
    Manual,
    /// The files were put back, so that somebody can begin anew.
    Another,
    /// Left for later, with the tries staged.
    Defer,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalated {
    pub id: u32,
    pub attempts: Vec<Attempt>,
    /// What is left, and why.
    pub remains: String,
    /// Files of the group whose changes are staged; empty when they were put back.
    pub staged: Vec<String>,
    pub choice: Choice,
}

/// A finding that was not worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    pub id: u32,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demoted {
    pub id: u32,
    /// What it is now.
    pub severity: Severity,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deferred {
    pub id: u32,
    pub why: String,
    /// What a fix would have to touch as well.
    pub additional_files: Vec<String>,
}

/// Where each finding ended; each is in exactly one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buckets {
    pub resolved: Vec<Resolved>,
    pub escalated: Vec<Escalated>,
    pub dropped: Vec<Left>,
    pub demoted: Vec<Demoted>,
    pub deferred: Vec<Deferred>,
}

impl Buckets {
    /// Nothing is left for a person.
    pub fn converged(&self) -> bool {
        self.escalated.is_empty() && self.deferred.is_empty()
    }

    /// Moves everything of another into this one.
    pub fn take(&mut self, other: Self) {
        self.resolved.extend(other.resolved);
        self.escalated.extend(other.escalated);
        self.dropped.extend(other.dropped);
        self.demoted.extend(other.demoted);
        self.deferred.extend(other.deferred);
    }
}

/// The whole document: the envelope, and where each finding ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopReport {
    pub schema: String,
    /// Of the envelope.
    pub schema_version: String,
    /// Name of the run; its folder keeps the files as they were.
    pub run: String,
    pub dir: String,
    pub converged: bool,
    /// Those that were handed in, each with its verdict and evidence.
    pub findings: Vec<ReviewFinding>,
    /// What a verifier saw in a fix that nobody had handed in.
    pub new_findings: Vec<ReviewFinding>,
    pub checks_run: Vec<String>,
    pub buckets: Buckets,
    /// Paths that the loop staged and left staged.
    pub staged: Vec<String>,
    pub usage: Usage,
    pub warnings: Vec<String>,
}
