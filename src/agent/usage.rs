//! What a call cost, as the CLIs say it. A number that a CLI does not give stays zero or unknown.

use serde_json::Value;

use crate::model::agent::Usage;

/// Tokens and money that the output of a CLI names; calls and seconds are left to the caller.
pub fn read(text: &str, output: &str) -> Usage {
    let envelope = super::envelope::open(text, output);
    // A wrapper may print its CLI's envelope although it was set up as plain text.
    let envelope = envelope.or_else(|| (output == "text").then(|| super::envelope::open_any(text)).flatten());
    envelope.map(|envelope| envelope.usage).unwrap_or_default()
}

/// claude and qwen: `usage` counts cached input beside the input, and `total_cost_usd` is in dollars.
pub(super) fn result(object: &Value) -> Usage {
    let usage = &object["usage"];
    let cached = count(&usage["cache_creation_input_tokens"])
        + if object["total_cost_usd"].is_number() { count(&usage["cache_read_input_tokens"]) } else { 0 };
    tokens(count(&usage["input_tokens"]) + cached, count(&usage["output_tokens"]), &object["total_cost_usd"])
}

/// codex: `input_tokens` includes the cached ones.
pub(super) fn codex(event: &Value) -> Usage {
    tokens(count(&event["usage"]["input_tokens"]), count(&event["usage"]["output_tokens"]), &Value::Null)
}

/// gemini: counts a model, under `stats.models`.
pub(super) fn gemini(object: &Value) -> Usage {
    let mut usage = Usage::default();
    for model in object["stats"]["models"].as_object().into_iter().flat_map(|models| models.values()) {
        let spent = &model["tokens"];
        usage += tokens(count(&spent["prompt"]), count(&spent["candidates"]) + count(&spent["thoughts"]), &Value::Null);
    }
    usage
}

/// opencode: counts a step.
pub(super) fn opencode(part: &Value) -> Usage {
    let spent = &part["tokens"];
    let input = count(&spent["input"]) + count(&spent["cache"]["read"]) + count(&spent["cache"]["write"]);
    tokens(input, count(&spent["output"]) + count(&spent["reasoning"]), &part["cost"])
}

fn tokens(input: u64, output: u64, cost: &Value) -> Usage {
    // The output is the agent's own: no number of it may be absurd enough to break a sum.
    let cost = cost.as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0);
    Usage { input_tokens: input, output_tokens: output, cost_usd: cost, ..Usage::default() }
}

/// A count of tokens; what is none, or more than any model takes, is zero.
fn count(value: &Value) -> u64 {
    value.as_u64().filter(|n| *n < 1 << 40).unwrap_or(0)
}
