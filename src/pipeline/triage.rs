//! One read-only probe an item, several at once; anything they changed on disk is undone.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use serde_json::json;

use crate::agent::{Failure, prompt, schema};
use crate::git::{Worktree, changed_paths};
use crate::model::agent::{Role, Usage};
use crate::model::spec::{ItemKind, ItemStatus, Risk, SpecItem, Triage, Verdict};
use crate::state::Event;

use super::agents::{self, Agent, Question, Ready};
use super::budget;
use super::contain::contained;
use super::context::{Context, Progress, Result};

/// Probes the open items and ends those that turn out to be nothing to do.
pub fn run(ctx: &Context<'_>, agent: &Agent, worktree: &Worktree, progress: &mut Progress) -> Result<()> {
    progress.verdicts.clone_from(&ctx.past.triage);
    // A conflict is a fact of git's; there is nothing to find out about it.
    let to_probe: Vec<SpecItem> = progress
        .open_items()
        .filter(|item| item.kind != ItemKind::Conflict && !progress.verdicts.contains_key(&item.id))
        .filter(|item| !progress.suggested.contains(&item.id))
        .cloned()
        .collect();
    let (by_rule, to_probe): (Vec<SpecItem>, Vec<SpecItem>) =
        to_probe.into_iter().partition(|item| item.hint.as_ref().is_some_and(|hint| hint.verdict.is_some()));
    for item in &by_rule {
        if let Some(triage) = hinted(item) {
            keep(ctx, progress, triage, Usage::default())?;
        }
    }
    probe_all(ctx, agent, worktree, progress, &to_probe)?;
    settle(progress);
    Ok(())
}

/// What a rule decided without an agent.
fn hinted(item: &SpecItem) -> Option<Triage> {
    let hint = item.hint.as_ref()?;
    Some(Triage {
        item_id: item.id,
        verdict: hint.verdict?,
        reasoning: format!("{} ({})", hint.why, hint.rule),
        proposed_fix: None,
        risk: hint.risk,
    })
}

fn keep(ctx: &Context<'_>, progress: &mut Progress, triage: Triage, usage: Usage) -> Result<()> {
    ctx.record(Event::Triaged { verdict: triage.clone(), usage })?;
    progress.verdicts.insert(triage.item_id, triage);
    ctx.spend(usage)
}

fn probe_all(
    ctx: &Context<'_>,
    agent: &Agent,
    worktree: &Worktree,
    progress: &mut Progress,
    items: &[SpecItem],
) -> Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let head_branch = progress.harvest.as_ref().map_or("", |h| h.pr.head_branch.as_str());
    let asking = Asking { agent, worktree, head_branch };
    let answers = contained(ctx, worktree, progress, "a probe", || {
        let mut queue = VecDeque::new();
        for item in items {
            queue.push_back(Pair { first: question(ctx, &asking, item, 1)?, again: question(ctx, &asking, item, 2)? });
        }
        Ok(in_parallel(ctx, queue))
    })?;
    undo_writes(ctx, worktree)?;
    ctx.check_interrupt()?;
    let asked = answers.len();
    for (item, (answer, usage)) in answers {
        // A rule's word on the risk is the least that it is.
        let least = items.iter().find(|known| known.id == item).and_then(|known| known.hint.as_ref()?.risk);
        let risk = answer.risk.max(least);
        keep(ctx, progress, Triage { item_id: item, risk, ..answer }, usage)?;
    }
    // The others were not asked, since nothing was left to ask them with.
    if asked < items.len() { budget::check(ctx) } else { Ok(()) }
}

/// A probe and its one repetition, made before the threads start since rules live on one thread.
struct Pair {
    first: Ready,
    again: Ready,
}

/// Who is asked, and where.
struct Asking<'a> {
    agent: &'a Agent,
    worktree: &'a Worktree,
    head_branch: &'a str,
}

fn question(ctx: &Context<'_>, asking: &Asking<'_>, item: &SpecItem, round: u32) -> Result<Ready> {
    let head_branch = asking.head_branch;
    let additions = ctx.rules.prompt_additions("probe");
    let nonce = nonce(ctx, item.id);
    let prompt = prompt::probe(&prompt::ProbeInput { item, head_branch, additions: &additions, nonce: &nonce });
    let brief = json!({
        "schema": "git-prfix.brief/1", "role": "probe", "pr": ctx.number, "head_branch": head_branch,
        "item": brief_item(item),
    });
    let (role, schema) = (Role::Probe, schema::probe());
    let question = Question { role, item: Some(item.id), round, prompt, brief, schema, checks: &[], anew: false };
    agents::prepare(ctx, asking.agent, asking.worktree, question)
}

