//! The sandbox of agents and gates (Landlock on Linux).
//!
//! What it holds: a child and all that it starts write only where they are allowed to, can't read what is hidden, and
//! can't signal or trace a process outside. What it does not hold: network, `chmod` and time stamps, the names of
//! hidden files, and pathname sockets. Elsewhere than on Linux there is none.

use std::path::PathBuf;

use crate::process::Run;

/// `prfix.sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    /// As strong as this machine can; the report says when that is weaker.
    Auto,
    /// Nothing is run unless writing and reading files can be restricted.
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

impl Strength {
    /// Asks the kernel. Changes nothing.
    pub fn here() -> Self {
        match landlock_version() {
            Ok(6..) => Self::Full,
            Ok(3..) => Self::Weaker("processes outside can be signalled (the kernel is older than 6.12)".into()),
            Ok(version) => Self::Weaker(format!("files outside can be truncated (Landlock version {version})")),
            Err(why) => Self::None(why),
        }
    }

    /// Why `prfix.sandbox = require` can't be met here.
    fn objection(&self) -> Option<String> {
        match self {
            Self::Full => None,
            Self::Weaker(_) if landlock_version().is_ok_and(|version| version >= 3) => None,
            Self::Weaker(why) | Self::None(why) => Some(why.clone()),
        }
    }
}

/// The sandbox could not be set up, so nothing was run.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum SandboxError {
    #[error("`prfix.sandbox` is `require`, but {why}")]
    #[diagnostic(code(prfix::sandbox::weak), help("use a kernel with Landlock, or set `prfix.sandbox` to `auto`"))]
    TooWeak { why: String },
    #[error("the sandbox could not be set up: {why}")]
    #[diagnostic(code(prfix::sandbox::setup), help("set `prfix.sandbox` to `off` to run without it"))]
    Setup { why: String },
}

/// What one child may write and must not read.
#[derive(Debug, Clone)]
pub struct Confinement {
    pub mode: SandboxMode,
    /// Files and folders with everything in them; those that don't exist are passed over.
    pub writable: Vec<PathBuf>,
    /// Files and folders whose content can't be read, even below something writable's siblings.
    pub hidden: Vec<PathBuf>,
}

impl Confinement {
    /// Lets the child start inside of the sandbox.
    ///
    /// # Errors
    /// When the mode asks for more than this machine has, or the kernel refuses.
    pub fn confine(&self, run: Run) -> Result<Run, SandboxError> {
        if self.mode == SandboxMode::Off {
            return Ok(run);
        }
        let strength = Strength::here();
        if self.mode == SandboxMode::Require
            && let Some(why) = strength.objection()
        {
            return Err(SandboxError::TooWeak { why });
        }
        match strength {
            Strength::None(_) => Ok(run),
            _ => self.restrict(run),
        }
    }

    #[cfg(target_os = "linux")]
    fn restrict(&self, run: Run) -> Result<Run, SandboxError> {
        let ruleset = super::landlock::ruleset(&self.writable, &self.hidden)
            .map_err(|error| SandboxError::Setup { why: error.to_string() })?;
        Ok(run.pre_exec(move || super::landlock::enter(&ruleset)))
    }

    #[cfg(not(target_os = "linux"))]
    fn restrict(&self, run: Run) -> Result<Run, SandboxError> {
        Ok(run)
    }
}

#[cfg(target_os = "linux")]
fn landlock_version() -> Result<u32, String> {
    super::landlock::version()
}

#[cfg(not(target_os = "linux"))]
fn landlock_version() -> Result<u32, String> {
    Err("there is no sandbox on this system".into())
}
