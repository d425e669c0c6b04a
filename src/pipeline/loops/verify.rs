//! Verification without an agent: the project's narrow tests, and the lines that a finding is about.

use crate::git::Worktree;
use crate::model::command::ProjectCommand;
use crate::model::report::GateStatus;
use crate::pipeline::commands as project;
use crate::pipeline::context::{Context, Result};
use crate::pipeline::gates::tail;
use crate::pipeline::verify::bench;
use crate::policy::gates::{Change, Ending, compare};
use crate::policy::loops::Tests;
use crate::state::GateRun;

use super::seat::Seat;

/// Exit statuses by which a shell says that it could not start a program.
const NOT_STARTED: [i32; 2] = [126, 127];

/// What verifies a change of these files: configured tests, else the narrowest that rules find, else their tests.
pub fn commands(ctx: &Context<'_>, worktree: &Worktree, files: &[String]) -> Result<Vec<ProjectCommand>> {
    let found = project::about(ctx, worktree, files)?;
    Ok(if found.narrow.is_empty() { found.test } else { found.narrow })
}

/// Runs the tests on what is in the worktree. `before`: the state that a red test is compared with, looked at only
/// when there is one.
pub fn tests(
    ctx: &Context<'_>,
    seat: &mut Seat,
    files: &[String],
    before: &str,
    checks_run: &mut Vec<String>,
) -> Result<Tests> {
    let commands = commands(ctx, &seat.worktree, files)?;
    if commands.is_empty() {
        return Ok(Tests::None);
    }
    let after = run(ctx, seat, &commands, "")?;
    checks_run.extend(after.iter().map(|run| format!("{}: {}", run.command, said(run))));
    if let Some(run) = after.iter().find(|run| cannot_run(run)) {
        return Ok(Tests::CannotRun(format!("`{}` {}", run.command, said(run))));
    }
    if after.iter().all(|run| run.status == GateStatus::Passed) {
        return Ok(Tests::Green);
    }
    let kept = std::mem::replace(&mut seat.worktree.base, before.to_owned());
    seat.reset(ctx)?;
    let earlier = run(ctx, seat, &commands, "before");
    seat.worktree.base = kept;
    seat.reset(ctx)?;
    let earlier = earlier?;
    let ending = |run: &GateRun| Ending { status: run.status, signature: run.signature.clone() };
    let mut same = None;
    for (after, before) in after.iter().zip(&earlier) {
        match compare(Some(&ending(before)), &ending(after)) {
            Change::Green => {}
            Change::SameRed => same = Some(format!("`{}` is red", after.command)),
            Change::Worse => {
                let log = tail(&after.log, 40);
                return Ok(Tests::Worse(format!(
                    "`{}` {}, and not so before the fix:\n{log}",
                    after.command,
                    said(after)
                )));
            }
        }
    }
    Ok(same.map_or(Tests::Green, Tests::SameRed))
}

/// What tests leave behind is not part of a fix.
fn run(ctx: &Context<'_>, seat: &Seat, commands: &[ProjectCommand], tag: &'static str) -> Result<Vec<GateRun>> {
    let logs = ctx.run.subdir("gates")?;
    let runs = bench(ctx, &seat.worktree, &logs, tag)?.run_confirmed(commands);
    ctx.check_interrupt()?;
    seat.reset(ctx)?;
    Ok(runs)
}

fn cannot_run(run: &GateRun) -> bool {
    let started = run.exit.is_some_and(|exit| !NOT_STARTED.contains(&exit));
    matches!(run.status, GateStatus::TimedOut | GateStatus::Skipped) || (run.status == GateStatus::Failed && !started)
}

fn said(run: &GateRun) -> String {
    match (run.status, run.exit) {
        (GateStatus::Passed, _) => "passed".to_owned(),
        (GateStatus::TimedOut, _) => "ran into its time limit".to_owned(),
        (GateStatus::Skipped, _) => "was not run".to_owned(),
        (GateStatus::Failed, Some(exit)) => format!("failed with status {exit}"),
        (GateStatus::Failed, None) => "could not be started, or was ended".to_owned(),
    }
}
