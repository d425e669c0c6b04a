//! The story of a run: its phases, in order. Nothing else knows the order.

mod agents;
mod aside;
mod budget;
mod commands;
mod commit;
mod contain;
mod context;
mod converge;
mod duties;
mod exposure;
mod finish;
mod fix;
mod flaky;
mod foreign;
mod gates;
mod harvest;
mod isolate;
mod look;
pub mod loops;
mod manifest;
mod merge;
mod open;
mod origin;
mod passes;
mod plan;
mod proof;
mod push;
mod reply;
mod rereview;
mod round;
mod sandbox;
mod selfreview;
mod suggest;
mod sweep;
mod syntax;
mod target;
mod team;
mod triage;
mod verify;

pub use commands::here as commands_here;
pub use context::{RunOptions, Stop};
pub use converge::gate;
pub use duties::Reset;
pub use gates::tail as log_tail;
pub use harvest::{ExplainedComment, explain};
pub use look::{Look, find, look, mine};
pub use open::{Mode, Opened, open};
pub use round::{Round, RoundEnd};
pub use sweep::Sweep;
pub use target::{Target, choose_remote};
pub use team::{load_rules, trust_record};

use crate::git::Worktree;
use crate::model::command::ProjectCommands;
use crate::model::feedback::Harvest;
use crate::model::report::{Outcome, Reason, Report};
use crate::model::spec::{ItemStatus, Risk, Spec, Triage};
use crate::policy::preflight::{self, Intent, Wanted};
use crate::state::{Event, StateError};
use crate::ui::Phase;

use context::{Context, Progress, Result};
use fix::Desk;
use gates::Baseline;
use isolate::HeadRemote;

/// A run that has ended: its report, and the error when it was the program's or the system's fault.
pub struct Ended {
    pub report: Report,
    pub fault: Option<miette::Report>,
    /// Of a round of a watch.
    pub round: Option<RoundEnd>,
}

/// One full run on an opened pull request.
pub fn run(opened: Opened<'_>) -> std::result::Result<Ended, Stop> {
    let ctx = &opened.ctx;
    let mut progress = Progress { harvest: Some(opened.harvest.clone()), ..Progress::default() };
    let stop = match phases(ctx, &mut progress, &opened.include) {
        Ok(reason) => Stop::Done(reason),
        Err(stop) => stop,
    };
    let (stop, round) = round::conclude(ctx, &mut progress, stop);
    ctx.world.ui.phase(Phase::Finish);
    let report = finish::run(ctx, &mut progress, &stop)?;
    let fault = if let Stop::Fault(error) = stop { Some(error) } else { None };
    Ok(Ended { report, fault, round })
}

fn phases(ctx: &Context<'_>, progress: &mut Progress, include: &[String]) -> Result<Reason> {
    let ui = &ctx.world.ui;
    ui.phase(Phase::Preflight);
    let harvest = harvest_of(progress)?.clone();
    may_begin(ctx, &harvest)?;
    ui.phase(Phase::Harvest);
    specify(ctx, progress)?;
    ui.print_spec(&progress.spec);
    if progress.spec.items.is_empty() {
        return nothing_to_do(progress);
    }
    if ctx.options.dry_run {
        plan::print(ctx, progress)?;
        return Ok(Reason::DryRun);
    }
    if round::for_people_only(ctx, &progress.spec) {
        set_apart(ctx, progress);
        return all_out(ctx, progress);
    }
    work(ctx, progress, include, &harvest)
}

