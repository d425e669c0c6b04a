//! What makes a run a round of a watch: it works on what is new, answers what needs a person, runs flaky checks
//! again, and leaves no worktree behind (W29–W51).

use std::fmt;

use crate::git::{self, changed_paths};
use crate::github::RerunOutcome;
use crate::model::feedback::Harvest;
use crate::model::pr::PrState;
use crate::model::report::Reason;
use crate::model::spec::{ItemKind, ItemStatus, Spec, SpecItem};
use crate::model::watch::Memory;
use crate::policy::rounds::{self, Now, Rerun};
use crate::state::Effect;

use super::context::{Context, Ending, Progress, Result, Stop};
use super::{budget, finish, isolate, reply};

/// A run that goes on can be run again only afterwards; the gate sees its end (W45).
const DEFERRED: &str = "its run has not ended; it is run again afterwards";

/// What a round is told about those before it.
#[derive(Clone, Default)]
pub struct Round {
    pub memory: Memory,
}

impl fmt::Debug for Round {
    /// Short, for the journal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Round({} attempted)", self.memory.attempted.len())
    }
}

/// What a round leaves to its watch.
#[derive(Debug, Clone, Default)]
pub struct RoundEnd {
    /// What was worked on; to be added to the watch's memory.
    pub memory: Memory,
    /// Source and question of each item that is left to a person.
    pub needs_human: Vec<(String, String)>,
    /// Something was left alone and has to come again.
    pub left: bool,
    /// The branch moved so that nothing could be pushed: the round may start over once.
    pub moved: bool,
    /// An item was worked on. Without that the round ended over what is outside of the pull request: the set-up, the
    /// sign-in, a budget.
    pub tried: bool,
    /// No budget covers another call of an agent.
    pub exhausted: bool,
    pub head: String,
}

/// Takes what earlier rounds had out of the spec of a round; any other run is left as it is.
pub fn select(ctx: &Context<'_>, harvest: &Harvest, spec: &mut Spec) -> Result<()> {
    let Some(round) = &ctx.options.round else { return Ok(()) };
    let lagging = lags(ctx, harvest)?;
    let mut ours = ctx.settings.identities.clone();
    ours.push(harvest.viewer.login.clone());
    rounds::select(spec, &round.memory, Now { head: &harvest.pr.head_oid, lagging, ours: &ours });
    Ok(())
}

/// The branch is at another commit than GitHub's API says (W59).
pub fn lags(ctx: &Context<'_>, harvest: &Harvest) -> Result<bool> {
    let head = isolate::head_remote(ctx.world, &ctx.remote, harvest)?;
    let tip = git::remote_head(&ctx.world.repo, &head.fetch_url, &harvest.pr.head_branch, ctx.world.fetch_limit())?;
    Ok(tip.is_some_and(|tip| tip != harvest.pr.head_oid))
}

/// A round in which nothing is left for an agent needs no worktree and no gates (W40).
pub fn for_people_only(ctx: &Context<'_>, spec: &Spec) -> bool {
    let left =
        |item: &SpecItem| item.kind == ItemKind::Criterion || item.hint.as_ref().is_some_and(|hint| hint.needs_human);
    ctx.options.round.is_some() && spec.items.iter().all(left)
}

/// Ends a round: what was not pushed is answered so, and its worktree goes.
pub fn conclude(ctx: &Context<'_>, progress: &mut Progress, stop: Stop) -> (Stop, Option<RoundEnd>) {
    let Some(round) = &ctx.options.round else { return (stop, None) };
    let tried = progress.worktree.is_some() || !progress.endings.is_empty();
    let stop = match without_push(ctx, progress, round, &stop) {
        Ok(Some(other)) | Err(other) => other,
        Ok(None) => stop,
    };
    let end = RoundEnd { tried, ..end(ctx, progress, &stop) };
    (stop, Some(end))
}

