//! One write agent, dispatched until its manifest holds, or until the cap (A27–A39).

use std::collections::BTreeSet;

use serde_json::json;

use crate::agent::{Failure, prompt, schema};
use crate::git::{Worktree, changed_paths};
use crate::model::agent::Role;
use crate::model::command::ProjectCommands;
use crate::model::manifest::{Cause, Manifest};
use crate::model::report::Reason;
use crate::model::spec::{ItemKind, ItemStatus, SpecItem, Triage};
use crate::policy::manifest::{Changed, Kind, Violation, mapped, normal};
use crate::state::Event;

use super::agents::{self, Agent, Question};
use super::contain::contained;
use super::context::{Context, Progress, Result, Stop};
use super::isolate::manager;
use super::manifest::{Check, Judged, judge};
use super::triage::{Shared, brief_item, nonce};

/// Re-dispatches after a first attempt whose manifest did not hold (A37).
const REDISPATCHES: u32 = 2;

/// The fix agent's desk: what stays the same over all passes of a run.
pub struct Desk<'a> {
    /// None for a run that needs none.
    pub agent: Option<&'a Agent>,
    pub worktree: &'a Worktree,
    pub commands: &'a ProjectCommands,
    pub copied: &'a [String],
}

/// A pass whose manifest holds; its changes are in the worktree, not yet committed.
#[derive(Debug, Clone)]
pub struct Accepted {
    pub pass: u32,
    pub manifest: Manifest,
    /// Changed paths, as git sees them.
    pub files: Vec<String>,
    /// Last lines of the commit message.
    pub trailers: Vec<String>,
}

/// Dispatches the agent for one pass. `head` is the commit that it works on; `complaints` says why
/// there is another pass (red gates).
pub fn run(ctx: &Context<'_>, desk: &Desk<'_>, progress: &mut Progress, pass: &PassInput<'_>) -> Result<Accepted> {
    if let Some(done) = ctx.past.passes.get(&pass.number) {
        let (manifest, files) = (done.manifest.clone(), done.files.clone());
        apply(progress, &manifest);
        return Ok(Accepted { pass: pass.number, manifest, files, trailers: vec![] });
    }
    let surviving = surviving(progress, pass.number);
    let known: BTreeSet<u32> = progress.spec.items.iter().map(|item| item.id).collect();
    let open: BTreeSet<u32> =
        if pass.number == 1 { surviving.iter().map(|(item, _)| item.id).collect() } else { BTreeSet::new() };
    let mut complaints: Vec<String> = pass.complaints.to_vec();
    let mut last = None;
    for attempt in 0..=REDISPATCHES {
        ctx.check_interrupt()?;
        let round = ctx.next_round();
        let answer = dispatch(
            ctx,
            desk,
            progress,
            &surviving,
            &Dispatch {
                round,
                head: pass.head,
                complaints: &complaints,
                start: if attempt == 0 { Start::Head } else { Start::Here },
            },
        )?;
        let outcome = match answer {
            Ok(manifest) => {
                let check = Check {
                    agent: desk.agent,
                    worktree: desk.worktree,
                    progress,
                    head: pass.head,
                    copied: desk.copied,
                    open: &open,
                    known: &known,
                    round,
                };
                let judged = judge(ctx, &check, &manifest)?;
                Attempt::Judged(Box::new(manifest), judged)
            }
            Err(failure) => Attempt::Failed(failure),
        };
        complaints = outcome.complaints();
        match outcome {
            Attempt::Judged(manifest, judged) if judged.violations.is_empty() => {
                return accept(ctx, progress, pass.number, *manifest, &judged.changes);
            }
            other => last = Some(other),
        }
        for complaint in &complaints {
            ctx.warn(format!("attempt {} of the fix: {}", attempt + 1, crate::model::text::one_line(complaint, 300)));
        }
    }
    give_up(ctx, desk, progress, &Ids { pass, surviving: &surviving, known: &known, open: &open }, last)
}

/// Why and on what the agent is dispatched.
pub struct PassInput<'a> {
    /// From 1; one commit a pass.
    pub number: u32,
    pub head: &'a str,
    pub complaints: &'a [String],
}

/// The pass, and which items it is about.
struct Ids<'a> {
    pass: &'a PassInput<'a>,
    surviving: &'a [(SpecItem, Option<Triage>)],
    known: &'a BTreeSet<u32>,
    open: &'a BTreeSet<u32>,
}

enum Attempt {
    Failed(Failure),
    Judged(Box<Manifest>, Judged),
}

