//! Finding the answer in what an agent printed.
//!
//! The output is foreign: it may be a flood, cut off, nested a million levels deep, or full of
//! objects that only look like an answer. Reading it is linear in time and bounded in memory.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::envelope::{self, Content};
use crate::model::text::{end, one_line, strip_escapes};

/// Only this much of the end of an output is searched for a document, in bytes.
const WINDOW: usize = 8 << 20;
/// Bytes that may be parsed in all while searching; each failed attempt starts over at the next brace.
const WORK: usize = 16 << 20;

/// No document of the output fits; says what was wrong with the nearest one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct AnswerError {
    /// Names the field that is wrong; fit for a repair request.
    pub why: String,
    /// The CLI itself reported an error (a refused key, a limit): asking again will not repair it.
    pub reported: bool,
}

impl AnswerError {
    fn misfit(why: impl Into<String>) -> Self {
        Self { why: why.into(), reported: false }
    }

    fn reported(why: &str) -> Self {
        Self { why: format!("the CLI reported an error: {}", one_line(why, 500)), reported: true }
    }
}

/// The last JSON document in `text` that fits the schema and the type: raw, fenced, or inside the
/// CLI's own envelope (`output` names its form).
///
/// # Errors
/// When no document fits, with the reason of the nearest one.
pub fn extract<T: DeserializeOwned>(text: &str, output: &str, schema: &Value) -> Result<T, AnswerError> {
    if let Some(envelope) = envelope::open(text, output) {
        return from_envelope(envelope.content, schema);
    }
    match search(text, schema) {
        // A wrapper may print its CLI's envelope although it was set up as plain text.
        Err(error) => match envelope::open_any(text) {
            Some(envelope) => from_envelope(envelope.content, schema),
            None => Err(error),
        },
        found => found,
    }
}

fn from_envelope<T: DeserializeOwned>(content: Content, schema: &Value) -> Result<T, AnswerError> {
    match content {
        Content::Error(why) => Err(AnswerError::reported(&why)),
        Content::Text(text) => search(&text, schema),
        Content::Document { document, text } => fit(&document, schema).or_else(|error| {
            let why = AnswerError::misfit(error);
            text.map_or(Err(why), |text| search(&text, schema))
        }),
    }
}

/// Looks through all top-level JSON objects of a text, wherever they stand: alone, in a fence, in prose.
fn search<T: DeserializeOwned>(text: &str, schema: &Value) -> Result<T, AnswerError> {
    let found = scan(text, schema);
    if found.is_err() && text.contains('\u{1b}') {
        // Colours inside of a document; a plain one is left as it is.
        return scan(&strip_escapes(end(text, WINDOW)), schema);
    }
    found
}

fn scan<T: DeserializeOwned>(text: &str, schema: &Value) -> Result<T, AnswerError> {
    let mut best = Nearest::default();
    let mut fitting = None;
    for found in objects(end(text, WINDOW)) {
        match found {
            Found::Object(document) => match fit(&document, schema) {
                Ok(answer) => fitting = Some(answer),
                Err(why) => best.consider(looks_meant(&document, schema), why),
            },
            Found::Broken(why) => best.consider(true, why),
        }
    }
    fitting.ok_or_else(|| AnswerError::misfit(best.why(schema)))
}

/// The misfit that says most about what the agent has to repair.
#[derive(Default)]
struct Nearest {
    why: Option<(bool, String)>,
}

impl Nearest {
    fn consider(&mut self, meant: bool, why: String) {
        if meant || !self.why.as_ref().is_some_and(|(meant, _)| *meant) {
            self.why = Some((meant, why));
        }
    }

    fn why(self, schema: &Value) -> String {
        match self.why {
            Some((true, why)) => why,
            _ => format!("the output holds no JSON object with the fields {}", fields(schema).join(", ")),
        }
    }
}

fn fields(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object();
    properties.into_iter().flat_map(|p| p.keys()).map(|name| format!("`{name}`")).collect()
}

/// Shares a field with the expected answer, so it was meant to be one.
fn looks_meant(document: &Value, schema: &Value) -> bool {
    let properties = schema["properties"].as_object();
    document.as_object().is_some_and(|object| object.keys().any(|key| properties.is_some_and(|p| p.contains_key(key))))
}

/// The document as the wanted type, or what is wrong with it.
fn fit<T: DeserializeOwned>(document: &Value, schema: &Value) -> Result<T, String> {
    let object = document.as_object().ok_or("the answer must be one JSON object")?;
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) && !nullable(&schema["properties"][name]) {
            return Err(format!("the field `{name}` is missing"));
        }
    }
    serde_path_to_error::deserialize(document).map_err(|error| match error.path().to_string().as_str() {
        "." => one_line(&error.into_inner().to_string(), 500),
        path => format!("the field `{}`: {}", one_line(path, 200), one_line(&error.inner().to_string(), 500)),
    })
}

