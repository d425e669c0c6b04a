//! `git prfix resume [<pr>…]`: goes on with watches whose process ended, as they were started.

use std::sync::Arc;

use clap::Args;

use super::{CommandResult, Exit, Shell, stopped, watch as watch_command};
use crate::model::watch::Record;
use crate::state::WatchFile;
use crate::ui::Say;
use crate::watch::{self, Desk, WatchError};
use crate::world::World;

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Numbers of pull requests, also of watches that another process drives; default: all that nobody drives
    #[arg(value_name = "PR")]
    pub prs: Vec<u64>,
}

pub fn run(shell: &Shell, args: &ResumeArgs) -> CommandResult {
    let world = watch_command::world(shell)?;
    let desk = Desk { world: &world, ui: Arc::clone(&shell.ui) };
    let found = find(shell, &world, args)?;
    if found.is_empty() {
        shell.ui.say(&Say::Note("there is no watch to resume".to_owned()));
        return Ok(Exit::Done);
    }
    match watch::resume(&desk, found, !args.prs.is_empty()) {
        Err(stop) => stopped(shell, stop),
        Ok(watches) => watch_command::go_on(shell, &desk, watches),
    }
}

/// What was named, else what nobody drives. What cannot be resumed is said.
fn find(shell: &Shell, world: &World, args: &ResumeArgs) -> Result<Vec<(WatchFile, Record)>, miette::Report> {
    let named = |pr: &u64| WatchFile::new(&world.store, *pr);
    let files = if args.prs.is_empty() { WatchFile::all(&world.store) } else { args.prs.iter().map(named).collect() };
    let mut found = Vec::new();
    for file in files {
        let pr = file.pr();
        let record = match file.load() {
            Ok(Some(record)) => record,
            Ok(None) => return Err(WatchError::None { pr }.into()),
            Err(error) if args.prs.is_empty() => {
                shell.ui.say(&Say::Warning(error.to_string()));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let why = match (&record.ended, file.driver()) {
            (Some(end), _) => format!("{}; `git prfix watch {pr}` starts it again", end.reason.sentence()),
            (None, Some(held)) if args.prs.is_empty() => {
                format!("process {} watches it; `git prfix resume {pr}` takes it", held.pid)
            }
            _ => {
                found.push((file, record));
                continue;
            }
        };
        shell.ui.say(&Say::Note(format!("#{pr}: not resumed: {why}")));
    }
    Ok(found)
}