impl Attempt {
    fn complaints(&self) -> Vec<String> {
        match self {
            Self::Failed(failure) => vec![agents::describe(failure)],
            Self::Judged(_, judged) => judged.violations.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Items that triage left, and those that a person has to decide are kept out.
fn surviving(progress: &Progress, pass: u32) -> Vec<(SpecItem, Option<Triage>)> {
    let in_play = |item: &&SpecItem| match progress.endings.get(&item.id) {
        // The base was merged, or there is nothing that an edit could do.
        _ if item.kind == ItemKind::Conflict => false,
        None => true,
        // In the first pass, what is fixed are suggestions that the program has applied.
        Some(ending) => ending.status == ItemStatus::Fixed && pass > 1,
    };
    progress
        .spec
        .items
        .iter()
        .filter(in_play)
        .map(|item| (item.clone(), progress.verdicts.get(&item.id).cloned()))
        .collect()
}

/// What the agent finds in the worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The head, and nothing else.
    Head,
    /// What the attempt before left.
    Here,
    /// A merge that this process began.
    Merge,
}

/// One call of the fix agent.
pub struct Dispatch<'a> {
    pub round: u32,
    pub head: &'a str,
    pub complaints: &'a [String],
    pub start: Start,
}

/// Runs the agent once, contained: its agent files set aside, what it tampers with undone.
pub fn dispatch(
    ctx: &Context<'_>,
    desk: &Desk<'_>,
    progress: &Progress,
    items: &[(SpecItem, Option<Triage>)],
    dispatch: &Dispatch<'_>,
) -> Result<std::result::Result<Manifest, Failure>> {
    let question = question(ctx, desk, progress, items, dispatch);
    let agent = match desk.agent {
        Some(agent) => agent,
        None => &agents::choose(ctx)?,
    };
    let ready = agents::prepare(ctx, agent, desk.worktree, question)?;
    if dispatch.start == Start::Head && ctx.past.started && !ready.is_answered() {
        take_back(ctx, desk, dispatch.head)?;
    }
    let shared = Shared::of(ctx);
    let work = || Ok(agents::run::<Manifest>(&shared, &ready));
    let called = contained(ctx, desk.worktree, progress, "the agent", work)?;
    agents::spent(ctx, &ready, &called)?;
    if let Err(Failure::Interrupted) = called.result {
        return Err(Stop::Interrupted);
    }
    ctx.run.write_json(&format!("answer-{}.json", dispatch.round), &called.result.as_ref().ok())?;
    Ok(called.result)
}

/// Undoes what stands in the worktree and in no commit: of an agent that was killed, or whose pass came to nothing.
pub fn take_back(ctx: &Context<'_>, desk: &Desk<'_>, head: &str) -> Result<()> {
    let own = |path: &String| !desk.copied.contains(path);
    let changed = changed_paths(&desk.worktree.path)?.into_iter().map(|change| change.path.to_string());
    Ok(manager(ctx).restore_paths(desk.worktree, head, &changed.filter(own).collect::<Vec<_>>())?)
}

fn question<'a>(
    ctx: &Context<'_>,
    desk: &'a Desk<'_>,
    progress: &Progress,
    items: &[(SpecItem, Option<Triage>)],
    dispatch: &Dispatch<'_>,
) -> Question<'a> {
    let head_branch = progress.harvest.as_ref().map_or("", |h| h.pr.head_branch.as_str());
    let pairs: Vec<(&SpecItem, Option<&Triage>)> = items.iter().map(|(item, triage)| (item, triage.as_ref())).collect();
    let protected = ctx.rules.protected_globs();
    let applied: Vec<u32> =
        items.iter().map(|(item, _)| item.id).filter(|id| progress.suggested.contains(id)).collect();
    let additions = ctx.rules.prompt_additions("fix");
    let nonce = nonce(ctx, 2000 + dispatch.round);
    let prompt = prompt::fix(&prompt::FixInput {
        items: &pairs,
        head_branch,
        instructions: ctx.options.instructions.as_deref(),
        narrow: &desk.commands.narrow,
        test: &desk.commands.test,
        lint: &desk.commands.lint,
        protected: &protected,
        additions: &additions,
        complaints: dispatch.complaints,
        applied: &applied,
        nonce: &nonce,
    });
    let brief = json!({
        "schema": "git-prfix.brief/1", "role": "fix", "pr": ctx.number, "head_branch": head_branch, "head": dispatch.head,
        "items": items.iter().map(|(item, triage)| json!({"item": brief_item(item), "triage": triage})).collect::<Vec<_>>(),
        "commands": desk.commands, "protected": protected, "complaints": dispatch.complaints,
        "instructions": ctx.options.instructions, "applied": applied,
    });
    let checks = if desk.commands.narrow.is_empty() { &desk.commands.test } else { &desk.commands.narrow };
    Question {
        role: Role::Fix,
        item: None,
        round: dispatch.round,
        prompt,
        brief,
        schema: schema::manifest(),
        checks,
        anew: dispatch.start == Start::Merge,
    }
}

