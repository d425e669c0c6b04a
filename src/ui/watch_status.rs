//! The page of `git prfix status`, and what `git prfix stop` says.

use crate::model::text::{one_line, short};
use crate::model::watch::{EndReason, Record};

/// One watch as it is shown.
pub enum StatusEntry<'a> {
    Known {
        record: &'a Record,
        /// Process and since when.
        driver: Option<(u32, &'a str)>,
        /// A round works right now.
        round: bool,
        recently: bool,
        worktrees: &'a [String],
    },
    Unreadable {
        pr: u64,
        why: &'a str,
        help: &'a str,
    },
}

/// All watches, one paragraph each.
pub fn status_page(entries: &[StatusEntry<'_>]) -> String {
    if entries.is_empty() {
        return "no pull request of this repository is watched".to_owned();
    }
    entries.iter().map(paragraph).collect::<Vec<_>>().join("\n\n")
}

fn paragraph(entry: &StatusEntry<'_>) -> String {
    match entry {
        StatusEntry::Unreadable { pr, why, help } => format!("#{pr}: {why}\n  {help}"),
        StatusEntry::Known { record, driver, round, recently, worktrees } => {
            let mut lines = vec![format!(
                "{}#{}  `{}` → {}  {}  {} of {} pushes",
                record.repo.full_name(),
                record.number,
                record.head_branch,
                record.push_target,
                short(&record.head),
                record.pushed.len(),
                record.max_pushes
            )];
            lines.push(format!("  {}", place(record, *driver, *round, *recently)));
            lines.push(format!(
                "  last look {}, last round {}",
                record.last_check.as_deref().unwrap_or("never"),
                record.last_round.as_deref().unwrap_or("never")
            ));
            lines.extend(worktrees.iter().map(|path| format!("  a round's worktree: {path}")));
            lines.extend(decisions(record));
            lines.join("\n")
        }
    }
}

/// Where it runs, and the next verb.
fn place(record: &Record, driver: Option<(u32, &str)>, round: bool, recently: bool) -> String {
    let pr = record.number;
    if let Some(end) = &record.ended {
        let next = match end.reason {
            EndReason::Merged | EndReason::Closed => format!("`git prfix stop {pr}` removes it"),
            EndReason::Stopped => {
                format!("`git prfix watch {pr}` starts it again, `git prfix stop {pr} --force` discards its work")
            }
            EndReason::MaxPushes => format!("`git prfix watch {pr} --max-pushes <n>` gives it more"),
            EndReason::Budget => format!("raise the budget, then `git prfix watch {pr}`"),
            EndReason::SomeoneElsePushes => format!("`git prfix watch {pr}` starts it again"),
            EndReason::AuthorCannotPush => format!("`git prfix watch {pr} --once` runs one round"),
        };
        return format!("ended {}: {}; {next}", end.at, end.reason.sentence());
    }
    let every = record.options.every;
    match driver {
        Some((pid, since)) if round => format!("process {pid} works on a round, since {since}"),
        Some((pid, since)) => format!("watched by process {pid} every {every} min, since {since}"),
        None if record.round.is_some() => {
            format!("its process died in a round; `git prfix resume {pr}` goes on with everything kept")
        }
        None if recently => format!("its process ended a moment ago; `git prfix resume {pr}` goes on"),
        None => format!("nobody watches it; `git prfix resume {pr}` goes on"),
    }
}

fn decisions(record: &Record) -> Vec<String> {
    let each = record.needs_human.iter().map(|decision| {
        format!(
            "  needs a person: {}: {} ({}, {})",
            one_line(&decision.source, 120),
            one_line(&decision.what, 200),
            short(&decision.head),
            decision.at
        )
    });
    each.collect()
}

/// What `stop` did.
pub fn stop_lines(record: &Record, kept: &[(String, String)], busy: Option<u32>) -> Vec<String> {
    let pr = record.number;
    let mut lines = Vec::new();
    match busy {
        Some(pid) => lines.push(format!(
            "#{pr}: process {pid} still works on it; the watch ends with that; then `git prfix stop {pr}` cleans up"
        )),
        None => {
            let reason = record.ended.as_ref().map_or(EndReason::Stopped, |end| end.reason);
            lines.push(super::end_line(record, reason));
        }
    }
    for (path, why) in kept {
        lines.push(format!("  kept {path}: {why}"));
        lines.push(format!("  `git prfix stop {pr} --force` discards it, `git prfix watch {pr}` starts again"));
    }
    lines.extend(decisions(record));
    lines
}
