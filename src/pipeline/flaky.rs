//! Flaky or real: tells a failing check that the branch is at fault for from one that no change of its code can mend.

use std::collections::BTreeMap;

use crate::git::{self, Ancestry, Worktree};
use crate::model::command::{ProjectCommand, ProjectCommands};
use crate::model::feedback::{Check, CheckState, Harvest};
use crate::model::report::GateStatus;
use crate::model::spec::{ItemStatus, SpecItem};
use crate::model::text::short;
use crate::policy::cause::{Cause, Findings, State, cause};
use crate::policy::gates::{Change, Ending, compare};
use crate::state::{Event, GateRun};

use super::context::{Context, Progress, Result};
use super::isolate::{manager, metadata};
use super::{commands, verify};

/// What the checks are compared in.
pub struct Place<'a> {
    pub worktree: &'a Worktree,
    pub harvest: &'a Harvest,
    pub commands: &'a ProjectCommands,
}

/// Whether anything is to be found out: the spec has a failing check that is still open.
pub fn concerns(progress: &Progress) -> bool {
    progress.open_items().any(|item| item.check.is_some())
}

/// Ends the items of checks that the branch is not at fault for. Needs the gates of the untouched head.
pub fn run(ctx: &Context<'_>, place: &Place<'_>, progress: &mut Progress) -> Result<()> {
    for (id, (status, why)) in &ctx.past.excused {
        progress.excused.insert(*id);
        progress.end(*id, *status, why.clone());
    }
    let items: Vec<SpecItem> = progress.open_items().filter(|item| item.check.is_some()).cloned().collect();
    if items.is_empty() || !ctx.past.passes.is_empty() {
        return Ok(());
    }
    let branch = &place.harvest.pr.base_branch;
    let base = git::fetch(&ctx.world.repo, &ctx.remote.url, branch, &ctx.private_ref("base"), ctx.world.fetch_limit())?;
    let mut elsewhere = Elsewhere { ctx, place, baseline: &progress.baseline.clone(), known: BTreeMap::new() };
    let mut excused = Vec::new();
    for item in &items {
        let Some(check) = &item.check else { continue };
        let found = elsewhere.findings(check, &base)?;
        if let Some(end) = excuse(cause(found), check, (branch, &base), ctx.options.update_base) {
            excused.push((item.id, end));
        }
    }
    for (id, (status, why)) in excused {
        if status != ItemStatus::Fixed {
            ctx.warn(format!("item {id}: {why}"));
        }
        ctx.record(Event::Excused { item: id, status, why: why.clone() })?;
        progress.excused.insert(id);
        progress.end(id, status, why);
    }
    Ok(())
}

/// How an item ends that the branch is not at fault for.
fn excuse(cause: Cause, check: &Check, (branch, base): (&str, &str), update: bool) -> Option<(ItemStatus, String)> {
    let name = &check.name;
    match cause {
        Cause::Branch => None,
        Cause::Flaky => {
            let why = format!(
                "flaky: `{name}` failed here and passed when it was run again with nothing changed; nothing was changed for it"
            );
            Some((ItemStatus::Rerun, why))
        }
        Cause::Base => {
            let why = format!(
                "broken on base: `{name}` fails on `{branch}` ({}) as well; nothing was changed for it",
                short(base)
            );
            Some((ItemStatus::OutOfScope, why))
        }
        // The gates tell whether it helped.
        Cause::BehindBase if update => Some((ItemStatus::Fixed, format!("merged `{branch}`, which has repaired it"))),
        Cause::BehindBase => {
            let why = format!(
                "behind base: `{branch}` ({}) has repaired `{name}` since this branch began; run again with `--update-base merge`",
                short(base)
            );
            Some((ItemStatus::NeedsHuman, why))
        }
    }
}

/// Other commits than the head, each looked at once.
struct Elsewhere<'a, 'w> {
    ctx: &'a Context<'w>,
    place: &'a Place<'a>,
    baseline: &'a [GateRun],
    known: BTreeMap<String, Known>,
}

