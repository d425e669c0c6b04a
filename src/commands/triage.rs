//! `git prfix triage`: harvest and the read-only probes.

use clap::Args;

use super::{CommandResult, Exit, Shell, stopped};
use crate::model::repo::PrArgument;
use crate::pipeline::{self, Mode, RunOptions};
use crate::ui::triage_table;

#[derive(Debug, Args)]
pub struct TriageArgs {
    /// The pull request: number, URL or branch; default: that of the current branch
    #[arg(value_name = "PR")]
    pub pr: Option<String>,
    /// Check the first N items only
    #[arg(long, value_name = "N")]
    pub max_items: Option<usize>,
}

pub fn run(shell: &Shell, args: &TriageArgs) -> CommandResult {
    let world = shell.world()?;
    let options = RunOptions { max_items: args.max_items, fresh: true, ..RunOptions::default() };
    let argument = args.pr.as_deref().map_or(PrArgument::CurrentBranch, PrArgument::parse);
    let opened = match pipeline::open(&world, &argument, &options, Mode::Look, None) {
        Ok(opened) => opened,
        Err(stop) => return stopped(shell, stop),
    };
    match pipeline::triage_only(opened) {
        Ok((report, spec, verdicts)) => {
            if shell.global.json {
                shell.print_json(&report)?;
            } else {
                let ui = shell.ui.options();
                shell.ui.print(&triage_table(&spec, &verdicts, ui.width, ui.color.0));
            }
            Ok(Exit::Done)
        }
        Err(stop) => stopped(shell, stop),
    }
}
