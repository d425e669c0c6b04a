//! Red, then green: the evidence that each item's report carries.

use serde_json::Value;

use crate::support::{Check, Pr, TestBench};

/// A project whose runner fails in `stops_in_time` while the loop is wrong, once a test of that name is there.
const CHECK: &str = "#!/bin/sh\nif grep -qs stops_in_time tests/*.rs && grep -q 'i <= n' src/a.rs; then\n  echo 'test stops_in_time ... FAILED'\n  exit 1\nfi\necho 'test stops_in_time ... ok'\n";
const TEST: &str = "#[test]\nfn stops_in_time() {\n    assert_eq!(count(&[1]), 1);\n}\n";

fn bench_without_thread() -> (TestBench, Pr) {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature");
    pr.push(&[("check.sh", CHECK)]);
    (bench, pr)
}

fn bench() -> (TestBench, Pr) {
    let (bench, pr) = bench_without_thread();
    (bench, pr.thread("src/a.rs:3", "This loop is off by one, use `<`."))
}

fn proof(report: &Value) -> &Value {
    &report["items"][0]["proof"]
}

#[test]
fn a_test_that_fails_on_the_untouched_head_and_passes_with_the_fix_is_red_green() {
    let (bench, pr) = bench();
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("tests/a.rs", TEST);
    let before = bench.snapshot();
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let proof = proof(&report);
    assert_eq!(
        (proof["kind"].as_str(), proof["command"].as_str()),
        (Some("red-green"), Some("sh check.sh")),
        "{proof:#}"
    );
    assert!(proof["before"].as_str().unwrap().contains("stops_in_time ... FAILED"));
    assert!(proof["after"].as_str().unwrap().contains("stops_in_time ... ok"));
    assert!(pr.replies_in(0)[0].contains("`sh check.sh` fails before and passes with it."), "{:?}", pr.replies_in(0));
    before.assert_untouched();
}

#[test]
fn a_proof_of_what_has_no_thread_stands_in_the_summary() {
    let (bench, pr) = bench_without_thread();
    let pr = pr.review("rita", "CHANGES_REQUESTED", "The loop in src/a.rs is off by one, use `<`.");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("tests/a.rs", TEST);
    bench.prfix(["7"]).succeeds();
    let said = pr.conversation().pop().unwrap().1;
    assert!(said.contains("`sh check.sh` fails before and passes with it."), "{said}");
    assert!(said.contains("Checked with `sh check.sh` passed."), "{said}");
}

#[test]
fn a_test_that_passes_without_the_fix_proves_nothing() {
    let (bench, _) = bench();
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("tests/a.rs", "#[test]\nfn empty_list() {}\n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(proof(&report)["kind"], "green-only");
    assert!(proof(&report)["why"].as_str().unwrap().contains("pass on the untouched head"));
}

#[test]
fn a_failure_outside_of_the_changed_test_is_not_red() {
    let (bench, pr) = bench();
    pr.push(&[("check.sh", &CHECK.replace("test stops_in_time ... FAILED", "error: does not compile"))]);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("tests/a.rs", TEST);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(proof(&report)["kind"], "green-only");
    assert!(proof(&report)["why"].as_str().unwrap().contains("not in a test that was changed"));
}

#[test]
fn without_a_test_the_gates_are_what_there_is_and_without_gates_nothing() {
    let (bench, _) = bench();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(
        (proof(&report)["kind"].as_str(), proof(&report)["command"].as_str()),
        (Some("gate"), Some("sh check.sh"))
    );

    let bench = TestBench::new();
    bench.unset("prfix.testCommand");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one.");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json", "--allow-unverified"]).succeeds().json();
    assert_eq!(proof(&report)["kind"], "none");
    assert!(proof(&report)["why"].as_str().unwrap().contains("no command"));
}

#[test]
fn a_failing_check_is_proved_by_the_same_command_before_and_after() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature");
    pr.push(&[("src/c.rs", "// BROKEN already\n")]);
    let _pr = pr.check(Check::failed("unit").log("src/c.rs: BROKEN"));
    bench.agent.fix().write("src/c.rs", "// mended\n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(proof(&report)["kind"], "red-green");
    assert!(proof(&report)["before"].as_str().unwrap().contains("something is broken"));
}

#[test]
fn a_required_proof_that_is_missing_stops_before_the_push() {
    for (setting, test, blocked) in [
        ("tests", Some("#[test]\nfn empty_list() {}\n"), true),
        ("tests", None, false),
        ("all", None, true),
        ("all", Some(TEST), false),
    ] {
        let (bench, pr) = bench();
        bench.config("prfix.requireProof", setting);
        let head = pr.head();
        let plan = bench.agent.fixes("src/a.rs", "i <= n", "i < n");
        if let Some(test) = test {
            plan.write("tests/a.rs", test);
        }
        let ended = bench.prfix(["7", "--json"]).run();
        assert_eq!(ended.status.code(), Some(if blocked { 3 } else { 0 }), "{setting}: {ended}");
        assert_eq!(pr.head() == head, blocked, "{setting}");
        if blocked {
            let report = ended.json();
            assert_eq!((report["reason"].as_str(), report["worktree"]["kept"].as_bool()), (Some("gates"), Some(true)));
            assert!(report["unblock"].as_str().unwrap().contains("requireProof"));
        }
    }
}
