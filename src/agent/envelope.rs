//! The forms that agent CLIs wrap their final word in, as seen from the CLIs themselves.

use serde_json::Value;

use super::usage;
use crate::model::agent::Usage;

/// What stood in an envelope.
pub struct Envelope {
    pub content: Content,
    pub usage: Usage,
}

/// The final word of an agent.
pub enum Content {
    Text(String),
    /// The CLI checked the answer against the schema itself; the text is there in case it did not.
    Document {
        document: Value,
        text: Option<String>,
    },
    /// The CLI says that it failed.
    Error(String),
}

/// Opens an envelope of the form that `output` names. `None` when it is not of that form, or when
/// the form is plain text.
pub fn open(text: &str, output: &str) -> Option<Envelope> {
    match output {
        "claude-json" => claude(text),
        "codex-jsonl" => codex(text),
        "qwen-json" => qwen(text),
        "gemini-json" => gemini(text),
        "opencode-jsonl" => opencode(text),
        _ => None,
    }
}

/// Opens an envelope of any known form.
pub fn open_any(text: &str) -> Option<Envelope> {
    [claude, codex, qwen, gemini, opencode].into_iter().find_map(|open| open(text))
}

/// `claude -p --output-format json`, and CLIs that answer alike: one object with `result` or
/// `structured_output`, and `is_error`. `subtype` may say `success` although `is_error` is set.
fn claude(text: &str) -> Option<Envelope> {
    last_object(text, |object| object["type"] == "result" || object["is_error"].is_boolean()).map(|o| result(&o))
}

/// `qwen -o json`: an array of messages whose last element is like claude's object.
fn qwen(text: &str) -> Option<Envelope> {
    let start = text.find('[')?;
    let messages = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>().next()?.ok()?;
    let last = messages.as_array()?.last()?;
    let mut envelope = last.is_object().then(|| result(last))?;
    if let Content::Text(text) = &envelope.content
        && text.trim_start().starts_with("[API Error")
    {
        envelope.content = Content::Error(text.clone());
    }
    Some(envelope)
}

fn result(object: &Value) -> Envelope {
    let text = object["result"].as_str().map(str::to_owned);
    let failed = object["is_error"] == true || object["subtype"].as_str().is_some_and(|s| s.starts_with("error"));
    let content = if failed {
        let why = text.or_else(|| message(&object["error"])).or_else(|| message(&object["errors"]));
        Content::Error(why.or_else(|| message(&object["subtype"])).unwrap_or_else(|| "no reason given".into()))
    } else if object["structured_output"].is_object() {
        Content::Document { document: object["structured_output"].clone(), text }
    } else {
        text.map_or_else(|| Content::Error("there is no final text".into()), Content::Text)
    };
    Envelope { content, usage: usage::result(object) }
}

/// `codex exec --json`: a line an event. The last agent message counts when the turn was completed.
fn codex(text: &str) -> Option<Envelope> {
    let (mut last, mut failed, mut completed, mut spent) = (None, None, false, Usage::default());
    let mut seen = false;
    for event in lines(text) {
        match event["type"].as_str().unwrap_or_default() {
            "item.completed" if event["item"]["type"] == "agent_message" => {
                last = event["item"]["text"].as_str().map(str::to_owned);
            }
            "turn.completed" => {
                completed = true;
                spent += usage::codex(&event);
            }
            "turn.failed" | "error" => failed = message(&event["error"]).or_else(|| message(&event["message"])),
            "thread.started" | "turn.started" | "item.started" | "item.updated" | "item.completed" => {}
            _ => continue,
        }
        seen = true;
    }
    // An error that was retried with success is no failure.
    let content = match last {
        Some(text) if completed => Content::Text(text),
        _ => Content::Error(failed.unwrap_or_else(|| "the turn was not completed with a message".into())),
    };
    seen.then_some(Envelope { content, usage: spent })
}

/// `gemini -o json`: one object with `response`, or `error`.
fn gemini(text: &str) -> Option<Envelope> {
    let object = last_object(text, |object| object["stats"].is_object() || object["error"]["message"].is_string())?;
    let content = match (message(&object["error"]), object["response"].as_str()) {
        (None, Some(response)) => Content::Text(response.to_owned()),
        (why, _) => Content::Error(why.unwrap_or_else(|| "there is no response".into())),
    };
    Some(Envelope { content, usage: usage::gemini(&object) })
}

/// `opencode run --format json`: a line an event; the texts of the parts make the answer.
fn opencode(text: &str) -> Option<Envelope> {
    let (mut said, mut failed, mut spent, mut seen) = (String::new(), None, Usage::default(), false);
    for event in lines(text).filter(|event| event["sessionID"].is_string() || event["part"].is_object()) {
        seen = true;
        match event["type"].as_str().unwrap_or_default() {
            "text" => {
                said.push_str(event["part"]["text"].as_str().unwrap_or_default());
                said.push('\n');
            }
            "step_finish" => spent += usage::opencode(&event["part"]),
            "error" => failed = message(&event["error"]).or_else(|| Some("no reason given".into())),
            _ => {}
        }
    }
    let content = failed.map_or(Content::Text(said), Content::Error);
    seen.then_some(Envelope { content, usage: spent })
}

/// A readable message in one of the forms that errors come in.
fn message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Array(list) => list.iter().find_map(message),
        Value::Object(object) => ["message", "data", "error", "name"].iter().find_map(|key| message(object.get(*key)?)),
        _ => None,
    }
}

/// The JSON objects that fill a line of their own.
fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter(|line| line.trim_start().starts_with('{')).filter_map(|line| serde_json::from_str(line).ok())
}

/// The last object that passes the test: the whole text, or a line of it, or what starts at a line.
fn last_object(text: &str, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
    let whole = serde_json::from_str::<Value>(text.trim()).ok().filter(|object| object.is_object() && is_it(object));
    if whole.is_some() {
        return whole;
    }
    let starts = text.match_indices("\n{").map(|(at, _)| at + 1);
    let starts = text.starts_with('{').then_some(0).into_iter().chain(starts);
    // Warnings of a runtime stand before the object, and there are few of them.
    let late: Vec<_> = starts.collect();
    late.iter().rev().take(64).find_map(|at| {
        let object = serde_json::Deserializer::from_str(&text[*at..]).into_iter::<Value>().next()?.ok()?;
        is_it(&object).then_some(object)
    })
}
