//! The full gates, run by the program on the committed tree and compared with the untouched head.

use std::collections::BTreeMap;

use crate::git::{Worktree, changed_paths};
use crate::model::command::ProjectCommand;
use crate::model::report::{GateStatus, Reason};
use crate::model::text::short;
use crate::policy::gates::{Change, Ending, compare};
use crate::state::{Event, GateRun};

use super::context::{Context, Progress, Result, Stop};
use super::gates::{Bench, tail};
use super::{isolate, sandbox, syntax};

/// What the gates say about a commit.
#[derive(Debug)]
pub enum Verdict {
    Green,
    /// Red; one entry a gate, with the end of its output, for the agent.
    Red(Vec<String>),
}

/// Runs the gates on the commit that the worktree is at.
pub fn run(
    ctx: &Context<'_>,
    worktree: &Worktree,
    progress: &mut Progress,
    commands: &[ProjectCommand],
    oid: &str,
) -> Result<Verdict> {
    if let Some((verified, gates)) = &ctx.past.verified
        && verified == oid
    {
        progress.gates.clone_from(gates);
        return Ok(Verdict::Green);
    }
    let unreadable = syntax::faults(ctx, worktree, progress)?;
    if !unreadable.is_empty() {
        // Those of an earlier pass say nothing about this commit.
        progress.gates.clear();
        return Ok(Verdict::Red(unreadable));
    }
    if commands.is_empty() {
        return unverified(ctx, progress);
    }
    // A merge or a rebase does not move what is checked out of a submodule.
    isolate::submodules(ctx, worktree);
    let logs = ctx.run.subdir("gates")?;
    let runs = bench(ctx, worktree, &logs, "")?.run_confirmed(commands);
    ctx.check_interrupt()?;
    progress.gates.clone_from(&runs);
    for run in runs.iter().filter(|run| run.flaky) {
        ctx.warn(format!("flaky: `{}` failed, then passed with nothing changed", run.command));
    }
    clean_up(ctx, worktree, oid)?;
    judge(ctx, progress, &runs, oid)
}

/// The set-up of a series of commands in a worktree.
pub fn bench(ctx: &Context<'_>, worktree: &Worktree, logs: &std::path::Path, tag: &'static str) -> Result<Bench> {
    let tmp = ctx.run.subdir(if tag.is_empty() { "tmp" } else { "tmp-before" })?;
    Ok(Bench {
        ui: std::sync::Arc::clone(&ctx.world.ui),
        env: ctx.world.env.clone(),
        worktree: worktree.path.clone(),
        logs: logs.to_owned(),
        confinement: sandbox::for_gate(ctx, &worktree.path, &tmp),
        tmp,
        timeout: ctx.settings.gate_timeout,
        tag,
    })
}

/// No gate was found: nothing verifies the change, and only the operator may accept that.
fn unverified(ctx: &Context<'_>, progress: &mut Progress) -> Result<Verdict> {
    ctx.warn("unverified: no test or lint command was found");
    if ctx.options.allow_unverified || ctx.options.no_push {
        return Ok(Verdict::Green);
    }
    progress.keep = Some(format!("git-prfix run {} is blocked: unverified", ctx.run.id));
    Err(Stop::blocked(
        Reason::Gates,
        "tell the program how to test this project (`git config prfix.testCommand '<command>'`), or pass --allow-unverified",
    ))
}

/// Gates may leave files behind; what was verified is the commit, not what they wrote.
fn clean_up(ctx: &Context<'_>, worktree: &Worktree, oid: &str) -> Result<()> {
    let changed: Vec<String> = changed_paths(&worktree.path)?
        .into_iter()
        .filter(|change| change.kind != crate::git::ChangeKind::Untracked)
        .map(|change| change.path.to_string())
        .collect();
    if !changed.is_empty() {
        ctx.warn(format!("the gates changed tracked files, which was undone: {}", changed.join(", ")));
        isolate::manager(ctx).restore_paths(worktree, oid, &changed)?;
        isolate::submodules(ctx, worktree);
    }
    Ok(())
}

fn ending(run: &GateRun) -> Ending {
    Ending { status: run.status, signature: run.signature.clone() }
}

fn judge(ctx: &Context<'_>, progress: &mut Progress, runs: &[GateRun], oid: &str) -> Result<Verdict> {
    let before: BTreeMap<&str, Ending> =
        progress.baseline.iter().map(|run| (run.command.as_str(), ending(run))).collect();
    let mut red = Vec::new();
    let mut same_red = Vec::new();
    for run in runs {
        match compare(before.get(run.command.as_str()), &ending(run)) {
            Change::Green => {}
            Change::SameRed => same_red.push(run),
            Change::Worse => red.push(run),
        }
    }
    if red.is_empty() && (same_red.is_empty() || ctx.options.accept_red_baseline) {
        for run in same_red {
            ctx.warn(format!("`{}` is red as it was before; accepted by --accept-red-baseline", run.command));
        }
        ctx.record(Event::Verified { oid: oid.to_owned(), gates: runs.to_vec() })?;
        return Ok(Verdict::Green);
    }
    ctx.record(Event::Ran { what: format!("gates on {}", short(oid)), commands: runs.to_vec() })?;
    if red.is_empty() && !has_check_items(progress) {
        let names: Vec<String> = same_red.iter().map(|run| format!("`{}`", run.command)).collect();
        progress.keep = Some(format!("git-prfix run {} is blocked: red gates", ctx.run.id));
        return Err(Stop::blocked(
            Reason::Gates,
            format!(
                "{} was red before the fix and is red in the same way after it; repair it, or pass --accept-red-baseline to push all the same",
                names.join(", ")
            ),
        ));
    }
    Ok(Verdict::Red(red.iter().chain(&same_red).map(|run| complaint(run)).collect()))
}

/// With a failing check in the spec, a gate that stays red is the agent's business.
fn has_check_items(progress: &Progress) -> bool {
    let excused = |id| progress.endings.get(&id).is_some_and(|end| end.status != crate::model::spec::ItemStatus::Fixed);
    progress.spec.items.iter().any(|item| item.check.is_some() && item.hint.is_none() && !excused(item.id))
}

fn complaint(run: &GateRun) -> String {
    let how = match (run.status, run.exit) {
        (GateStatus::TimedOut, _) => "ran into its time limit".to_owned(),
        (_, Some(exit)) => format!("failed with status {exit}"),
        _ => "failed".to_owned(),
    };
    format!("the gate `{}` {how} on your change; the end of its output:\n{}", run.command, tail(&run.log, 80))
}
