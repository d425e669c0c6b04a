//! `stop`: ends a watch, and removes the worktrees of its rounds unless they hold work.

use std::time::Duration;

use crate::git::{Listed, Manager, Worktree};
use crate::model::watch::{End, EndReason, Record};
use crate::pipeline::Stop;
use crate::settings::Settings;
use crate::state::WatchFile;
use crate::world::World;

/// How long a process is waited for that looks at its record between two steps.
const PATIENCE: u32 = 60;

/// What became of one watch.
#[derive(Debug)]
pub struct Ending {
    pub record: Record,
    /// Worktrees that stay, with the reason.
    pub kept: Vec<(String, String)>,
    /// A process still works in a round; it ends the watch after it.
    pub busy: Option<u32>,
}

/// Ends a watch. Its record goes, unless a worktree holds work: then it says so for `status` and the next start.
/// `force` discards that work.
///
/// # Errors
/// When the record or a worktree cannot be changed.
pub fn stop(world: &World, settings: &Settings, file: &WatchFile, force: bool) -> Result<Option<Ending>, Stop> {
    let at = world.clock.now().to_string();
    let record = file.update(|record| {
        let record = record.as_mut()?;
        // A watch that ended by itself keeps its own reason.
        record.ended.get_or_insert(End { reason: EndReason::Stopped, at });
        record.confirmed = None;
        Some(record.clone())
    })?;
    let Some(record) = record else { return Ok(None) };
    if let Some(pid) = still_working(world, file) {
        return Ok(Some(Ending { record, kept: Vec::new(), busy: Some(pid) }));
    }
    let kept = clear(world, settings, file.pr(), force)?;
    if kept.is_empty() {
        file.update(|record| *record = None)?;
    } else {
        file.update(|record| {
            record
                .iter_mut()
                .for_each(|record| record.ended.iter_mut().for_each(|end| end.reason = EndReason::Stopped));
        })?;
    }
    Ok(Some(Ending { record, kept, busy: None }))
}

/// The process that works on the pull request or drives its watch, after it had the time to notice.
fn still_working(world: &World, file: &WatchFile) -> Option<u32> {
    for _ in 0..PATIENCE {
        if let Some(held) = file.run_in_progress() {
            return Some(held.pid);
        }
        file.driver()?;
        if crate::process::interrupted() {
            break;
        }
        world.clock.sleep(Duration::from_millis(500));
    }
    file.driver().map(|held| held.pid)
}

/// Removes what rounds left; returns what stays and why.
fn clear(world: &World, settings: &Settings, pr: u64, force: bool) -> Result<Vec<(String, String)>, Stop> {
    let manager = Manager::new(&world.repo, world.worktree_root(settings));
    let mut kept = Vec::new();
    for listed in manager.list(world.clock.now())?.into_iter().filter(|listed| of_a_round(world, listed, pr)) {
        let Some(worktree) = manager.at(&listed.path)? else { continue };
        if force {
            manager.release(&worktree)?;
            manager.discard(&worktree)?;
        } else if let Err(refusal) = remove(&manager, &worktree) {
            kept.push((listed.path.to_string_lossy().into_owned(), refusal));
        }
    }
    Ok(kept)
}

/// The lock of a round that died says only that it could be resumed; what the worktree holds decides.
fn remove(manager: &Manager<'_>, worktree: &Worktree) -> Result<(), String> {
    manager.release(worktree).map_err(|error| error.to_string())?;
    manager.remove(worktree, None, false).map_err(|refusal| {
        let why = refusal.to_string();
        if let Err(error) = manager.keep(worktree, "git-prfix: work of a stopped watch") {
            tracing::warn!(target: "prfix::watch", %error, "the worktree could not be locked again");
        }
        why
    })
}

fn of_a_round(world: &World, listed: &Listed, pr: u64) -> bool {
    let owner = listed.owner.as_deref().and_then(|owner| world.store.run(owner).ok());
    listed.pr == Some(pr) && owner.is_some_and(|run| run.is_round())
}
