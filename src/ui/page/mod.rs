//! `report.html`: the evidence of a run on one page that needs nothing from elsewhere and runs nothing.

mod html;
mod items;
mod time;

use std::collections::BTreeMap;

use html::{element, link, pre, section, table, text};

use super::report_table::{gate_word, worktree};
use super::say::{duration, reason_sentence, usage_sentence};
use crate::model::finding::{Confidence, Finding};
use crate::model::report::{GateReport, GateStatus, Outcome, Report};
use crate::model::spec::SpecItem;
use crate::model::text::short;
use crate::model::timeline::Span;

/// Everything that a page shows.
pub struct Page<'a> {
    pub report: &'a Report,
    /// The spec, for what the report leaves out: diff hunks and conversations.
    pub items: &'a [SpecItem],
    pub timeline: &'a [Span],
    /// Ends of the gates' output, by the path of the log.
    pub logs: &'a BTreeMap<String, String>,
}

/// The whole document.
pub fn report_page(page: &Page<'_>) -> String {
    let report = page.report;
    let title = format!("git-prfix: PR {} {}", report.pr.number, report.pr.title);
    let body = [
        heading(report),
        section("Time line", &time::chart(page.timeline)),
        section("Items", &items::all(&report.items, page.items)),
        section("Gates", &gates(report, page.logs)),
        section("Review of our own change", &findings(&report.self_review)),
        section("Left out", &left_out(report)),
        section("Warnings", &warnings(&report.warnings)),
        section("Facts and costs", &facts(report)),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\
         <meta name=\"referrer\" content=\"no-referrer\"><title>{}</title><style>{}</style></head><body>{}</body></html>\n",
        text(&title),
        include_str!("style.css"),
        body.join("\n")
    )
}

fn heading(report: &Report) -> String {
    let (class, word) = match report.outcome {
        Outcome::Done => ("badge good", "done"),
        Outcome::Blocked => ("badge bad", "blocked"),
    };
    let mut out = format!(
        "<header><h1>{}</h1><p>{} {}</p><p class=\"faint\">{} · branch {} · run {}</p>",
        text(&format!("#{} {}", report.pr.number, report.pr.title)),
        element("span", class, word),
        text(reason_sentence(report.reason)),
        link(&report.pr.url, &report.pr.url),
        text(&report.pr.head_branch),
        text(&report.run)
    );
    if let Some(unblock) = &report.unblock {
        out +=
            &element("div", "box", &format!("<strong>To go on:</strong> {}", element("span", "words", &text(unblock))));
    }
    out + "</header>"
}

fn gate_badge(status: Option<GateStatus>) -> String {
    let class = match status {
        Some(GateStatus::Passed) => "badge good",
        Some(GateStatus::Skipped) | None => "badge faint",
        Some(_) => "badge bad",
    };
    element("span", class, status.map_or("not run", gate_word))
}

fn gates(report: &Report, logs: &BTreeMap<String, String>) -> String {
    let row = |gate: &GateReport| {
        let flaky = if gate.flaky { element("span", "badge warn", "flaky") } else { String::new() };
        vec![
            format!("<code>{}</code>", text(&gate.command)),
            gate_badge(gate.before),
            format!("{} {flaky}", gate_badge(Some(gate.status))),
            text(&duration(gate.seconds)),
        ]
    };
    let rows: Vec<Vec<String>> = report.gates.iter().map(row).collect();
    let output = |gate: &GateReport| {
        let tail = logs.get(&gate.log).filter(|tail| !tail.trim().is_empty())?;
        Some(format!("<p class=\"label\">End of the output of <code>{}</code></p>{}", text(&gate.command), pre(tail)))
    };
    let outputs: String = report.gates.iter().filter_map(output).collect();
    table(&["gate", "before", "after", "time"], &rows) + &outputs
}

fn findings(findings: &[Finding]) -> String {
    let row = |finding: &Finding| {
        let confidence = match finding.confidence {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        };
        let what = if finding.sent_back { "sent back to the agent" } else { "for a person to judge" };
        vec![text(&finding.path), text(&finding.kind), confidence.to_owned(), text(&finding.why), what.to_owned()]
    };
    let rows: Vec<Vec<String>> = findings.iter().map(row).collect();
    table(&["file", "kind", "confidence", "what", "then"], &rows)
}

fn left_out(report: &Report) -> String {
    let dropped = report.dropped.iter().map(|one| vec![link(&one.url, &one.author), text(&one.rule), text(&one.why)]);
    let untrusted = report.untrusted.iter().map(|one| {
        vec![
            link(&one.url, &one.author),
            "untrusted".to_owned(),
            "no say here: listed, not acted on, not answered".to_owned(),
        ]
    });
    table(&["from", "rule", "why"], &dropped.chain(untrusted).collect::<Vec<_>>())
}

fn warnings(warnings: &[String]) -> String {
    let lines: String = warnings.iter().map(|warning| format!("<li class=\"words\">{}</li>", text(warning))).collect();
    if lines.is_empty() { lines } else { format!("<ul>{lines}</ul>") }
}

fn facts(report: &Report) -> String {
    let commits: Vec<&str> = report.commits.iter().map(|oid| short(oid)).collect();
    let threads = &report.threads;
    let facts = [
        ("head before", short(&report.pr.head_before).to_owned()),
        ("commits", if commits.is_empty() { "none".to_owned() } else { commits.join(" ") }),
        ("threads", format!("{} unresolved before, {} after", threads.unresolved_before, threads.unresolved_after)),
        ("worktree", worktree(report)),
        ("agents", usage_sentence(&report.usage)),
    ];
    let rows: Vec<Vec<String>> = facts
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| vec![(*name).to_owned(), text(value)])
        .collect();
    table(&["what", "value"], &rows)
}
