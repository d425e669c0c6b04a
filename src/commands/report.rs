//! `git prfix report`: what a run did, from its record.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use miette::Diagnostic;
use thiserror::Error;

use super::{CommandResult, Exit, Shell};
use crate::model::report::Report;
use crate::model::text::one_line;
use crate::process::Run;
use crate::state::RunDir;
use crate::world::World;

/// A browser that stays in the foreground may be read in for long.
const LIMIT: Duration = Duration::from_secs(7 * 24 * 3600);

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The run; default: the newest one that has a report
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// Open its page in a browser
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Error, Diagnostic)]
enum ReportError {
    #[error("there is no report yet")]
    #[diagnostic(code(prfix::usage::no_report), help("start a run: `git prfix <number>`"))]
    None,
    #[error("run `{run}` has no report; it did not end")]
    #[diagnostic(code(prfix::usage::unfinished), help("go on with it: `git prfix --resume {run}`"))]
    Unfinished { run: String },
    #[error("no browser could be started for {page}: {why}")]
    #[diagnostic(code(prfix::report::no_browser), help("open that file yourself, or name a browser in `BROWSER`"))]
    NoBrowser { page: String, why: String },
}

pub fn run(shell: &Shell, args: &ReportArgs) -> CommandResult {
    let world = shell.world()?;
    let run = match &args.run {
        Some(id) => world.store.run(id)?,
        None => world.store.runs().into_iter().find(has_report).ok_or(ReportError::None)?,
    };
    let report: Report = run.read_json("report.json").ok_or(ReportError::Unfinished { run: run.id.clone() })?;
    if args.open {
        open(&world, &run.dir.join("report.html"))?;
    }
    super::run::show(shell, &report)?;
    Ok(Exit::Done)
}

fn has_report(run: &RunDir) -> bool {
    run.read_json::<Report>("report.json").is_some()
}

/// The program of `BROWSER`, else the desktop's own way. A browser that stays in the foreground is waited for.
fn open(world: &World, page: &Path) -> Result<(), ReportError> {
    let named = world.env.get("BROWSER").and_then(|list| list.split(':').next()).filter(|name| !name.is_empty());
    let program = named.unwrap_or(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    let failed = |why: String| ReportError::NoBrowser { page: page.display().to_string(), why };
    let run = Run::new(program).arg(page).empty_env().leave_helpers().timeout(LIMIT);
    let run = world.env.iter().fold(run, |run, (name, value)| run.env(name, value));
    let output = run.run().map_err(|error| failed(error.to_string()))?;
    if output.success() { Ok(()) } else { Err(failed(one_line(&String::from_utf8_lossy(&output.stderr), 200))) }
}
