//! What the scripted agent does and declares.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::bench::TestBench;

/// Runs the scripted agent as the program would.
fn call_agent(bench: &TestBench, role: &str, item: u32, round: u32, brief: &str) -> (bool, String) {
    let path = bench.root().join("brief.json");
    std::fs::write(&path, brief).unwrap();
    let words = shlex::split(&bench.agent.command()).unwrap();
    let output = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(bench.clone_dir())
        .env_clear()
        .envs(bench.environment())
        .env("PRFIX_ROLE", role)
        .env("PRFIX_ITEM", item.to_string())
        .env("PRFIX_ROUND", round.to_string())
        .env("PRFIX_BRIEF", path)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_scripted_agent_edits_and_declares_what_it_did() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    bench.git(&["fetch", "-q", &bench.hub().to_string_lossy(), "feature"]);
    bench.git(&["checkout", "-q", "--detach", "FETCH_HEAD"]);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n").write("src/new.rs", "// it's \"new\"\n").delete("README.md");
    bench.agent.fix().out_of_scope(3, "elsewhere").for_items("src/new.rs", &[2]);
    bench.agent.verdict(2, "invalid", "it is not so");

    let brief = r#"{"items": [{"id": 1}, {"id": 2}, {"id":3}]}"#;
    assert!(call_agent(&bench, "fix", 0, 1, brief).0);
    let (good, answer) = call_agent(&bench, "fix", 0, 2, brief);
    assert!(good, "a second round finds the edit made");
    let manifest: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(manifest["touched_files"], json!(["README.md", "src/a.rs", "src/new.rs"]));
    assert_eq!(manifest["spec_item_map"], json!({"README.md": [1, 2], "src/a.rs": [1, 2], "src/new.rs": [2]}));
    let claim = &manifest["invariant_per_file"]["src/a.rs"];
    assert_eq!((&claim["line"], &claim["contains"]), (&json!(3), &json!("i < n")));
    assert_eq!(manifest["out_of_scope"], json!({"3": "elsewhere"}));
    let status = bench.git(&["status", "--porcelain"]);
    assert_eq!(status, " D README.md\n M src/a.rs\n?? src/new.rs\n");

    let (_, probe) = call_agent(&bench, "probe", 2, 1, "{}");
    let probe: Value = serde_json::from_str(&probe).unwrap();
    assert_eq!(
        (&probe["item_id"], &probe["verdict"], &probe["proposed_fix"]),
        (&json!(2), &json!("invalid"), &Value::Null)
    );
    let calls = bench.agent.calls();
    assert_eq!(
        calls.iter().map(|call| (call.role.as_str(), call.round)).collect::<Vec<_>>(),
        [("fix", 1), ("fix", 2), ("probe", 1)]
    );
    assert_eq!(calls[0].cwd, bench.clone_dir().canonicalize().unwrap());
    assert_eq!(calls[0].brief["items"][2]["id"], 3);
}

#[test]
fn the_scripted_agent_answers_for_every_claim() {
    let bench = TestBench::new();
    let brief = json!({"role": "verify", "claims": [["src/a.rs", "it \"counts\""], ["src/b.rs", "c"]]});
    let (_, answer) = call_agent(&bench, "verify", 0, 1, &format!("{brief:#}"));
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["results"][0], json!({"path": "src/a.rs", "holds": true, "why": "read the file"}));
    assert_eq!(answer["results"][1]["path"], "src/b.rs");
}

#[test]
fn an_agent_without_a_script_fails() {
    let bench = TestBench::new();
    assert!(!call_agent(&bench, "fix", 0, 1, "{}").0);
}
