//! Ways in which GitHub misleads those who read it in a hurry.

use serde_json::Value;

use crate::support::{Check, Fault, TestBench, Thread};

fn harvest(bench: &TestBench) -> Value {
    bench.prfix(["harvest", "7", "--json"]).succeeds().json()
}

fn warnings(report: &Value) -> String {
    report["warnings"].to_string()
}

#[test]
fn a_required_check_that_never_ran_is_named_and_not_green() {
    let bench = TestBench::new();
    bench.github.require_checks(&["unit", "legal"]);
    bench.open_pr("feature").check(Check::passed("unit"));
    let report = harvest(&bench);
    assert!(warnings(&report).contains("never ran on the head commit, so not green: legal"), "{report:#}");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert!(warnings(&report).contains("legal"), "a run says it as well: {report:#}");
}

#[test]
fn a_forks_workflow_that_awaits_approval_is_left_to_a_person() {
    for beside in [false, true] {
        let bench = TestBench::new();
        let pr = bench.open_pr("feature");
        bench.github.run_awaits_approval(&pr.head());
        if beside {
            pr.check(Check::status("license/cla", "SUCCESS"));
        }
        let report = harvest(&bench);
        let request = report["items"][0]["request"].as_str().unwrap_or_default();
        assert!(request.contains("waits for somebody to approve"), "beside another check: {beside}: {report:#}");
    }
}

#[test]
fn a_workflow_that_could_not_start_shows_alone_and_beside_green_checks() {
    for beside in [false, true] {
        let bench = TestBench::new();
        let pr = bench.open_pr("feature");
        bench.github.run_without_jobs(&pr.head(), "Deploy", "startup_failure");
        if beside {
            pr.check(Check::passed("unit"));
        }
        let report = harvest(&bench);
        let request = report["items"][0]["request"].as_str().unwrap_or_default();
        assert!(request.contains("`Deploy`") && request.contains("could not start"), "{beside}: {report:#}");
        assert_eq!(report["items"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn failures_of_superseded_runs_and_of_runs_that_go_again_are_no_work() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .check(Check::failed("unit").started_at("2026-11-30T10:00:00Z"))
        .check(Check::passed("unit").started_at("2026-11-30T11:00:00Z"))
        .check(Check::failed("lint").started_at("2026-11-30T10:00:00Z"))
        .check(Check::running("lint").started_at("2026-11-30T11:00:00Z"));
    let report = harvest(&bench);
    assert_eq!(report["items"].as_array().unwrap().len(), 0, "{report:#}");
    assert!(warnings(&report).contains("still running: lint"));
}

#[test]
fn checks_of_the_commit_before_the_head_are_ignored() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").check(Check::failed("unit")).lag_commits(1000);
    pr.push(&[("docs.md", "more\n")]);
    let report = harvest(&bench);
    assert_eq!(report["items"].as_array().unwrap().len(), 0, "{report:#}");
    assert!(warnings(&report).contains("still shows the checks of"), "{report:#}");
}

#[test]
fn a_head_that_lags_behind_the_push_is_waited_for() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "Off by one, please use `<`.").lag_head(2);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!((report["reason"].as_str(), pr.replies()), (Some("pushed"), 1), "{report:#}");
}

#[test]
fn mergeability_that_github_has_not_computed_is_no_conflict() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    bench.open_pr("feature").thread("src/a.rs:3", "Off by one, please use `<`.");
    let unknown = || Fault::patch(|body| body["data"]["repository"]["pullRequest"]["mergeable"] = "UNKNOWN".into());
    bench.github.on("Harvest").fail(unknown());
    bench.github.on("Mergeable").always().fail(unknown());
    let report = harvest(&bench);
    assert_eq!(report["items"].as_array().unwrap().len(), 1, "{report:#}");
    assert_eq!(bench.github.count("Mergeable"), 5);
}

#[test]
fn left_and_file_level_comments_keep_their_places() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .with(Thread::at("src/b.rs:3").left().says("Why was this greeting removed? Please keep it."))
        .with(Thread::at("src/a.rs").says("Please add a comment at the top of this file."));
    let report = harvest(&bench);
    let items = report["items"].as_array().unwrap();
    assert_eq!((&items[0]["path"], &items[0]["line"]), (&"src/b.rs".into(), &3.into()), "{report:#}");
    assert_eq!((&items[1]["path"], &items[1]["line"]), (&"src/a.rs".into(), &Value::Null), "{report:#}");
}

#[test]
fn a_reply_by_e_mail_is_a_conversation_item_without_what_it_quotes() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").comment(
        "rita",
        "Please use `<` in the loop.\r\n\r\nOn Mon, Nov 30, 2026 at 9:00 AM Ann <ann@example.com> wrote:\r\n> I think it is fine.\r\n",
    );
    let report = harvest(&bench);
    let items = report["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["kind"], &items[0]["path"]), (1, &"comment".into(), &Value::Null));
    assert!(items[0]["request"].as_str().unwrap().starts_with("Please use `<` in the loop."));
}

#[test]
fn a_log_store_without_ranges_is_named_with_what_it_cost() {
    let bench = TestBench::new();
    bench.github.without_ranges();
    bench.open_pr("feature").check(Check::failed("unit").huge_log(3 << 20, "error: it does not work"));
    bench.prfix(["harvest", "7"]).succeeds().says("knows no byte ranges: all 3 MiB of it were downloaded");
}

#[test]
fn a_wait_for_the_rate_limit_is_shown_and_the_run_goes_on() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    bench.open_pr("feature").thread("src/a.rs:3", "Off by one, please use `<`.");
    bench.github.on("Harvest").fail(Fault::secondary_limit(42));
    bench.prfix(["harvest", "7"]).succeeds().says("GitHub's rate limit: waiting 42 s").says("Off by one");
}
