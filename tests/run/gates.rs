//! The project's own checks, before and after (T85, T86, A40–A43).

use crate::support::{Check, Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

#[test]
fn gates_run_on_the_untouched_head_and_on_the_fix() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let gate = &report["gates"][0];
    assert_eq!(
        (gate["command"].as_str(), gate["status"].as_str(), gate["before"].as_str()),
        (Some("sh check.sh"), Some("passed"), Some("passed"))
    );
    let log = std::fs::read_to_string(gate["log"].as_str().unwrap()).unwrap();
    assert!(log.contains("all checks passed"));
}

#[test]
fn a_red_gate_goes_back_to_the_agent_with_its_output_and_green_is_pushed() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n /* BROKEN */");
    bench
        .agent
        .fix_round(2)
        .sh("sed -i 's| /. BROKEN ./||' src/a.rs")
        .claims("src/a.rs")
        .for_items("src/a.rs", &[1])
        .invariant("src/a.rs", &serde_json::json!({"claim": "c", "line": 3, "contains": "i < n"}));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["commits"].as_array().unwrap().len(), 2, "one commit a pass");
    let again = &bench.agent.calls_of("fix")[1];
    assert!(again.prompt.contains("something is broken") && again.prompt.contains("sh check.sh"));
    assert_eq!(pr.unresolved(), 0);
    assert!(!bench.file_at("feature", "src/a.rs").contains("BROKEN"));
}

#[test]
fn gates_that_stay_red_block_after_two_more_passes_and_nothing_is_pushed() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let head = pr.head();
    bench
        .agent
        .fix()
        .sh("echo \"BROKEN $PRFIX_ROUND\" >> src/a.rs")
        .claims("src/a.rs")
        .invariant("src/a.rs", &serde_json::json!({"claim": "c", "contains": "BROKEN"}));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "gates");
    assert_eq!(bench.agent.calls_of("fix").len(), 3);
    assert_eq!((pr.head(), pr.replies()), (head, 0));
    assert_eq!(report["gates"][0]["status"], "failed");
    assert_eq!(report["items"][0]["status"], "unaddressed", "nothing is called fixed that is not on the pull request");
    assert_eq!(report["worktree"]["kept"], true);
}

#[test]
fn a_gate_that_was_red_before_blocks_unless_accepted() {
    let bench = TestBench::new();
    let pr = one(&bench);
    pr.push(&[("src/c.rs", "// BROKEN already\n")]);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "gates");
    assert!(report["unblock"].as_str().unwrap().contains("--accept-red-baseline"));
    assert_eq!(bench.agent.calls_of("fix").len(), 1, "the agent is not asked to repair what it did not break");

    let report = bench.prfix(["7", "--json", "--accept-red-baseline"]).succeeds().json();
    assert_eq!(report["reason"], "pushed");
    assert_eq!(report["gates"][0]["before"], "failed");
}

#[test]
fn a_red_baseline_that_got_worse_is_never_accepted() {
    let bench = TestBench::new();
    let pr = one(&bench);
    pr.push(&[("src/c.rs", "// BROKEN already, error one\n")]);
    bench.config("prfix.testCommand", "sh check.sh");
    bench
        .agent
        .fix()
        .sh("echo \"// BROKEN error $PRFIX_ROUND\" >> src/a.rs")
        .claims("src/a.rs")
        .invariant("src/a.rs", &serde_json::json!({"claim": "c", "contains": "BROKEN"}));
    let report = bench.prfix(["7", "--json", "--accept-red-baseline"]).fails_with(3).json();
    assert_eq!(report["reason"], "gates");
}

#[test]
fn without_a_gate_the_push_needs_the_operators_word() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.unset("prfix.testCommand");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "gates");
    assert!(report["warnings"].to_string().contains("unverified"));
    assert!(report["unblock"].as_str().unwrap().contains("--allow-unverified"));
    bench.prfix(["7", "--allow-unverified"]).succeeds();
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_gate_past_its_limit_is_ended_and_counts_as_red() {
    let bench = TestBench::new();
    one(&bench);
    bench.config("prfix.testCommand", "sleep 600");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json", "--gate-timeout", "1"]).fails_with(3).json();
    assert_eq!(report["gates"][0]["status"], "timed-out");
}

#[test]
fn a_failing_check_that_the_fix_turns_green_is_fixed() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").check(Check::failed("unit").log("src/c.rs: BROKEN"));
    pr.push(&[("src/c.rs", "// BROKEN already\n")]);
    let pr = pr.check(Check::failed("unit").log("src/c.rs: BROKEN"));
    bench.agent.fix().write("src/c.rs", "// mended\n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["items"][0]["status"], "fixed", "{report:#}");
    assert_eq!(
        (report["gates"][0]["before"].as_str(), report["gates"][0]["status"].as_str()),
        (Some("failed"), Some("passed"))
    );
    drop(pr);
}

#[test]
fn secrets_are_out_of_reach_of_agents_and_gates() {
    let mut bench = TestBench::new();
    one(&bench);
    bench.env("SSH_AUTH_SOCK", "/tmp/agent.sock");
    bench.config("prfix.testCommand", "env");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let log = std::fs::read_to_string(report["gates"][0]["log"].as_str().unwrap()).unwrap();
    for (name, value) in [("GH_TOKEN", "test-token"), ("SSH_AUTH_SOCK", "agent.sock")] {
        assert!(!log.contains(&format!("{name}=")) && !log.contains(value), "{log}");
        for call in bench.agent.calls() {
            assert!(!call.env.contains_key(name));
        }
    }
}
