//! What agents may cost on one pull request, over all of its runs.

use serde_json::{Value, json};

use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

/// An answer in the envelope of a CLI that tells what it cost.
fn costing(answer: &str, usd: f64) -> Value {
    json!({"type": "result", "is_error": false, "result": answer, "total_cost_usd": usd,
        "usage": {"input_tokens": 90, "output_tokens": 20}})
}

#[test]
fn a_budget_counts_over_runs_and_stops_before_the_next_call() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.config("prfix.budgetUsd", "1");
    bench.agent.fix_round(1).answers(&costing("no manifest", 1.5));
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!((&report["reason"], &report["usage"]["cost_usd"]), (&json!("agent"), &json!(1.5)), "{report:#}");
    let unblock = report["unblock"].as_str().unwrap();
    assert!(unblock.contains("$1.50 of $1.00") && unblock.contains("prfix.budgetUsd"), "{unblock}");

    let again = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!((&again["reason"], &again["usage"]["agent_calls"]), (&json!("agent"), &json!(0)), "{again:#}");
    assert_eq!(bench.agent.calls().len(), 1, "a used-up budget pays for no call");

    let raised = bench.prfix(["7", "--budget-usd", "5"]).succeeds().says("$1.50 of $5.00");
    assert!(raised.stderr.contains("$1.50") && pr.unresolved() == 0, "{raised}");
    let state = std::fs::read_to_string(bench.journal_dir().join("pr-7/state.json")).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    let sum: f64 = state["spent"].as_object().unwrap().values().filter_map(|run| run["cost_usd"].as_f64()).sum();
    assert!((sum - 3.0).abs() < 1e-9, "{state:#}");
}

#[test]
fn probes_stop_when_the_budget_is_used_up() {
    let bench = TestBench::new();
    let mut pr = bench.open_pr("feature");
    for line in 1..=4 {
        pr = pr.thread(&format!("src/a.rs:{line}"), &format!("Please look at concern number {line} again."));
    }
    let verdict = json!({"item_id": 1, "verdict": "valid", "reasoning": "r", "proposed_fix": null, "risk": "low"});
    bench.agent.probes().answers(&costing(&verdict.to_string(), 1.0));
    let report = bench.prfix(["7", "--json", "--probes", "1", "--budget-usd", "2"]).fails_with(3).json();
    assert_eq!(report["reason"], "agent", "{report:#}");
    assert_eq!((bench.agent.calls().len(), &report["usage"]["cost_usd"]), (2, &json!(2.0)));
    assert_eq!(pr.replies(), 0);
}

#[test]
fn tokens_and_time_are_limited_too() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix_round(1).answers(&costing("no manifest", 0.1));
    let report = bench.prfix(["7", "--json", "--budget-tokens", "100"]).fails_with(3).json();
    assert!(report["unblock"].as_str().unwrap().contains("110 of 100 tokens"), "{report:#}");

    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix().sh("sleep 1000");
    let report = bench.prfix(["7", "--json", "--budget-seconds", "1"]).fails_with(3).json();
    let unblock = report["unblock"].as_str().unwrap();
    assert!(unblock.contains("seconds") && unblock.contains("prfix.budgetSeconds"), "{report:#}");
    assert_eq!(bench.agent.calls().len(), 1);
}

#[test]
fn a_limit_in_dollars_on_an_agent_that_tells_no_cost_is_said() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json", "--budget-usd", "5"]).succeeds().json();
    assert!(report["warnings"].to_string().contains("does not tell what it costs"), "{report:#}");
}
