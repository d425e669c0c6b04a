//! `git prfix status [<pr>…]`: every watch of this repository, from its files alone.

use clap::Args;
use serde_json::{Value, json};

use super::{CommandResult, Exit, Shell};
use crate::git::Manager;
use crate::model::watch::{Record, SCHEMA};
use crate::policy::watch::{Standing, checked_recently, standing};
use crate::state::{Held, WatchFile};
use crate::ui::{StatusEntry, status_page};
use crate::watch::WatchError;
use crate::world::World;

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Numbers of pull requests; default: all
    #[arg(value_name = "PR")]
    pub prs: Vec<u64>,
}

/// What was read of one watch.
enum Entry {
    Known { record: Box<Record>, driver: Option<Held>, round: bool, worktrees: Vec<String> },
    Unreadable { pr: u64, why: String, help: String },
}

pub fn run(shell: &Shell, args: &StatusArgs) -> CommandResult {
    let world = shell.world()?;
    let files: Vec<WatchFile> = WatchFile::all(&world.store)
        .into_iter()
        .filter(|file| args.prs.is_empty() || args.prs.contains(&file.pr()))
        .collect();
    if let Some(pr) = args.prs.iter().find(|pr| !files.iter().any(|file| file.pr() == **pr)) {
        return Err(WatchError::None { pr: *pr }.into());
    }
    let held = worktrees(&world)?;
    let entries: Vec<Entry> = files.iter().filter_map(|file| read(file, &held)).collect();
    if shell.global.json {
        let (known, unreadable): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| matches!(entry, Entry::Known { .. }));
        let list = |entries: Vec<&Entry>| entries.into_iter().map(|entry| document(shell, entry)).collect::<Vec<_>>();
        shell.print_json(&json!({"schema": SCHEMA, "watches": list(known), "unreadable": list(unreadable)}))?;
    } else {
        let shown: Vec<StatusEntry<'_>> = entries.iter().map(|entry| shown(shell, entry)).collect();
        shell.ui.print(&status_page(&shown));
    }
    Ok(Exit::Done)
}

fn read(file: &WatchFile, held: &[(u64, String)]) -> Option<Entry> {
    let pr = file.pr();
    match file.load() {
        Ok(record) => Some(Entry::Known {
            record: Box::new(record?),
            driver: file.driver(),
            round: file.run_in_progress().is_some(),
            worktrees: held.iter().filter(|(of, _)| *of == pr).map(|(_, path)| path.clone()).collect(),
        }),
        Err(error) => {
            let help = miette::Diagnostic::help(&error).map(|help| help.to_string()).unwrap_or_default();
            Some(Entry::Unreadable { pr, why: error.to_string(), help })
        }
    }
}

/// Worktrees of rounds, by pull request. Only their existence: what they hold would take git some time.
fn worktrees(world: &World) -> Result<Vec<(u64, String)>, miette::Report> {
    let manager = Manager::new(&world.repo, world.worktree_root(&world.settings(None)?));
    let mut found = Vec::new();
    for run in world.store.runs().into_iter().filter(crate::state::RunDir::is_round) {
        let past = crate::state::replay(&run.journal())?;
        let Some((path, ..)) = past.worktree.filter(|(path, ..)| path.is_dir()) else { continue };
        if let (Some(pr), Some(worktree)) = (run.pr(), manager.at(&path)?) {
            found.push((pr, worktree.path.to_string_lossy().into_owned()));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn shown<'a>(shell: &Shell, entry: &'a Entry) -> StatusEntry<'a> {
    match entry {
        Entry::Known { record, driver, round, worktrees } => StatusEntry::Known {
            record,
            driver: driver.as_ref().map(|held| (held.pid, held.since.as_str())),
            round: *round,
            recently: checked_recently(record, shell.clock.now()),
            worktrees,
        },
        Entry::Unreadable { pr, why, help } => StatusEntry::Unreadable { pr: *pr, why, help },
    }
}

fn document(shell: &Shell, entry: &Entry) -> Value {
    let (record, driver, round, worktrees) = match entry {
        Entry::Unreadable { pr, why, help } => return json!({"pr": pr, "error": why, "help": help}),
        Entry::Known { record, driver, round, worktrees } => (record, driver, round, worktrees),
    };
    let state = match standing(record, driver.is_some()) {
        Standing::Ended => "ended",
        Standing::Running => "running",
        Standing::Idle => "idle",
    };
    json!({
        "pr": record.number, "repo": record.repo.full_name(), "host": record.repo.host, "title": record.title,
        "head_branch": record.head_branch, "push_target": record.push_target, "head": record.head, "state": state,
        "ended": record.ended, "pushes": record.pushed.len(), "max_pushes": record.max_pushes,
        "last_check": record.last_check, "last_round": record.last_round,
        "checked_recently": checked_recently(record, shell.clock.now()), "round_running": round,
        "round_unfinished": record.round.is_some() && !round, "worktrees": worktrees,
        "driver": driver, "options": record.options, "confirmed": record.confirmed,
        "needs_human": record.needs_human,
    })
}
