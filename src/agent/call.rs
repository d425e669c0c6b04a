//! One call of an agent CLI, from prompt to typed answer.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::{AnswerError, extract};
use super::sandbox::Confinement;
use super::{conduct, environment, usage};
use crate::env::Env;
use crate::model::agent::{Invocation, PromptBy, Role, Usage};
use crate::model::text::{end, mask_secrets, strip_escapes};
use crate::process::{Ended, Output, Run};

/// Bytes of standard output, and of standard error, that are kept and read.
const OUTPUT: usize = 32 << 20;
/// Lines of standard error that a failure quotes, and the bytes they may have.
const TAIL_LINES: usize = 20;
const TAIL_BYTES: usize = 4 << 10;
/// Where git tells what the agent asked of it, in the agent's private folder.
const TRACES: &str = "git-traces";

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
    /// Called with each line that the CLI prints, cleaned for a terminal. Lines that come faster than they are taken
    /// are left out.
    pub on_line: Option<&'a (dyn Fn(&str) + Send + Sync)>,
}

/// Why an attempt gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("the agent could not be started: {why}")]
    Start { why: String },
    #[error("the agent exited with status {status}")]
    Exit { status: String, stderr: String },
    #[error("the agent ran longer than {seconds} s and was ended")]
    TimedOut { seconds: u64, stderr: String },
    /// It exited with 0 and said itself that it failed (a refused key, a limit). Asking again does not repair that.
    #[error("the agent failed: {why}")]
    Reported { why: String, stderr: String },
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
    /// Everything it printed, for the journal; the end of it when there was more than 32 MiB.
    pub stdout: PathOrText,
    pub stderr: String,
    /// What it did besides, for the report: "the agent" fits before each.
    pub conduct: Vec<String>,
}

/// What the CLI printed, kept in bounded memory.
pub type PathOrText = String;

/// Runs the CLI in the worktree with an allow-listed environment and reads its answer.
///
/// When this returns, nothing that the CLI started is running any more.
pub fn call<T: DeserializeOwned>(call: &Call<'_>) -> Called<T> {
    match start(call) {
        Ok((output, conduct)) => finish(call, &output, conduct),
        Err(why) => {
            let usage = Usage { agent_calls: 1, ..Usage::default() };
            let result = Err(Failure::Start { why });
            Called { result, usage, stdout: String::new(), stderr: String::new(), conduct: Vec::new() }
        }
    }
}

/// Runs it, and reads what it did before its private folder is removed.
fn start(call: &Call<'_>) -> Result<(Output, Vec<String>), String> {
    let program = program(call)?;
    let parent = call.env.path("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
    let tmp = tempfile::Builder::new().prefix("prfix-agent-").tempdir_in(parent).map_err(|error| error.to_string())?;
    let traces = tmp.path().join(TRACES);
    std::fs::create_dir(&traces).map_err(|error| error.to_string())?;
    let mut run = Run::new(&program).args(&call.invocation.argv[1..]).cwd(call.worktree).empty_env();
    for (name, value) in environment(call, tmp.path()) {
        run = run.env(name, value);
    }
    if call.invocation.prompt == PromptBy::Stdin {
        run = run.stdin(call.prompt);
    }
    let mut confinement = call.confinement.clone();
    confinement.writable.push(tmp.path().to_owned());
    let run = confinement.confine(run.timeout(call.timeout).limit(OUTPUT)).map_err(|error| error.to_string())?;
    let output = supervise(run, call.on_line)?;
    let conduct = conduct::read(&output, &traces, OUTPUT);
    Ok((output, conduct))
}

/// Runs the child while its lines are shown by a thread of their own, so that a slow reader never stops the child.
fn supervise(run: Run, on_line: Option<&(dyn Fn(&str) + Send + Sync)>) -> Result<Output, String> {
    let Some(show) = on_line else { return run.run().map_err(|error| error.to_string()) };
    let (sender, lines) = sync_channel::<Option<String>>(256);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while let Ok(Some(line)) = lines.recv() {
                show(&line);
            }
        });
        let output = run.on_line(forward(sender.clone())).run();
        // A stray holder of the pipe may keep the sink alive, so the end is said and not only heard.
        let _ = sender.send(None);
        output.map_err(|error| error.to_string())
    })
}

