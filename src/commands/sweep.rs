//! `git prfix sweep`: a pull request's review threads, driven to zero.

use std::path::{Path, PathBuf};

use clap::Args;
use miette::Diagnostic;
use thiserror::Error;

use super::run::{RunArgs, exit_of_report, show};
use super::{CommandResult, Shell, stopped};
use crate::model::repo::PrArgument;
use crate::model::review::ReviewFinding;
use crate::pipeline::{self, Mode, RunOptions, Sweep};
use crate::policy::{envelope, sweeps};

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Findings of a reviewer to fix as well: an envelope, version v1
    #[arg(long, value_name = "FILE")]
    pub findings: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Error, Diagnostic)]
pub enum FindingsError {
    #[error("{} cannot be read: {why}", path.display())]
    #[diagnostic(code(prfix::usage::findings), help("check the path and its rights"))]
    Unreadable { path: PathBuf, why: String },
    #[error("{} is no envelope of findings: {}", path.display(), faults.join("; "))]
    #[diagnostic(
        code(prfix::usage::findings_format),
        help("correct these fields; git-prfix-protocol(7) describes the envelope, version v1")
    )]
    Malformed { path: PathBuf, faults: Vec<String> },
}

pub fn run(shell: &Shell, args: SweepArgs) -> CommandResult {
    let findings = args.findings.as_deref().map(read).transpose()?.unwrap_or_default();
    let world = shell.world()?;
    let argument = args.run.pr.as_deref().map_or(PrArgument::CurrentBranch, PrArgument::parse);
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

fn read(path: &Path) -> Result<Vec<ReviewFinding>, FindingsError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| FindingsError::Unreadable { path: path.to_owned(), why: error.to_string() })?;
    let read = envelope::parse(&text);
    read.map(|envelope| envelope.findings).map_err(|faults| FindingsError::Malformed { path: path.to_owned(), faults })
}
