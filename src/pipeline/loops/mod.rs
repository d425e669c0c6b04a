//! The bounded fix loop over review findings: groups one after the other, each at most two rounds. What is resolved or
//! left over is staged in the operator's checkout; nothing is ever committed, pushed or said to GitHub.

mod ask;
mod attempt;
mod before;
mod files;
mod group;
mod open;
mod report;
mod restore;
mod seat;
mod verifier;
mod verify;

use std::collections::BTreeSet;

use crate::model::loops::{Choice, Deferred, LoopReport};
use crate::model::review::{Envelope, Severity};
use crate::policy::loops::{Group, select};
use crate::rules::Rules;
use crate::settings::Settings;
use crate::ui::Phase;
use crate::world::World;

use super::context::{Context, Result, RunOptions, Stop};
use super::{agents, budget, commands, sandbox};
use group::Outcome;
use seat::Seat;

pub use ask::{Inconclusive, Scope, Staged};
pub use open::NO_PULL_REQUEST;
pub use restore::{Restored, run as restore};

/// What was asked for on the command line. An answer that is not given is asked for on a terminal.
#[derive(Debug, Clone)]
pub struct LoopOptions {
    /// Findings of this severity and worse are worked on.
    pub least: Severity,
    pub on_scope: Option<Scope>,
    pub on_inconclusive: Option<Inconclusive>,
    pub on_escalate: Option<Choice>,
    pub on_staged: Option<Staged>,
    pub run: RunOptions,
}

/// What stays the same for all groups.
struct Bench<'a> {
    agent: &'a agents::Agent,
    options: &'a LoopOptions,
    /// Ids that were handed in, so that a verifier's own findings are told apart.
    known: &'a BTreeSet<u32>,
}

/// Works off an envelope of findings in the present checkout.
///
/// # Errors
/// When there is no agent, no checkout, or another loop; what was begun is put back then.
pub fn run(
    world: &World,
    options: &LoopOptions,
    (settings, rules): (Settings, Rules),
    envelope: &Envelope,
) -> Result<LoopReport> {
    let (ctx, _lock) = open::context(world, &options.run, settings, rules)?;
    ctx.run.write_json("findings.json", envelope)?;
    let (groups, buckets) = select(envelope, options.least);
    let mut out = Outcome { buckets, ..Outcome::default() };
    if !groups.is_empty() {
        let worked = work(&ctx, options, envelope, &groups, &mut out);
        if worked.is_err() {
            // The files were put back: nobody has to be told of this loop later.
            ctx.run.write("ended", b"stopped\n")?;
        }
        worked?;
    }
    let report = report::make(&ctx, envelope, out);
    ctx.run.write_json("report.json", &report)?;
    ctx.run.write("ended", b"done\n")?;
    world.store.prune_loops(ctx.settings.keep_runs);
    Ok(report)
}

fn work(
    ctx: &Context<'_>,
    options: &LoopOptions,
    envelope: &Envelope,
    groups: &[Group],
    out: &mut Outcome,
) -> Result<()> {
    let agent = agents::choose(ctx)?;
    sandbox::announce(ctx);
    budget::check(ctx)?;
    ctx.world.ui.phase(Phase::Isolate);
    let mut seat = Seat::prepare(ctx)?;
    let known = envelope.findings.iter().map(|finding| finding.id).collect();
    let bench = Bench { agent: &agent, options, known: &known };
    let worked = in_seat(ctx, &bench, &mut seat, groups, out);
    seat.leave(ctx)?;
    worked
}

fn in_seat(ctx: &Context<'_>, bench: &Bench<'_>, seat: &mut Seat, groups: &[Group], out: &mut Outcome) -> Result<()> {
    let files: Vec<String> = groups.iter().flat_map(|group| group.files.clone()).collect();
    super::set_up(ctx, &seat.worktree, &commands::about(ctx, &seat.worktree, &files)?)?;
    seat.reset(ctx)?;
    ctx.world.ui.phase(Phase::Fix);
    for (index, group) in groups.iter().enumerate() {
        let number = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        match group::run(ctx, bench, seat, (number, group), &out.staged) {
            Ok(done) => {
                out.buckets.take(done.buckets);
                out.new.extend(done.new);
                out.checks_run.extend(done.checks_run);
                out.staged.extend(done.staged);
                out.rejected.extend(done.rejected);
            }
            // What is done stands; the others wait for whatever is missing.
            Err(Stop::Blocked { unblock, .. }) => {
                defer(&groups[index..], &unblock, out);
                return Ok(());
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

fn defer(groups: &[Group], why: &str, out: &mut Outcome) {
    let ids = groups.iter().flat_map(|group| &group.findings).map(|finding| finding.id);
    let deferred = ids.map(|id| Deferred { id, why: why.to_owned(), additional_files: Vec::new() });
    out.buckets.deferred.extend(deferred);
}
