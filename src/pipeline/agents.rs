//! Choosing the agent and calling it: the one place where rules, settings and the agent layer meet.

use std::path::PathBuf;
use std::sync::PoisonError;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Call, Called, Confinement, Failure, call};
use crate::git::Worktree;
use crate::model::agent::{AdapterInput, Invocation, PromptBy, Role, Usage};
use crate::model::command::ProjectCommand;
use crate::model::report::Reason;
use crate::model::text::one_line;
use crate::state::{Event, write_atomic};

use super::budget;
use super::context::{Context, Result, Stop};

/// The adapter of a configured command line.
pub const COMMAND: &str = "command";

/// Environment names that model providers use; the adapter `command` may be any of their tools.
const PROVIDER_VARS: &[&str] = &[
    "ANTHROPIC_*",
    "OPENAI_*",
    "GEMINI_*",
    "GOOGLE_API_KEY",
    "GOOGLE_GENAI_*",
    "OPENROUTER_*",
    "AZURE_OPENAI_*",
    "MISTRAL_*",
    "DEEPSEEK_*",
    "GROQ_*",
    "XAI_*",
    "DASHSCOPE_*",
    "OLLAMA_*",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
];

/// Where agent CLIs keep their state, relative to HOME; the adapter `command` may be any of them. Never all of
/// `.config`: git, `gh` and the desktop take commands from there.
const STATE_DIRS: &[&str] = &[
    ".cache",
    ".claude",
    ".claude.json",
    ".codex",
    ".qwen",
    ".gemini",
    ".copilot",
    ".factory",
    ".aider",
    ".local/share/opencode",
    ".local/state/opencode",
    ".local/share/goose",
    ".local/state/goose",
];

/// The agent of a run.
#[derive(Debug, Clone)]
pub struct Agent {
    pub name: String,
}

/// The configured agent, or the first one that is installed.
pub fn choose(ctx: &Context<'_>) -> Result<Agent> {
    let known = ctx.rules.agents();
    let installed = |program: &str| which::which_in(program, ctx.world.env.get("PATH"), ".").is_ok();
    if let Some(name) = &ctx.settings.agent {
        if name == COMMAND {
            if ctx.settings.agent_command.is_none() {
                return Err(none("set the command line of the agent: `git config prfix.agentCommand '<command>'`"));
            }
            return Ok(Agent { name: name.clone() });
        }
        let Some((_, program)) = known.iter().find(|(known, _)| known == name) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).chain([COMMAND]).collect();
            return Err(none(&format!(
                "there is no agent adapter `{name}`; set `prfix.agent` to one of {}",
                names.join(", ")
            )));
        };
        if !installed(program) {
            return Err(none(&format!("install `{program}` and sign in to it, or set `prfix.agent` to another agent")));
        }
        return Ok(Agent { name: name.clone() });
    }
    if ctx.settings.agent_command.is_some() {
        return Ok(Agent { name: COMMAND.to_owned() });
    }
    let first = known.iter().find(|(_, program)| installed(program));
    first.map(|(name, _)| Agent { name: name.clone() }).ok_or_else(|| {
        let programs: Vec<&str> = known.iter().map(|(_, program)| program.as_str()).collect();
        none(&format!(
            "install an agent CLI ({}) or set `prfix.agentCommand` to your own; then run again",
            programs.join(", ")
        ))
    })
}

/// As [`choose`]; no agent is no error where a run may do without one.
pub fn unless(ctx: &Context<'_>, dispensable: bool) -> Result<Option<Agent>> {
    match choose(ctx) {
        Ok(agent) => Ok(Some(agent)),
        Err(_) if dispensable => Ok(None),
        Err(stop) => Err(stop),
    }
}

fn none(unblock: &str) -> Stop {
    Stop::blocked(Reason::Agent, unblock)
}

/// One question to the agent, before the adapter has made a call of it.
pub struct Question<'a> {
    pub role: Role,
    pub item: Option<u32>,
    pub round: u32,
    pub prompt: String,
    /// What the prompt is made from, for `PRFIX_BRIEF`.
    pub brief: Value,
    pub schema: Value,
    pub checks: &'a [ProjectCommand],
    /// An answer that an earlier process got would not fit what is in the worktree now.
    pub anew: bool,
}

/// A call that is ready to run in a thread: everything in it is owned.
pub struct Ready {
    pub role: Role,
    pub item: Option<u32>,
    pub round: u32,
    pub prompt: String,
    pub label: String,
    invocation: Invocation,
    schema: Value,
    brief: PathBuf,
    schema_file: PathBuf,
    output: PathBuf,
    worktree: PathBuf,
    confinement: Confinement,
    timeout: std::time::Duration,
    /// The answer that an earlier process of this run got to the same question.
    kept: Option<Kept>,
}

