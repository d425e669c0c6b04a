//! One round of the fix agent on one group: contained, kept to its files, asked about more of them before any edit.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent::loops::{AttemptInput, attempt};
use crate::agent::{Failure, schema};
use crate::git::staged_of;
use crate::model::agent::Role;
use crate::model::loops::Attempt;
use crate::model::review::ReviewFinding;
use crate::model::text::one_line;
use crate::pipeline::agents::{self, Question};
use crate::pipeline::contain::contained;
use crate::pipeline::context::{Context, Progress, Result, Stop};
use crate::pipeline::triage::{Shared, nonce};
use crate::policy::findings::path_fault;
use crate::policy::manifest::refused;

use super::ask::{self, Scope, Staged};
use super::before::Before;
use super::seat::{Seat, Settled};
use super::{Bench, verify};

/// Scope expansions that one round may ask for.
const EXPANSIONS: u32 = 2;
/// Files that one expansion may name.
const MOST_FILES: usize = 20;

#[derive(Debug, Deserialize, Serialize)]
struct Answer {
    files_changed: Option<Vec<String>>,
    summary: Option<String>,
    concerns: Option<String>,
    needs_scope_expansion: Option<bool>,
    additional_files: Option<Vec<String>>,
    justification: Option<String>,
}

/// What a round came to.
pub enum Made {
    /// The agent answered, or failed to: a round either way.
    Tried(Attempt),
    /// A person has to say something first.
    Deferred { why: String, files: Vec<String> },
}

/// What the rounds of one group share.
pub struct Ground<'a> {
    pub seat: &'a mut Seat,
    pub before: &'a mut Before,
    pub files: &'a mut Vec<String>,
    /// Paths that the loop itself staged.
    pub ours: &'a [String],
}

pub fn run(
    ctx: &Context<'_>,
    bench: &Bench<'_>,
    ground: &mut Ground<'_>,
    findings: &[ReviewFinding],
    history: &[Attempt],
) -> Result<Made> {
    let round = u32::try_from(history.len()).unwrap_or(u32::MAX) + 1;
    let mut no: Vec<String> = Vec::new();
    for _ in 0..=EXPANSIONS {
        let answer = call(ctx, bench, ground, &Told { findings, history, refused: &no })?;
        let settled = ground.seat.settle(ctx, ground.files)?;
        undone(ctx, &settled);
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                take_back(ctx, ground, &settled, "the agent gave no answer; its edits were undone")?;
                return Ok(Made::Tried(failed(round, agents::describe(&failure))));
            }
        };
        if answer.needs_scope_expansion != Some(true) {
            return Ok(Made::Tried(tried(round, &settled, answer)));
        }
        let wanted = answer.additional_files.unwrap_or_default();
        let wanted: Vec<String> =
            wanted.into_iter().filter(|file| !ground.files.contains(file)).take(MOST_FILES).collect();
        take_back(ctx, ground, &settled, "the agent edited before it asked for more files; its edits were undone")?;
        if wanted.is_empty() {
            return Ok(Made::Tried(failed(round, "it asked for more files and named none".to_owned())));
        }
        if !no.is_empty() {
            return Ok(Made::Tried(failed(round, "it asked again for more files than it may have".to_owned())));
        }
        if let Some(why) = unfit(ctx, &wanted) {
            return Ok(Made::Deferred { why, files: wanted });
        }
        let reason = one_line(&answer.justification.unwrap_or_default(), 500);
        match ask::scope(ctx, bench.options, &wanted, &reason) {
            Scope::Reject => no = wanted,
            Scope::Defer => {
                let why = format!("the fix needs more files: {reason}");
                return Ok(Made::Deferred { why, files: wanted });
            }
            Scope::Approve => {
                ctx.note(format!("the fix may touch as well: {}", wanted.join(", ")));
                if let Some(why) = enter(ctx, bench, ground, &wanted)? {
                    return Ok(Made::Deferred { why, files: wanted });
                }
            }
        }
    }
    Ok(Made::Tried(failed(round, "it asked for more files again and again".to_owned())))
}

/// Takes files into a group, before anything of theirs is changed. `Some`: why that cannot be.
pub fn enter(
    ctx: &Context<'_>,
    bench: &Bench<'_>,
    ground: &mut Ground<'_>,
    files: &[String],
) -> Result<Option<String>> {
    if let Some(why) = unfit(ctx, files) {
        return Ok(Some(why));
    }
    ground.seat.watch(files)?;
    if let Some(file) = files.iter().find(|file| ground.seat.state(file) == super::files::FileState::Other) {
        return Ok(Some(format!("`{file}` is no file, or lies behind a link")));
    }
    ground.before.add(ctx, ground.seat, files)?;
    if let Some(file) = ground.before.conflicted() {
        return Ok(Some(format!("`{file}` is in conflict: resolve it first")));
    }
    let mut foreign = staged_of(&ground.seat.root, files)?;
    foreign.retain(|file| !ground.ours.contains(file));
    if !foreign.is_empty() && ask::staged(ctx, bench.options, &foreign) == Staged::Defer {
        let why = "changes of these files are staged already: commit or stash them, or say `--on-staged proceed`";
        return Ok(Some(format!("{why} ({})", foreign.join(", "))));
    }
    ground.files.extend(files.iter().cloned());
    Ok(None)
}

