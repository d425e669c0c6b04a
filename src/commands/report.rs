//! `git prfix report`: what a run did, from its record: its report, and its journal step by step.

mod steps;
mod unfinished;

use std::path::Path;
use std::time::Duration;

use clap::Args;
use miette::Diagnostic;
use thiserror::Error;

use super::{CommandResult, Exit, Shell};
use crate::model::report::Report;
use crate::model::text::one_line;
use crate::model::timeline::Step;
use crate::pipeline::log_tail;
use crate::process::Run;
use crate::state::{Entry, Event, RunDir, WatchFile, entries};
use crate::world::World;

use steps::steps;

/// A browser that stays in the foreground may be read in for long.
const LIMIT: Duration = Duration::from_secs(7 * 24 * 3600);

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The run; default: the newest one
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
    #[error("run `{run}` has no journal that this version can read")]
    #[diagnostic(code(prfix::usage::no_journal), help("`git prfix runs` lists the runs of this repository"))]
    Empty { run: String },
    #[error("run `{run}` has no page; it did not end")]
    #[diagnostic(code(prfix::usage::unfinished), help("go on with it: `git prfix --resume {run}`"))]
    Unfinished { run: String },
    #[error("no browser could be started for {page}: {why}")]
    #[diagnostic(code(prfix::report::no_browser), help("open that file yourself, or name a browser in `BROWSER`"))]
    NoBrowser { page: String, why: String },
}

pub fn run(shell: &Shell, args: &ReportArgs) -> CommandResult {
    let world = shell.world()?;
    let begun = |run: &RunDir| entries(&run.journal()).is_ok_and(|entries| !entries.is_empty());
    let run = match &args.run {
        Some(id) => world.store.run(id)?,
        None => world.store.runs().into_iter().find(begun).ok_or(ReportError::None)?,
    };
    let entries = entries(&run.journal())?;
    if entries.is_empty() {
        return Err(ReportError::Empty { run: run.id }.into());
    }
    let report = report_of(&world, &run, &entries)?;
    if args.open {
        let page = run.dir.join("report.html");
        if !page.is_file() {
            return Err(ReportError::Unfinished { run: run.id }.into());
        }
        open(&world, &page)?;
    }
    show(shell, &report, &steps(&entries, log_tail))?;
    Ok(Exit::Done)
}

/// The report that the run wrote when it ended or stopped; of one that did neither, what is known.
fn report_of(world: &World, run: &RunDir, entries: &[Entry]) -> Result<Report, miette::Report> {
    let rests =
        matches!(entries.last().map(|entry| &entry.event), Some(Event::Finished { .. } | Event::Stopped { .. }));
    if let Some(report) = run.read_json::<Report>("report.json").filter(|_| rests) {
        return Ok(report);
    }
    let past = crate::state::replay(&run.journal())?;
    let alive = run.pr().and_then(|pr| WatchFile::new(&world.store, pr).run_in_progress());
    Ok(unfinished::report(run, &past, alive.as_ref()))
}

fn show(shell: &Shell, report: &Report, steps: &[Step]) -> Result<(), miette::Report> {
    if shell.global.json {
        let mut document = serde_json::to_value(report).map_err(|error| miette::miette!("{error}"))?;
        document["steps"] = serde_json::json!(steps);
        return shell.print_json(&document);
    }
    let rows: Vec<Vec<String>> = steps.iter().map(row).collect();
    shell.print_table(&["at (UTC)", "what happened"], &rows);
    super::run::show(shell, report)
}

fn row(step: &Step) -> Vec<String> {
    let at = step.at.trim_end_matches('Z').replace('T', " ");
    let lines: Vec<&str> = std::iter::once(step.what.as_str()).chain(step.detail.iter().map(String::as_str)).collect();
    vec![at, lines.join("\n")]
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
