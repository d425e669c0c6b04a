//! What the fix loop asks, and what it says at its end.

use super::{Prompt, clean};
use crate::model::loops::{Attempt, Choice, LoopReport};
use crate::model::review::ReviewFinding;

/// Characters of one line of foreign text.
const WIDTH: usize = 300;

fn prompt(question: &str, details: Vec<String>, choices: [&str; 3], default: usize) -> Prompt {
    let choices = choices.into_iter().map(str::to_owned).collect();
    Prompt { question: question.to_owned(), details, choices, default: Some(default) }
}

/// More files than the findings name.
pub fn scope_question(files: &[String], why: &str) -> Prompt {
    let details = vec![format!("files: {}", files.join(", ")), format!("the agent's reason: {why}")];
    let choices =
        ["approve (recommended): it works on, and these are verified too", "reject: do without them", "defer"];
    prompt("May the fix touch more files?", details, choices, 0)
}

/// A fix that nothing could verify.
pub fn inconclusive_question(finding: &ReviewFinding, why: &str) -> Prompt {
    let details = vec![title(finding), format!("why: {why}")];
    let choices = ["retry verification (recommended)", "accept unverified", "revert and escalate"];
    prompt("The fix could not be verified. What now?", details, choices, 0)
}

/// Staged changes that the loop did not make.
pub fn staged_question(files: &[String]) -> Prompt {
    let details = vec![
        format!("staged already, and not by this loop: {}", files.join(", ")),
        "the fix would be staged on top of them".to_owned(),
    ];
    let choices = [
        "commit them first: the findings of these files are left for another loop",
        "stash them first: likewise",
        "proceed",
    ];
    prompt("Stage a fix beside changes that are staged already?", details, choices, 0)
}

/// What two rounds did not resolve (L14).
pub fn escalation_question(finding: &ReviewFinding, attempts: &[Attempt], remains: &str) -> Prompt {
    let mut details = vec![title(finding)];
    details.extend(finding.criterion.iter().map(|criterion| format!("criterion: {criterion}")));
    details.extend(attempts.iter().map(attempt_line));
    details.push(format!("what is left: {remains}"));
    let choices = [
        "manual fix: the tries stay staged, somebody goes on from there",
        "try another approach: the files are put back as they were",
        "defer (recommended): the tries stay staged",
    ];
    prompt("Two rounds did not resolve it. What now?", details, choices, 2)
}

/// What became of the files that a loop had changed.
pub fn restored(run: &str, restored: &[String], left: &[String]) -> String {
    let line = |what: &str, file: &String| format!("  {what} {}\n", clean::line(file, WIDTH));
    let mut page = format!("{run}\n");
    page.extend(restored.iter().map(|file| line("as before:", file)));
    page.extend(left.iter().map(|file| line("left, changed by somebody else since:", file)));
    page
}

fn title(finding: &ReviewFinding) -> String {
    let place = match (&finding.file, finding.line_start) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        (Some(file), None) => format!(" at {file}"),
        _ => String::new(),
    };
    format!("finding {} ({}){place}: {}", finding.id, finding.severity, finding.title)
}

fn attempt_line(attempt: &Attempt) -> String {
    let files = if attempt.files_changed.is_empty() { "nothing".to_owned() } else { attempt.files_changed.join(", ") };
    format!("round {} changed {files}: {} — {}", attempt.round, attempt.summary, attempt.verification)
}

/// One line for each finding, then what is staged and where the files are kept.
pub fn loop_page(report: &LoopReport) -> String {
    let buckets = &report.buckets;
    let mut lines = Vec::new();
    let mut say = |id: u32, word: &str, why: &str| {
        let finding = report.findings.iter().find(|finding| finding.id == id);
        lines.push((
            id,
            format!("{word:9}  {}", clean::line(&finding.map_or_else(|| format!("finding {id}"), title), WIDTH)),
        ));
        lines.push((id, format!("           {}", clean::line(why, WIDTH))));
    };
    buckets.resolved.iter().for_each(|one| say(one.id, "resolved", &one.evidence));
    buckets
        .escalated
        .iter()
        .for_each(|one| say(one.id, "escalated", &format!("{}: {}", decided(one.choice), one.remains)));
    buckets.deferred.iter().for_each(|one| say(one.id, "deferred", &one.why));
    buckets.demoted.iter().for_each(|one| say(one.id, "demoted", &format!("{}: {}", one.severity, one.why)));
    buckets.dropped.iter().for_each(|one| say(one.id, "dropped", &one.why));
    lines.sort_by_key(|(id, _)| *id);
    let mut lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    if lines.is_empty() {
        lines.push("no findings".to_owned());
    }
    for finding in &report.new_findings {
        lines.push(format!("new        {}", clean::line(&title(finding), WIDTH)));
    }
    if !report.staged.is_empty() {
        lines.push(format!("staged, not committed: {}", clean::line(&report.staged.join(", "), 2000)));
        lines.push(format!("the files as they were: {}/before", report.dir));
    }
    lines.join("\n")
}

fn decided(choice: Choice) -> &'static str {
    match choice {
        Choice::Manual => "left for a manual fix",
        Choice::Another => "put back for another approach",
        Choice::Defer => "left for a person",
    }
}