/// Why files may not be touched, whoever asks.
fn unfit(ctx: &Context<'_>, files: &[String]) -> Option<String> {
    files.iter().find_map(|file| {
        if let Some(why) = path_fault(file) {
            return Some(format!("`{}` cannot be a file of a fix: {why}", one_line(file, 200)));
        }
        let (class, rule) = ctx.rules.protection(file)?;
        let way = refused(&class, ctx.options.allowed)?;
        Some(format!("`{file}` is protected ({rule}; {way})"))
    })
}

struct Told<'a> {
    findings: &'a [ReviewFinding],
    history: &'a [Attempt],
    refused: &'a [String],
}

fn call(
    ctx: &Context<'_>,
    bench: &Bench<'_>,
    ground: &Ground<'_>,
    told: &Told<'_>,
) -> Result<std::result::Result<Answer, Failure>> {
    let worktree = &ground.seat.worktree;
    let checks = verify::commands(ctx, worktree, ground.files)?;
    let round = ctx.next_round();
    let additions = ctx.rules.prompt_additions("fix");
    let nonce = nonce(ctx, 4000 + round);
    let input = AttemptInput {
        findings: told.findings,
        files: ground.files,
        history: told.history,
        refused: told.refused,
        checks: &checks,
        additions: &additions,
        nonce: &nonce,
    };
    let brief = json!({
        "schema": "git-prfix.brief/1", "role": "fix", "task": "loop", "findings": told.findings,
        "files": ground.files, "history": told.history, "refused": told.refused,
    });
    let prompt = attempt(&input);
    let question = Question {
        role: Role::Fix,
        item: None,
        round,
        prompt,
        brief,
        schema: schema::attempt(),
        checks: &checks,
        anew: false,
    };
    let ready = agents::prepare(ctx, bench.agent, worktree, question)?;
    let shared = Shared::of(ctx);
    let called =
        contained(ctx, worktree, &Progress::default(), "the agent", || Ok(agents::run::<Answer>(&shared, &ready)))?;
    agents::spent(ctx, &ready, &called)?;
    if matches!(called.result, Err(Failure::Interrupted)) {
        return Err(Stop::Interrupted);
    }
    Ok(called.result)
}

/// What the agent did beyond its files never reached the checkout; it is said all the same.
fn undone(ctx: &Context<'_>, settled: &Settled) {
    if !settled.strays.is_empty() {
        let names: Vec<String> = settled.strays.iter().take(5).map(|path| one_line(path, 80)).collect();
        ctx.warn(format!(
            "the agent changed {} path(s) that it may not, which was undone: {}",
            settled.strays.len(),
            names.join(", ")
        ));
    }
    if let Some(file) = &settled.unfit {
        ctx.warn(format!("the agent made something else than a file of `{file}`; its changes were undone"));
    }
}

/// Edits that come with a question about scope, or with no answer, do not count.
fn take_back(ctx: &Context<'_>, ground: &mut Ground<'_>, settled: &Settled, why: &str) -> Result<()> {
    for file in &settled.changed {
        let state = ground.seat.state(file);
        ground.seat.put_back(file, &state)?;
    }
    if !settled.changed.is_empty() {
        ctx.warn(why);
    }
    Ok(())
}

fn failed(round: u32, why: String) -> Attempt {
    Attempt { round, summary: one_line(&why, 1000), ..Attempt::default() }
}

fn tried(round: u32, settled: &Settled, answer: Answer) -> Attempt {
    let said = answer.summary.unwrap_or_default();
    let claimed = answer.files_changed.unwrap_or_default();
    let unseen: Vec<&String> = claimed.iter().filter(|file| !settled.changed.contains(file)).collect();
    let mut concerns: Vec<String> = answer.concerns.into_iter().collect();
    if !unseen.is_empty() {
        let names: Vec<String> = unseen.iter().map(|file| one_line(file, 80)).collect();
        concerns.push(format!("it says that it changed {}, and git does not see that", names.join(", ")));
    }
    Attempt {
        round,
        files_changed: settled.changed.clone(),
        summary: one_line(&said, 1000),
        concerns: (!concerns.is_empty()).then(|| one_line(&concerns.join("; "), 1000)),
        verification: String::new(),
    }
}
