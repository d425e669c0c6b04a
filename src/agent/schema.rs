//! The JSON schemas of the agents' answers, written in one place and given to every CLI.
//!
//! Only what draft 7 and the strict modes of the CLIs have in common is used: `type`, `enum`,
//! `properties`, `required`, `additionalProperties`, `items`, `anyOf`. A field that may be missing
//! from an answer is nullable and still `required`, because strict modes want every property there.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A read-only agent's word on one claim about one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimResult {
    pub path: String,
    pub holds: bool,
    pub why: String,
}

/// The answer that [`verify`] describes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyAnswer {
    pub results: Vec<ClaimResult>,
}

/// Schema of a probe's answer.
pub fn probe() -> Value {
    strict(json!({
        "item_id": {"type": "integer"},
        "verdict": {"type": "string", "enum": ["valid", "already-addressed", "invalid", "unclear"]},
        "reasoning": {"type": "string"},
        "proposed_fix": {"anyOf": [
            strict(json!({
                "path": {"type": "string"},
                "location": {"type": "string"},
                "change": {"type": "string"},
            })),
            {"type": "null"},
        ]},
        "risk": {"type": ["string", "null"], "enum": ["low", "medium", "high", null]},
    }))
}

/// Schema of the fix agent's manifest. Its maps are keyed by file or item id, which no strict mode
/// allows, so it is a plain draft 7 schema.
pub fn manifest() -> Value {
    let text = json!({"type": "string"});
    let reasons = json!({"type": "object", "additionalProperties": text});
    json!({
        "type": "object",
        "properties": {
            "touched_files": {"type": "array", "items": text},
            "spec_item_map": {"type": "object", "additionalProperties": {
                "type": "array", "items": {"type": ["integer", "string"]},
            }},
            "invariant_per_file": {"type": "object", "additionalProperties": {"anyOf": [
                text,
                {
                    "type": "object",
                    "properties": {
                        "claim": text,
                        "line": {"type": ["integer", "null"]},
                        "contains": {"type": ["string", "null"]},
                    },
                    "required": ["claim"],
                },
            ]}},
            "out_of_scope": reasons,
            "declined": reasons,
            "needs_human": reasons,
            "summary": text,
        },
        "required": ["touched_files"],
    })
}

/// Schema of the answer to the question whether claims about files hold.
pub fn verify() -> Value {
    let result = strict(json!({
        "path": {"type": "string"},
        "holds": {"type": "boolean"},
        "why": {"type": "string"},
    }));
    strict(json!({"results": {"type": "array", "items": result}}))
}

/// Schema of an attempt at review findings (the `loop` command): what was changed, or which further files it takes.
pub fn attempt() -> Value {
    let files = json!({"type": ["array", "null"], "items": {"type": "string"}});
    strict(json!({
        "files_changed": files,
        "summary": {"type": ["string", "null"]},
        "concerns": {"type": ["string", "null"]},
        "needs_scope_expansion": {"type": ["boolean", "null"]},
        "additional_files": files,
        "justification": {"type": ["string", "null"]},
    }))
}

/// Schema of a review's findings, version `v1`, as reviewers give them and verifiers return them.
pub fn review() -> Value {
    let line = json!({"type": ["integer", "null"]});
    let finding = strict(json!({
        "id": {"type": "integer"},
        "severity": {"type": "string", "enum": ["P0", "P1", "P2", "P3"]},
        "title": {"type": "string"},
        "body": {"type": "string"},
        "file": {"type": ["string", "null"]},
        "line_start": line,
        "line_end": line,
        "confidence": {"type": "number"},
        "criterion": {"type": ["string", "null"]},
        "verdict": {"type": ["string", "null"], "enum": ["confirmed", "demoted", "rejected", null]},
        "evidence": {"type": ["string", "null"]},
    }));
    strict(json!({
        "schema_version": {"type": "string", "enum": ["v1"]},
        "findings": {"type": "array", "items": finding},
        "checks_run": {"type": "array", "items": {"type": "string"}},
    }))
}

/// An object with exactly these properties, all of them required.
fn strict(properties: Value) -> Value {
    let required: Vec<_> = properties.as_object().into_iter().flat_map(|p| p.keys().cloned()).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(schema: &Value, answer: &Value) -> bool {
        jsonschema::draft7::new(schema).unwrap().is_valid(answer)
    }

    #[test]
    fn the_contracts_own_answers_fit_their_schemas() {
        let answer = json!({"item_id": 1, "verdict": "already-addressed", "reasoning": "r",
            "proposed_fix": {"path": "a", "location": "l", "change": "c"}, "risk": "low"});
        assert!(fits(&probe(), &answer));
        let answer = json!({"touched_files": ["a"], "spec_item_map": {"a": [1, "justification: j"]},
            "invariant_per_file": {"a": {"claim": "c", "line": 12, "contains": "x"}, "b": "bare"},
            "out_of_scope": {"2": "r"}, "declined": {}, "needs_human": {"3": "q"}, "summary": "s"});
        assert!(fits(&manifest(), &answer));
        assert!(fits(&verify(), &json!({"results": [{"path": "a", "holds": true, "why": "w"}]})));
        let finding = json!({"id": 1, "severity": "P0", "title": "t", "body": "b", "file": null, "line_start": null,
            "line_end": null, "confidence": 0.9, "criterion": "c", "verdict": "confirmed", "evidence": "e"});
        let answer = json!({"schema_version": "v1", "findings": [finding], "checks_run": ["AC-1: PASS — x"]});
        assert!(fits(&review(), &answer));
    }

    #[test]
    fn what_the_types_refuse_the_schemas_refuse() {
        let answer = json!({"item_id": 1, "verdict": "maybe", "reasoning": "r", "proposed_fix": null, "risk": "low"});
        assert!(!fits(&probe(), &answer));
        assert!(!fits(&manifest(), &json!({"touched_files": "a"})));
        assert!(!fits(&verify(), &json!({"results": [{"path": "a", "holds": "yes", "why": "w"}]})));
    }

    #[test]
    fn strict_modes_find_every_property_required() {
        for schema in [probe(), verify(), attempt(), review()] {
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.len(), schema["required"].as_array().unwrap().len());
            assert_eq!(schema["additionalProperties"], false);
        }
    }
}