/// What is known of a commit: GitHub's checks, and our own run of the gates that fail on the head.
struct Known {
    checks: Vec<Check>,
    gates: Option<State>,
}

impl Elsewhere<'_, '_> {
    fn findings(&mut self, check: &Check, base: &str) -> Result<Findings> {
        let repo = &self.ctx.world.repo;
        let up_to_date = repo.ancestry(base, &self.place.worktree.base) == Ancestry::Yes;
        let own = commands::of_check(self.ctx, self.place.worktree, check)?;
        let fits = |run: &&GateRun| own.is_empty() || own.contains(&run.command);
        let failed = self.baseline.iter().filter(fits).any(|run| run.status == GateStatus::Failed);
        let flaky = !failed && self.baseline.iter().filter(fits).any(|run| run.flaky);
        let mut found = Findings { flaky, base: State::Unknown, merge_base: State::Unknown, up_to_date };
        if flaky {
            return Ok(found);
        }
        found.base = self.state(check, base)?;
        if found.base == State::Passed
            && !up_to_date
            && let Some(merge_base) = repo.merge_base(base, &self.place.worktree.base)
        {
            found.merge_base = self.state(check, &merge_base)?;
        }
        Ok(found)
    }

    /// GitHub's word on the same check counts first; without one, our own run.
    fn state(&mut self, check: &Check, oid: &str) -> Result<State> {
        if !self.known.contains_key(oid) {
            let checks = self.ctx.github.checks_of(oid, self.ctx.number).unwrap_or_else(|error| {
                self.ctx.warn(format!("the checks of {} could not be read: {error}", short(oid)));
                Vec::new()
            });
            self.known.insert(oid.to_owned(), Known { checks, gates: None });
        }
        let Some(known) = self.known.get(oid) else { return Ok(State::Unknown) };
        let told = known.checks.iter().find(|other| other.key == check.key).map(|other| other.state);
        match (told, known.gates) {
            (Some(CheckState::Failed), _) => Ok(State::Failed),
            (Some(CheckState::Passed), _) => Ok(State::Passed),
            (_, Some(state)) => Ok(state),
            _ => {
                let state = self.run_gates(oid)?;
                if let Some(known) = self.known.get_mut(oid) {
                    known.gates = Some(state);
                }
                Ok(state)
            }
        }
    }

    /// The gates that fail on the head, run on another commit: failed when each fails there in the same way.
    fn run_gates(&self, oid: &str) -> Result<State> {
        let failing: Vec<&GateRun> = self.baseline.iter().filter(|run| run.status == GateStatus::Failed).collect();
        let fails = |command: &ProjectCommand| failing.iter().any(|run| run.command == command.to_string());
        let gates: Vec<ProjectCommand> = commands::gates(self.place.commands).into_iter().filter(fails).collect();
        if gates.is_empty() {
            return Ok(State::Unknown);
        }
        let ctx = self.ctx;
        let meta = metadata(ctx, oid, self.place.harvest);
        let worktree = manager(ctx).acquire_detached(&format!("pr{}-base", ctx.number), oid, &meta)?;
        ctx.instant();
        let bench = verify::bench(ctx, &worktree, &ctx.run.subdir("gates")?, "base")?;
        bench.run_all(&self.place.commands.setup);
        let runs = bench.run_confirmed(&gates);
        manager(ctx).discard(&worktree)?;
        ctx.check_interrupt()?;
        let ending = |run: &GateRun| Ending { status: run.status, signature: run.signature.clone() };
        let same = |run: &GateRun| {
            let head = failing.iter().find(|head| head.command == run.command);
            head.is_some_and(|head| compare(Some(&ending(run)), &ending(head)) == Change::SameRed)
        };
        Ok(match () {
            () if runs.iter().all(|run| run.status == GateStatus::Passed) => State::Passed,
            () if runs.iter().all(same) => State::Failed,
            () => State::Unknown,
        })
    }
}
