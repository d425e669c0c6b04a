//! What agents are told. Quoted material is data, fenced with a nonce that it cannot contain.

use crate::model::command::ProjectCommand;
use crate::model::spec::{SpecItem, Triage};

/// Everything that a probe is told about its one item.
pub struct ProbeInput<'a> {
    pub item: &'a SpecItem,
    pub head_branch: &'a str,
    pub additions: &'a [String],
    pub nonce: &'a str,
}

pub fn probe(input: &ProbeInput<'_>) -> String {
    todo!()
}

/// Everything that the fix agent is told.
pub struct FixInput<'a> {
    pub items: &'a [(&'a SpecItem, Option<&'a Triage>)],
    pub head_branch: &'a str,
    pub instructions: Option<&'a str>,
    pub narrow: &'a [ProjectCommand],
    pub test: &'a [ProjectCommand],
    pub lint: &'a [ProjectCommand],
    pub protected: &'a [String],
    pub additions: &'a [String],
    /// What was wrong with the previous attempt: manifest violations or red gates, all of them.
    pub complaints: &'a [String],
    pub nonce: &'a str,
}

pub fn fix(input: &FixInput<'_>) -> String {
    todo!()
}

/// A read-only check whether claims about files hold.
pub struct VerifyInput<'a> {
    /// Path and claim.
    pub claims: &'a [(String, String)],
    pub nonce: &'a str,
}

pub fn verify(input: &VerifyInput<'_>) -> String {
    todo!()
}

/// The original prompt with what was wrong with its answer.
pub fn repair(prompt: &str, why: &str) -> String {
    todo!()
}
