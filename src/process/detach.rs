//! A child that outlives its parent.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use super::run::{GIT_LOCAL_VARS, ProcessError};

/// Starts a program in a session of its own, without input, its output appended to `log`; returns its process id.
/// Nothing is waited for, and nothing ends it with us.
///
/// # Errors
/// When the log cannot be opened or the program cannot be started.
pub fn detach(program: &Path, args: &[OsString], log: &Path) -> Result<u32, ProcessError> {
    let name = program.display().to_string();
    let failed = |source| ProcessError::Start { program: name.clone(), source };
    let open = || OpenOptions::new().append(true).create(true).open(log);
    let (out, err) = (open().map_err(failed)?, open().map_err(failed)?);
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    let mut command = std::process::Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(out).stderr(err);
    for variable in GIT_LOCAL_VARS {
        command.env_remove(variable);
    }
    // SAFETY: setsid is async-signal-safe.
    unsafe { command.pre_exec(|| rustix::process::setsid().map(drop).map_err(Into::into)) };
    command.spawn().map(|child| child.id()).map_err(failed)
}
