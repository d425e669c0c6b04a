//! The builder of a child, and its end.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::capture::{LineSink, collect, feed};
use super::wait::{Limits, Session, wait};

/// What `git rev-parse --local-env-vars` lists, and the quarantine of a receiving hook: a caller's
/// repository must never leak into a child's.
pub const GIT_LOCAL_VARS: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum ProcessError {
    #[error("`{program}` could not be started: {source}")]
    #[diagnostic(code(prfix::process::start), help("check that `{program}` is installed and on PATH"))]
    Start { program: String, source: std::io::Error },
    #[error("reading from `{program}` failed: {source}")]
    #[diagnostic(code(prfix::process::io))]
    Io { program: String, source: std::io::Error },
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    Signaled(i32),
    TimedOut,
    Interrupted,
}

/// A finished child.
#[derive(Debug, Clone)]
pub struct Output {
    pub ended: Ended,
    /// At most the limit; the end is kept when there was more.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Standard output or error was longer than the limit.
    pub truncated: bool,
    /// Names of the processes that it left running when it ended by itself, and that were ended then (Linux).
    pub left: Vec<String>,
    pub duration: Duration,
}

impl Output {
    pub fn success(&self) -> bool {
        self.ended == Ended::Exited(0)
    }

    /// Standard output as text, invalid bytes replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The last `lines` lines of standard error.
    pub fn stderr_tail(&self, lines: usize) -> String {
        tail(&self.stderr, lines)
    }
}

