//! What `runs` and `report` tell of a run: enough to understand it without the machine.

use serde_json::Value;

use crate::support::{Pr, TestBench};

fn two(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n").replace("src/b.rs", "Helo", "Hello");
    bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Typo: should be Hello.")
}

fn steps(document: &Value) -> Vec<String> {
    let steps = document["steps"].as_array().expect("steps");
    assert!(steps.iter().all(|step| step["at"].as_str().is_some_and(|at| at.starts_with("2026-01-02T03:"))));
    steps.iter().map(|step| step["what"].as_str().unwrap().to_owned()).collect()
}

/// The steps that begin so, in this order, others between them.
#[track_caller]
fn assert_in_order(steps: &[String], expected: &[&str]) {
    let mut left = steps.iter();
    for start in expected {
        assert!(left.any(|step| step.starts_with(start)), "`{start}` in {steps:#?}");
    }
}

#[test]
fn a_run_that_is_done_is_told_step_by_step() {
    let bench = TestBench::new();
    bench.config("prfix.setupCommand", "true");
    two(&bench);
    let ran = bench.prfix(["7", "--json"]).succeeds().json();
    let told = bench.prfix(["report", ran["run"].as_str().unwrap(), "--json"]).succeeds().json();
    assert_eq!((&told["run"], &told["reason"], &told["items"]), (&ran["run"], &ran["reason"], &ran["items"]));
    let expected = [
        "began on",
        "numbered 2 item(s)",
        "made the worktree",
        "set-up",
        "probe of item 1: valid",
        "probe of item 2: valid",
        "fix agent (command), round 1: answered",
        "accepted the change of pass 1",
        "gates on the untouched head",
        "about to commit",
        "committed",
        "verified",
        "about to push",
        "done: push",
        "about to reply",
        "done: reply",
        "about to resolve",
        "done: resolve",
        "done: the fix is pushed",
    ];
    assert_in_order(&steps(&told), &expected);
    bench.prfix(["report"]).succeeds().says("`sh check.sh` passed").says("#discussion_r").says("1 agent call");
    let runs = bench.prfix(["runs", "--json"]).succeeds().json();
    assert_eq!((runs[0]["state"].as_str(), runs[0]["commits"].as_u64()), (Some("done"), Some(1)));
    assert!(runs[0]["began"].as_str().unwrap().starts_with("2026-01-02T03:04"), "{runs:#}");
    assert!(runs[0]["usage"]["agent_calls"].as_u64().unwrap() >= 3, "{runs:#}");
    bench.prfix(["runs"]).succeeds().says("2 items, 1 commits").says("agent calls");
}

#[test]
fn a_run_that_is_blocked_tells_what_failed_how_and_what_would_unblock_it() {
    let bench = TestBench::new();
    bench
        .agent
        .fix()
        .sh("echo \"BROKEN $PRFIX_ROUND\" >> src/a.rs")
        .claims("src/a.rs")
        .invariant("src/a.rs", &serde_json::json!({"claim": "c", "contains": "BROKEN"}));
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
    let ran = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(ran["reason"], "gates", "{ran:#}");
    let told = bench.prfix(["report", "--json"]).succeeds().json();
    assert_in_order(&steps(&told), &["gates on the untouched head", "committed", "gates on", "blocked: "]);
    let red =
        told["steps"].as_array().unwrap().iter().rfind(|step| step["what"].as_str().unwrap().starts_with("gates on"));
    let red = red.unwrap()["detail"].to_string();
    assert!(red.contains("`sh check.sh` failed, exit status 1") && red.contains("error: something is broken"), "{red}");
    let end = &told["steps"].as_array().unwrap().last().unwrap()["detail"][0];
    assert_eq!(*end, ran["unblock"]);
    bench.prfix(["report"]).succeeds().says("exit status 1").says("error: something is broken").says("to go on:");
    let runs = bench.prfix(["runs", "--json"]).succeeds().json();
    assert_eq!((&runs[0]["unblock"], &runs[0]["state"]), (&ran["unblock"], &"blocked".into()));
}

#[test]
fn a_run_that_was_killed_has_a_report_of_what_is_known_and_says_how_to_go_on() {
    let bench = TestBench::new();
    let pr = two(&bench);
    bench.prfix(["7"]).dies_after("Reply", 1);
    let told = bench.prfix(["report", "--json"]).succeeds().json();
    let run = told["run"].as_str().unwrap().to_owned();
    assert_eq!((told["outcome"].as_str(), told["reason"].as_str()), (Some("blocked"), Some("interrupted")));
    assert!(told["unblock"].as_str().unwrap().contains(&format!("git prfix --resume {run}")), "{told:#}");
    assert_eq!(told["pr"]["head_after"], pr.head().as_str(), "what was pushed is known");
    assert_eq!(told["items"][0]["verdict"], "valid");
    assert_eq!((&told["worktree"]["kept"], told["gates"][0]["status"].as_str()), (&true.into(), Some("passed")));
    let last = steps(&told);
    assert!(last.last().unwrap().starts_with("about to reply in thread"), "{last:#?}");
    let runs = bench.prfix(["runs", "--json"]).succeeds().json();
    assert_eq!(runs[0]["state"], "unfinished");
    assert!(runs[0]["unblock"].as_str().unwrap().contains(&run), "{runs:#}");
    bench.prfix(["report", "--open"]).fails_with(2).says("has no page");

    // A report of before an interrupt is no report of what came after it.
    bench.prfix(["7"]).succeeds();
    let told = bench.prfix(["report", &run, "--json"]).succeeds().json();
    assert_eq!(told["reason"], "pushed");
    assert_in_order(&steps(&told), &["about to reply", "went on, in process", "done: the fix is pushed"]);
}

#[test]
fn a_run_at_work_is_said_to_be_at_work() {
    let bench = TestBench::new();
    two(&bench);
    bench.config("prfix.sandbox", "off");
    let here = format!("cd {} && {}", bench.clone_dir().display(), env!("CARGO_BIN_EXE_git-prfix"));
    let kept = bench.root().join("seen");
    let look = |what: &str| format!("({here} {what} --json >> {} 2>&1)", kept.display());
    bench.agent.fix().sh(&look("runs")).sh(&look("report"));
    bench.prfix(["7"]).succeeds();
    let seen = std::fs::read_to_string(kept).unwrap();
    assert!(seen.contains("\"state\": \"running\"") && seen.contains("wait: process"), "{seen}");
}
