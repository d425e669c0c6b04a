//! What a read-only agent is told that looks at our own change before it is pushed: the diff, the spec, the claims.

use std::fmt::Write;

use serde_json::{Value, json};

use super::item;
use super::prompt::ANSWER;
use super::quote::Quoter;
use crate::model::spec::SpecItem;

/// Everything that the reviewer of our own change is told.
pub struct SelfReviewInput<'a> {
    pub items: &'a [&'a SpecItem],
    /// The whole change as a patch.
    pub diff: &'a str,
    /// Path and claim, from the manifests.
    pub claims: &'a [(String, String)],
    pub nonce: &'a str,
}

/// Asks whether a change does what its items ask, nothing else, and nothing backwards.
pub fn prompt(input: &SelfReviewInput<'_>) -> String {
    let quoter = Quoter::new(input.nonce, item::pieces(input.items.iter().copied()) + input.claims.len() + 1);
    let mut out = format!(
        "Another agent changed files in the present folder to deal with the feedback below. Find what is wrong with \
         the change before it is pushed. You are read-only: write nothing, run nothing that writes.\n\n{}\n\n",
        quoter.explanation()
    );
    for item in input.items {
        out.push_str(&item::describe(item, &quoter));
        out.push('\n');
    }
    out.push_str(&quoter.verbatim("the change", input.diff));
    for (path, claim) in input.claims {
        let _ = writeln!(out, "Claim about {}:", quoter.word(path));
        out.push_str(&quoter.verbatim("claim", claim));
    }
    out.push_str(TASK);
    out.push_str(ANSWER);
    out.push_str(EXAMPLE);
    out
}

/// Schema of the answer. What the reviewer has no word on may be left out.
pub fn schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {"results": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "path": text,
                "holds": {"type": "boolean"},
                "why": text,
                "item": {"type": ["integer", "null"]},
                "kind": {"type": ["string", "null"]},
                "confidence": {"type": ["string", "null"], "enum": ["low", "medium", "high", null]},
            },
            "required": ["path", "holds", "why"],
        }}},
        "required": ["results"],
    })
}

const TASK: &str = "
# What to look for

- unmet intent: an item is said to be dealt with, and the change does not do what it asks;
- scope creep: the change does something that no item asks for and no justification needs;
- logic inversion: a condition, comparison, default or sign says the opposite of what is meant.

Style, naming and what else could be better is not asked. Say `high` only for what the code in front of you shows beyond
doubt, with the line that shows it; a person is not there to correct you.
";

const EXAMPLE: &str = r#"{"results": [{"path": "src/example.rs", "holds": false, "why": "line 12 still reads `i <= len`, item 1 asks for `<`", "item": 1, "kind": "unmet-intent", "confidence": "high"}]}

One entry for each fault, with `holds` false. `kind`: unmet-intent, scope-creep or logic-inversion; `item`: its number, or
null; `confidence`: high, medium or low. Without a fault, the list is empty.
"#;
