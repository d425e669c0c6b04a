//! `git prfix demo`.

use clap::Args;

use super::{CommandResult, Exit, Shell};

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Leave everything in place to look at
    #[arg(long)]
    pub keep: bool,
}

pub fn run(_: &Shell, _: &DemoArgs) -> CommandResult {
    Ok(Exit::Done)
}

pub fn agent(_: &Shell) -> CommandResult {
    Ok(Exit::Done)
}
