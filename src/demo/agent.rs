//! The demo's agent: a script that knows one project, run as a child process like any agent CLI. It
//! reads the brief, looks at the files, edits them for real, and answers in the agent protocol.

use std::path::Path;

use serde_json::{Value, json};

use super::scene::DemoError;
use super::{RIGHT, WRONG};
use crate::env::Env;

/// The one file that the demo's feedback is about.
const FILE: &str = "tally.sh";

/// Answers one call, in the present folder. The prompt says nothing that the brief doesn't.
///
/// # Errors
/// When the environment names no role or brief, or a file cannot be read or written.
pub fn run(_prompt: &str, env: &Env) -> Result<String, DemoError> {
    let unknown = |what: &str| DemoError::Agent { what: what.to_owned() };
    let path = env.path("PRFIX_BRIEF").ok_or_else(|| unknown("a call without a brief"))?;
    let text =
        std::fs::read_to_string(&path).map_err(|source| DemoError::Io { path: path.display().to_string(), source })?;
    let brief: Value = serde_json::from_str(&text).map_err(|_| unknown("a brief that is not JSON"))?;
    let item = env.get("PRFIX_ITEM").and_then(|id| id.parse().ok());
    let answer = answer(env.get("PRFIX_ROLE").unwrap_or_default(), item, &brief, Path::new("."))?;
    Ok(format!("{answer:#}\n"))
}

fn answer(role: &str, item: Option<u64>, brief: &Value, dir: &Path) -> Result<Value, DemoError> {
    let items = items(brief);
    match role {
        "probe" => {
            let asked = items.iter().find(|known| known["id"].as_u64() == item);
            let asked =
                asked.ok_or_else(|| DemoError::Agent { what: "an item that is not in the brief".to_owned() })?;
            Ok(probe(asked, &read(dir)?))
        }
        "fix" => fix(&items, dir),
        "verify" => Ok(verify(&brief["claims"], &read(dir)?)),
        other => Err(DemoError::Agent { what: format!("the role `{other}`") }),
    }
}

/// The items of a brief: one of a probe's, a list of the fix's, each with its triage beside it.
fn items(brief: &Value) -> Vec<&Value> {
    match (&brief["item"], &brief["items"]) {
        (Value::Null, Value::Array(list)) => list.iter().map(|entry| entry.get("item").unwrap_or(entry)).collect(),
        (item, _) => vec![item],
    }
}

/// Whether an item asks for what is really wrong: the reviewer's finding, or the red check.
fn is_about_the_count(item: &Value) -> bool {
    item["kind"] == "check" || item["request"].as_str().is_some_and(|text| text.contains("Off by one"))
}

/// From 1.
fn line_with(text: &str, part: &str) -> Option<usize> {
    text.lines().position(|line| line.contains(part)).map(|index| index + 1)
}

fn probe(item: &Value, script: &str) -> Value {
    let id = &item["id"];
    if is_about_the_count(item) {
        return match line_with(script, WRONG) {
            Some(line) => json!({"item_id": id, "verdict": "valid", "risk": "low",
                "reasoning": format!("{FILE}:{line} starts one line too early: for the last 2 of 3 lines, `first` must be 2 and is 1."),
                "proposed_fix": {"path": FILE, "location": format!("line {line}"), "change": "add 1 to `first`"}}),
            None => addressed(id, &format!("{FILE} counts from `total - N + 1` already.")),
        };
    }
    let about_usage = item["request"].as_str().is_some_and(|text| text.contains("usage message"));
    match script.lines().position(|line| line.contains("usage:") && line.contains(">&2")) {
        Some(index) if about_usage => {
            addressed(id, &format!("{FILE}:{} sends the usage message to standard error.", index + 1))
        }
        _ => json!({"item_id": id, "verdict": "unclear", "risk": "medium", "proposed_fix": null,
            "reasoning": "The demo's agent does not know what this asks for."}),
    }
}

