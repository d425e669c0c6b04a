//! `git prfix runs`: what was run here, newest first.

use clap::Args;
use serde::Serialize;

use super::{CommandResult, Exit, Shell};
use crate::model::report::Report;

#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Only runs of this pull request
    #[arg(value_name = "PR")]
    pub pr: Option<u64>,
}

#[derive(Serialize)]
struct Line {
    run: String,
    pr: u64,
    state: String,
    reason: Option<String>,
    items: usize,
    commits: usize,
}

pub fn run(shell: &Shell, args: &RunsArgs) -> CommandResult {
    let world = shell.world()?;
    let mut lines = Vec::new();
    for run in world.store.runs().into_iter().filter(|run| args.pr.is_none() || run.pr() == args.pr) {
        let report: Option<Report> = run.read_json("report.json");
        let past = crate::state::replay(&run.journal())?;
        if !past.started {
            continue;
        }
        lines.push(Line {
            pr: run.pr().unwrap_or_default(),
            state: match (&past.finished, past.newer) {
                (_, true) => "written by a newer git-prfix".to_owned(),
                (Some((outcome, _)), _) => word(outcome),
                (None, _) => "unfinished".to_owned(),
            },
            reason: past.finished.as_ref().map(|(_, reason)| word(reason)),
            items: report.as_ref().map_or(0, |r| r.items.len()),
            commits: report.as_ref().map_or(0, |r| r.commits.len()),
            run: run.id,
        });
    }
    if shell.global.json {
        shell.print_json(&lines)?;
        return Ok(Exit::Done);
    }
    if lines.is_empty() {
        shell.ui.print("no runs yet: start one with `git prfix <number>`");
    }
    for line in lines {
        let reason = line.reason.unwrap_or_default();
        shell.ui.print(&format!(
            "{}  #{:<6} {:<10} {:<18} {} items, {} commits",
            line.run, line.pr, line.state, reason, line.items, line.commits
        ));
    }
    Ok(Exit::Done)
}

/// The report's spelling of one of its enumerations.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
