//! Agent adapters: from a rule's answer to the words of a command line.

use std::collections::BTreeMap;

use mlua::{LuaSerdeExt, Value};
use serde::Deserialize;

use super::ask::Asker;
use super::host::RuleError;
use super::nearest::did_you_mean;
use crate::model::agent::{AdapterInput, Invocation, PromptBy};

/// Names of the adapters in the order of preference, with the program that each needs.
pub(super) fn names(asker: &Asker) -> Vec<(String, String)> {
    let needs = |rule: &super::registry::Rule| rule.table.raw_get::<String>("needs").ok();
    let mut rules: Vec<_> = asker.rules("agent").iter().cloned().collect();
    // Preference is a matter of `order` alone: a team's own adapter names its place among the built-in ones.
    rules.sort_by_key(|rule| rule.order);
    rules.iter().filter_map(|rule| Some((rule.name.clone(), needs(rule)?))).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    argv: Vec<String>,
    #[serde(default = "by_stdin")]
    prompt: PromptBy,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    pass_env: Vec<String>,
    #[serde(default)]
    state_dirs: Vec<String>,
    #[serde(default = "as_text")]
    output: String,
}

fn by_stdin() -> PromptBy {
    PromptBy::Stdin
}

fn as_text() -> String {
    "text".to_owned()
}

/// Asks an adapter how to call its CLI.
///
/// # Errors
/// When no rule has that name, or the rule fails or answers nonsense; without words there is nothing to run.
pub(super) fn invocation(asker: &Asker, agent: &str, input: &AdapterInput) -> Result<Invocation, RuleError> {
    let Some(rule) = asker.rules("agent").iter().find(|rule| rule.name == agent).cloned() else {
        return Err(unknown(asker, agent));
    };
    let input = serde_json::to_value(input).map_err(|error| plain_error(error.to_string()))?;
    let input = super::texts::plain_value(asker, &input).map_err(|error| plain_error(error.to_string()))?;
    let value = asker.call(&rule, input).map_err(|error| *error)?;
    let answer: Answer = match &value {
        Value::Table(_) => {
            asker.engine.lua.from_value(value.clone()).map_err(|error| asker.engine.blame(&error, &rule))?
        }
        other => return Err(*asker.misfit(&rule, other, "a table with argv")),
    };
    if answer.argv.first().is_none_or(String::is_empty) || answer.argv.iter().any(|word| word.contains('\0')) {
        return Err(*asker.misfit(&rule, &value, "a table with words in argv"));
    }
    Ok(Invocation {
        adapter: agent.to_owned(),
        argv: answer.argv,
        prompt: answer.prompt,
        env: answer.env,
        pass_env: answer.pass_env,
        state_dirs: answer.state_dirs,
        output: answer.output,
    })
}

fn unknown(asker: &Asker, agent: &str) -> RuleError {
    let names: Vec<String> = names(asker).into_iter().map(|(name, _)| name).collect();
    let hint = did_you_mean(agent, names.iter().map(String::as_str));
    let mut error = plain_error(format!("there is no agent adapter '{agent}'{hint}"));
    error.help = Some(format!("known adapters: {}, command", names.join(", ")));
    error
}

fn plain_error(message: String) -> RuleError {
    RuleError { message, source_code: None, span: None, label: String::new(), help: None }
}