fn accept(
    ctx: &Context<'_>,
    progress: &mut Progress,
    pass: u32,
    manifest: Manifest,
    changes: &[Changed],
) -> Result<Accepted> {
    let files: Vec<String> = changes.iter().map(|c| c.path.clone()).collect();
    ctx.run.write_json(&format!("manifest-{pass}.json"), &manifest)?;
    ctx.record(Event::Fixed {
        pass,
        manifest: manifest.clone(),
        files: files.clone(),
        usage: crate::model::agent::Usage::default(),
    })?;
    apply(progress, &manifest);
    Ok(Accepted { pass, manifest, files, trailers: vec![] })
}

/// Ends items as the manifest says. Fixed means: once it is pushed.
pub fn apply(progress: &mut Progress, manifest: &Manifest) {
    for (path, causes) in &manifest.spec_item_map {
        progress.touched.entry(normal(path).to_owned()).or_default().extend(causes.iter().cloned());
    }
    for (path, invariant) in &manifest.invariant_per_file {
        progress.claims.insert(normal(path).to_owned(), invariant.claim.clone());
    }
    for id in mapped(manifest) {
        progress.end(id, ItemStatus::Fixed, detail(manifest, id));
    }
    let lists = [
        (&manifest.out_of_scope, ItemStatus::OutOfScope),
        (&manifest.declined, ItemStatus::Declined),
        (&manifest.needs_human, ItemStatus::NeedsHuman),
    ];
    for (list, status) in lists {
        for (key, reason) in list {
            let Ok(id) = key.trim_start_matches('#').parse() else { continue };
            if progress.suggested.contains(&id) && status != ItemStatus::NeedsHuman {
                // Its block is in the file; only what stands around it is left alone.
                progress.end(id, ItemStatus::Fixed, format!("suggestion applied as written; {}", reason.trim()));
            } else {
                let reason = crate::policy::contradictions::quoted(reason, id, &progress.spec.items);
                progress.end(id, status, reason);
            }
        }
    }
}

/// What holds now in the files that an item changed: the claims, which were checked.
fn detail(manifest: &Manifest, id: u32) -> String {
    let touches = |causes: &[Cause]| causes.contains(&Cause::Item(id));
    let claims = manifest.spec_item_map.iter().filter(|(_, causes)| touches(causes)).filter_map(|(path, _)| {
        let invariant = manifest.invariant_per_file.iter().find(|(p, _)| normal(p) == normal(path))?.1;
        let claim = invariant.claim.trim().trim_end_matches('.');
        (!claim.is_empty()).then(|| format!("{claim} ({})", normal(path)))
    });
    let text = claims.take(2).collect::<Vec<_>>().join("; ");
    if text.is_empty() { crate::model::text::one_line(&manifest.summary, 300) } else { format!("{text}.") }
}

/// The cap is reached. Wrong scope blocks; invariants alone may be restated once, and what can be
/// verified is kept (A38, A39).
fn give_up(
    ctx: &Context<'_>,
    desk: &Desk<'_>,
    progress: &mut Progress,
    ids: &Ids<'_>,
    last: Option<Attempt>,
) -> Result<Accepted> {
    let Some(Attempt::Judged(_, judged)) = &last else {
        let why = last.map(|attempt| attempt.complaints().join("; ")).unwrap_or_default();
        return Err(blocked(
            ctx,
            progress,
            Reason::Agent,
            &format!(
                "the agent gave no usable answer in {} attempts ({why}); mend its set-up or choose another with `--agent`",
                REDISPATCHES + 1
            ),
        ));
    };
    if judged.violations.iter().any(|violation| !violation.invariant) {
        let list: Vec<String> = judged.violations.iter().map(ToString::to_string).collect();
        return Err(blocked(
            ctx,
            progress,
            Reason::Manifest,
            &format!(
                "decide what of the change in the worktree is wanted, then commit and push it by hand or run again; still wrong: {}",
                list.join("; ")
            ),
        ));
    }
    restate(ctx, desk, progress, ids, judged)
}

