//! One call of an agent CLI, from prompt to typed answer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::sandbox::Confinement;
use crate::env::Env;
use crate::model::agent::{Invocation, Role, Usage};

/// What to run and what to expect.
pub struct Call<'a> {
    pub invocation: &'a Invocation,
    pub role: Role,
    pub item: Option<u32>,
    /// From 1.
    pub round: u32,
    pub prompt: &'a str,
    /// Path of the structured brief (JSON), for `PRFIX_BRIEF`.
    pub brief: &'a Path,
    /// Path of the schema file, for `PRFIX_SCHEMA`, and the schema itself.
    pub schema_file: &'a Path,
    pub schema: &'a Value,
    pub worktree: &'a Path,
    pub timeout: Duration,
    pub env: &'a Env,
    pub confinement: &'a Confinement,
    /// Called with each line that the CLI prints, cleaned for a terminal.
    pub on_line: Option<&'a (dyn Fn(&str) + Send + Sync)>,
}

/// Why an attempt gave no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    #[error("the agent could not be started: {why}")]
    Start { why: String },
    #[error("the agent exited with status {status}")]
    Exit { status: String, stderr: String },
    #[error("the agent ran longer than {seconds} s and was ended")]
    TimedOut { seconds: u64, stderr: String },
    /// It answered, but not with what was asked for. `why` is fit for a repair request.
    #[error("the agent's answer does not fit: {why}")]
    Misfit { why: String, stderr: String },
    #[error("interrupted")]
    Interrupted,
}

/// A call that has ended, well or not.
pub struct Called<T> {
    pub result: Result<T, Failure>,
    pub usage: Usage,
    /// Everything it printed, for the journal.
    pub stdout: PathOrText,
    pub stderr: String,
}

/// What the CLI printed, kept in bounded memory.
pub type PathOrText = String;

/// Runs the CLI in the worktree with an allow-listed environment and reads its answer.
pub fn call<T: DeserializeOwned>(call: &Call<'_>) -> Called<T> {
    todo!()
}

#[allow(dead_code)]
fn unused(_: PathBuf) {}
