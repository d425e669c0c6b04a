//! The end of a run.

use super::clean;
use super::grid::{Cell, Column, Grid, Share, wrap};
use super::harvest_table::{left_out, short_source, warnings};
use super::say::{duration, reason_sentence, usage_sentence};
use super::tone::Tone;
use crate::model::report::{GateReport, GateStatus, ItemReport, Outcome, Report, ReviewerReport};
use crate::model::text::short;

/// From this width on, request and evidence stand side by side.
const WIDE: usize = 120;

/// The end of a run: items, gates, commits, threads, worktree, and the one thing to do.
pub fn report_table(report: &Report, width: usize, color: bool) -> String {
    let mut out = heading(report, width, color);
    for part in [
        items(&report.items, width, color),
        left_out(&report.dropped, &report.untrusted, width, color),
        gates(&report.gates, width, color),
        facts(report, width, color),
        warnings(&report.warnings, width, color),
        ending(report, width, color),
    ] {
        out += &part;
    }
    out
}

fn heading(report: &Report, width: usize, color: bool) -> String {
    let title = format!("PR #{} {}", report.pr.number, report.pr.title);
    let lines = wrap(&clean::block(&title.replace('\n', " ")), width);
    lines.iter().map(|line| format!("{}\n", Tone::Strong.paint(line, color))).collect()
}

fn items(items: &[ItemReport], width: usize, color: bool) -> String {
    if items.is_empty() {
        return String::new();
    }
    let mut columns = vec![
        Column { title: "#", share: Share::UpTo(4) },
        Column { title: "status", share: Share::UpTo(17) },
        Column { title: "from", share: Share::UpTo(40) },
    ];
    if width >= WIDE {
        columns.push(Column { title: "request", share: Share::Rest(2) });
        columns.push(Column { title: "evidence", share: Share::Rest(3) });
    } else {
        columns.push(Column { title: "request and evidence", share: Share::Rest(1) });
    }
    let rows = items.iter().map(|item| {
        let id = Cell::toned(&item.id.to_string(), Tone::Strong);
        let request = Cell::new(&item.request).and(&short_source(&item.source, width / 3), Tone::Faint);
        let mut row = vec![id, status(item), origin(item)];
        if width >= WIDE {
            row.extend([request, evidence(item)]);
        } else {
            row.push(request.over(evidence(item)));
        }
        row
    });
    format!("\n{}", Grid { columns, rows: rows.collect() }.render(width, color))
}

fn status(item: &ItemReport) -> Cell {
    let cell = Cell::toned(item.status.as_str(), item.status.into());
    let cell = cell.and(item.verdict.map_or("", |verdict| verdict.as_str()), Tone::Faint);
    match item.risk {
        Some(risk) => cell.and(&format!("{risk} risk"), risk.into()),
        None => cell,
    }
}

fn origin(item: &ItemReport) -> Cell {
    let place = match (&item.path, item.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (path, _) => path.clone().unwrap_or_default(),
    };
    let by = if item.author.is_empty() { String::new() } else { format!(" by {}", item.author) };
    Cell::new(&place).and(&format!("{}{by}", item.kind), Tone::Plain)
}

fn evidence(item: &ItemReport) -> Cell {
    let thread = match (item.reply_url.is_some(), item.resolved) {
        (true, true) => "answered and resolved",
        (true, false) => "answered",
        (false, true) => "resolved",
        (false, false) => "",
    };
    Cell::new(&item.reasoning).and(&item.detail, Tone::Plain).and(thread, Tone::Good)
}

fn gates(gates: &[GateReport], width: usize, color: bool) -> String {
    if gates.is_empty() {
        return String::new();
    }
    let columns = vec![
        Column { title: "before", share: Share::UpTo(9) },
        Column { title: "after", share: Share::UpTo(9) },
        Column { title: "time", share: Share::UpTo(8) },
        Column { title: "gate", share: Share::Rest(1) },
    ];
    let rows = gates.iter().map(|gate| {
        let word = |status: GateStatus| Cell::toned(gate_word(status), status.into());
        let before = gate.before.map_or_else(|| Cell::toned("-", Tone::Faint), word);
        let log = if gate.status == GateStatus::Passed { "" } else { gate.log.as_str() };
        let exit = gate.exit.filter(|code| *code != 0).map(|code| format!("exit status {code}")).unwrap_or_default();
        let command = Cell::new(&gate.command).and(&exit, Tone::Plain).and(log, Tone::Faint);
        vec![before, word(gate.status), Cell::new(&duration(gate.seconds)), command]
    });
    format!("\n{}", Grid { columns, rows: rows.collect() }.render(width, color))
}

pub fn gate_word(status: GateStatus) -> &'static str {
    match status {
        GateStatus::Passed => "passed",
        GateStatus::Failed => "failed",
        GateStatus::TimedOut => "timed out",
        GateStatus::Skipped => "skipped",
    }
}

fn facts(report: &Report, width: usize, color: bool) -> String {
    let commits: Vec<&str> = report.commits.iter().map(|oid| short(oid)).collect();
    let commits = if commits.is_empty() { "none".to_owned() } else { commits.join(" ") };
    let threads = report.threads;
    let threads = format!("{} unresolved before, {} after", threads.unresolved_before, threads.unresolved_after);
    let rows = [
        ("commits", commits),
        ("PR", report.pr.url.clone()),
        ("threads", threads),
        ("reviewers", reviewers(report)),
        ("worktree", worktree(report)),
        ("usage", usage_sentence(&report.usage)),
        ("run", report.run.clone()),
    ];
    let mut out = String::from("\n");
    for (name, value) in rows {
        let lines = wrap(&clean::block(&value), width.saturating_sub(12));
        if !lines.is_empty() {
            out += &format!("  {} {}\n", Tone::Faint.paint(&format!("{name:<9}"), color), lines.join("\n            "));
        }
    }
    out
}

/// Who was asked to look again, and who could not be.
pub(super) fn reviewers(report: &Report) -> String {
    let one = |entry: &ReviewerReport| format!("@{} {}", entry.login, entry.state.words());
    report.reviewers.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Where the work stands, or that it is gone; nothing when there never was a worktree.
pub(super) fn worktree(report: &Report) -> String {
    let tree = &report.worktree;
    let why = if tree.why.is_empty() { String::new() } else { format!(" ({})", tree.why) };
    match (tree.path.is_empty(), tree.kept) {
        (true, _) => String::new(),
        (false, true) => format!("kept at {}, branch {}{why}", tree.path, tree.branch),
        (false, false) => format!("removed, branch {} stays", tree.branch),
    }
}

fn ending(report: &Report, width: usize, color: bool) -> String {
    let word = match report.outcome {
        Outcome::Done => "done",
        Outcome::Blocked => "blocked",
    };
    let reason = wrap(reason_sentence(report.reason), width.saturating_sub(9)).join("\n  ");
    let mut out = format!("\n{}: {reason}\n", Tone::from(report.outcome).paint(word, color));
    if let Some(unblock) = &report.unblock {
        let lines = wrap(&clean::block(unblock), width.saturating_sub(12));
        out += &format!("{} {}\n", Tone::Strong.paint("to go on:", color), lines.join("\n          "));
    }
    out
}