fn blocked(ctx: &Context<'_>, progress: &mut Progress, reason: Reason, unblock: &str) -> Stop {
    progress.keep = Some(format!("git-prfix run {} is blocked", ctx.run.id));
    Stop::blocked(reason, unblock)
}

/// One more dispatch that only restates; then the files whose invariant still can't be verified are reverted.
fn restate(
    ctx: &Context<'_>,
    desk: &Desk<'_>,
    progress: &mut Progress,
    ids: &Ids<'_>,
    judged: &Judged,
) -> Result<Accepted> {
    let mut complaints: Vec<String> = judged.violations.iter().map(ToString::to_string).collect();
    complaints.push("change no code now: restate each of these with a line number and what that line contains, or revert the file and answer its items otherwise".to_owned());
    let round = ctx.next_round();
    let answer = dispatch(
        ctx,
        desk,
        progress,
        ids.surviving,
        &Dispatch { round, head: ids.pass.head, complaints: &complaints, start: Start::Here },
    )?;
    let manifest = answer.map_err(|failure| blocked(ctx, progress, Reason::Invariants, &format!("the invariants could not be verified ({}); read the change in the worktree and push it by hand, or run again", agents::describe(&failure))))?;
    let check = Check {
        agent: desk.agent,
        worktree: desk.worktree,
        progress,
        head: ids.pass.head,
        copied: desk.copied,
        open: ids.open,
        known: ids.known,
        round,
    };
    let judged = judge(ctx, &check, &manifest)?;
    if judged.violations.is_empty() {
        return accept(ctx, progress, ids.pass.number, manifest, &judged.changes);
    }
    let (unverified, scope): (Vec<Violation>, Vec<Violation>) =
        judged.violations.into_iter().partition(|v| v.invariant);
    if !scope.is_empty() {
        let list: Vec<String> = scope.iter().map(ToString::to_string).collect();
        return Err(blocked(
            ctx,
            progress,
            Reason::Manifest,
            &format!("read the change in the worktree; still wrong: {}", list.join("; ")),
        ));
    }
    keep_verified(ctx, desk, progress, ids.pass, (manifest, judged.changes, unverified))
}

/// Items that a file was touched for.
fn items_of(manifest: &Manifest, path: &str) -> Vec<u32> {
    let causes = manifest.spec_item_map.iter().filter(|(p, _)| normal(p) == path).flat_map(|(_, causes)| causes);
    causes.filter_map(|cause| if let Cause::Item(id) = cause { Some(*id) } else { None }).collect()
}

fn keep_verified(
    ctx: &Context<'_>,
    desk: &Desk<'_>,
    progress: &mut Progress,
    pass: &PassInput<'_>,
    (mut manifest, changes, unverified): (Manifest, Vec<Changed>, Vec<Violation>),
) -> Result<Accepted> {
    let mut bad: BTreeSet<String> = unverified.iter().filter_map(|v| v.path.clone()).collect();
    // A deletion has no invariant of its own: it goes with the files of its items (half a rename is none).
    let items: BTreeSet<u32> = bad.iter().flat_map(|path| items_of(&manifest, path)).collect();
    let gone = changes.iter().filter(|c| c.kind == Kind::Deleted);
    bad.extend(
        gone.filter(|c| items_of(&manifest, &c.path).iter().any(|id| items.contains(id))).map(|c| c.path.clone()),
    );
    for violation in &unverified {
        ctx.warn(format!("left out of the commit: {violation}"));
    }
    let good: Vec<Changed> = changes.into_iter().filter(|c| !bad.contains(&c.path)).collect();
    if good.is_empty() {
        return Err(blocked(
            ctx,
            progress,
            Reason::Invariants,
            "no file's invariant could be verified; read the change in the worktree and push it by hand, or run again",
        ));
    }
    // What stays out of the commit must not be in the tree that the gates test.
    let bad_paths: Vec<String> = bad.iter().cloned().collect();
    manager(ctx).restore_paths(desk.worktree, pass.head, &bad_paths)?;
    manifest.touched_files.retain(|path| !bad.contains(normal(path)));
    manifest.spec_item_map.retain(|path, _| !bad.contains(normal(path)));
    manifest.invariant_per_file.retain(|path, _| !bad.contains(normal(path)));
    accept(ctx, progress, pass.number, manifest, &good)
}
