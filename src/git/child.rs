//! How the user's git is called: no prompt, English messages, secrets masked.

use std::ffi::OsStr;
use std::path::Path;

use super::GitError;
use crate::model::text;
use crate::process::{Ended, Output, ProcessError, Run};

/// Lines of standard error that a message quotes.
const QUOTED_LINES: usize = 40;

/// A git child in `dir` that may take long or run hooks: it ends with everything that it started, and
/// at once when the program is asked to stop. `LANGUAGE` keeps messages in English without changing the character set,
/// so that they can be told apart; credential helpers and askpass programs stay the user's.
pub(super) fn git(dir: &Path) -> Run {
    Run::new("git")
        .cwd(dir)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LANGUAGE", "en")
        .env("GIT_EDITOR", ":")
        .env("GIT_SEQUENCE_EDITOR", ":")
        .without_env("GPG_TTY")
}

/// A short local command without hooks. It goes on when the program is asked to stop, since putting
/// things back begins just then.
pub(super) fn plumbing(dir: &Path) -> Run {
    git(dir).through_interrupts().leave_helpers()
}

/// As [`git`], for commands that would start maintenance of the operator's repository when they end.
pub(super) fn git_without_upkeep(dir: &Path) -> Run {
    git(dir).args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
}

/// What a child said, fit to be shown: no escapes, no credentials, not endless.
pub(super) fn said(output: &Output) -> String {
    let text = output.stderr_tail(QUOTED_LINES);
    let text = text::mask_secrets(&text::strip_escapes(&text));
    match (text.trim(), output.ended) {
        ("", Ended::Exited(status)) => format!("exit status {status}"),
        ("", Ended::Signaled(signal)) => format!("ended by signal {signal}"),
        (said, Ended::TimedOut) => format!("no end within the time limit\n{said}").trim_end().to_owned(),
        (said, Ended::Interrupted) => format!("interrupted\n{said}").trim_end().to_owned(),
        (said, _) => said.to_owned(),
    }
}

/// Runs a child that has to succeed; `what` names the step in the error.
pub(super) fn succeed(run: Run, what: &str) -> Result<Output, GitError> {
    let output = run.run().map_err(|error| could_not_start(what, &error))?;
    if output.success() { Ok(output) } else { Err(GitError::failed(what, said(&output))) }
}

pub(super) fn could_not_start(what: &str, error: &ProcessError) -> GitError {
    GitError::failed(what, error.to_string())
}

/// Runs [`plumbing`] in `dir` and returns its standard output without the last line feed.
pub(super) fn output<S: AsRef<OsStr>>(
    dir: &Path,
    args: impl IntoIterator<Item = S>,
    what: &str,
) -> Result<Vec<u8>, GitError> {
    let mut out = succeed(plumbing(dir).args(args), what)?.stdout;
    if out.last() == Some(&b'\n') {
        out.pop();
    }
    Ok(out)
}

/// Like [`output`], for what is text in any case (ids, ref names, counts).
pub(super) fn text<S: AsRef<OsStr>>(
    dir: &Path,
    args: impl IntoIterator<Item = S>,
    what: &str,
) -> Result<String, GitError> {
    Ok(String::from_utf8_lossy(&output(dir, args, what)?).into_owned())
}
