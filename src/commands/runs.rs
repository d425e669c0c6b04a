//! `git prfix runs`: what was run here, newest first.

use std::collections::BTreeSet;

use clap::Args;
use serde::Serialize;

use super::{CommandResult, Exit, Shell};
use crate::model::agent::Usage;
use crate::model::report::Report;
use crate::state::{Entry, RunDir, Store, WatchFile, entries, replay};
use crate::ui::{duration, usage_sentence};

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
    /// RFC 3339, in UTC; of the first and the last thing that the journal tells.
    began: String,
    last: String,
    seconds: f64,
    /// `done`, `blocked`, `running`, `unfinished`, `of another version`.
    state: String,
    reason: Option<String>,
    /// What has to be done, when it is blocked or unfinished.
    unblock: Option<String>,
    items: usize,
    commits: usize,
    usage: Usage,
}

pub fn run(shell: &Shell, args: &RunsArgs) -> CommandResult {
    let world = shell.world()?;
    let mut newest = BTreeSet::new();
    let mut lines = Vec::new();
    for run in world.store.runs().into_iter().filter(|run| args.pr.is_none() || run.pr() == args.pr) {
        let told = entries(&run.journal())?;
        if let (Some(first), Some(last)) = (told.first(), told.last()) {
            let is_newest = newest.insert(run.pr());
            lines.push(line(&world.store, &run, (first, last), is_newest)?);
        }
    }
    if shell.global.json {
        shell.print_json(&lines)?;
    } else if lines.is_empty() {
        shell.ui.print("no runs yet: start one with `git prfix <number>`");
    } else {
        let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
        shell.print_table(&["run", "PR", "began (UTC)", "took", "state", "what came of it"], &rows);
    }
    Ok(Exit::Done)
}

fn line(
    store: &Store,
    run: &RunDir,
    (first, last): (&Entry, &Entry),
    is_newest: bool,
) -> Result<Line, crate::state::StateError> {
    let past = replay(&run.journal())?;
    let report: Option<Report> = run.read_json("report.json");
    let pr = run.pr().unwrap_or_default();
    let works = past.is_unfinished() && is_newest && WatchFile::new(store, pr).run_in_progress().is_some();
    let (state, unblock) = match &past.finished {
        _ if works => ("running".to_owned(), None),
        _ if past.newer => ("of another version".to_owned(), None),
        Some((outcome, _)) => (word(outcome), report.as_ref().and_then(|report| report.unblock.clone())),
        None => ("unfinished".to_owned(), Some(format!("go on with it: `git prfix --resume {}`", run.id))),
    };
    Ok(Line {
        run: run.id.clone(),
        pr,
        began: first.at.to_string(),
        last: last.at.to_string(),
        seconds: last.at.duration_since(first.at).as_secs_f64(),
        state,
        reason: past.finished.as_ref().map(|(_, reason)| word(reason)),
        unblock,
        items: report.as_ref().map_or(0, |r| r.items.len()),
        commits: past.passes.values().filter(|pass| pass.oid.is_some()).count(),
        usage: past.usage,
    })
}

fn row(line: &Line) -> Vec<String> {
    let mut facts = vec![format!("{} items, {} commits", line.items, line.commits)];
    facts.extend((line.usage.agent_calls > 0).then(|| usage_sentence(&line.usage)));
    let mut what = vec![line.reason.clone().unwrap_or_default(), facts.join("; ")];
    what.extend(
        line.unblock.as_ref().map(|unblock| format!("to go on: {}", crate::model::text::one_line(unblock, 200))),
    );
    what.retain(|text| !text.is_empty());
    let began = line.began.get(..16).unwrap_or_default().replace('T', " ");
    vec![line.run.clone(), format!("#{}", line.pr), began, duration(line.seconds), line.state.clone(), what.join("\n")]
}

/// The report's spelling of one of its enumerations.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
