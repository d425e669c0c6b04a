//! The convergence gate: zero open threads, green on the present head, no conflict; anything else is not (T127).

use serde_json::Value;

use crate::support::{Check, Fault, TestBench, Thread};

fn not_converged(bench: &TestBench) -> Value {
    bench.prfix(["gate", "7", "--json"]).fails_with(4).json()
}

fn says(report: &Value, what: &str) {
    assert!(report["reasons"].to_string().contains(what), "{what}: {report:#}");
    assert_eq!(report["converged"], false, "{report:#}");
}

#[test]
fn a_green_pull_request_without_threads_has_converged_and_nothing_is_written() {
    let bench = TestBench::new();
    bench.github.require_checks(&["unit"]);
    bench
        .open_pr("feature")
        .with(Thread::at("src/a.rs:3").says("Off by one.").resolved())
        .check(Check::passed("unit"))
        .check(Check::concluded("style", "SKIPPED"));
    let before = bench.snapshot();
    bench.prfix(["gate", "7"]).succeeds().says("#7 has converged");
    let report = bench.prfix(["gate", "7", "--json"]).succeeds().json();
    assert_eq!((&report["schema"], &report["converged"]), (&"git-prfix.gate/1".into(), &true.into()), "{report:#}");
    assert!(bench.agent.calls().is_empty());
    before.assert_untouched();
}

#[test]
fn every_open_thread_counts_whoever_wrote_it_and_however_old() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .with(Thread::at("src/a.rs:3").says("Off by one.").by("mallory").association("NONE"))
        .with(Thread::at("src/a.rs:1").says("Old.").outdated())
        .with(Thread::at("src/b.rs:3").says("By us.").by("octavia"));
    let report = not_converged(&bench);
    says(&report, "3 unresolved threads");
    let listed: Vec<&str> =
        report["unresolved"].as_array().unwrap().iter().map(|thread| thread["author"].as_str().unwrap()).collect();
    assert_eq!(listed, ["mallory", "rita", "octavia"], "{report:#}");
    assert_eq!(report["unresolved"][1]["outdated"], true);
}

#[test]
fn more_than_a_page_of_threads_is_counted_and_five_places_stand_on_a_line() {
    let bench = TestBench::new();
    let mut pr = bench.open_pr("feature");
    for line in 1..=123 {
        pr = pr.thread(&format!("src/a.rs:{line}"), "Please look at this.");
    }
    let ended = bench.prfix(["gate", "7"]).fails_with(4).says("123 unresolved threads");
    let out = ended.to_string();
    let lines: Vec<&str> = out.lines().filter(|line| line.contains("src/a.rs:")).collect();
    assert_eq!(lines.len(), 25, "{out}");
    assert!(lines.iter().all(|line| line.matches("src/a.rs:").count() <= 5), "{out}");
}

#[test]
fn a_check_that_is_red_hidden_missing_or_of_another_commit_is_not_green() {
    for (check, said) in [
        (Check::failed("unit"), "not green: unit"),
        (Check::concluded("unit", "CANCELLED"), "not green: unit"),
        (Check::concluded("unit", "STALE"), "not green: unit"),
        (Check::status("unit", "ERROR"), "not green: unit"),
        (Check::running("unit"), "still running: unit"),
        (Check::status("unit", "EXPECTED"), "still running: unit"),
    ] {
        let bench = TestBench::new();
        bench.open_pr("feature").check(check);
        says(&not_converged(&bench), said);
    }
    let bench = TestBench::new();
    bench.github.require_checks(&["legal"]);
    bench.open_pr("feature").check(Check::passed("unit"));
    says(&not_converged(&bench), "required, but not there on the head: legal");

    let bench = TestBench::new();
    let pr = bench.open_pr("feature").check(Check::passed("unit")).lag_commits(1000);
    pr.push(&[("docs.md", "more\n")]);
    says(&not_converged(&bench), "still shows the checks of");
}

#[test]
fn a_conflict_a_pending_review_and_a_closed_pull_request_do_not_pass() {
    let bench = TestBench::new();
    bench.open_pr("feature").set("mergeable", "CONFLICTING".into());
    says(&not_converged(&bench), "conflicts with its base branch `main`");

    let bench = TestBench::new();
    bench.open_pr("feature").review("octavia", "PENDING", "draft");
    says(&not_converged(&bench), "pending review");

    let bench = TestBench::new();
    bench.open_pr("feature").close();
    says(&not_converged(&bench), "closed");

    let bench = TestBench::new();
    bench.open_pr("feature").merge();
    says(&not_converged(&bench), "merged");
}

#[test]
fn no_answer_of_github_is_no_pass() {
    for (status, exit) in [(401, 3), (403, 3), (404, 2), (500, 1), (502, 1)] {
        let mut bench = TestBench::new();
        bench.clock("2026-01-02T03:04:05Z");
        bench.open_pr("feature");
        bench.github.on("Harvest").always().fail(Fault::status(status));
        bench.prfix(["gate", "7"]).fails_with(exit);
    }
}

#[test]
fn waiting_ends_when_the_checks_are_done_and_only_time_is_waited_for() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    let pr = bench.open_pr("feature").check(Check::running("unit").started_at("2026-01-02T03:00:00Z"));
    let finish = pr.clone();
    bench.github.on("Harvest").nth(3).before(move || {
        drop(finish.clone().check(Check::passed("unit").started_at("2026-01-02T03:05:00Z")));
    });
    bench.prfix(["gate", "7", "--wait", "10"]).succeeds().says("has converged");
    assert_eq!(bench.github.count("Harvest"), 3);

    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    bench.open_pr("feature").check(Check::running("unit"));
    bench.prfix(["gate", "7", "--wait", "2"]).fails_with(4).says("still running: unit");
    assert_eq!(bench.github.count("Harvest"), 5, "every half minute for two minutes");

    let bench = TestBench::new();
    bench.open_pr("feature").check(Check::failed("unit")).check(Check::running("lint"));
    bench.prfix(["gate", "7", "--wait", "60"]).fails_with(4);
    assert_eq!(bench.github.count("Harvest"), 1, "red does not turn green by waiting");
}

#[test]
fn a_merge_that_github_has_not_computed_is_waited_for_and_never_passed() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    let pr = bench.open_pr("feature").check(Check::passed("unit")).set("mergeable", "UNKNOWN".into());
    let report = not_converged(&bench);
    says(&report, "GitHub has not said yet whether it can be merged");
    assert_eq!(report["pending"], true, "{report:#}");
    let finish = pr.clone();
    bench.github.on("Harvest").nth(3).before(move || drop(finish.clone().set("mergeable", "MERGEABLE".into())));
    bench.prfix(["gate", "7", "--wait", "10"]).succeeds();
}