impl Ready {
    /// The call's name within the run.
    fn name(&self) -> String {
        self.output.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// It was answered before this process began.
    pub fn is_answered(&self) -> bool {
        self.kept.is_some()
    }
}

/// An answer as it is kept beside its question from the moment that it is there: a run that dies before it could use
/// the answer does not pay for it twice.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    usage: Usage,
    answer: Value,
}

const KEPT: &str = "answer.json";

/// Writes the files of a call below the run's folder and asks the adapter for its words.
pub fn prepare(ctx: &Context<'_>, agent: &Agent, worktree: &Worktree, question: Question<'_>) -> Result<Ready> {
    let Question { role, item, round, prompt, brief, schema, checks, anew } = question;
    budget::check(ctx)?;
    let left = budget::left(ctx);
    let (stem, kept) = match earlier(ctx, role, &brief).filter(|_| !anew) {
        Some((stem, kept)) => (stem, Some(kept)),
        None => (stem(role, item, round), None),
    };
    let dir = format!("probes/{stem}");
    let brief_file = ctx.run.write_json(&format!("{dir}/brief.json"), &brief)?;
    let schema_file = ctx.run.write_json(&format!("{dir}/schema.json"), &schema)?;
    let prompt_file = ctx.run.write(&format!("{dir}/prompt.md"), prompt.as_bytes())?;
    let scratch = ctx.run.subdir(&format!("{dir}/scratch"))?;
    let invocation = invocation(
        ctx,
        agent,
        &AdapterInput {
            role,
            worktree: worktree.path.to_string_lossy().into_owned(),
            model: model(ctx, role),
            max_turns: if role.may_write() { 25 } else { 8 },
            budget_usd: left.usd,
            sandboxed: super::sandbox::holds(ctx),
            schema_file: schema_file.to_string_lossy().into_owned(),
            schema: schema.to_string(),
            prompt_file: prompt_file.to_string_lossy().into_owned(),
            scratch: scratch.to_string_lossy().into_owned(),
            checks: checks.iter().map(|c| c.argv.clone()).collect(),
        },
    )?;
    let mut confinement = super::sandbox::for_agent(ctx, role, worktree, &invocation);
    confinement.writable.push(scratch.clone());
    let timeout = if role.may_write() { ctx.settings.agent_timeout } else { ctx.settings.probe_timeout };
    let timeout = left.timeout(timeout);
    let label = match (role, item) {
        (Role::Fix, _) => format!("fix agent ({}), round {round}", agent.name),
        (Role::Probe, Some(item)) => format!("probe of item {item}"),
        _ => format!("{} ({})", role.as_str(), agent.name),
    };
    let output = ctx.run.dir.join(dir);
    Ok(Ready {
        role,
        item,
        round,
        prompt,
        label,
        invocation,
        schema,
        brief: brief_file,
        schema_file,
        output,
        worktree: worktree.path.clone(),
        confinement,
        timeout,
        kept,
    })
}

fn stem(role: Role, item: Option<u32>, round: u32) -> String {
    match item {
        Some(item) => format!("{}-{item}-{round}", role.as_str()),
        None => format!("{}-{round}", role.as_str()),
    }
}

/// The call of an earlier process of this run that has an answer to the same brief. Each stands for one question.
fn earlier(ctx: &Context<'_>, role: Role, brief: &Value) -> Option<(String, Kept)> {
    if !ctx.past.started {
        return None;
    }
    let prefix = format!("{}-", role.as_str());
    let entries = std::fs::read_dir(ctx.run.dir.join("probes")).ok()?.filter_map(std::result::Result::ok);
    let mut stems: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    stems.retain(|stem| stem.starts_with(&prefix));
    // Rounds in their order, 2 before 10.
    stems.sort_by_key(|stem| (stem.len(), stem.clone()));
    stems.into_iter().find_map(|stem| {
        let asked: Value = ctx.run.read_json(&format!("probes/{stem}/brief.json"))?;
        let kept: Kept = ctx.run.read_json(&format!("probes/{stem}/{KEPT}"))?;
        (asked == *brief && ctx.told.borrow_mut().insert(format!("answer {stem}"))).then_some((stem, kept))
    })
}

fn model(ctx: &Context<'_>, role: Role) -> Option<String> {
    if role.may_write() { ctx.settings.fix_model.clone() } else { ctx.settings.probe_model.clone() }
}

