//! Opening a pull request: settings, remote, lock, an unfinished run or a new one.

use std::cell::{Cell, RefCell};

use crate::github::Transport;
use crate::model::feedback::Harvest;
use crate::model::repo::PrArgument;
use crate::model::text::short;
use crate::state::{Event, Journal, Lock, Replay, RunDir, Spending, StateError};
use crate::world::World;

use super::context::{AbortAt, Context, Result, RunOptions};
use super::target::{self, Target};
use super::team;

/// How much is going to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A run that may be resumed; takes the pull request's lock.
    Run,
    /// Reads; what it needs on disk is in a temporary folder and goes with it.
    Look,
}

/// An opened pull request.
pub struct Opened<'w> {
    pub ctx: Context<'w>,
    pub harvest: Harvest,
    /// Patterns of the team's `.worktreeinclude`.
    pub include: Vec<String>,
    pub lock: Option<Lock>,
    /// The folder of a look.
    scratch: Option<tempfile::TempDir>,
}

impl Drop for Opened<'_> {
    /// A look leaves no ref behind; a run deletes its own when it ends.
    fn drop(&mut self) {
        if self.scratch.is_some() {
            self.ctx.forget_private_refs();
        }
    }
}

/// Finds the pull request, reads it, and opens or resumes its run.
pub fn open<'w>(
    world: &'w World,
    argument: &PrArgument,
    options: &'w RunOptions,
    mode: Mode,
    given: Option<Box<dyn Transport>>,
) -> Result<Opened<'w>> {
    let first = world.settings(None)?;
    let Target { github, remote, number } = target::find(world, &first, argument, given)?;
    let lock = match mode {
        Mode::Run => Some(Lock::take(&world.store, number, world.clock.now())?),
        Mode::Look => None,
    };
    if lock.is_some() {
        world.repo.unlock_private_refs(&format!("refs/prfix/pr-{number}/"));
    }
    let harvest = github.harvest(number)?;
    let team = team::read(world, &remote.url, &harvest)?;
    let settings = world.settings(team.files.config().as_deref())?;
    let rules = team::load_rules(world, &team.files)?;
    let scratch = match mode {
        Mode::Run => None,
        Mode::Look => Some(scratch()?),
    };
    let (run, past) = match &scratch {
        None => marked(choose_run(world, options, &harvest)?, options)?,
        Some(dir) => (RunDir { id: format!("pr{number}-look"), dir: dir.path().to_owned() }, Replay::default()),
    };
    let sweep = swept(&run, options)?;
    let journal = Journal::open(&run.journal())?;
    let spending = Spending::open(&world.store, number)?;
    let lease = super::isolate::lease(world, &settings, &run);
    let ctx = Context {
        world,
        options,
        settings,
        github,
        rules,
        remote,
        usage: Cell::new(past.usage),
        warnings: RefCell::new(past.warnings.clone()),
        spending: RefCell::new(spending),
        run,
        past,
        number,
        sweep,
        journal: RefCell::new(journal),
        noticed: std::sync::Mutex::default(),
        told: std::cell::RefCell::default(),
        open: Cell::new(false),
        abort_at: AbortAt::from_env(&world.env),
        _lease: lease,
    };
    begin(&ctx, &harvest)?;
    team.warnings.into_iter().for_each(|warning| ctx.warn(warning));
    Ok(Opened { ctx, harvest, include: team.include, lock, scratch })
}

fn scratch() -> Result<tempfile::TempDir> {
    let made = tempfile::Builder::new().prefix("git-prfix-").tempdir();
    let help = "check TMPDIR and the free space there";
    made.map_err(|error| miette::miette!(help = help, "no temporary folder could be made: {error}").into())
}

fn begin(ctx: &Context<'_>, harvest: &Harvest) -> Result<()> {
    if ctx.past.started {
        ctx.note(format!("going on with run {}", ctx.run.id));
        return ctx.record(Event::Resumed { pid: std::process::id() });
    }
    let options = vec![format!("{:?}", ctx.options)];
    let unresolved = Some(unresolved(harvest));
    ctx.record(Event::Started { pr: ctx.number, head: harvest.pr.head_oid.clone(), options, unresolved })
}

pub fn unresolved(harvest: &Harvest) -> usize {
    harvest.threads.iter().filter(|thread| !thread.resolved).count()
}

/// A round says so in its folder, for those who clean up after it.
fn marked((run, past): (RunDir, Replay), options: &RunOptions) -> Result<(RunDir, Replay)> {
    if options.round.is_some() {
        run.write("round", b"")?;
    }
    Ok((run, past))
}

/// A sweep says so in its folder, so that it is gone on with as one, whoever resumes it.
fn swept(run: &RunDir, options: &RunOptions) -> Result<bool> {
    if options.sweep.is_some() {
        run.write("sweep", b"")?;
    }
    Ok(run.dir.join("sweep").exists())
}

/// `--resume <run>`, an unfinished run, or a new one.
fn choose_run(world: &World, options: &RunOptions, harvest: &Harvest) -> Result<(RunDir, Replay)> {
    let number = harvest.pr.number;
    let found = match &options.resume {
        Some(Some(id)) => {
            let run = world.store.run(id)?;
            let past = crate::state::replay(&run.journal())?;
            if run.pr() != Some(number) {
                return Err(StateError::NoRun { run: format!("{id} of #{number}") }.into());
            }
            Some((run, past))
        }
        _ => world.store.unfinished(number)?,
    };
    match found {
        Some((run, past)) if !options.fresh => resume(world, harvest, run, past),
        Some((run, _)) => {
            close(world, &run)?;
            new_run(world, number)
        }
        None => new_run(world, number),
    }
}

fn new_run(world: &World, number: u64) -> Result<(RunDir, Replay)> {
    Ok((world.store.new_run(number, world.clock.now())?, Replay::default()))
}

/// An unfinished run is continued while its head is still what it worked on, or once it has work of its own.
fn resume(world: &World, harvest: &Harvest, run: RunDir, past: Replay) -> Result<(RunDir, Replay)> {
    if past.newer {
        return Err(StateError::Newer { run: run.id }.into());
    }
    let has_work = past.passes.values().any(|pass| pass.oid.is_some());
    let lost = past.worktree.as_ref().is_some_and(|(path, ..)| !path.is_dir()) && past.done.is_empty();
    if (past.head == harvest.pr.head_oid || has_work) && !lost {
        return Ok((run, past));
    }
    let why = if lost {
        "its worktree is gone".to_owned()
    } else {
        format!("the head moved to {}", short(&harvest.pr.head_oid))
    };
    world.ui.say(&crate::ui::Say::Note(format!("the unfinished run {} is not continued: {why}", run.id)));
    close(world, &run)?;
    new_run(world, harvest.pr.number)
}

/// Ends a run that nobody will continue; its worktree stays for a person to look at.
fn close(world: &World, run: &RunDir) -> Result<()> {
    use crate::model::report::{Outcome, Reason};
    let mut journal = Journal::open(&run.journal())?;
    let unblock = Some("a later run started over".to_owned());
    let end = Event::Finished { outcome: Outcome::Blocked, reason: Reason::Interrupted, unblock };
    journal.record(world.clock.now(), end)?;
    Ok(())
}
