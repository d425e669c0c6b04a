//! What a watch says: the question before it starts, one line a round, one line at its end.

use crate::model::report::{Reason, Report};
use crate::model::spec::{ItemKind, ItemStatus};
use crate::model::text::{one_line, short};
use crate::model::watch::{EndReason, Options, Record};

use super::Prompt;

/// What a person confirms (W18): where it writes, under whose name, where commands run, how it ends.
pub fn watch_question(records: &[&Record], viewer: &str, notes: &[String]) -> Prompt {
    let names: Vec<String> = records.iter().map(|record| format!("#{}", record.number)).collect();
    let mut details: Vec<String> = records.iter().flat_map(|record| writes(record)).collect();
    details.push(format!("it acts as @{viewer} on GitHub and with your own git identity and credentials"));
    details.push(
        "fixes are made and verified in a worktree of their own; the repository's own build and test commands run there, with your rights"
            .to_owned(),
    );
    details.push(format!(
        "it ends when the pull request is merged or closed, after {} pushes, when a budget is used up, or with `git prfix stop`",
        records.iter().map(|record| record.max_pushes).max().unwrap_or_default()
    ));
    details.extend(notes.iter().cloned());
    Prompt {
        question: format!("Watch {} and fix what comes up, without asking again?", names.join(", ")),
        details,
        choices: vec!["start".to_owned(), "cancel".to_owned()],
        default: None,
    }
}

fn writes(record: &Record) -> Vec<String> {
    let Options { every, reply, instructions, .. } = &record.options;
    let answers = if *reply { "and answers on the pull request" } else { "and posts nothing (--no-reply)" };
    let mut lines = vec![format!(
        "#{}: pushes commits to `{}` of {} {answers}; looks every {every} min",
        record.number, record.head_branch, record.push_target
    )];
    lines.extend(instructions.as_ref().map(|text| format!("#{}: told: {}", record.number, one_line(text, 200))));
    lines
}

/// What has to be known before code of somebody without push rights is run once (W17).
pub fn stranger_question(record: &Record, author: &str) -> Prompt {
    Prompt {
        question: format!("Run the code of @{author}, who may not push to this repository, once?"),
        details: vec![
            format!("#{}: one round, pushed to `{}` of {}", record.number, record.head_branch, record.push_target),
            "verifying a fix runs the pull request's code on this machine, with your gh and git credentials in reach"
                .to_owned(),
            "such a pull request is never watched".to_owned(),
        ],
        choices: vec!["no".to_owned(), "run it once".to_owned()],
        default: Some(0),
    }
}

/// Whether to take a watch from the process that has it (W16).
pub fn take_over_question(pr: u64, pid: u32, since: &str) -> Prompt {
    Prompt {
        question: format!("Process {pid} watches #{pr}, since {since}. Go on with it here?"),
        details: vec![
            "its history, pushes and budgets are kept; the options of this start replace its own".to_owned(),
            "it lets go at its next step; a round that it works on is finished first".to_owned(),
            format!("`git prfix resume {pr}` takes it with its own options"),
        ],
        choices: vec!["no".to_owned(), "take over".to_owned()],
        default: Some(0),
    }
}

/// One line a round (W51).
pub fn round_line(report: &Report) -> String {
    let mut parts = Vec::new();
    let of = |status: ItemStatus| report.items.iter().filter(move |item| item.status == status);
    let fixed: Vec<String> = of(ItemStatus::Fixed).filter(|item| item.kind == ItemKind::Check).map(named).collect();
    let said = of(ItemStatus::Fixed).filter(|item| spoken(item.kind)).count();
    let mut did = Vec::new();
    did.extend((!fixed.is_empty()).then(|| format!("fixed {}", fixed.join(", "))));
    did.extend((said > 0).then(|| format!("addressed {}", counted(said, "comment"))));
    did.extend(of(ItemStatus::Fixed).any(|item| item.kind == ItemKind::Conflict).then(|| "merged the base".to_owned()));
    if let Some(oid) = &report.pr.head_after {
        did.push(format!("pushed {}", short(oid)));
    }
    parts.extend((!did.is_empty()).then(|| did.join(", ")));
    let rerun: Vec<String> = of(ItemStatus::Rerun).map(named).collect();
    parts.extend((!rerun.is_empty()).then(|| format!("ran {} again", rerun.join(", "))));
    let answered = of(ItemStatus::Declined).chain(of(ItemStatus::TriagedOut)).chain(of(ItemStatus::OutOfScope)).count();
    parts.extend((answered > 0).then(|| format!("{} not changed", counted(answered, "item"))));
    let person = of(ItemStatus::NeedsHuman).count();
    parts.extend((person > 0).then(|| match person {
        1 => "1 item needs a person".to_owned(),
        many => format!("{many} items need a person"),
    }));
    let told = report.pr.head_after.is_some() || matches!(report.reason, Reason::AllTriagedOut | Reason::NeedsHuman);
    if parts.is_empty() || !told {
        parts.push(super::reason_sentence(report.reason).to_owned());
    }
    format!("#{}: {}", report.pr.number, parts.join("; "))
}

fn spoken(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Thread | ItemKind::Review | ItemKind::Comment)
}

fn named(item: &crate::model::report::ItemReport) -> String {
    format!("\"{}\"", one_line(&item.source, 60))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The last line of a watch.
pub fn end_line(record: &Record, reason: EndReason) -> String {
    let pushes = match record.pushed.len() {
        1 => "1 push".to_owned(),
        many => format!("{many} pushes"),
    };
    let left = match record.needs_human.len() {
        0 => String::new(),
        1 => "; 1 item needs a person".to_owned(),
        many => format!("; {many} items need a person"),
    };
    format!("#{}: no longer watched: {} ({pushes}{left})", record.number, reason.sentence())
}

/// Nothing to do, for a start and for `--once`.
pub fn quiet_line(number: u64, pending: &[String], lagging: bool) -> String {
    if lagging {
        return format!("#{number}: GitHub's API is behind the branch; the checks could not be read yet");
    }
    if pending.is_empty() {
        return format!("#{number}: nothing needs fixing");
    }
    let names: Vec<String> = pending.iter().take(5).map(|name| one_line(name, 60)).collect();
    let more = if pending.len() > 5 { format!(" and {} more", pending.len() - 5) } else { String::new() };
    format!("#{number}: nothing needs fixing yet; still running: {}{more}", names.join(", "))
}
