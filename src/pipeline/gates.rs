//! Running the project's own commands: set-up, tests, linters.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::agent::{Confinement, gate_env};
use crate::env::Env;
use crate::git::changed_paths;
use crate::model::command::ProjectCommand;
use crate::model::report::GateStatus;
use crate::model::text::{mask_secrets, strip_escapes};
use crate::policy::gates::signature;
use crate::process::{Ended, Output, Run};
use crate::state::GateRun;
use crate::ui::Ui;

/// Everything that a series of commands needs; owned, so that it can run in a thread of its own.
#[derive(Clone)]
pub struct Bench {
    pub ui: Arc<Ui>,
    pub env: Env,
    pub worktree: PathBuf,
    /// Where the output goes, one file a command.
    pub logs: PathBuf,
    /// A private temporary folder.
    pub tmp: PathBuf,
    pub timeout: Duration,
    pub confinement: Confinement,
    /// In front of each label: `before`, or nothing.
    pub tag: &'static str,
}

impl Bench {
    /// Runs all commands in order; a red one does not stop the others.
    pub fn run_all(&self, commands: &[ProjectCommand]) -> Vec<GateRun> {
        commands.iter().enumerate().map(|(index, command)| self.run(index + 1, command)).collect()
    }

    /// As [`Bench::run_all`]; what failed is run once more. A gate that passes then, on files that nothing has changed
    /// meanwhile, is flaky.
    pub fn run_confirmed(&self, commands: &[ProjectCommand]) -> Vec<GateRun> {
        let files = || changed_paths(&self.worktree).ok();
        let before = files();
        let mut runs = self.run_all(commands);
        let again = Self { tag: if self.tag.is_empty() { "again" } else { "before-again" }, ..self.clone() };
        for (index, (run, command)) in runs.iter_mut().zip(commands).enumerate() {
            if run.status != GateStatus::Failed || files() != before || crate::process::interrupted() {
                continue;
            }
            let second = again.run(index + 1, command);
            if second.status == GateStatus::Passed {
                *run = GateRun { flaky: true, ..second };
            }
        }
        runs
    }

    fn run(&self, number: usize, command: &ProjectCommand) -> GateRun {
        let label = command.to_string();
        let log = self.logs.join(format!(
            "{}{number}.log",
            if self.tag.is_empty() { String::new() } else { format!("{}-", self.tag) }
        ));
        if crate::process::interrupted() {
            return GateRun {
                command: label,
                status: GateStatus::Skipped,
                exit: None,
                seconds: 0.0,
                log: display(&log),
                flaky: false,
                signature: vec![],
            };
        }
        let shown = if self.tag.is_empty() { label.clone() } else { format!("{} ({})", label, self.tag) };
        let task = Arc::new(self.ui.task(&shown));
        let lines = Arc::clone(&task);
        let run = self.child(command).on_line(move |line| lines.line(line));
        let ran = self
            .confinement
            .confine(run)
            .map_err(|error| error.to_string())
            .and_then(|run| run.run().map_err(|error| error.to_string()));
        let (status, exit, seconds, text) = match ran {
            Ok(output) => (status(&output), exit(&output), output.duration.as_secs_f64(), text(&output)),
            Err(error) => (GateStatus::Failed, None, 0.0, format!("{error}\n")),
        };
        // A log that cannot be written costs evidence, not the run; the status stands.
        let _ = std::fs::create_dir_all(&self.logs).and_then(|()| std::fs::write(&log, &text));
        task.end(match status {
            GateStatus::Passed => "passed",
            GateStatus::Failed => "failed",
            GateStatus::TimedOut => "timed out",
            GateStatus::Skipped => "skipped",
        });
        GateRun { command: label, status, exit, seconds, log: display(&log), flaky: false, signature: signature(&text) }
    }

    /// What a command that fails prints; nothing when it passes. Not shown, and kept nowhere.
    pub fn refusal(&self, command: &ProjectCommand) -> Option<String> {
        let run = self.confinement.confine(self.child(command)).ok()?;
        let output = run.run().ok()?;
        (status(&output) == GateStatus::Failed).then(|| text(&output))
    }

    fn child(&self, command: &ProjectCommand) -> Run {
        let (program, args) = command.argv.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
        let cwd = self.worktree.join(&command.cwd);
        // A program with a slash is the project's own, relative to the command's folder.
        let program = if program.contains('/') && Path::new(program).is_relative() {
            cwd.join(program)
        } else {
            PathBuf::from(program)
        };
        let mut run = Run::new(program).args(args).cwd(&cwd).empty_env().timeout(self.timeout).limit(LOG_LIMIT);
        for (name, value) in gate_env(&self.env, &self.tmp) {
            run = run.env(name, value);
        }
        run
    }
}

/// Bytes of a gate's output that are kept, from its end.
const LOG_LIMIT: usize = 8 << 20;

fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn status(output: &Output) -> GateStatus {
    match output.ended {
        Ended::Exited(0) => GateStatus::Passed,
        Ended::TimedOut => GateStatus::TimedOut,
        Ended::Interrupted => GateStatus::Skipped,
        Ended::Exited(_) | Ended::Signaled(_) => GateStatus::Failed,
    }
}

fn exit(output: &Output) -> Option<i32> {
    match output.ended {
        Ended::Exited(code) => Some(code),
        _ => None,
    }
}

/// Standard output, then standard error, clean and masked.
fn text(output: &Output) -> String {
    let both = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    mask_secrets(&strip_escapes(&both.replace("\r\n", "\n")))
}

/// The last lines of a gate's log, for a brief or a report.
pub fn tail(log: &str, lines: usize) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// The gates of the untouched head, running beside the probes.
pub struct Baseline {
    handle: std::thread::JoinHandle<Vec<GateRun>>,
}

impl Baseline {
    /// Starts set-up and gates in a thread.
    pub fn start(bench: Bench, setup: Vec<ProjectCommand>, gates: Vec<ProjectCommand>) -> Self {
        let handle = std::thread::spawn(move || {
            Bench { tag: "before-setup", ..bench.clone() }.run_all(&setup);
            bench.run_confirmed(&gates)
        });
        Self { handle }
    }

    /// Waits for them. A thread that died counts as "not known".
    pub fn join(self) -> Vec<GateRun> {
        self.handle.join().unwrap_or_default()
    }
}
