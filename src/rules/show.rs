//! Lua values in a reader's words, for explanations and failed tests.

use mlua::{Table, Value};

/// A value as one would write it in Lua; tables with sorted keys, to a limited depth.
pub(super) fn show(value: &Value) -> String {
    nested(value, 6)
}

fn nested(value: &Value, depth: u32) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("{:?}", text.to_string_lossy()),
        Value::Table(_) if depth == 0 => "{…}".to_owned(),
        Value::Table(table) => entries(table, depth - 1),
        other => format!("<{}>", other.type_name()),
    }
}

fn entries(table: &Table, depth: u32) -> String {
    let length = table.raw_len();
    let mut entries: Vec<String> =
        (1..=length).map(|i| nested(&table.raw_get(i).unwrap_or(Value::Nil), depth)).collect();
    let in_list =
        |key: &Value| key.as_integer().and_then(|i| usize::try_from(i).ok()).is_some_and(|i| (1..=length).contains(&i));
    let mut named: Vec<String> = table
        .pairs::<Value, Value>()
        .flatten()
        .filter(|(key, _)| !in_list(key))
        .map(|(key, value)| match &key {
            Value::String(name) => format!("{} = {}", name.to_string_lossy(), nested(&value, depth)),
            key => format!("[{}] = {}", nested(key, depth), nested(&value, depth)),
        })
        .collect();
    named.sort();
    entries.extend(named);
    if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
}

/// What a rule answered, in an explanation.
pub(super) fn outcome(value: &Value, why: &str) -> String {
    match value {
        Value::Nil => "no opinion".to_owned(),
        Value::Boolean(true) if why.is_empty() => "yes".to_owned(),
        Value::Boolean(true) => format!("yes: {why}"),
        Value::Boolean(false) => "no".to_owned(),
        Value::String(text) => text.to_string_lossy(),
        other => show(other),
    }
}
