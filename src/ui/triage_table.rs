//! Verdicts and proposals.

use super::grid::{Cell, Column, Grid, Share};
use super::harvest_table::{id, left_out, origin, warnings};
use super::tone::Tone;
use crate::model::spec::{Spec, SpecItem, Triage};

/// Verdicts and proposals.
pub fn triage_table(spec: &Spec, verdicts: &[Triage], width: usize, color: bool) -> String {
    let columns = vec![
        Column { title: "#", share: Share::UpTo(4) },
        Column { title: "verdict", share: Share::UpTo(17) },
        Column { title: "from", share: Share::UpTo(40) },
        Column { title: "reasoning and proposal", share: Share::Rest(1) },
    ];
    let rows = spec.items.iter().map(|item| {
        let triage = verdicts.iter().find(|triage| triage.item_id == item.id);
        vec![id(item), verdict(triage), origin(item), reasoning(item, triage)]
    });
    let mut out = Grid { columns, rows: rows.collect() }.render(width, color);
    out += &left_out(&spec.dropped, &spec.untrusted, width, color);
    out += &warnings(&spec.warnings, width, color);
    out
}

fn verdict(triage: Option<&Triage>) -> Cell {
    let Some(triage) = triage else { return Cell::toned("not probed", Tone::Faint) };
    let cell = Cell::toned(triage.verdict.as_str(), triage.verdict.into());
    match triage.risk {
        Some(risk) => cell.and(&format!("{risk} risk"), risk.into()),
        None => cell,
    }
}

fn reasoning(item: &SpecItem, triage: Option<&Triage>) -> Cell {
    let Some(triage) = triage else { return Cell::new(&item.request) };
    let cell = Cell::new(&triage.reasoning);
    let Some(fix) = &triage.proposed_fix else { return cell };
    let place = if fix.location.is_empty() { fix.path.clone() } else { format!("{} ({})", fix.path, fix.location) };
    cell.and(&format!("proposal for {place}: {}", fix.change), Tone::Plain)
}