/// From the spec to the answers.
fn work(ctx: &Context<'_>, progress: &mut Progress, include: &[String], harvest: &Harvest) -> Result<Reason> {
    let ui = &ctx.world.ui;
    let agent = agents::unless(ctx, suggest::suffices(progress))?;
    announce(ctx)?;
    ui.phase(Phase::Isolate);
    let head = isolate::head_remote(ctx.world, &ctx.remote, harvest)?;
    let worktree = isolate::worktree(ctx, &head, harvest)?;
    progress.worktree = Some(worktree.clone());
    let copied = isolate::copy_files(ctx, include, &worktree)?;
    let commands = commands::find(ctx, &worktree, progress, &commands::spec_paths(&progress.spec))?;
    set_up(ctx, &worktree, &commands)?;
    set_apart(ctx, progress);
    let agent = suggest::look(ctx, &worktree, progress, agent)?;
    let mut baseline = baseline(ctx, progress, &worktree, &commands)?;
    if let Some(agent) = agent.as_ref().filter(|_| progress.spec.items.len() > 1 || ctx.sweep) {
        ui.phase(Phase::Triage);
        triage::run(ctx, agent, &worktree, progress)?;
        sweep::leave_unclear(ctx, progress);
    }
    if flaky::concerns(progress) {
        finish_baseline(ctx, progress, baseline.take())?;
        flaky::run(ctx, &flaky::Place { worktree: &worktree, harvest, commands: &commands }, progress)?;
    }
    let desk = Desk { agent: agent.as_ref(), worktree: &worktree, commands: &commands, copied: &copied };
    if progress.open_items().next().is_none() && !ctx.options.update_base {
        finish_baseline(ctx, progress, baseline)?;
        return all_out(ctx, progress);
    }
    let merged = merge::run(ctx, &desk, progress, harvest)?;
    let made = suggest::run(ctx, &desk, progress, merged)?;
    if made.is_none() && progress.open_items().next().is_none() {
        finish_baseline(ctx, progress, baseline)?;
        return all_out(ctx, progress);
    }
    let committed = passes::run(ctx, progress, &desk, passes::Start { before: baseline, made })?;
    let Some(oid) = committed else {
        sweep::answer(ctx, progress)?;
        return Err(no_commit(progress));
    };
    let subject = proof::Subject { worktree: &worktree, harvest, commands: &commands, oid: &oid };
    proof::run(ctx, &subject, progress)?;
    if ctx.options.no_push {
        progress.keep = Some(format!("git-prfix run {}: --no-push", ctx.run.id));
        return Ok(Reason::NoPush);
    }
    deliver(ctx, progress, &Delivery { worktree: &worktree, head: &head, commands: &commands }, &oid)
}

/// A run that has written already goes on, whatever holds now.
fn may_begin(ctx: &Context<'_>, harvest: &Harvest) -> Result<()> {
    if !ctx.past.done.is_empty() {
        return Ok(());
    }
    let intent = Intent { push: !ctx.options.no_push && !ctx.options.dry_run, reply: !ctx.options.no_reply };
    preflight::check(harvest, intent)?;
    token_suffices(ctx, harvest, intent)
}

/// Tells about the token's limits before the work, not when the push is refused. A push over SSH needs none.
fn token_suffices(ctx: &Context<'_>, harvest: &Harvest, intent: Intent) -> Result<()> {
    if !intent.push {
        return Ok(());
    }
    let by_token = isolate::head_remote(ctx.world, &ctx.remote, harvest)?.push_url.starts_with("https://");
    if let Some(warning) = preflight::starts_no_workflows(&harvest.viewer).filter(|_| by_token) {
        ctx.warn(warning.to_owned());
    }
    let Some(scopes) = ctx.github.token_scopes() else { return Ok(()) };
    let wanted = Wanted { host: &harvest.pr.repo.host, workflows: ctx.options.allowed.ci && by_token };
    Ok(preflight::scopes(&scopes, wanted)?)
}

/// What is to be known before an agent is called.
fn announce(ctx: &Context<'_>) -> Result<()> {
    sandbox::announce(ctx);
    exposure::announce(ctx)?;
    budget::announce(ctx);
    budget::check(ctx)
}

fn harvest_of(progress: &Progress) -> Result<&Harvest> {
    progress.harvest.as_ref().ok_or_else(|| miette::miette!("the pull request was not read").into())
}

/// The spec of a resumed run stays as it was numbered; a new run makes its own.
fn specify(ctx: &Context<'_>, progress: &mut Progress) -> Result<()> {
    if ctx.past.specified {
        // Numbered anew, the items would not be those that the journal speaks of.
        let unreadable = || StateError::Unreadable { run: ctx.run.id.clone(), file: "spec.json" };
        progress.spec = ctx.run.read_json::<Spec>("spec.json").ok_or_else(unreadable)?;
        return Ok(());
    }
    let Some(harvest) = &mut progress.harvest else { return Ok(()) };
    let mut spec = harvest::specify(ctx, harvest)?;
    round::select(ctx, harvest, &mut spec)?;
    sweep::add_findings(ctx, &mut spec);
    if let Some(max) = ctx.options.max_items
        && spec.items.len() > max
    {
        spec.warnings.push(format!(
            "{} of {} items are left for another run (--max-items)",
            spec.items.len() - max,
            spec.items.len()
        ));
        for item in spec.items.split_off(max) {
            spec.warnings.push(format!("left: {}", crate::model::text::one_line(&item.request, 100)));
        }
    }
    ctx.run.write_json("spec.json", &spec)?;
    ctx.record(Event::Specified { items: u32::try_from(spec.items.len()).unwrap_or(u32::MAX) })?;
    progress.spec = spec;
    Ok(())
}

/// Nothing asked for and nothing red. What could not be read is not green.
fn nothing_to_do(progress: &Progress) -> Result<Reason> {
    let harvest = harvest_of(progress)?;
    if !crate::policy::checks::readable(harvest) {
        return Err(Stop::blocked(
            Reason::Auth,
            "there is no feedback, but the checks could not be read: use a token that may read them (checks and statuses), then run again",
        ));
    }
    Ok(Reason::NothingToDo)
}