/// Re-runs, answers and cleaning up of a round that pushed nothing. May find that the pull request ended.
fn without_push(ctx: &Context<'_>, progress: &mut Progress, round: &Round, stop: &Stop) -> Result<Option<Stop>> {
    let Some(why) = undone(progress, stop) else { return Ok(None) };
    if !progress.moved {
        match ctx.github.now(ctx.number)?.state {
            PrState::Open => {}
            PrState::Merged => return Ok(Some(Stop::Done(Reason::MergedDuringRun))),
            PrState::Closed => return Ok(Some(Stop::Done(Reason::ClosedDuringRun))),
        }
        give_back(progress, stop, why);
        run_again(ctx, progress, round)?;
        answer(ctx, progress)?;
    }
    discard(ctx, progress)?;
    Ok(None)
}

/// What is said of items whose fix did not get onto the branch. `None`: pushed, to be resumed, or nothing was tried.
fn undone(progress: &Progress, stop: &Stop) -> Option<&'static str> {
    if progress.pushed.is_some() {
        return None;
    }
    let reason = match stop {
        Stop::Interrupted | Stop::Fault(_) => return None,
        Stop::Done(reason) | Stop::Blocked { reason, .. } => *reason,
    };
    if progress.worktree.is_none() && progress.endings.is_empty() {
        return None;
    }
    match reason {
        Reason::Gates => Some("my fix did not pass the project's checks"),
        Reason::PushRejected => Some("my fix could not be pushed"),
        Reason::Manifest | Reason::Invariants => Some("what my fix changed could not be confirmed"),
        Reason::Agent => Some("my fix did not finish"),
        Reason::Guard => Some("a hook of the repository refused my commit"),
        Reason::NoCommit => Some("my fix left no commit"),
        Reason::Conflict => Some("the base could not be merged"),
        Reason::NeedsHuman | Reason::AllTriagedOut => Some("it was not addressed"),
        _ => None,
    }
}

fn exhausted(ctx: &Context<'_>) -> bool {
    !budget::left(ctx).covers(&crate::model::agent::Usage::default())
}

/// What was tried and is not on the branch goes to a person (W47). A conflict ends a round before anything else is
/// tried: the rest comes again.
fn give_back(progress: &mut Progress, stop: &Stop, why: &str) {
    let conflict = matches!(stop, Stop::Blocked { reason: Reason::Conflict, .. });
    let ids: Vec<u32> = progress
        .spec
        .items
        .iter()
        .filter(|item| !conflict || item.kind == ItemKind::Conflict)
        .map(|item| item.id)
        .filter(|id| {
            let ending = progress.endings.get(id);
            ending.is_none_or(|ending| matches!(ending.status, ItemStatus::Fixed | ItemStatus::Unaddressed))
        })
        .collect();
    for id in ids {
        progress.end(id, ItemStatus::NeedsHuman, why);
    }
}

/// Checks that no change answers are run again, once for a check and head (W45).
fn run_again(ctx: &Context<'_>, progress: &mut Progress, round: &Round) -> Result<()> {
    let Some(head) = progress.harvest.as_ref().map(|harvest| harvest.pr.head_oid.clone()) else { return Ok(()) };
    // What is broken on the base as well stays red however often it runs.
    let aside = |id: u32, ending: &Ending| match ending.status {
        ItemStatus::Rerun => true,
        ItemStatus::TriagedOut | ItemStatus::OutOfScope | ItemStatus::Declined => !progress.excused.contains(&id),
        _ => false,
    };
    let items: Vec<SpecItem> = progress
        .spec
        .items
        .iter()
        .filter(|item| {
            item.kind == ItemKind::Check && progress.endings.get(&item.id).is_some_and(|ending| aside(item.id, ending))
        })
        .cloned()
        .collect();
    let mut asked = std::collections::BTreeMap::new();
    for item in items {
        let (status, detail) = match rounds::rerun(&item, &round.memory, &head) {
            None => continue,
            Some(Rerun::Person(why)) => (ItemStatus::NeedsHuman, why.to_owned()),
            Some(Rerun::Run(run)) => match asked.get(&run) {
                Some(known) => Clone::clone(known),
                None => {
                    let outcome = run_again_once(ctx, run)?;
                    asked.insert(run, outcome.clone());
                    outcome
                }
            },
        };
        progress.end(item.id, status, detail);
    }
    Ok(())
}

