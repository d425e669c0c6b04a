//! The review of our own change before the push.

use serde_json::{Value, json};

use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

fn found(confidence: &str) -> Value {
    json!({"results": [{"path": "src/a.rs", "holds": false, "why": "line 3 compares the wrong way round", "item": 1,
        "kind": "logic-inversion", "confidence": confidence}]})
}

#[test]
fn what_the_review_is_sure_of_goes_back_once_and_the_rest_is_reported() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i > n");
    bench.agent.fix_round(2).replace("src/a.rs", "i > n", "i < n");
    bench.agent.verify().answers(&found("high"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();

    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
    assert_eq!(report["commits"].as_array().unwrap().len(), 2);
    assert_eq!(bench.agent.calls_of("verify").len(), 1, "one review a run");
    let fix = bench.agent.calls_of("fix");
    assert_eq!(fix.len(), 2);
    assert!(fix[1].prompt.contains("line 3 compares the wrong way round"));
    assert_eq!(report["self_review"][0]["sent_back"], true);
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn the_reviewer_gets_diff_spec_and_claims_and_may_write_nothing() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.config("prfix.sandbox", "off");
    bench.agent.verify().sh("echo evil >> src/a.rs").answers(&found("high"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let call = &bench.agent.calls_of("verify")[0];
    for part in ["+    while i < n {", "off by one", "the change is in place"] {
        assert!(call.prompt.contains(part), "{part}");
    }
    assert_eq!(call.brief["task"], "self-review");
    assert!(!bench.file_at("feature", "src/a.rs").contains("evil"));
    assert_eq!(bench.agent.calls_of("fix").len(), 1, "an answer of somebody who wrote does not count");
    assert!(report["self_review"].as_array().unwrap().is_empty());
}

#[test]
fn doubts_stand_in_the_report_and_cost_no_pass() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.agent.verify().answers(&found("medium"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let finding = &report["self_review"][0];
    assert_eq!((finding["confidence"].as_str(), finding["sent_back"].as_bool()), (Some("medium"), Some(false)));
    assert_eq!((bench.agent.calls_of("fix").len(), pr.unresolved()), (1, 0));
}

#[test]
fn an_agent_that_stands_by_its_change_is_not_asked_again() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n");
    bench.agent.fix_round(2).answers(&json!({"touched_files": [], "summary": "It is right as it is."}));
    bench.agent.verify().answers(&found("high"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!((report["reason"].as_str(), report["commits"].as_array().unwrap().len()), (Some("pushed"), 1));
    assert_eq!((bench.agent.calls_of("fix").len(), pr.unresolved()), (2, 0));
}

#[test]
fn a_review_or_a_second_pass_that_fails_costs_no_verified_change() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.agent.verify().prints("no idea");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert!(report["warnings"].to_string().contains("was not reviewed before the push"));

    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix().sh("echo junk > junk.txt; exit 1");
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n");
    bench.agent.verify().answers(&found("high"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "pushed");
    assert!(report["warnings"].to_string().contains("was not put right"), "{report:#}");
}

#[test]
fn it_can_be_left_out() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.prfix(["7", "--json", "--no-self-review"]).succeeds();
    assert!(bench.agent.calls_of("verify").is_empty());
}

#[test]
fn a_run_killed_at_any_step_of_a_review_and_its_pass_pushes_both_commits_once() {
    let mut at = 0;
    loop {
        at += 1;
        let bench = TestBench::new();
        let pr = one(&bench);
        // Killed before its answer was kept, the agent is asked anew, in another round.
        let line = json!({"claim": "the loop compares", "line": 3, "contains": "while i"});
        let plan = bench.agent.fix().sh("if grep -q 'i <= n' src/a.rs; then sed -i 's/i <= n/i > n/' src/a.rs; elif git diff --quiet; then sed -i 's/i > n/i < n/' src/a.rs; fi");
        plan.claims("src/a.rs").for_items("src/a.rs", &[1]).invariant("src/a.rs", &line);
        bench.agent.verify().answers(&found("high"));
        let first = bench.prfix(["7", "--json"]).env("PRFIX_ABORT_AT", &at.to_string()).run();
        if first.status.success() {
            break;
        }
        bench.prfix(["7", "--json"]).succeeds();
        assert!(bench.file_at("feature", "src/a.rs").contains("i < n"), "killed at step {at}");
        assert_eq!((pr.replies(), pr.unresolved()), (1, 0), "killed at step {at}");
        at += 2;
    }
    assert!(at > 20, "the run has steps to be killed at");
}
