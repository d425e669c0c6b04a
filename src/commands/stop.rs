//! `git prfix stop [<pr>…]`: ends watches.

use clap::Args;
use serde_json::json;

use super::{CommandResult, Exit, Shell, as_error, local};
use crate::model::watch::SCHEMA;
use crate::settings::Settings;
use crate::state::{StateError, WatchFile};
use crate::ui::{Say, stop_lines};
use crate::watch::{self, Ending, WatchError};
use crate::world::World;

#[derive(Debug, Args)]
pub struct StopArgs {
    /// Numbers of pull requests; default: every watch that no other process drives
    #[arg(value_name = "PR")]
    pub prs: Vec<u64>,
    /// Discard worktrees that hold work
    #[arg(long)]
    pub force: bool,
}

pub fn run(shell: &Shell, args: &StopArgs) -> CommandResult {
    let world = shell.world()?;
    let settings = local::team(&world, None)?.settings(&world)?;
    let files = if args.prs.is_empty() {
        WatchFile::all(&world.store)
    } else {
        args.prs.iter().map(|pr| WatchFile::new(&world.store, *pr)).collect()
    };
    let mut endings = Vec::new();
    for file in files {
        endings.extend(one(shell, (&world, &settings), &file, args)?);
    }
    if shell.global.json {
        shell.print_json(&json!({"schema": SCHEMA, "stopped": endings.iter().map(document).collect::<Vec<_>>()}))?;
    } else if endings.is_empty() {
        shell.ui.say(&Say::Note("there is no watch to stop".to_owned()));
    }
    for ending in endings.iter().filter(|_| !shell.global.json) {
        shell.ui.print(&stop_lines(&ending.record, &ending.kept, ending.busy).join("\n"));
    }
    let left = endings.iter().any(|ending| ending.busy.is_some());
    Ok(if left { Exit::Blocked } else { Exit::Done })
}

fn one(
    shell: &Shell,
    (world, settings): (&World, &Settings),
    file: &WatchFile,
    args: &StopArgs,
) -> Result<Option<Ending>, miette::Report> {
    let (pr, named) = (file.pr(), !args.prs.is_empty());
    match file.load() {
        // What nobody can read is removed only by name.
        Err(StateError::WatchUnreadable { .. }) if named => {
            file.discard()?;
            shell.ui.say(&Say::Warning(format!("#{pr}: its record could not be read and was removed")));
            return Ok(None);
        }
        Err(error) if !named => {
            shell.ui.say(&Say::Warning(format!("#{pr}: left as it is: {error}")));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
        Ok(None) if named => return Err(WatchError::None { pr }.into()),
        Ok(_) => {}
    }
    if let (Some(held), false) = (file.driver(), named) {
        let text = format!("#{pr}: left to process {}, which watches it; `git prfix stop {pr}` ends it", held.pid);
        shell.ui.say(&Say::Note(text));
        return Ok(None);
    }
    watch::stop(world, settings, file, args.force).map_err(as_error)
}

fn document(ending: &Ending) -> serde_json::Value {
    let kept: Vec<_> = ending.kept.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
    json!({
        "pr": ending.record.number, "pushes": ending.record.pushed.len(), "needs_human": ending.record.needs_human,
        "reason": ending.record.ended.as_ref().map(|end| end.reason.as_str()), "kept": kept, "busy": ending.busy,
    })
}
