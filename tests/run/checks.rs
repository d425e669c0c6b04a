//! What each state of a check means for a run (T34–T42, case 15).

use serde_json::Value;

use crate::support::{Check, TestBench};

fn harvest(bench: &TestBench) -> Value {
    bench.prfix(["harvest", "7", "--json"]).succeeds().json()
}

/// What the fix agent was told.
fn prompt(bench: &TestBench) -> String {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.prfix(["7", "--json"]).succeeds();
    bench.agent.calls_of("fix")[0].prompt.clone()
}

fn requests(report: &Value) -> Vec<String> {
    let items = report["items"].as_array().unwrap();
    items.iter().map(|item| format!("{} {}", item["source"], item["request"])).collect()
}

#[test]
fn checks_that_still_run_are_named_and_neither_green_nor_work() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .check(Check::running("unit"))
        .check(Check::queued("lint"))
        .check(Check::status("ci/external", "PENDING"))
        .check(Check::status("ci/announced", "EXPECTED"));
    let report = harvest(&bench);
    let warnings = report["warnings"].to_string();
    for name in ["unit", "lint", "ci/external", "ci/announced"] {
        assert!(warnings.contains(name), "{name}: {report:#}");
    }
    assert_eq!(requests(&report), [""; 0], "{report:#}");
}

#[test]
fn a_failing_status_of_another_service_is_work_with_its_address() {
    for state in ["FAILURE", "ERROR"] {
        let bench = TestBench::new();
        bench.open_pr("feature").check(Check::status("ci/external", state));
        let report = harvest(&bench);
        assert_eq!(report["items"][0]["kind"], "check", "{report:#}");
        assert!(requests(&report)[0].contains("ci/external"), "{report:#}");
    }
}

#[test]
fn neutral_and_skipped_checks_ask_for_nothing() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .check(Check::concluded("style", "NEUTRAL"))
        .check(Check::concluded("deploy", "SKIPPED"))
        .check(Check::passed("unit"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!((&report["reason"], requests(&report).len()), (&"nothing-to-do".into(), 0), "{report:#}");
}

#[test]
fn what_is_neither_green_nor_code_is_left_to_a_person_and_never_done() {
    for (conclusion, said) in
        [("CANCELLED", "cancelled"), ("STALE", "stale"), ("ACTION_REQUIRED", "approve"), ("STARTUP_FAILURE", "start")]
    {
        let bench = TestBench::new();
        bench.open_pr("feature").check(Check::concluded("unit", conclusion));
        let report = bench.prfix(["7", "--json"]).fails_with(3).json();
        assert_eq!(report["reason"], "needs-human", "{conclusion}: {report:#}");
        let item = &report["items"][0];
        assert_eq!(item["status"], "needs-human", "{conclusion}: {report:#}");
        let told = format!("{} {}", item["request"], item["detail"]).to_lowercase();
        assert!(told.contains(said), "{conclusion}: {report:#}");
    }
}

#[test]
fn a_timed_out_check_is_work() {
    let bench = TestBench::new();
    bench.open_pr("feature").check(Check::concluded("unit", "TIMED_OUT"));
    assert_eq!(harvest(&bench)["items"][0]["kind"], "check");
}

#[test]
fn jobs_of_one_name_in_two_workflows_are_two_items() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .check(Check::failed("build").workflow("Linux").log("error: linux breaks"))
        .check(Check::failed("build").workflow("Windows").log("error: windows breaks"));
    assert_eq!(requests(&harvest(&bench)).len(), 2);
    let prompt = prompt(&bench);
    assert!(prompt.contains("error: linux breaks") && prompt.contains("error: windows breaks"), "{prompt}");
}

#[test]
fn each_failing_job_of_a_matrix_has_its_own_log() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .check(Check::failed("test (3.11)").log("error: no tomllib"))
        .check(Check::failed("test (3.12)").log("error: no distutils"))
        .check(Check::passed("test (3.13)"));
    let requests = requests(&harvest(&bench));
    assert!(requests.len() == 2 && requests[0].contains("3.11") && requests[1].contains("3.12"), "{requests:#?}");
    let prompt = prompt(&bench);
    assert!(prompt.contains("error: no tomllib") && prompt.contains("error: no distutils"), "{prompt}");
}

#[test]
fn a_job_that_failed_is_work_while_another_still_runs() {
    let bench = TestBench::new();
    bench.open_pr("feature").check(Check::failed("unit").log("error: one is not two")).check(Check::running("slow"));
    let report = harvest(&bench);
    assert!(requests(&report).len() == 1 && report["warnings"].to_string().contains("slow"), "{report:#}");
    assert!(prompt(&bench).contains("error: one is not two"));
}

#[test]
fn a_log_that_is_gone_is_a_named_gap_and_the_item_stays() {
    for status in [404, 410] {
        let bench = TestBench::new();
        bench.open_pr("feature").check(Check::failed("unit").no_log(status));
        let report = harvest(&bench);
        assert!(requests(&report)[0].contains("unit"), "{status}: {report:#}");
        let warnings = report["warnings"].to_string();
        assert!(warnings.contains("`unit`") && warnings.contains("log"), "{status}: {report:#}");
    }
}