fn invocation(ctx: &Context<'_>, agent: &Agent, input: &AdapterInput) -> Result<Invocation> {
    if agent.name != COMMAND {
        return Ok(ctx.rules.invocation(&agent.name, input)?);
    }
    let line = ctx.settings.agent_command.as_deref().unwrap_or_default();
    let bad = || none(&format!("`prfix.agentCommand` ({line}) cannot be split into words; mend its quotes"));
    let argv = ProjectCommand::parse(line).ok_or_else(bad)?.argv;
    let exists = |name: &str| ctx.world.env.home().is_some_and(|home| home.join(name).exists());
    Ok(Invocation {
        adapter: COMMAND.to_owned(),
        argv,
        prompt: PromptBy::Stdin,
        env: std::collections::BTreeMap::new(),
        pass_env: PROVIDER_VARS.iter().map(|name| (*name).to_owned()).collect(),
        state_dirs: STATE_DIRS.iter().filter(|name| exists(name)).map(|name| (*name).to_owned()).collect(),
        output: "text".to_owned(),
    })
}

/// Runs a prepared call, unless its answer is there already; safe to do from several threads at once.
pub fn run<T: DeserializeOwned + Serialize>(world: &super::triage::Shared<'_>, ready: &Ready) -> Called<T> {
    if let Some(kept) = &ready.kept
        && let Ok(answer) = serde_json::from_value(kept.answer.clone())
    {
        return Called {
            result: Ok(answer),
            usage: kept.usage,
            stdout: String::new(),
            stderr: String::new(),
            conduct: Vec::new(),
        };
    }
    let task = world.ui.task(&ready.label);
    let on_line = |line: &str| task.line(line);
    let called = call(&Call {
        invocation: &ready.invocation,
        role: ready.role,
        item: ready.item,
        round: ready.round,
        prompt: &ready.prompt,
        brief: &ready.brief,
        schema_file: &ready.schema_file,
        schema: &ready.schema,
        worktree: &ready.worktree,
        timeout: ready.timeout,
        env: world.env,
        confinement: &ready.confinement,
        on_line: Some(&on_line),
    });
    world.noticed.lock().unwrap_or_else(PoisonError::into_inner).extend(called.conduct.iter().cloned());
    keep_output(ready, &called.stdout, &called.stderr);
    keep_answer(ready, &called);
    task.finish(ending(&called));
    called
}

fn ending<T>(called: &Called<T>) -> &'static str {
    match &called.result {
        Ok(_) => "answered",
        Err(Failure::TimedOut { .. }) => "timed out",
        Err(Failure::Misfit { .. }) => "gave no fitting answer",
        Err(_) => "failed",
    }
}

/// Counts what a call has cost, once: an answer that is used after a crash was paid for by the process that asked.
pub fn spent<T>(ctx: &Context<'_>, ready: &Ready, called: &Called<T>) -> Result<()> {
    let call = ready.name();
    if ctx.past.paid.contains(&call) {
        return Ok(());
    }
    let why = called.result.as_ref().err().map(|failure| format!(": {}", one_line(&describe(failure), 400)));
    ctx.record(Event::Spent {
        usage: called.usage,
        call: Some(call),
        what: ready.label.clone(),
        outcome: format!("{}{}", ending(called), why.unwrap_or_default()),
        output: ready.output.clone(),
    })?;
    ctx.spend(called.usage)
}

/// What it printed is kept beside its prompt; losing it loses no work.
fn keep_output(ready: &Ready, stdout: &str, stderr: &str) {
    let mask = crate::model::text::mask_secrets;
    let _ = std::fs::write(ready.output.join("stdout.txt"), mask(stdout));
    let _ = std::fs::write(ready.output.join("stderr.txt"), mask(stderr));
    let _ = std::fs::remove_dir_all(ready.output.join("scratch"));
}

/// What cannot be kept would be asked again after a crash, no worse.
fn keep_answer<T: Serialize>(ready: &Ready, called: &Called<T>) {
    let Ok(answer) = &called.result else { return };
    let Ok(answer) = serde_json::to_value(answer) else { return };
    let text = serde_json::to_vec(&Kept { usage: called.usage, answer }).unwrap_or_default();
    if let Err(error) = write_atomic(&ready.output.join(KEPT), &text) {
        tracing::debug!(target: "prfix::pipeline", %error, "an answer is not kept");
    }
}

/// A failed attempt in one sentence, with the tail of standard error.
pub fn describe(failure: &Failure) -> String {
    let stderr = match failure {
        Failure::Exit { stderr, .. }
        | Failure::TimedOut { stderr, .. }
        | Failure::Misfit { stderr, .. }
        | Failure::Reported { stderr, .. } => stderr.trim(),
        _ => "",
    };
    if stderr.is_empty() { failure.to_string() } else { format!("{failure}: {stderr}") }
}
