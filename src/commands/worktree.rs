//! `git prfix worktree`: managed worktrees, their age, size and state; and cleaning them.

use clap::Subcommand;

use super::{CommandResult, Exit, Shell};
use crate::git::Manager;

#[derive(Debug, Subcommand)]
pub enum WorktreeCommand {
    /// Managed worktrees: state, age, size, pull request
    List,
}

pub fn run(shell: &Shell, command: WorktreeCommand) -> CommandResult {
    let world = shell.world()?;
    let settings = world.settings(None)?;
    let manager = Manager::new(&world.repo, world.worktree_root(&settings));
    match command {
        WorktreeCommand::List => {
            for listed in manager.list(shell.clock.now())? {
                shell.ui.print(&format!("{listed:?}"));
            }
        }
    }
    Ok(Exit::Done)
}
