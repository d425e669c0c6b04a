//! `git prfix report`: what a run did, from its record.

use clap::Args;
use miette::Diagnostic;
use thiserror::Error;

use super::{CommandResult, Exit, Shell};
use crate::model::report::Report;

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The run; default: the newest one that has a report
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
}

#[derive(Debug, Error, Diagnostic)]
enum ReportError {
    #[error("there is no report yet")]
    #[diagnostic(code(prfix::usage::no_report), help("start a run: `git prfix <number>`"))]
    None,
    #[error("run `{run}` has no report; it did not end")]
    #[diagnostic(code(prfix::usage::unfinished), help("go on with it: `git prfix --resume {run}`"))]
    Unfinished { run: String },
}

pub fn run(shell: &Shell, args: &ReportArgs) -> CommandResult {
    let world = shell.world()?;
    let report: Report = match &args.run {
        Some(id) => {
            let run = world.store.run(id)?;
            run.read_json("report.json").ok_or(ReportError::Unfinished { run: run.id })?
        }
        None => world.store.runs().iter().find_map(|run| run.read_json("report.json")).ok_or(ReportError::None)?,
    };
    super::run::show(shell, &report)?;
    Ok(Exit::Done)
}
