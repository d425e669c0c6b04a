//! Commands that fit, and who chose them.

use serde_json::json;

use crate::support::{Check, Pr, TestBench};

const WORKFLOW: &str = "name: CI\non: [pull_request]\nenv:\n  TOKEN_A: literal\n  PATH: /nowhere\njobs:\n  unit:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        mode: [strict, loose]\n    steps:\n      - run: npm ci\n      - run: sh check.sh\n        working-directory: sub\n        env:\n          MODE: ${{ matrix.mode }}\n          KEY: ${{ secrets.KEY }}\n";
/// Fails while a source file says so; shows what it was given.
const CHECK: &str = "#!/bin/sh\necho \"mode=$MODE key=$KEY token=$TOKEN_A\"\nif grep -rn BROKEN ../src; then echo 'error: broken'; exit 1; fi\n";

fn with_workflow(bench: &TestBench) {
    let main: &[(&str, &str)] = &[(".github/workflows/ci.yml", WORKFLOW), ("sub/check.sh", CHECK)];
    crate::support::git::commit_to(&bench.hub(), "main", "ci", main);
    bench.config("prfix.testCommand", "true");
}

fn broken(pr: Pr) -> Pr {
    pr.push(&[("src/c.rs", "// BROKEN here\n")]);
    pr.check(Check::failed("unit (strict)").workflow("CI").log("src/c.rs: BROKEN"))
}

#[test]
fn the_failing_jobs_own_step_is_shown_run_and_the_proof() {
    let bench = TestBench::new();
    with_workflow(&bench);
    let _pr = broken(bench.open_pr("feature"));
    bench.agent.fix().write("src/c.rs", "// mended\n");
    let ended = bench.prfix(["7", "--json"]).succeeds();
    let report = ended.json();
    let own = "(sub) env 'MODE=strict' sh check.sh";
    assert_eq!(report["gates"][0]["command"], own, "{report:#}");
    let proof = &report["items"][0]["proof"];
    assert_eq!((proof["kind"].as_str(), proof["command"].as_str()), (Some("red-green"), Some(own)));
    assert!(proof["before"].as_str().unwrap().contains("mode=strict key= token=\n"), "{proof:#}");
    ended.says(&format!("the failing job's own step will be run: `{own}`"));
}

#[test]
fn a_workflow_that_somebody_without_a_say_changed_chooses_no_command() {
    let bench = TestBench::new();
    with_workflow(&bench);
    let pr = bench.open_pr_from_fork("mallory", "feature").set("maintainerCanModify", json!(true));
    pr.push(&[
        (".github/workflows/ci.yml", &WORKFLOW.replace("sh check.sh", "sh ../evil.sh")),
        ("evil.sh", "touch evil-ran\n"),
    ]);
    let _pr = broken(pr);
    bench.agent.fix().write("src/c.rs", "// mended\n");
    let report = bench.prfix(["7", "--json"]).run().json();
    assert!(!report["gates"].to_string().contains("evil"), "{report:#}");
    assert!(report["warnings"].to_string().contains("steps of failing jobs are not run"));
}

#[test]
fn a_makefile_from_a_stranger_runs_in_the_sandbox_or_not_at_all() {
    let bench = TestBench::new();
    bench.unset("prfix.testCommand");
    bench.config("prfix.sandbox", "off");
    let pr = bench.open_pr_from_fork("mallory", "feature").set("maintainerCanModify", json!(true));
    pr.push(&[("Makefile", "test:\n\ttouch /tmp/never\n")]);
    let _pr = pr.thread("src/a.rs:3", "This loop is off by one, use `<`.");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "untrusted-author", "{report:#}");
    assert!(report["unblock"].as_str().unwrap().contains("Makefile"));
    assert!(bench.agent.calls().is_empty());
}

#[test]
fn a_makefile_that_the_author_did_not_change_is_run() {
    let bench = TestBench::new();
    bench.unset("prfix.testCommand");
    bench.config("prfix.sandbox", "off");
    crate::support::git::commit_to(&bench.hub(), "main", "make", &[("Makefile", "test:\n\tsh check.sh\n")]);
    let pr = bench.open_pr_from_fork("mallory", "feature").set("maintainerCanModify", json!(true));
    // The base goes on; the fork's older copy is nobody's choice.
    crate::support::git::commit_to(&bench.hub(), "main", "make", &[("Makefile", "test:\n\tsh check.sh all\n")]);
    let _pr = pr.thread("src/a.rs:3", "This loop is off by one, use `<`.");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["gates"][0]["command"], "make test");
}