fn forward(sender: SyncSender<Option<String>>) -> impl Fn(&str) + Send + Sync + 'static {
    move |line| {
        let clean = mask_secrets(&strip_escapes(line));
        if !clean.trim().is_empty() {
            let _ = sender.try_send(Some(clean));
        }
    }
}

/// The CLI, looked up on the operator's PATH. Never in the worktree, where a pull request may have put its own.
fn program(call: &Call<'_>) -> Result<PathBuf, String> {
    let name = call.invocation.argv.first().filter(|name| !name.is_empty()).ok_or("its command line is empty")?;
    if Path::new(name).is_relative() && name.contains('/') {
        return Err(format!(
            "`{name}` is relative, and the agent runs in the pull request's files: give the full path"
        ));
    }
    let found = which::which_in(name, Some(environment::search_path(call.env)), call.worktree)
        .map_err(|_| format!("`{name}` is not installed, or not on PATH"))?;
    let worktree = call.worktree.canonicalize().map_err(|error| error.to_string())?;
    if found.canonicalize().is_ok_and(|real| real.starts_with(worktree)) {
        return Err(format!("`{name}` lies in the pull request's files"));
    }
    Ok(found)
}

fn environment(call: &Call<'_>, tmp: &Path) -> Vec<(OsString, OsString)> {
    let mut vars = environment::agent_env(call.env, tmp, call.role, &call.invocation.pass_env);
    vars.extend(call.invocation.env.iter().map(|(name, value)| (name.into(), value.into())));
    vars.push(("GIT_TRACE2_EVENT".into(), tmp.join(TRACES).into()));
    vars.push(("PRFIX_ROLE".into(), call.role.as_str().into()));
    vars.push(("PRFIX_ROUND".into(), call.round.to_string().into()));
    vars.push(("PRFIX_BRIEF".into(), call.brief.into()));
    vars.push(("PRFIX_SCHEMA".into(), call.schema_file.into()));
    if let (Role::Probe, Some(item)) = (call.role, call.item) {
        vars.push(("PRFIX_ITEM".into(), item.to_string().into()));
    }
    vars
}

fn finish<T: DeserializeOwned>(call: &Call<'_>, output: &Output, conduct: Vec<String>) -> Called<T> {
    let secrets = environment::secrets(call.env, &call.invocation.pass_env);
    let hide = |text: String| secrets.iter().fold(text, |text, secret| text.replace(secret, "***"));
    let text = hide(output.text());
    let stderr = mask_secrets(&strip_escapes(&hide(String::from_utf8_lossy(&output.stderr).into_owned())));
    let mut usage = usage::read(&text, &call.invocation.output);
    usage.agent_calls = 1;
    usage.seconds = output.duration.as_secs_f64();
    // A CLI may repeat the prompt, whose example of an answer is none.
    let said = text.replace(call.prompt, "");
    let answer = extract(&said, &call.invocation.output, call.schema);
    let result = judge(call, output.ended, answer, tail(&stderr));
    Called { result, usage, stdout: mask_secrets(&text), stderr, conduct }
}

fn judge<T>(call: &Call<'_>, ended: Ended, answer: Result<T, AnswerError>, stderr: String) -> Result<T, Failure> {
    let status = match ended {
        Ended::Interrupted => return Err(Failure::Interrupted),
        Ended::TimedOut => return Err(Failure::TimedOut { seconds: call.timeout.as_secs(), stderr }),
        Ended::Exited(0) => {
            return answer.map_err(|AnswerError { why, reported }| {
                if reported { Failure::Reported { why, stderr } } else { Failure::Misfit { why, stderr } }
            });
        }
        Ended::Exited(status) => status.to_string(),
        Ended::Signaled(signal) => format!("{} (signal {signal})", 128 + signal),
    };
    // Some CLIs say on standard output why they failed.
    let reported = answer.err().filter(|error| error.reported).map(|error| error.why);
    let stderr = [reported.unwrap_or_default(), stderr].join("\n").trim().to_owned();
    Err(Failure::Exit { status, stderr })
}

fn tail(text: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n");
    end(&tail, TAIL_BYTES).to_owned()
}