/// Items that a rule, their own nature or another item leaves to a person reach no agent.
fn set_apart(ctx: &Context<'_>, progress: &mut Progress) {
    let items = &progress.spec.items;
    let hinted = items
        .iter()
        .filter_map(|item| item.hint.as_ref().filter(|hint| hint.needs_human).map(|hint| (item.id, hint.why.clone())));
    let opposed = crate::policy::contradictions::find(&items.iter().collect::<Vec<_>>());
    let apart: Vec<(u32, String)> = hinted.chain(opposed).collect();
    for (id, why) in apart {
        ctx.note(format!("item {id} is left to a person: {why}"));
        progress.end(id, ItemStatus::NeedsHuman, why);
    }
}

/// Prepares the worktree. A set-up that fails is said; the gates will tell what it was needed for.
fn set_up(ctx: &Context<'_>, worktree: &Worktree, commands: &ProjectCommands) -> Result<()> {
    if commands.setup.is_empty() || !ctx.past.passes.is_empty() {
        return Ok(());
    }
    let logs = ctx.run.subdir("setup")?;
    let runs = verify::bench(ctx, worktree, &logs, "")?.run_all(&commands.setup);
    ctx.record(Event::Ran { what: "set-up".to_owned(), commands: runs.clone() })?;
    for run in runs {
        if run.status != crate::model::report::GateStatus::Passed {
            ctx.warn(format!("the set-up command `{}` failed; see {}", run.command, run.log));
        }
    }
    ctx.check_interrupt()
}

/// The gates of the untouched head, started beside the probes in a worktree of their own.
struct Before {
    baseline: Baseline,
    worktree: Worktree,
}

fn baseline(
    ctx: &Context<'_>,
    progress: &mut Progress,
    worktree: &Worktree,
    commands: &ProjectCommands,
) -> Result<Option<Before>> {
    if let Some(known) = &ctx.past.baseline {
        progress.baseline.clone_from(known);
        return Ok(None);
    }
    let gates = commands::gates(commands);
    if gates.is_empty() {
        return Ok(None);
    }
    let harvest = harvest_of(progress)?;
    let meta = isolate::metadata(ctx, &worktree.base, harvest);
    let second = isolate::manager(ctx).acquire_detached(&format!("pr{}-before", ctx.number), &worktree.base, &meta)?;
    isolate::submodules(ctx, &second);
    ctx.instant();
    let bench = verify::bench(ctx, &second, &ctx.run.subdir("gates")?, "before")?;
    let baseline = Baseline::start(bench, commands.setup.clone(), gates);
    Ok(Some(Before { baseline, worktree: second }))
}

fn finish_baseline(ctx: &Context<'_>, progress: &mut Progress, before: Option<Before>) -> Result<()> {
    let Some(Before { baseline, worktree }) = before else { return Ok(()) };
    let gates = baseline.join();
    isolate::manager(ctx).discard(&worktree)?;
    ctx.check_interrupt()?;
    ctx.record(Event::Baseline { gates: gates.clone() })?;
    progress.baseline = gates;
    Ok(())
}

/// Everything was triaged out, or is left to a person.
fn all_out(ctx: &Context<'_>, progress: &mut Progress) -> Result<Reason> {
    sweep::answer(ctx, progress)?;
    match needs_human(progress) {
        Some(stop) => Err(stop),
        None => Ok(Reason::AllTriagedOut),
    }
}

/// The agent changed nothing, whatever it says about the items.
fn no_commit(progress: &Progress) -> Stop {
    needs_human(progress).unwrap_or_else(|| {
        Stop::blocked(Reason::NoCommit, "the agent changed nothing; read its reasons for each item and decide")
    })
}

struct Delivery<'a> {
    worktree: &'a Worktree,
    head: &'a HeadRemote,
    commands: &'a ProjectCommands,
}

/// Push, replies, re-review.
fn deliver(ctx: &Context<'_>, progress: &mut Progress, delivery: &Delivery<'_>, oid: &str) -> Result<Reason> {
    let ui = &ctx.world.ui;
    ui.phase(Phase::Push);
    let harvest = harvest_of(progress)?.clone();
    let gates = commands::gates(delivery.commands);
    let push = push::Push { worktree: delivery.worktree, head: delivery.head, gates: &gates };
    let pushed = push::run(ctx, &push, &harvest, progress, oid)?;
    progress.pushed = Some(pushed.clone());
    ctx.note(format!("pushed {} to `{}`", crate::model::text::short(&pushed), harvest.pr.head_branch));
    if !ctx.options.no_reply {
        ui.phase(Phase::Reply);
        let reports = finish::items(progress, Reason::Pushed);
        let pushed = reply::Pushed { oid: &pushed, head: delivery.head };
        reply::run(ctx, &harvest, progress, &reports, Some(pushed))?;
    }
    duties::run(ctx, &harvest, progress, &pushed)?;
    if ctx.options.re_review {
        ui.phase(Phase::ReReview);
        rereview::run(ctx)?;
    }
    progress.unresolved_after = Some(ctx.github.now(ctx.number)?.unresolved_threads);
    advise(ctx, progress);
    match needs_human(progress) {
        Some(stop) => Err(stop),
        None => Ok(Reason::Pushed),
    }
}

