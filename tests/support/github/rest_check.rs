//! REST answers checked against GitHub's OpenAPI document, where that was fetched. Only the simulator
//! is held to it: GitHub's own answers break it in places, so the client stays lenient.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use super::schema::published;

/// Route, method, path and status of the answers that are checked.
const CHECKED: &[(&str, &str, &str, &str)] = &[
    ("job", "get", "/repos/{owner}/{repo}/actions/jobs/{job_id}", "200"),
    ("jobs", "get", "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs", "200"),
    ("attempt-jobs", "get", "/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs", "200"),
    ("run", "get", "/repos/{owner}/{repo}/actions/runs/{run_id}", "200"),
    ("runs", "get", "/repos/{owner}/{repo}/actions/runs", "200"),
    ("workflow", "get", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}", "200"),
    ("rerun", "post", "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs", "201"),
    ("annotations", "get", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations", "200"),
    ("permission", "get", "/repos/{owner}/{repo}/collaborators/{username}/permission", "200"),
    ("reply", "post", "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies", "201"),
    ("review-comments", "get", "/repos/{owner}/{repo}/pulls/{pull_number}/comments", "200"),
    ("statuses", "get", "/repos/{owner}/{repo}/commits/{ref}/statuses", "200"),
    ("rules", "get", "/repos/{owner}/{repo}/rules/branches/{branch}", "200"),
    ("/user", "get", "/user", "200"),
];

/// What is wrong with an answer's body, if anything.
pub fn problem(route: &str, status: u16, body: &[u8]) -> Option<String> {
    let validator = validators().get(&format!("{route} {status}"))?;
    let body: Value = serde_json::from_slice(body).ok()?;
    let errors: Vec<String> =
        validator.iter_errors(&body).take(3).map(|error| format!("{error} at {}", error.instance_path())).collect();
    (!errors.is_empty())
        .then(|| format!("the answer to {route} breaks GitHub's OpenAPI document: {}", errors.join("; ")))
}

fn validators() -> &'static BTreeMap<String, jsonschema::Validator> {
    static VALIDATORS: OnceLock<BTreeMap<String, jsonschema::Validator>> = OnceLock::new();
    VALIDATORS.get_or_init(|| {
        let Some(slice) = slice() else { return BTreeMap::new() };
        let operations = slice["operations"].as_object().cloned().unwrap_or_default();
        operations.into_iter().map(|(name, schema)| (name, validator(schema, &slice["definitions"]))).collect()
    })
}

fn validator(schema: Value, definitions: &Value) -> jsonschema::Validator {
    let root =
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": definitions, "allOf": [schema]});
    jsonschema::validator_for(&root).expect("a valid schema")
}

/// The used part of the document (13 MB), cut out once and kept beside it.
fn slice() -> Option<Value> {
    let document = published("openapi.json")?;
    // The list of routes is part of the name, so that a longer list cuts again.
    let kept = document.with_file_name(format!("rest-slice-{}.json", CHECKED.len()));
    if let Ok(text) = std::fs::read(&kept)
        && let Ok(slice) = serde_json::from_slice(&text)
    {
        return Some(slice);
    }
    let api: Value = serde_json::from_slice(&std::fs::read(document).ok()?).expect("a JSON document");
    let slice = cut(&api);
    // Another test process may do the same: each writes a file of its own and renames it.
    let draft = kept.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&draft, slice.to_string())
        .and_then(|()| std::fs::rename(&draft, &kept))
        .expect("a writable target folder");
    Some(slice)
}

fn cut(api: &Value) -> Value {
    let mut wanted = BTreeSet::new();
    let mut operations = Map::new();
    for (route, method, path, status) in CHECKED {
        let mut response = &api["paths"][path][method]["responses"][status];
        if let Some(reference) = response["$ref"].as_str() {
            response = api.pointer(&reference[1..]).expect("a response");
        }
        let schema = convert(&response["content"]["application/json"]["schema"], &mut wanted);
        operations.insert(format!("{route} {status}"), schema);
    }
    let mut definitions = Map::new();
    while let Some(name) = wanted.iter().find(|name| !definitions.contains_key(*name)).cloned() {
        let schema = convert(&api["components"]["schemas"][&name], &mut wanted);
        definitions.insert(name, schema);
    }
    json!({"operations": operations, "definitions": definitions})
}

/// OpenAPI 3.0 to JSON Schema: references, `nullable`, and no prose.
fn convert(schema: &Value, wanted: &mut BTreeSet<String>) -> Value {
    match schema {
        Value::Array(list) => list.iter().map(|item| convert(item, wanted)).collect(),
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                let name = reference.rsplit('/').next().unwrap_or_default();
                wanted.insert(name.to_owned());
                return json!({"$ref": format!("#/definitions/{name}")});
            }
            let kept = fields.iter().filter(|(name, value)| !is_prose(name, value));
            let out: Map<String, Value> = kept.map(|(name, value)| (name.clone(), convert(value, wanted))).collect();
            if fields.get("nullable") == Some(&json!(true)) { nullable(out) } else { Value::Object(out) }
        }
        other => other.clone(),
    }
}

/// Keywords that say nothing about validity. A property may have such a name, but then holds a schema.
fn is_prose(name: &str, value: &Value) -> bool {
    name == "example"
        || !value.is_object()
            && matches!(
                name,
                "examples"
                    | "description"
                    | "nullable"
                    | "deprecated"
                    | "title"
                    | "discriminator"
                    | "x-github-breaking-changes"
            )
}

fn nullable(mut schema: Map<String, Value>) -> Value {
    let Some(Value::String(ty)) = schema.get("type").cloned() else {
        return json!({"anyOf": [schema, {"type": "null"}]});
    };
    schema.insert("type".into(), json!([ty, "null"]));
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(schema)
}