/// Null is allowed, so an absent field means null.
fn nullable(schema: &Value) -> bool {
    let is_null = |value: &Value| value == "null";
    match &schema["type"] {
        Value::Array(types) => types.iter().any(is_null),
        Value::Null => schema["anyOf"].as_array().is_some_and(|forms| forms.iter().any(|form| is_null(&form["type"]))),
        one => is_null(one),
    }
}

/// Something in a text that starts like a JSON object.
enum Found {
    Object(Value),
    /// Begins like one and is none: why.
    Broken(String),
}

/// The top-level JSON objects of a text, in order. serde_json ends the nesting at 128 levels.
fn objects(text: &str) -> impl Iterator<Item = Found> {
    let mut at = 0;
    let mut work = WORK;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr(b'{', &text.as_bytes()[at..])?;
            let rest = &text[start..];
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            match stream.next() {
                Some(Ok(document)) => {
                    at = start + stream.byte_offset();
                    return Some(Found::Object(document));
                }
                // What follows belongs to a document that was cut off: nothing in it counts.
                Some(Err(error)) if error.is_eof() => {
                    at = text.len();
                    return starts_like_an_object(rest).then(|| Found::Broken("the JSON document is cut off".into()));
                }
                Some(Err(error)) => {
                    at = start + 1;
                    work = work.checked_sub(spent(rest, &error))?;
                    if starts_like_an_object(rest) {
                        return Some(Found::Broken(format!("the JSON document is not valid: {error}")));
                    }
                }
                None => return None,
            }
        }
    })
}

fn starts_like_an_object(text: &str) -> bool {
    text[1..].trim_start().starts_with('"')
}

/// Bytes that were read before the error.
fn spent(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::schema;
    use super::*;
    use crate::model::manifest::Manifest;
    use crate::model::spec::{Triage, Verdict};

    const GOOD: &str = r#"{"item_id": 4, "verdict": "valid", "reasoning": "r", "proposed_fix": null, "risk": "low"}"#;

    fn probe(text: &str) -> Result<Triage, AnswerError> {
        extract(text, "text", &schema::probe())
    }

    #[test]
    fn a_misfit_names_the_field() {
        let why = |text: &str| probe(text).unwrap_err().why;
        assert_eq!(why(r#"{"item_id": 4, "reasoning": "r"}"#), "the field `verdict` is missing");
        let wrong = why(&GOOD.replace("valid", "perhaps"));
        assert!(wrong.starts_with("the field `verdict`: unknown variant `perhaps`"), "{wrong}");
        let wrong = why(&GOOD.replace("null", r#"{"location": "l"}"#));
        assert!(wrong.starts_with("the field `proposed_fix"), "{wrong}");
        assert!(why("I am done.").contains("no JSON object with the fields `item_id`"));
        assert_eq!(why(&GOOD[..40]), "the JSON document is cut off");
        assert!(why(&GOOD.replace("\"r\"", "\"two\nlines\"")).contains("not valid"));
    }

    #[test]
    fn nested_misfits_are_named_with_their_path() {
        let text = r#"{"touched_files": ["a"], "spec_item_map": {"src/a": [1, {}]}}"#;
        let error = extract::<Manifest>(text, "text", &schema::manifest()).unwrap_err();
        assert!(error.why.contains("spec_item_map.src/a[1]") || error.why.contains("spec_item_map"), "{error}");
    }

    #[test]
    fn nullable_fields_may_be_left_out_and_others_not() {
        let answer = probe(r#"{"item_id": 4, "verdict": "invalid", "reasoning": "r"}"#).unwrap();
        assert_eq!((answer.risk, answer.proposed_fix), (None, None));
        assert!(probe(r#"{"item_id": 4, "verdict": "invalid"}"#).is_err());
    }

    #[test]
    fn a_flood_of_braces_takes_bounded_work() {
        for unit in ["{", "{\"a\":", "{\"a\":[", "[{\"a\":\"", "{}", "\"{\\\"", "{\"a\":[{},0,"] {
            assert!(probe(&unit.repeat(4_000)).is_err(), "{unit}");
        }
        assert!(probe(&format!("{GOOD}\n{}", " ".repeat(WINDOW))).is_err(), "beyond the window");
    }

    #[test]
    fn a_document_after_a_flood_is_found() {
        let flood = "fn main() { let x = 1; }\n".repeat(1000);
        assert_eq!(probe(&format!("{flood}{GOOD}")).unwrap().verdict, Verdict::Valid);
    }

    #[test]
    fn colours_inside_of_a_document_do_no_harm() {
        let coloured = GOOD.replace("\"valid\"", "\u{1b}[32m\"valid\"\u{1b}[0m");
        assert_eq!(probe(&coloured).unwrap().item_id, 4);
    }

    #[test]
    fn an_untyped_answer_still_needs_its_fields() {
        assert!(extract::<Value>("{\"x\": 1}", "text", &schema::verify()).is_err());
        assert_eq!(extract::<Value>("{\"results\": []}", "text", &schema::verify()).unwrap(), json!({"results": []}));
    }
}
