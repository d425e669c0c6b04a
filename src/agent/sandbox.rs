//! The sandbox of agents and gates (Landlock on Linux).

use std::path::PathBuf;

use crate::process::Run;

/// `prfix.sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    Auto,
    Require,
    Off,
}

/// What this machine can enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strength {
    Full,
    /// What is missing, in a reader's words.
    Weaker(String),
    None(String),
}

/// What one child may write and must not read.
#[derive(Debug, Clone)]
pub struct Confinement {
    pub mode: SandboxMode,
    pub writable: Vec<PathBuf>,
    pub hidden: Vec<PathBuf>,
}

impl Confinement {
    pub fn confine(&self, run: Run) -> std::io::Result<Run> {
        Ok(run)
    }
}
