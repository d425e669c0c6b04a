//! Rules that write: prompts, commit messages, replies, summaries.

use mlua::{LuaSerdeExt, Value};

use super::ask::Asker;

/// Characters of a rendered text; GitHub's own limit for a comment is 65,536.
const MAX_TEXT: usize = 60_000;

/// Asks the `text` rule of that name. `None` when there is none, it has no opinion, or it fails.
pub(super) fn render(asker: &Asker, name: &str, context: &serde_json::Value) -> Option<String> {
    let rule = asker.rules("text").iter().find(|rule| rule.name == name).cloned()?;
    let context = match plain_value(asker, context) {
        Ok(context) => context,
        Err(error) => {
            asker.warn_text(format!("text/{name}: the context does not fit: {error}"));
            return None;
        }
    };
    match asker.call(&rule, context) {
        Ok(Value::Nil) => None,
        Ok(Value::String(text)) => Some(text.to_string_lossy().chars().take(MAX_TEXT).collect()),
        Ok(other) => {
            asker.warn(&asker.misfit(&rule, &other, "a string or nil"));
            None
        }
        Err(error) => {
            asker.warn(&error);
            None
        }
    }
}

/// JSON as Lua sees it best: `null` is `nil`, and lists are plain tables.
pub(super) fn plain_value(asker: &Asker, json: &serde_json::Value) -> mlua::Result<Value> {
    let options = mlua::serde::SerializeOptions::new()
        .set_array_metatable(false)
        .serialize_none_to_null(false)
        .serialize_unit_to_null(false);
    asker.engine.lua.to_value_with(json, options)
}

/// Paragraphs that rules add to the prompt of a role. A failing rule adds nothing.
pub(super) fn prompt_additions(asker: &Asker, role: &str) -> Vec<String> {
    let for_role = |rule: &super::registry::Rule| {
        let roles = rule.table.raw_get::<Option<Vec<String>>>("roles").ok().flatten();
        roles.is_none_or(|roles| roles.iter().any(|name| name == role))
    };
    let rules = asker.rules("prompt");
    let answers = rules.iter().filter(|rule| for_role(rule)).filter_map(|rule| match asker.call(rule, role) {
        Ok(Value::String(text)) => Some(text.to_string_lossy()),
        Ok(Value::Nil) => None,
        Ok(other) => {
            asker.warn(&asker.misfit(rule, &other, "a string or nil"));
            None
        }
        Err(error) => {
            asker.warn(&error);
            None
        }
    });
    answers.filter(|text| !text.trim().is_empty()).collect()
}

/// A reviewer to be asked again after a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retrigger {
    /// What the operator calls it, beside its login.
    pub name: Option<String>,
    /// The account to request a review from.
    pub login: String,
    /// A part of the name of the check that it reports with, in lower case.
    pub check: Option<String>,
    /// A conversation comment that starts the reviewer, where a request does not.
    pub comment: Option<String>,
    /// `kind/name` of the rule.
    pub rule: String,
}

/// Asks the `retrigger` rules; each may name several. A failing rule names nobody.
pub(super) fn retrigger(asker: &Asker, context: &serde_json::Value) -> Vec<Retrigger> {
    let Ok(context) = plain_value(asker, context) else { return Vec::new() };
    let mut reviewers: Vec<Retrigger> = Vec::new();
    for rule in asker.rules("retrigger").iter() {
        let answer = match asker.call(rule, &context) {
            Ok(Value::Nil) => continue,
            Ok(answer) => answer,
            Err(error) => {
                asker.warn(&error);
                continue;
            }
        };
        match asker.engine.lua.from_value::<Vec<NamedReviewer>>(answer.clone()) {
            Ok(named) => reviewers.extend(named.into_iter().map(|reviewer| Retrigger {
                name: reviewer.name,
                login: reviewer.login,
                check: reviewer.check,
                comment: reviewer.comment,
                rule: rule.id(),
            })),
            Err(_) => {
                asker.warn(&asker.misfit(rule, &answer, "a list of { login = …, name = …, comment = …, check = … }"))
            }
        }
    }
    reviewers
}

#[derive(serde::Deserialize)]
struct NamedReviewer {
    #[serde(default)]
    name: Option<String>,
    login: String,
    #[serde(default)]
    check: Option<String>,
    #[serde(default)]
    comment: Option<String>,
}

/// What the guard rules say to a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushVerdict {
    Allow,
    Deny { rule: String, why: String },
}

/// Asks every `guard` rule: one that says no, or fails, denies.
pub(super) fn guard(asker: &Asker, push: &serde_json::Value) -> PushVerdict {
    let context = match plain_value(asker, push) {
        Ok(context) => context,
        Err(error) => return PushVerdict::Deny { rule: "guard".to_owned(), why: error.to_string() },
    };
    for rule in asker.rules("guard").iter() {
        let deny = |why: String| PushVerdict::Deny { rule: rule.id(), why };
        match asker.call(rule, &context) {
            Ok(Value::Nil | Value::Boolean(true)) => {}
            Ok(answer @ (Value::Boolean(false) | Value::String(_))) => return deny(super::ask::reason(rule, &answer)),
            Ok(other) => {
                let error = asker.misfit(rule, &other, "true, false, nil or a reason");
                asker.warn(&error);
                return deny(error.label.clone());
            }
            Err(error) => {
                asker.warn(&error);
                return deny(format!("the guard rule failed: {}", error.label));
            }
        }
    }
    PushVerdict::Allow
}
