//! The only door to child processes.
//!
//! Every child runs without a shell, with git's local environment variables cleared, under a time
//! limit, in a process group of its own that is ended as a whole, and with bounded memory for what
//! it prints.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

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

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Turns SIGINT, SIGTERM and SIGHUP into a flag that every wait looks at.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn watch_interrupts() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static FLAG: std::sync::OnceLock<Arc<AtomicBool>> = std::sync::OnceLock::new();
    let flag = FLAG.get_or_init(|| Arc::new(AtomicBool::new(false)));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // A second signal ends the program at once, for a person who does not want to wait.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(flag))?;
        signal_hook::flag::register(signal, Arc::clone(flag))?;
        // SAFETY: storing to a static atomic is async-signal-safe.
        unsafe { signal_hook::low_level::register(signal, || INTERRUPTED.store(true, Ordering::SeqCst)) }?;
    }
    Ok(())
}

/// A person or the system asked the program to stop.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

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

type LineSink = Arc<dyn Fn(&str) + Send + Sync>;
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
    pre_exec: Option<PreExec>,
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
            pre_exec: None,
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

    /// Runs in the child between fork and exec; only async-signal-safe work is allowed there.
    pub fn pre_exec(mut self, hook: impl FnMut() -> std::io::Result<()> + Send + Sync + 'static) -> Self {
        self.pre_exec = Some(Box::new(hook));
        self
    }

    fn program_name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn command(&mut self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
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
        if let Some(hook) = self.pre_exec.take() {
            // SAFETY: callers promise to do only async-signal-safe work in the hook.
            unsafe { command.pre_exec(hook) };
        }
        command
    }

    /// Runs the child to its end.
    ///
    /// # Errors
    /// When it cannot be started. A failing exit status is no error; see [`Output::ended`].
    pub fn run(mut self) -> Result<Output, ProcessError> {
        let started = Instant::now();
        let program = self.program_name();
        tracing::debug!(target: "prfix::process", %program, args = ?self.args, cwd = ?self.cwd, "start");
        let mut child =
            self.command().spawn().map_err(|source| ProcessError::Start { program: program.clone(), source })?;
        let feeder = feed(&mut child, std::mem::take(&mut self.stdin));
        let out = collect(child.stdout.take(), self.limit, self.on_line.clone());
        let err = collect(child.stderr.take(), self.limit, None);
        let ended = wait(&mut child, started, self.timeout)
            .map_err(|source| ProcessError::Io { program: program.clone(), source })?;
        end_group(&child);
        if let Some(feeder) = feeder {
            let _ = feeder.join();
        }
        let (stdout, cut_out) = out.finish();
        let (stderr, cut_err) = err.finish();
        let duration = started.elapsed();
        tracing::debug!(target: "prfix::process", %program, ?ended, ?duration, "end");
        Ok(Output { ended, stdout, stderr, truncated: cut_out || cut_err, duration })
    }
}

fn feed(child: &mut Child, bytes: Vec<u8>) -> Option<std::thread::JoinHandle<()>> {
    let mut stdin = child.stdin.take()?;
    if bytes.is_empty() {
        return None;
    }
    // A child that does not read its input ends the pipe: no error of ours.
    Some(std::thread::spawn(move || drop(stdin.write_all(&bytes))))
}

/// The kept end of a stream, filled by a thread of its own.
struct Collected {
    kept: Arc<Mutex<(VecDeque<u8>, bool)>>,
    done: std::sync::mpsc::Receiver<()>,
}

impl Collected {
    /// Waits for the end of the stream, but not for a stray process that holds the pipe open.
    fn finish(self) -> (Vec<u8>, bool) {
        let _ = self.done.recv_timeout(Duration::from_secs(2));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut kept.0).into(), kept.1)
    }
}

fn collect(stream: Option<impl Read + Send + 'static>, limit: usize, on_line: Option<LineSink>) -> Collected {
    let kept = Arc::new(Mutex::new((VecDeque::new(), false)));
    let (sender, done) = std::sync::mpsc::channel();
    let target = Arc::clone(&kept);
    std::thread::spawn(move || {
        let mut lines = on_line.map(LineSplitter::new);
        if let Some(mut stream) = stream {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(n) = stream.read(&mut buffer) {
                if n == 0 {
                    break;
                }
                keep(&target, &buffer[..n], limit);
                if let Some(lines) = &mut lines {
                    lines.feed(&buffer[..n]);
                }
            }
        }
        let _ = sender.send(());
    });
    Collected { kept, done }
}

fn keep(target: &Mutex<(VecDeque<u8>, bool)>, bytes: &[u8], limit: usize) {
    let mut kept = target.lock().unwrap_or_else(PoisonError::into_inner);
    kept.0.extend(bytes);
    if kept.0.len() > limit {
        let over = kept.0.len() - limit;
        kept.0.drain(..over);
        kept.1 = true;
    }
}

/// Cuts a stream into lines of at most 4 KiB for a progress display.
struct LineSplitter {
    sink: LineSink,
    line: Vec<u8>,
}

impl LineSplitter {
    fn new(sink: LineSink) -> Self {
        Self { sink, line: Vec::new() }
    }

    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if *byte == b'\n' {
                (self.sink)(&String::from_utf8_lossy(&self.line));
                self.line.clear();
            } else if self.line.len() < 4096 {
                self.line.push(*byte);
            }
        }
    }
}

fn wait(child: &mut Child, started: Instant, timeout: Duration) -> std::io::Result<Ended> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().map_or_else(|| Ended::Signaled(status.signal().unwrap_or(0)), Ended::Exited));
        }
        if interrupted() {
            stop(child, Signal::INT)?;
            return Ok(Ended::Interrupted);
        }
        if started.elapsed() >= timeout {
            stop(child, Signal::TERM)?;
            return Ok(Ended::TimedOut);
        }
        nap(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Asks the group to end, and after two seconds makes it.
fn stop(child: &mut Child, first: Signal) -> std::io::Result<()> {
    signal_group(child, first);
    let asked = Instant::now();
    while asked.elapsed() < Duration::from_secs(2) {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        nap(Duration::from_millis(20));
    }
    signal_group(child, Signal::KILL);
    child.wait().map(drop)
}

#[expect(clippy::disallowed_methods, reason = "this is the door")]
fn nap(duration: Duration) {
    std::thread::sleep(duration);
}

fn signal_group(child: &Child, signal: Signal) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

/// Whatever the child left in its group ends with it.
fn end_group(child: &Child) {
    signal_group(child, Signal::KILL);
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
