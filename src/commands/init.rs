//! `git prfix init`.

use clap::Args;

use super::{CommandResult, Exit, Shell};

#[derive(Debug, Args)]
pub struct InitArgs {}

pub fn run(_: &Shell, _: &InitArgs) -> CommandResult {
    Ok(Exit::Done)
}
