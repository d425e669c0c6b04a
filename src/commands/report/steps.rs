//! A run step by step, out of its journal: enough to understand it without the machine that it ran on.

use crate::model::agent::Usage;
use crate::model::report::{GateStatus, Outcome};
use crate::model::text::{one_line, short};
use crate::model::timeline::Step;
use crate::state::{Effect, Entry, Event, GateRun};
use crate::ui::{duration, gate_word, reason_sentence, usage_sentence};

/// Lines of the output of a command that did not pass.
const TAIL: usize = 12;

/// `tail` gives the last lines of a log.
pub fn steps(entries: &[Entry], tail: impl Fn(&str, usize) -> String) -> Vec<Step> {
    let told = entries.iter().filter_map(|entry| {
        let (what, detail) = tell(&entry.event, &tail)?;
        Some(Step { at: entry.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(), what, detail })
    });
    told.collect()
}

type Told = (String, Vec<String>);

fn tell(event: &Event, tail: &impl Fn(&str, usize) -> String) -> Option<Told> {
    let ran = |what: &str, runs: &[GateRun]| (what.to_owned(), runs.iter().map(|run| command(run, tail)).collect());
    Some(match event {
        Event::Started { head, .. } => bare(format!("began on {}", short(head))),
        Event::Resumed { pid } => bare(format!("went on, in process {pid}")),
        Event::Specified { items } => bare(format!("numbered {items} item(s)")),
        Event::Isolated { path, branch, base } => (
            format!("made the worktree at {}", short(base)),
            vec![path.display().to_string(), format!("branch {branch}")],
        ),
        Event::Baseline { gates } => ran("gates on the untouched head", gates),
        Event::Ran { what, commands } => ran(what, commands),
        Event::Verified { oid, gates } => ran(&format!("verified {}", short(oid)), gates),
        Event::Triaged { .. } | Event::Spent { .. } | Event::Fixed { .. } => return agent(event),
        Event::Committed { oid, files, .. } => (format!("committed {}", short(oid)), files.clone()),
        Event::Rebased { onto, oid } => bare(format!("brought onto {}, as {}", short(onto), short(oid))),
        Event::Excused { item, status, why } => (format!("item {item}: {}", status.as_str()), vec![why.clone()]),
        Event::Reviewed { oid, findings } => {
            (format!("reviewed {}: {} finding(s)", short(oid), findings.len()), Vec::new())
        }
        Event::Proved { oid, proofs } => bare(format!("proved {}: {} item(s)", short(oid), proofs.len())),
        Event::Trying { step } => bare(format!("about to {}", effect(step))),
        Event::Did { step, url } => (format!("done: {}", effect(step)), url.iter().cloned().collect()),
        Event::Warned { text } => ("warning".to_owned(), vec![text.clone()]),
        Event::Stopped { reason, unblock } => (reason_sentence(*reason).to_owned(), vec![unblock.clone()]),
        Event::Finished { outcome, reason, unblock } => {
            let word = if *outcome == Outcome::Done { "done" } else { "blocked" };
            (format!("{word}: {}", reason_sentence(*reason)), unblock.iter().cloned().collect())
        }
        Event::Unknown => bare("something that this version of git-prfix does not know".to_owned()),
    })
}

fn bare(what: String) -> Told {
    (what, Vec::new())
}

/// Calls of an agent. A journal of an earlier version does not tell who was asked.
fn agent(event: &Event) -> Option<Told> {
    Some(match event {
        Event::Triaged { verdict, usage } => (
            format!("probe of item {}: {}", verdict.item_id, verdict.verdict.as_str()),
            vec![verdict.reasoning.clone(), usage_sentence(usage)],
        ),
        Event::Spent { usage, what, outcome, output, .. } => {
            let who = if what.is_empty() { "an agent" } else { what };
            let mut detail = vec![usage_sentence(usage)];
            if !output.as_os_str().is_empty() {
                detail.push(format!("its prompt and output: {}", output.display()));
            }
            (format!("{who}: {outcome}").trim_end_matches(": ").to_owned(), detail)
        }
        Event::Fixed { pass, manifest, files, usage } => {
            let mut detail = vec![files.join(", "), one_line(&manifest.summary, 300)];
            detail.extend((*usage != Usage::default()).then(|| usage_sentence(usage)));
            detail.retain(|line| !line.is_empty());
            (format!("accepted the change of pass {pass}"), detail)
        }
        _ => return None,
    })
}

fn effect(step: &Effect) -> String {
    match step {
        Effect::Commit { pass } => format!("commit pass {pass}"),
        Effect::Push { oid } => format!("push {}", short(oid)),
        Effect::Reply { thread } => format!("reply in thread {thread}"),
        Effect::Resolve { thread } => format!("resolve thread {thread}"),
        Effect::Summary => "post the summary".to_owned(),
        Effect::ReReview => "run the review command".to_owned(),
        Effect::AskReviewer { login } => format!("ask {login} to look again"),
        Effect::ResetMarks => "reset the caller's marks".to_owned(),
        Effect::Stage { group, round } => format!("stage round {round} of group {group}"),
        Effect::Rerun { run } => format!("run the failed jobs of workflow run {run} again"),
    }
}

/// A command with how it ended; of one that did not pass, the log and its end.
fn command(run: &GateRun, tail: &impl Fn(&str, usize) -> String) -> String {
    let exit = run.exit.filter(|exit| *exit != 0).map(|exit| format!(", exit status {exit}")).unwrap_or_default();
    let flaky = if run.flaky { ", at the second try" } else { "" };
    let first =
        format!("`{}` {}{exit}{flaky}, {}; {}", run.command, gate_word(run.status), duration(run.seconds), run.log);
    if run.status == GateStatus::Passed {
        return first;
    }
    let end = tail(&run.log, TAIL);
    end.lines().fold(first, |text, line| format!("{text}\n  {line}"))
}