/// A pass over the spec that is not complete is never "done" (A43).
fn needs_human(progress: &Progress) -> Option<Stop> {
    let open: Vec<String> = progress
        .spec
        .items
        .iter()
        .filter(|item| {
            progress
                .endings
                .get(&item.id)
                .is_none_or(|e| matches!(e.status, ItemStatus::NeedsHuman | ItemStatus::Unaddressed))
        })
        .map(|item| {
            let detail = progress.endings.get(&item.id).map_or("it was not addressed", |e| e.detail.as_str());
            format!("item {} ({}): {}", item.id, item.source(), crate::model::text::one_line(detail, 160))
        })
        .collect();
    (!open.is_empty()).then(|| Stop::blocked(Reason::NeedsHuman, format!("decide {}", open.join("; "))))
}

/// Only a re-review finds an inverted condition; high risk deserves one (A50).
fn advise(ctx: &Context<'_>, progress: &Progress) {
    let risky = progress
        .verdicts
        .values()
        .filter(|t| {
            t.risk == Some(Risk::High)
                && progress.endings.get(&t.item_id).is_some_and(|e| e.status == ItemStatus::Fixed)
        })
        .count();
    if risky > 0 && !ctx.options.re_review {
        ctx.warn(format!("{risky} fixed item(s) are of high risk: have the change reviewed (`--re-review`)"));
    }
}

/// `git prfix harvest`: the spec and what was dropped.
pub fn harvest_only(opened: Opened<'_>) -> std::result::Result<Report, Stop> {
    let ctx = &opened.ctx;
    let mut progress = Progress { harvest: Some(opened.harvest.clone()), ..Progress::default() };
    if let Some(harvest) = &mut progress.harvest {
        progress.spec = harvest::specify(ctx, harvest)?;
    }
    ctx.world.ui.print_spec(&progress.spec);
    Ok(finish::preview(ctx, &progress))
}

/// `git prfix triage`: the spec, and the verdicts of the probes. Nothing is kept but the run's record.
pub fn triage_only(opened: Opened<'_>) -> std::result::Result<(Report, Spec, Vec<Triage>), Stop> {
    let ctx = &opened.ctx;
    let mut progress = Progress { harvest: Some(opened.harvest.clone()), ..Progress::default() };
    ctx.world.ui.phase(Phase::Harvest);
    specify(ctx, &mut progress)?;
    let mut ended = Ok(());
    if !progress.spec.items.is_empty() {
        ended = probe_only(ctx, &mut progress);
    }
    let verdicts: Vec<Triage> = progress.verdicts.values().cloned().collect();
    if let Some(worktree) = &progress.worktree {
        isolate::manager(ctx).discard(worktree)?;
    }
    let stop = match ended {
        Ok(()) => Stop::Done(Reason::DryRun),
        Err(stop) => stop,
    };
    progress.worktree = None;
    let report = finish::run(ctx, &mut progress, &stop)?;
    match stop {
        Stop::Done(_) => Ok((report, progress.spec, verdicts)),
        other => Err(other),
    }
}

fn probe_only(ctx: &Context<'_>, progress: &mut Progress) -> Result<()> {
    let agent = agents::choose(ctx)?;
    announce(ctx)?;
    let harvest = harvest_of(progress)?.clone();
    ctx.world.ui.phase(Phase::Isolate);
    let head = isolate::head_remote(ctx.world, &ctx.remote, &harvest)?;
    let oid = isolate::fetch_head(ctx, &head, &harvest)?;
    let meta = isolate::metadata(ctx, &oid, &harvest);
    let worktree = isolate::manager(ctx).acquire_detached(&format!("pr{}-triage", ctx.number), &oid, &meta)?;
    progress.worktree = Some(worktree.clone());
    ctx.world.ui.phase(Phase::Triage);
    set_apart(ctx, progress);
    triage::run(ctx, &agent, &worktree, progress)
}

/// Whether a report means exit status 0.
pub fn succeeded(report: &Report) -> bool {
    report.outcome == Outcome::Done
}
