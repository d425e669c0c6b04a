//! `git prfix sweep`: a pull request's review threads, driven to zero.

use std::path::PathBuf;

use clap::Args;

use super::run::{RunArgs, exit_of_report, show};
use super::{CommandResult, Shell, findings, several, stopped};
use crate::pipeline::{self, Mode, RunOptions, Sweep};
use crate::policy::sweeps;

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Findings of a reviewer to fix as well: an envelope, version v1
    #[arg(long, value_name = "FILE")]
    pub findings: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

pub fn run(shell: &Shell, args: SweepArgs) -> CommandResult {
    args.run.check()?;
    if args.run.is_several() {
        return several(shell, &args);
    }
    let findings =
        args.findings.as_deref().map(findings::read).transpose()?.map(|envelope| envelope.findings).unwrap_or_default();
    let world = shell.world()?;
    let argument = args.run.argument();
    let mut options = RunOptions { sweep: Some(Sweep { findings }), ..args.run.options() };
    let mode = if options.dry_run { Mode::Look } else { Mode::Run };
    let mut sum = None;
    for n in 1..=sweeps::MOST {
        let ended = match pipeline::open(&world, &argument, &options, mode, None).and_then(pipeline::run) {
            Ok(ended) => ended,
            Err(stop) => return stopped(shell, stop),
        };
        let again = ended.fault.is_none() && sweeps::again(&ended.report);
        let mut report = sweeps::sum_up(sum.take(), ended.report);
        if !again || n == sweeps::MOST {
            sweeps::close(&mut report);
            show(shell, &report)?;
            return exit_of_report(shell, &report, ended.fault);
        }
        sum = Some(report);
        // What was handed in was worked on; another sweep is a run of its own.
        options = RunOptions { sweep: Some(Sweep::default()), fresh: false, resume: None, ..options };
    }
    Ok(super::Exit::Done)
}

/// The same findings would be fixed on each of the pull requests.
fn several(shell: &Shell, args: &SweepArgs) -> CommandResult {
    if args.findings.is_some() {
        return Err(findings::FindingsError::Several.into());
    }
    several::run(shell, &args.run, |pr| [vec!["sweep".to_owned()], args.run.words(pr)].concat())
}
