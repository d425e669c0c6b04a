//! What can be said of an item without asking an agent.

use mlua::{Table, Value};

use super::ask::{Answer, Asker, reason};
use crate::model::spec::{Hint, Priority, Risk, Verdict};

/// The first triage rule with an opinion. A rule that fails, or answers nonsense, has none: an agent will look.
pub(super) fn triage(asker: &Asker, comment: &Table, pr: &Table) -> Option<Hint> {
    let Answer::Opinion(rule, value) = asker.ask("triage", (comment, pr), None) else { return None };
    let parsed = value.as_table().ok_or("a table").and_then(|table| {
        Ok(Hint {
            rule: rule.id(),
            verdict: verdict(table)?,
            risk: risk(table)?,
            priority: priority(table)?,
            merge: table.raw_get("merge").map_err(|_| "a string as merge")?,
            needs_human: table.raw_get("needs_human").map_err(|_| "a boolean as needs_human")?,
            why: table.raw_get::<Option<String>>("why").map_err(|_| "a string as why")?.unwrap_or_default(),
        })
    });
    match parsed {
        Ok(hint) if hint.why.is_empty() => Some(Hint { why: reason(&rule, &Value::Nil), ..hint }),
        Ok(hint) => Some(hint),
        Err(expected) => {
            asker.warn(&asker.misfit(&rule, &value, expected));
            None
        }
    }
}

fn verdict(table: &Table) -> Result<Option<Verdict>, &'static str> {
    match word(table, "verdict").as_deref() {
        None => Ok(None),
        Some("valid") => Ok(Some(Verdict::Valid)),
        Some("already-addressed") => Ok(Some(Verdict::AlreadyAddressed)),
        Some("invalid") => Ok(Some(Verdict::Invalid)),
        Some("unclear") => Ok(Some(Verdict::Unclear)),
        Some(_) => Err("the verdict valid, already-addressed, invalid or unclear"),
    }
}

fn risk(table: &Table) -> Result<Option<Risk>, &'static str> {
    match word(table, "risk").as_deref() {
        None => Ok(None),
        Some("low") => Ok(Some(Risk::Low)),
        Some("medium") => Ok(Some(Risk::Medium)),
        Some("high") => Ok(Some(Risk::High)),
        Some(_) => Err("the risk low, medium or high"),
    }
}

fn priority(table: &Table) -> Result<Priority, &'static str> {
    match word(table, "priority").as_deref() {
        None | Some("normal") => Ok(Priority::Normal),
        Some("high") => Ok(Priority::High),
        Some("low") => Ok(Priority::Low),
        Some(_) => Err("the priority high, normal or low"),
    }
}

fn word(table: &Table, field: &str) -> Option<String> {
    match table.raw_get::<Value>(field) {
        Ok(Value::Nil) | Err(_) => None,
        Ok(Value::String(text)) => Some(text.to_string_lossy()),
        Ok(other) => Some(super::show::show(&other)),
    }
}
