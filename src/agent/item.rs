//! One numbered item, as prompts show it.

use std::fmt::Write;

use super::quote::Quoter;
use crate::model::feedback::{Annotation, Check, Side};
use crate::model::spec::{ItemKind, SpecItem, Triage};

/// Quoted pieces that an item has at most, besides its remarks.
const PIECES: usize = 5;
/// The newest remarks of a conversation that a prompt quotes.
const REMARKS: usize = 20;
/// Annotations of a check that a prompt quotes.
const ANNOTATIONS: usize = 50;

/// How many quoted pieces the items need.
pub fn pieces<'a>(items: impl IntoIterator<Item = &'a SpecItem>) -> usize {
    items.into_iter().map(|item| PIECES + item.remarks.len().min(REMARKS)).sum()
}

/// The item with everything that it stands in. Remarks of people without a say are left out.
pub fn describe(item: &SpecItem, quoter: &Quoter<'_>) -> String {
    let mut out = format!("## Item {}: {}\n\n", item.id, kind(item.kind));
    place(&mut out, item, quoter);
    out.push_str(&quoter.prose(&format!("request of item {}", item.id), &item.request));
    conversation(&mut out, item, quoter);
    if let Some(hunk) = &item.diff_hunk {
        out.push_str(&quoter.verbatim(&format!("diff hunk that item {} is about", item.id), hunk));
    }
    if let Some(check) = &item.check {
        failing(&mut out, item.id, check, quoter);
    }
    out
}

/// What triage found out; for the fix agent.
pub fn findings(triage: &Triage, quoter: &Quoter<'_>) -> String {
    let mut out = format!("An earlier read-only look at it said: {}", triage.verdict);
    if let Some(risk) = triage.risk {
        let _ = write!(out, ", risk {risk}");
    }
    out.push_str(". It may be wrong; it guides and doesn't bind.\n");
    if !triage.reasoning.is_empty() {
        out.push_str(&quoter.prose(&format!("reasoning on item {}", triage.item_id), &triage.reasoning));
    }
    if let Some(fix) = &triage.proposed_fix {
        let proposal = format!("{}\n{}\n{}", fix.path, fix.location, fix.change);
        out.push_str(&quoter.prose(&format!("proposal for item {}: file, place, change", triage.item_id), &proposal));
    }
    out
}

fn kind(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Thread => "a review thread",
        ItemKind::Review => "a review",
        ItemKind::Comment => "a comment in the conversation",
        ItemKind::Check => "a failing check",
        ItemKind::Criterion => "an acceptance criterion of the pull request's description",
        ItemKind::Conflict => "a merge conflict with the base branch",
    }
}

fn place(out: &mut String, item: &SpecItem, quoter: &Quoter<'_>) {
    let source = item.references.first().map_or("", |reference| reference.source.as_str());
    let _ = writeln!(out, "- source: {}", quoter.word(source));
    if let Some(author) = &item.author {
        let _ = writeln!(out, "- author: {}", quoter.word(&author.login));
    }
    let Some(path) = &item.path else { return };
    let _ = write!(out, "- file: {}", quoter.word(path));
    match (item.start_line, item.line) {
        (Some(start), Some(line)) if start != line => drop(write!(out, ", lines {start} to {line}")),
        (_, Some(line)) => drop(write!(out, ", line {line}")),
        _ => {}
    }
    if item.side == Some(Side::Left) {
        out.push_str(" of the base version");
    }
    out.push('\n');
    if item.outdated {
        out.push_str("- outdated: the lines changed since; look at the present code first\n");
    }
}

fn conversation(out: &mut String, item: &SpecItem, quoter: &Quoter<'_>) {
    let said: Vec<_> = item.remarks.iter().filter(|remark| remark.trusted && remark.body != item.request).collect();
    for remark in &said[said.len().saturating_sub(REMARKS)..] {
        let author = remark.author.as_ref().map_or("", |author| author.login.as_str());
        out.push_str(
            &quoter.prose(&format!("remark around item {} by {}", item.id, quoter.word(author)), &remark.body),
        );
    }
    if let Some(hint) = &item.hint {
        out.push_str(&quoter.prose(&format!("a rule of this repository on item {}", item.id), &hint.why));
    }
}

fn failing(out: &mut String, id: u32, check: &Check, quoter: &Quoter<'_>) {
    let _ = writeln!(out, "The check is {}, its state {}.", quoter.word(&check.name), quoter.word(&check.raw_state));
    if !check.summary.is_empty() {
        out.push_str(&quoter.prose(&format!("summary of the check of item {id}"), &check.summary));
    }
    if !check.annotations.is_empty() {
        let lines: Vec<_> = check.annotations.iter().take(ANNOTATIONS).map(annotation).collect();
        out.push_str(&quoter.verbatim(&format!("annotations of the check of item {id}"), &lines.join("\n")));
    }
    match &check.log {
        Some(log) => {
            let step = log.step.as_ref().map_or_else(String::new, |step| format!(", step {}", quoter.word(step)));
            out.push_str(&quoter.verbatim(&format!("end of the log of item {id}{step}"), &log.text));
        }
        None => {
            let gap = check.gap.as_deref().unwrap_or("no reason given");
            let _ = writeln!(out, "Its log is not available ({}).", quoter.word(gap));
        }
    }
}

fn annotation(annotation: &Annotation) -> String {
    format!("{}:{}: {}: {}", annotation.path, annotation.start_line, annotation.level, annotation.message)
}
