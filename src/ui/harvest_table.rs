//! The numbered spec, and what was left out of it.

use super::clean;
use super::grid::{Cell, Column, Grid, Share, wrap};
use super::tone::Tone;
use crate::model::spec::{Dropped, Spec, SpecItem, Untrusted};

/// Lines of a request that are printed before the rest is left to its source.
const REQUEST_LINES: usize = 24;

/// The spec and what was dropped.
pub fn harvest_table(spec: &Spec, width: usize, color: bool) -> String {
    let mut out = if spec.items.is_empty() {
        "  nothing asks for a change\n".to_owned()
    } else {
        let columns = vec![
            Column { title: "#", share: Share::UpTo(4) },
            Column { title: "from", share: Share::UpTo(40) },
            Column { title: "request", share: Share::Rest(1) },
        ];
        let rows = spec.items.iter().map(|item| vec![id(item), origin(item), request(item, width)]).collect();
        Grid { columns, rows }.render(width, color)
    };
    out += &left_out(&spec.dropped, &spec.untrusted, width, color);
    out += &warnings(&spec.warnings, width, color);
    out
}

pub(super) fn id(item: &SpecItem) -> Cell {
    Cell::toned(&item.id.to_string(), Tone::Strong)
}

/// Who said it and where: `thread by alice`, `src/a.rs:3`.
pub(super) fn origin(item: &SpecItem) -> Cell {
    let by = item.author.as_ref().map(|author| format!(" by {}", author.login)).unwrap_or_default();
    let more = match item.references.len() {
        0 | 1 => String::new(),
        count => format!("said {count} times"),
    };
    Cell::new(&item.place().unwrap_or_default())
        .and(&format!("{}{by}", item.kind), Tone::Plain)
        .and(if item.outdated { "outdated" } else { "" }, Tone::Attention)
        .and(&more, Tone::Faint)
}

fn request(item: &SpecItem, width: usize) -> Cell {
    let text = clean::block(&item.request);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[..lines.len().min(REQUEST_LINES)].join("\n");
    let mut cell = Cell::new(&shown);
    if lines.len() > REQUEST_LINES {
        cell = cell.and(&format!("… {} more lines at the source", lines.len() - REQUEST_LINES), Tone::Faint);
    }
    if let Some(check) = &item.check {
        let step = check.log.as_ref().and_then(|log| log.step.as_deref());
        cell = cell.and(&step.map(|step| format!("failing step: {step}")).unwrap_or_default(), Tone::Plain);
        cell = cell.and(check.gap.as_deref().unwrap_or_default(), Tone::Attention);
    }
    if let Some(hint) = &item.hint {
        cell = cell.and(&format!("rule {}: {}", hint.rule, hint.why), Tone::Faint);
    }
    cell.and(&short_source(item.source(), width / 2), Tone::Faint)
}

/// A URL as long as it fits on a line, else the part that tells it from its neighbours.
pub(super) fn short_source(source: &str, room: usize) -> String {
    match source.rsplit_once('#') {
        Some((_, fragment)) if source.len() > room && !fragment.is_empty() => format!("#{fragment}"),
        _ => source.to_owned(),
    }
}

/// What was read and not taken, each with its reason.
pub(super) fn left_out(dropped: &[Dropped], untrusted: &[Untrusted], width: usize, color: bool) -> String {
    let mut rows: Vec<Vec<Cell>> = dropped
        .iter()
        .map(|drop| {
            let why = Cell::new(&drop.why).and(&short_source(&drop.url, width / 2), Tone::Faint);
            vec![Cell::new(&drop.author), Cell::new(&drop.rule), why]
        })
        .collect();
    rows.extend(untrusted.iter().map(|remark| {
        let why = Cell::new("no say here: listed, not acted on, not answered");
        let why = why.and(&short_source(&remark.url, width / 2), Tone::Faint);
        vec![Cell::new(&remark.author), Cell::toned("untrusted", Tone::Attention), why]
    }));
    if rows.is_empty() {
        return String::new();
    }
    let columns = vec![
        Column { title: "left out", share: Share::UpTo(20) },
        Column { title: "rule", share: Share::UpTo(20) },
        Column { title: "why", share: Share::Rest(1) },
    ];
    format!("\n{}", Grid { columns, rows }.render(width, color))
}

pub(super) fn warnings(warnings: &[String], width: usize, color: bool) -> String {
    let mut out = String::new();
    for warning in warnings {
        let text = wrap(&clean::block(warning), width.saturating_sub(11)).join("\n           ");
        out += &format!("\n  {} {text}", Tone::Attention.paint("warning:", color));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}
