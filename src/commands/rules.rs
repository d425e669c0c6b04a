//! `git prfix rules`.

use clap::Subcommand;

use super::{CommandResult, Exit, Shell};

#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// All rules
    List,
}

pub fn run(_: &Shell, _: RulesCommand) -> CommandResult {
    Ok(Exit::Done)
}