fn tail(bytes: &[u8], lines: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Where a child's environment comes from.
#[derive(Debug, Clone)]
enum BaseEnv {
    /// Ours, without git's local variables.
    Inherited,
    /// Nothing but what was set.
    Empty,
}

type PreExec = Box<dyn FnMut() -> std::io::Result<()> + Send + Sync>;

/// A child to be run. No shell is ever put in between.
pub struct Run {
    program: OsString,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    base: BaseEnv,
    env: BTreeMap<OsString, Option<OsString>>,
    stdin: Vec<u8>,
    timeout: Duration,
    limit: usize,
    on_line: Option<LineSink>,
    on_error_line: Option<LineSink>,
    grace: Option<Duration>,
    pre_exec: Option<PreExec>,
    through_interrupts: bool,
    leave_helpers: bool,
}

impl Run {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            cwd: None,
            base: BaseEnv::Inherited,
            env: BTreeMap::new(),
            stdin: Vec::new(),
            timeout: Duration::from_secs(600),
            limit: 64 << 20,
            on_line: None,
            on_error_line: None,
            grace: None,
            pre_exec: None,
            through_interrupts: false,
            leave_helpers: false,
        }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub fn cwd(mut self, dir: impl AsRef<Path>) -> Self {
        self.cwd = Some(dir.as_ref().to_owned());
        self
    }

    /// Starts from an empty environment: only what [`Run::env`] sets is passed.
    pub fn empty_env(mut self) -> Self {
        self.base = BaseEnv::Empty;
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.insert(name.as_ref().to_owned(), Some(value.as_ref().to_owned()));
        self
    }

    pub fn without_env(mut self, name: impl AsRef<OsStr>) -> Self {
        self.env.insert(name.as_ref().to_owned(), None);
        self
    }

    /// Bytes for standard input; without them it is empty.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Past this the whole process tree is ended.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Bytes of standard output, and of standard error, that are kept (the end of it).
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Called with each line of standard output while the child runs.
    pub fn on_line(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_line = Some(Arc::new(sink));
        self
    }

    /// Called with each line of standard error while the child runs.
    pub fn on_error_line(mut self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_error_line = Some(Arc::new(sink));
        self
    }

    /// How long the child may take to end after an interrupt, when it has children of its own to end in order.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = Some(grace);
        self
    }

    /// Runs in the child before exec, after it was put into a session of its own; only async-signal-safe work is
    /// allowed there.
    pub fn pre_exec(mut self, hook: impl FnMut() -> std::io::Result<()> + Send + Sync + 'static) -> Self {
        self.pre_exec = Some(Box::new(hook));
        self
    }

    /// For cleaning up: the child is not ended when a person or the system asks the program to stop.
    pub fn through_interrupts(mut self) -> Self {
        self.through_interrupts = true;
        self
    }

    /// For the operator's own git and `gh` on the network: helpers that outlive a child that ended by itself, such as
    /// a credential cache or a shared SSH connection, are left running.
    pub fn leave_helpers(mut self) -> Self {
        self.leave_helpers = true;
        self
    }

    fn program_name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn command(&mut self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &self.cwd {
            command.current_dir(dir);
        }
        match self.base {
            BaseEnv::Empty => {
                command.env_clear();
            }
            BaseEnv::Inherited => {
                for name in GIT_LOCAL_VARS {
                    command.env_remove(name);
                }
            }
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Runs the child to its end. Nothing that it started runs any more afterwards, unless
    /// [`Run::leave_helpers`] was asked for.
    ///
    /// # Errors
    /// When it cannot be started. A failing exit status is no error; see [`Output::ended`].
    pub fn run(mut self) -> Result<Output, ProcessError> {
        let started = Instant::now();
        let program = self.program_name();
        tracing::debug!(target: "prfix::process", %program, args = ?self.args, cwd = ?self.cwd, "start");
        let limits =
            Limits { started, timeout: self.timeout, through_interrupts: self.through_interrupts, grace: self.grace };
        let io = |source| ProcessError::Io { program: program.clone(), source };
        let mut begun = self.start().map_err(|source| ProcessError::Start { program: program.clone(), source })?;
        feed(&mut begun.child, std::mem::take(&mut self.stdin));
        let out = collect(begun.child.stdout.take(), self.limit, self.on_line.take());
        let err = collect(begun.child.stderr.take(), self.limit, self.on_error_line.take());
        let (ended, left) = begun.wait(&limits, self.leave_helpers).map_err(io)?;
        let (stdout, cut_out) = out.finish();
        let (stderr, cut_err) = err.finish();
        let duration = started.elapsed();
        tracing::debug!(target: "prfix::process", %program, ?ended, ?duration, "end");
        Ok(Output { ended, stdout, stderr, truncated: cut_out || cut_err, left, duration })
    }

    fn start(&mut self) -> std::io::Result<Started> {
        let mut command = self.command();
        #[cfg(target_os = "linux")]
        if !self.leave_helpers {
            let reports = super::supervisor::Reports::new()?;
            reports.attach(&mut command);
            let mark = mark();
            command.env(super::tree::MARKER, &mark);
            self.attach_hook(&mut command);
            let child = command.spawn()?;
            return Ok(Started { child, supervised: Some((reports.into_reader(), mark)) });
        }
        // SAFETY: setsid and prctl are async-signal-safe.
        unsafe { command.pre_exec(lead_session) };
        self.attach_hook(&mut command);
        Ok(Started {
            child: command.spawn()?,
            #[cfg(target_os = "linux")]
            supervised: None,
        })
    }

    fn attach_hook(&mut self, command: &mut std::process::Command) {
        if let Some(hook) = self.pre_exec.take() {
            // SAFETY: callers promise to do only async-signal-safe work in the hook.
            unsafe { command.pre_exec(hook) };
        }
    }
}

/// A child that was spawned, or its supervisor.
struct Started {
    child: Child,
    #[cfg(target_os = "linux")]
    supervised: Option<(std::os::fd::OwnedFd, String)>,
}

impl Started {
    fn wait(&mut self, limits: &Limits, leave_helpers: bool) -> std::io::Result<(Ended, Vec<String>)> {
        #[cfg(target_os = "linux")]
        if let Some((reports, mark)) = self.supervised.take() {
            return wait(&mut super::wait::Tree::new(&mut self.child, reports, &mark), limits);
        }
        wait(&mut Session::new(&mut self.child, leave_helpers), limits)
    }
}

/// A session of its own, which nobody supervises: the child is told to end when we die.
fn lead_session() -> std::io::Result<()> {
    rustix::process::setsid()?;
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    Ok(())
}

/// A mark that no other running child of this machine has.
#[cfg(target_os = "linux")]
fn mark() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_past_its_limit_is_ended_with_its_children() {
        let output =
            Run::new("sh").args(["-c", "sleep 60 & sleep 60"]).timeout(Duration::from_millis(50)).run().unwrap();
        assert_eq!(output.ended, Ended::TimedOut);
    }

    #[test]
    fn the_end_of_a_flood_is_kept() {
        let output = Run::new("sh").args(["-c", "seq 1 100000; echo last"]).limit(1000).run().unwrap();
        assert!(output.truncated && output.stdout.len() <= 1000);
        assert!(output.text().ends_with("last\n"));
    }

    #[test]
    fn input_reaches_the_child_and_exit_statuses_come_back() {
        let output = Run::new("sh").args(["-c", "cat; exit 3"]).stdin("hello").run().unwrap();
        assert_eq!((output.ended, output.text().as_str()), (Ended::Exited(3), "hello"));
    }

    #[test]
    fn a_missing_program_says_so() {
        let error = Run::new("no-such-program-of-ours").run().unwrap_err();
        assert!(error.to_string().contains("no-such-program-of-ours"));
    }
}