fn addressed(id: &Value, reasoning: &str) -> Value {
    json!({"item_id": id, "verdict": "already-addressed", "reasoning": reasoning, "proposed_fix": null, "risk": "low"})
}

fn fix(items: &[&Value], dir: &Path) -> Result<Value, DemoError> {
    let script = read(dir)?;
    let path = dir.join(FILE);
    if script.contains(WRONG) {
        std::fs::write(&path, script.replace(WRONG, RIGHT))
            .map_err(|source| DemoError::Io { path: path.display().to_string(), source })?;
    }
    let line = line_with(&read(dir)?, RIGHT);
    let (fixed, other): (Vec<&Value>, Vec<&Value>) = items.iter().partition(|item| is_about_the_count(item));
    let ids: Vec<&Value> = fixed.iter().map(|item| &item["id"]).collect();
    let rest: serde_json::Map<String, Value> =
        other.iter().map(|item| (item["id"].to_string(), json!("not a part of this change"))).collect();
    Ok(json!({
        "touched_files": [FILE],
        "spec_item_map": {FILE: ids},
        "invariant_per_file": {FILE: {"claim": "the first line to print is `total - N + 1`", "line": line, "contains": RIGHT}},
        "out_of_scope": rest, "declined": {}, "needs_human": {},
        "summary": "The count of the last lines starts one line later.",
    }))
}

/// A claim holds when the corrected line is there.
fn verify(claims: &Value, script: &str) -> Value {
    let holds = script.contains(RIGHT);
    let why = if holds { "the corrected line is there" } else { "the line is as it was" };
    let paths = claims.as_array().into_iter().flatten().map(|claim| &claim[0]);
    let results: Vec<Value> = paths.map(|path| json!({"path": path, "holds": holds, "why": why})).collect();
    json!({ "results": results })
}

fn read(dir: &Path) -> Result<String, DemoError> {
    let path = dir.join(FILE);
    std::fs::read_to_string(&path).map_err(|source| DemoError::Io { path: path.display().to_string(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), include_str!("project/tally_feature.sh")).unwrap();
        dir
    }

    fn item(id: u64, request: &str) -> Value {
        json!({"id": id, "kind": "thread", "request": request})
    }

    #[test]
    fn probes_judge_by_what_stands_in_the_file() {
        let dir = project();
        let verdict = |request: &str| {
            let brief = json!({"role": "probe", "item": item(3, request)});
            answer("probe", Some(3), &brief, dir.path()).unwrap()["verdict"].clone()
        };
        assert_eq!(verdict("Off by one: …"), "valid");
        assert_eq!(verdict("The usage message should go to standard error"), "already-addressed");
        std::fs::write(dir.path().join(FILE), RIGHT).unwrap();
        assert_eq!(verdict("Off by one: …"), "already-addressed");
        assert_eq!(verdict("something else"), "unclear");
    }

    #[test]
    fn the_fix_is_real_and_its_manifest_true() {
        let dir = project();
        let check = json!({"id": 2, "kind": "check", "request": "test failed"});
        let brief = json!({"items": [{"item": item(1, "Off by one"), "triage": null}, {"item": check}, {"item": item(4, "x")}]});
        let manifest = answer("fix", None, &brief, dir.path()).unwrap();
        assert_eq!(manifest["spec_item_map"][FILE], json!([1, 2]));
        assert_eq!(manifest["out_of_scope"]["4"], "not a part of this change");
        let text = read(dir.path()).unwrap();
        let line = usize::try_from(manifest["invariant_per_file"][FILE]["line"].as_u64().unwrap()).unwrap();
        assert!(text.lines().nth(line - 1).unwrap().contains(RIGHT));
        let verified = answer("verify", None, &json!({"claims": [[FILE, "c"]]}), dir.path()).unwrap();
        assert_eq!(verified["results"][0]["holds"], true);
    }

    #[test]
    fn a_call_from_elsewhere_is_refused() {
        assert!(run("", &Env::default()).is_err());
        assert!(answer("sing", None, &Value::Null, Path::new(".")).is_err());
    }
}
