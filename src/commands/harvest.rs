//! `git prfix harvest`: the numbered spec, and what was dropped and why.

use clap::Args;

use super::{CommandResult, Exit, Shell, stopped};
use crate::model::repo::PrArgument;
use crate::pipeline::{self, Mode, RunOptions};

#[derive(Debug, Args)]
pub struct HarvestArgs {
    /// The pull request: number, URL or branch; default: that of the current branch
    #[arg(value_name = "PR")]
    pub pr: Option<String>,
}

pub fn run(shell: &Shell, args: &HarvestArgs) -> CommandResult {
    let world = shell.world()?;
    let options = RunOptions::default();
    let argument = args.pr.as_deref().map_or(PrArgument::CurrentBranch, PrArgument::parse);
    let opened = match pipeline::open(&world, &argument, &options, Mode::Look, None) {
        Ok(opened) => opened,
        Err(stop) => return stopped(shell, stop),
    };
    match pipeline::harvest_only(opened) {
        Ok(report) => {
            if shell.global.json {
                shell.print_json(&report)?;
            }
            Ok(Exit::Done)
        }
        Err(stop) => stopped(shell, stop),
    }
}
