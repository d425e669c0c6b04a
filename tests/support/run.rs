//! One run of the real program, and what came of it.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::bench::TestBench;
use super::github::Fault;

/// A test that takes longer than this hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// A run that has not started. It starts with [`Prfix::run`] and what builds on it.
#[must_use]
pub struct Prfix<'b> {
    bench: &'b TestBench,
    args: Vec<String>,
    cwd: PathBuf,
    env: Vec<(String, Option<String>)>,
    stdin: String,
    patience: Duration,
    terminal: bool,
}

impl<'b> Prfix<'b> {
    pub(super) fn new(bench: &'b TestBench, args: Vec<String>) -> Self {
        Self {
            bench,
            args,
            cwd: bench.clone_dir(),
            env: Vec::new(),
            stdin: String::new(),
            patience: LIMIT,
            terminal: false,
        }
    }

    /// Where it is started; the operator's clone unless told otherwise.
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = dir.into();
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), Some(value.to_owned())));
        self
    }

    pub fn without_env(mut self, name: &str) -> Self {
        self.env.push((name.to_owned(), None));
        self
    }

    pub fn stdin(mut self, text: &str) -> Self {
        self.stdin = text.to_owned();
        self
    }

    /// Runs it on a terminal of its own (by way of script(1)) where this is typed; all output is `stdout` then.
    pub fn on_terminal(mut self, typed: &str) -> Self {
        (self.terminal, self.stdin) = (true, typed.to_owned());
        self
    }

    fn command(&self) -> Command {
        let program = env!("CARGO_BIN_EXE_git-prfix");
        if !self.terminal {
            let mut command = Command::new(program);
            command.args(&self.args);
            return command;
        }
        let words = std::iter::once(program).chain(self.args.iter().map(String::as_str));
        let mut command = Command::new("script");
        command.args(["-qefc", &shlex::try_join(words).expect("no NUL"), "/dev/null"]);
        command
    }

    /// For a run that is slow by nature.
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    /// Runs it to its end, whatever that is.
    pub fn run(self) -> Finished {
        let mut command = self.command();
        command.current_dir(&self.cwd).env_clear().envs(self.bench.environment());
        for (name, value) in &self.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        self.bench.github.watch_child(Some(child.id()));
        // A program that reads no input closes it: no error of ours.
        let _ = child.stdin.take().expect("a pipe").write_all(self.stdin.as_bytes());
        let finished = finish(child, &self.args, self.patience);
        self.bench.github.watch_child(None);
        finished
    }

    /// Runs it and expects exit status 0.
    pub fn succeeds(self) -> Finished {
        self.run().expect(0)
    }

    /// Runs it and expects this exit status.
    pub fn fails_with(self, status: i32) -> Finished {
        self.run().expect(status)
    }

    /// Kills the program (`SIGKILL`) at its nth request of an operation, before GitHub acts.
    pub fn dies_before(self, operation: &str, nth: usize) -> Finished {
        self.bench.github.on(operation).nth(nth).fail(Fault::KillBefore);
        self.run().expect_killed()
    }

    /// Kills the program when GitHub has acted on its nth request of an operation.
    pub fn dies_after(self, operation: &str, nth: usize) -> Finished {
        self.bench.github.on(operation).nth(nth).fail(Fault::KillAfter);
        self.run().expect_killed()
    }
}

fn drain(stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    let mut stream = stream;
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn finish(mut child: Child, args: &[String], limit: Duration) -> Finished {
    let stdout = drain(child.stdout.take().expect("a pipe"));
    let stderr = drain(child.stderr.take().expect("a pipe"));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if started.elapsed() > limit {
            let _ = child.kill();
            panic!("git-prfix {args:?} hangs:\n{}", stderr.join().unwrap_or_default());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Finished {
        status,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        args: args.to_vec(),
    }
}

/// A run that has ended.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    args: Vec<String>,
}

impl Finished {
    #[track_caller]
    fn expect(self, status: i32) -> Self {
        assert_eq!(self.status.code(), Some(status), "{self}");
        self
    }

    #[track_caller]
    fn expect_killed(self) -> Self {
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(self.status.signal(), Some(9), "{self}");
        self
    }

    /// The one JSON document on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    /// Expects a text on standard error or standard output.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        // Messages are wrapped to the terminal's width.
        let flat = |text: &str| text.replace(['│', '|'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let (out, err) = (flat(&self.stdout), flat(&self.stderr));
        assert!(out.contains(&flat(text)) || err.contains(&flat(text)), "`{text}` is not said: {self}");
        self
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "git-prfix {} → {}", self.args.join(" "), self.status)?;
        write!(f, "--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr)
    }
}
