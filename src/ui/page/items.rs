//! The items with their request, hunk, verdict and proof.

use super::html::{element, hunk, link, pre, text};
use crate::model::proof::{Proof, ProofKind};
use crate::model::report::ItemReport;
use crate::model::spec::{ItemStatus, SpecItem};

pub fn all(reports: &[ItemReport], items: &[SpecItem]) -> String {
    reports.iter().map(|report| one(report, items.iter().find(|item| item.id == report.id))).collect()
}

fn one(report: &ItemReport, item: Option<&SpecItem>) -> String {
    let class = match report.status {
        ItemStatus::Fixed => "badge good",
        ItemStatus::NeedsHuman | ItemStatus::Unaddressed => "badge bad",
        _ => "badge faint",
    };
    let place = match (&report.path, report.line) {
        (Some(path), Some(line)) => format!(" · {path}:{line}"),
        (Some(path), None) => format!(" · {path}"),
        (None, _) => String::new(),
    };
    let by = if report.author.is_empty() { String::new() } else { format!(" by {}", report.author) };
    let mut out = format!(
        "<h3>{}. {} {}</h3><p class=\"faint\">{}{}{}</p>",
        report.id,
        text(report.kind.as_str()),
        element("span", class, report.status.as_str()),
        link(&report.source, &report.source),
        text(&by),
        text(&place)
    );
    out += &element("p", "words", &text(&report.request));
    if let Some(lines) = item.and_then(|item| item.diff_hunk.as_deref()) {
        out += &hunk(lines);
    }
    out += &verdict(report);
    if !report.detail.is_empty() {
        out += &format!("<p class=\"label\">Outcome</p>{}", element("p", "words", &text(&report.detail)));
    }
    out += &proof(&report.proof);
    if let Some(url) = &report.reply_url {
        let resolved = if report.resolved { ", thread resolved" } else { "" };
        out += &format!("<p class=\"faint\">{}{resolved}</p>", link(url, "answered"));
    }
    element("div", "item", &out)
}

fn verdict(report: &ItemReport) -> String {
    let Some(verdict) = report.verdict else { return String::new() };
    let risk = report.risk.map_or_else(String::new, |risk| format!(", {risk} risk"));
    format!("<p class=\"label\">Read-only look: {verdict}{risk}</p>{}", element("p", "words", &text(&report.reasoning)))
}

fn proof(proof: &Proof) -> String {
    let (class, word) = match proof.kind {
        ProofKind::RedGreen => ("badge good", "red, then green"),
        ProofKind::GreenOnly => ("badge warn", "green only"),
        ProofKind::Gate => ("badge faint", "gate"),
        ProofKind::None => ("badge faint", "none"),
    };
    let command = proof.command.as_ref().map_or_else(String::new, |line| format!(" <code>{}</code>", text(line)));
    let why = proof.why.as_ref().map_or_else(String::new, |why| format!(" <span class=\"faint\">{}</span>", text(why)));
    let mut out = format!("<p class=\"label\">Proof</p><p>{}{command}{why}</p>", element("span", class, word));
    let side = |title: &str, output: &Option<String>| {
        output.as_ref().map(|output| format!("<div><p class=\"label\">{title}</p>{}</div>", pre(output)))
    };
    let sides: String =
        [side("Before", &proof.before), side("With the fix", &proof.after)].into_iter().flatten().collect();
    if !sides.is_empty() {
        out += &element("div", "pair", &sides);
    }
    out
}