fn run_again_once(ctx: &Context<'_>, run: u64) -> Result<(ItemStatus, String)> {
    let step = Effect::Rerun { run };
    // A killed round may have asked already: then "it is running" is the answer to that.
    let asked_before = ctx.past.tried.contains(&step);
    let mut outcome = RerunOutcome::Started;
    ctx.once(
        &step,
        || Ok(None),
        || {
            outcome = ctx.github.rerun_failed_jobs(run)?;
            Ok(None)
        },
    )?;
    Ok(match outcome {
        RerunOutcome::AlreadyRunning if !asked_before => (ItemStatus::Unaddressed, DEFERRED.to_owned()),
        RerunOutcome::Started | RerunOutcome::AlreadyRunning => {
            (ItemStatus::Rerun, "nothing in this pull request is at fault; it runs again".to_owned())
        }
        RerunOutcome::Refused { message } => {
            (ItemStatus::NeedsHuman, format!("GitHub refused to run it again: {message}"))
        }
    })
}

/// Says on the pull request what was decided; with `--no-reply` it is only recorded.
fn answer(ctx: &Context<'_>, progress: &mut Progress) -> Result<()> {
    if ctx.options.no_reply {
        return Ok(());
    }
    let Some(harvest) = progress.harvest.clone() else { return Ok(()) };
    let reports = finish::items(progress, Reason::NeedsHuman);
    reply::run(ctx, &harvest, progress, &reports, None)
}

/// Unpushed work must not become the next round's start: it is saved as a patch and goes.
fn discard(ctx: &Context<'_>, progress: &mut Progress) -> Result<()> {
    let Some(worktree) = progress.worktree.clone() else { return Ok(()) };
    let saved = (|| -> std::result::Result<String, git::GitError> {
        let paths: Vec<_> = changed_paths(&worktree.path)?.into_iter().map(|change| change.path).collect();
        git::stage(&worktree.path, &paths)?;
        let tree = git::written_tree(&worktree.path)?;
        git::diff_text(&worktree.path, &worktree.base, &tree)
    })();
    match saved {
        Ok(patch) => {
            if !patch.is_empty() {
                let path = ctx.run.write("discarded.patch", patch.as_bytes())?;
                ctx.note(format!("the change was not pushed; it is kept in {}", path.display()));
            }
            isolate::manager(ctx).release(&worktree)?;
            isolate::manager(ctx).discard(&worktree)?;
            (progress.worktree, progress.keep) = (None, None);
        }
        Err(error) => {
            ctx.warn(format!("the worktree stays, its change could not be saved: {error}"));
            progress.keep = Some(format!("git-prfix run {}: unpushed change of a watch", ctx.run.id));
        }
    }
    Ok(())
}

fn end(ctx: &Context<'_>, progress: &Progress, stop: &Stop) -> RoundEnd {
    let head = progress.harvest.as_ref().map(|harvest| harvest.pr.head_oid.clone()).unwrap_or_default();
    let mut end = RoundEnd { moved: progress.moved, exhausted: exhausted(ctx), head, ..RoundEnd::default() };
    if progress.moved || stop.is_from_outside() {
        end.left = true;
        return end;
    }
    let reports = finish::items(progress, finish::End::of(stop).reason);
    for (item, report) in progress.spec.items.iter().zip(&reports) {
        rounds::remember(&mut end.memory, item, report.status, &end.head);
        end.left |= report.status == ItemStatus::Unaddressed && report.detail != DEFERRED;
        if report.status == ItemStatus::NeedsHuman {
            end.needs_human.push((item.source().to_owned(), report.detail.clone()));
        }
    }
    end
}