/// A word that foreign text cannot know, to fence it with.
pub fn nonce(ctx: &Context<'_>, salt: u32) -> String {
    crate::model::text::digest(&format!("{}{}{salt}{:?}", ctx.run.id, std::process::id(), std::time::Instant::now()))
        [..12]
        .to_owned()
}

/// An item as a brief shows it: untrusted remarks are left out.
pub fn brief_item(item: &SpecItem) -> serde_json::Value {
    let remarks: Vec<_> = item.remarks.iter().filter(|remark| remark.trusted).collect();
    json!({
        "id": item.id, "kind": item.kind, "source": item.source(), "path": item.path, "line": item.line,
        "start_line": item.start_line, "side": item.side, "outdated": item.outdated, "request": item.request,
        "remarks": remarks, "diff_hunk": item.diff_hunk, "check": item.check,
    })
}

type Answers = BTreeMap<u32, (Triage, Usage)>;

/// At most `prfix.probes` at once; the next one starts when one ends, unless a budget is used up.
fn in_parallel(ctx: &Context<'_>, queue: VecDeque<Pair>) -> Answers {
    let workers = ctx.settings.probes.min(queue.len());
    let queue = Mutex::new(queue);
    let answers = Mutex::new(Answers::new());
    let left = budget::left(ctx);
    let world = Shared::of(ctx);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    if !left.covers(&spent(&answers)) {
                        break;
                    }
                    let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop_front();
                    let Some(pair) = next else { break };
                    let item = pair.first.item.unwrap_or_default();
                    let answer = ask_twice(&world, pair);
                    answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(item, answer);
                }
            });
        }
    });
    answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What the probes have cost so far.
fn spent(answers: &Mutex<Answers>) -> Usage {
    let mut sum = Usage::default();
    let known = answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.values().for_each(|(_, usage)| sum += *usage);
    sum
}

/// What the threads may use of the world.
pub struct Shared<'a> {
    pub ui: &'a crate::ui::Ui,
    pub env: &'a crate::env::Env,
    /// What agents did besides answering; [`contained`] says it.
    pub noticed: &'a Mutex<Vec<String>>,
}

impl<'a> Shared<'a> {
    pub fn of(ctx: &'a Context<'_>) -> Self {
        Self { ui: &ctx.world.ui, env: &ctx.world.env, noticed: &ctx.noticed }
    }
}

/// A failed or unfit answer gets one more chance, which quotes what was wrong; then it is unclear.
fn ask_twice(world: &Shared<'_>, pair: Pair) -> (Triage, Usage) {
    let Pair { first, mut again } = pair;
    let mut usage = Usage::default();
    let called = agents::run::<Triage>(world, &first);
    usage += called.usage;
    let failure = match called.result {
        Ok(triage) => return (triage, usage),
        Err(failure) => failure,
    };
    if matches!(failure, Failure::Interrupted) {
        return (unclear("the probe was interrupted"), usage);
    }
    if let Failure::Misfit { why, .. } = &failure {
        again.prompt = prompt::repair(&again.prompt, why);
    }
    let called = agents::run::<Triage>(world, &again);
    usage += called.usage;
    match called.result {
        Ok(triage) => (triage, usage),
        Err(failure) => (unclear(&format!("the probe failed twice: {}", agents::describe(&failure))), usage),
    }
}

fn unclear(why: &str) -> Triage {
    Triage {
        item_id: 0,
        verdict: Verdict::Unclear,
        reasoning: why.to_owned(),
        proposed_fix: None,
        risk: Some(Risk::Medium),
    }
}

/// Probes are read-only. What they changed all the same is undone and named.
fn undo_writes(ctx: &Context<'_>, worktree: &Worktree) -> Result<()> {
    let changes = changed_paths(&worktree.path)?;
    if changes.is_empty() {
        return Ok(());
    }
    let names: Vec<String> =
        changes.iter().take(5).map(|c| crate::model::text::one_line(&c.path.to_string(), 80)).collect();
    super::isolate::manager(ctx).restore(worktree, &worktree.base)?;
    ctx.warn(format!("a read-only probe changed {} path(s), which was undone: {}", changes.len(), names.join(", ")));
    Ok(())
}

/// Already addressed and invalid items leave the spec; they stay in the report (A25).
fn settle(progress: &mut Progress) {
    let out: Vec<u32> = progress
        .verdicts
        .values()
        .filter(|t| matches!(t.verdict, Verdict::AlreadyAddressed | Verdict::Invalid))
        .map(|t| t.item_id)
        .collect();
    for id in out {
        if !progress.endings.contains_key(&id) {
            // The verdict's reasoning says why.
            progress.end(id, ItemStatus::TriagedOut, "");
        }
    }
}
