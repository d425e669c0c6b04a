//! The loop over a fake clock: silent while nothing changes, one round for a change, an end of its own
//! (T43–T46, T110, T130–T132, T137, T142).

use std::sync::Arc;

use serde_json::json;

use super::{confirmed, one, record};
use crate::support::{Check, Fault, Pr, TestBench, Thread};

/// The nth poll merges the pull request, so that the watch ends.
fn merges_at(bench: &TestBench, pr: &Arc<Pr>, nth: usize) {
    let pr = Arc::clone(pr);
    bench.github.on("Gate").nth(nth).before(move || pr.merge());
}

#[test]
fn a_quiet_watch_prints_nothing_calls_no_agent_and_costs_one_request_a_poll() {
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature").check(Check::passed("unit")));
    confirmed(&bench, |_| {});
    merges_at(&bench, &pr, 60);
    let watched = bench.prfix(["watch", "7"]).succeeds().says("the pull request was merged");
    assert!(bench.agent.calls().is_empty());
    assert_eq!(bench.github.count("Gate"), 60);
    let at = bench.github.names().iter().rposition(|name| name == "Harvest").unwrap();
    let quiet = bench.github.names().iter().take(at).filter(|name| *name == "Gate").count();
    assert_eq!(quiet, 60, "no closer look between the second and the last poll");
    let lines: Vec<&str> = watched.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "start, nothing to do, end: {watched}");
    assert!(watched.stdout.is_empty());
}

#[test]
fn a_change_is_worked_on_once_and_our_own_replies_start_no_round() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let thread = Thread::at("src/a.rs:3").says("This loop is off by one, use `<`.").resolved();
    let pr = Arc::new(bench.open_pr("feature").with(thread));
    confirmed(&bench, |_| {});
    let opened = Arc::clone(&pr);
    bench.github.on("Gate").nth(3).before(move || opened.unresolve(0));
    merges_at(&bench, &pr, 12);
    let watched = bench.prfix(["watch", "7"]).succeeds();
    assert_eq!((bench.agent.calls_of("fix").len(), pr.replies(), pr.unresolved()), (1, 1, 0), "{watched}");
    assert_eq!(watched.stderr.matches("pushed").count(), 1, "one line a round: {watched}");
}

#[test]
fn a_poll_that_fails_is_tried_again_later_and_said_once() {
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature"));
    confirmed(&bench, |_| {});
    bench.github.on("Gate").nth(2).times(9).fail(Fault::status(502));
    merges_at(&bench, &pr, 12);
    let watched = bench.prfix(["watch", "7"]).succeeds();
    assert_eq!(watched.stderr.matches("trying again later").count(), 1, "{watched}");
}

#[test]
fn a_rate_limit_is_waited_for_and_is_no_end() {
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature"));
    confirmed(&bench, |_| {});
    bench.github.on("Gate").nth(2).fail(Fault::secondary_limit(90));
    merges_at(&bench, &pr, 4);
    bench.prfix(["watch", "7"]).succeeds().says("the pull request was merged");
}

#[test]
fn the_last_push_is_answered_and_then_the_watch_ends() {
    let bench = TestBench::new();
    let pr = one(&bench);
    confirmed(&bench, |record| record["pushed"] = json!(["a", "b"]));
    bench.prfix(["watch", "7", "--max-pushes", "3"]).fails_with(3).says("it used all of its pushes (3 pushes)");
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
    bench.prfix(["status"]).succeeds().says("3 of 3 pushes").says("--max-pushes");
}

#[test]
fn a_check_that_fails_again_after_its_rerun_goes_to_a_person() {
    let bench = TestBench::new();
    let flaky = Check::failed("unit").log("network is unreachable");
    let pr = Arc::new(bench.open_pr("feature").check(flaky));
    let run = bench.github.run_ids()[0];
    confirmed(&bench, |_| {});
    bench.agent.fix().declines(1, "the runner lost its network");
    merges_at(&bench, &pr, 12);
    let watched = bench.prfix(["watch", "7"]).succeeds();
    assert_eq!(bench.github.count(&format!("POST */runs/{run}/rerun-failed-jobs")), 1, "{watched}");
    watched.says("ran \"unit\" again");
}

#[test]
fn an_author_who_loses_write_access_ends_the_watch() {
    let bench = Arc::new(TestBench::new());
    let thread = Thread::at("src/a.rs:3").says("This loop is off by one, use `<`.").resolved();
    let pr = Arc::new(bench.open_pr("feature").with(thread));
    confirmed(&bench, |_| {});
    let weak = Arc::downgrade(&bench);
    bench.github.on("Gate").nth(3).before(move || {
        pr.unresolve(0);
        weak.upgrade().expect("the bench").github.permission("ann", "read");
    });
    bench.prfix(["watch", "7"]).fails_with(3).says("may not push to the repository");
    assert!(bench.agent.calls().is_empty(), "code of somebody without push rights was not run");
    assert_eq!(record(&bench).unwrap()["ended"]["reason"], "author-cannot-push");
}

#[test]
fn a_closed_pull_request_is_not_watched_again_by_itself() {
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature"));
    confirmed(&bench, |_| {});
    let closed = Arc::clone(&pr);
    bench.github.on("Gate").nth(2).before(move || closed.close());
    bench.prfix(["watch", "7"]).succeeds().says("the pull request was closed");
    bench.prfix(["watch", "7"]).fails_with(3).says("reopen #7");
    bench.prfix(["status"]).succeeds().says("git prfix stop 7");
}

#[test]
fn a_watch_that_is_killed_anywhere_pushes_once_answers_once_and_remembers() {
    for step in (1..).step_by(4) {
        let bench = TestBench::new();
        let pr = Arc::new(one(&bench));
        confirmed(&bench, |_| {});
        let killed = bench.prfix(["watch", "7", "--max-pushes", "1"]).env("PRFIX_ABORT_AT", &step.to_string()).run();
        if killed.status.code() == Some(3) {
            assert!(step > 10, "the program was never killed: {killed}");
            break;
        }
        let done = bench.prfix(["watch", "7", "--max-pushes", "1"]).fails_with(3);
        assert_eq!((pr.replies(), pr.unresolved()), (1, 0), "step {step}: {done}");
        let kept = record(&bench).unwrap();
        assert_eq!(kept["pushed"].as_array().unwrap().len(), 1, "step {step}: {kept:#}");
        assert!(!kept["memory"]["attempted"].as_array().unwrap().is_empty(), "step {step}: {kept:#}");
        assert_eq!(super::worktrees(&bench), 0, "step {step}");
    }
}

#[test]
fn a_second_start_takes_over_and_the_first_one_stops_at_its_next_look() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    confirmed(&bench, |_| {});
    let file = bench.journal_dir().join("pr-7/watch.json");
    bench.github.on("Gate").nth(3).before(move || {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
        record["owner"]["session"] = json!("another");
        record["owner"]["pid"] = json!(4711);
        std::fs::write(&file, record.to_string()).unwrap();
    });
    bench.prfix(["watch", "7"]).succeeds().says("process 4711 watches it now").says("git prfix resume 7");
    assert_eq!(bench.github.count("Gate"), 3);
    assert_eq!(record(&bench).unwrap()["owner"]["session"], "another", "the new owner's record is left alone");
}

#[test]
fn two_processes_never_watch_the_same_pull_request() {
    let bench = Arc::new(TestBench::new());
    bench.open_pr("feature");
    confirmed(&bench, |_| {});
    let lock = bench.journal_dir().join("pr-7/watch.lock");
    let file = std::fs::File::create(&lock).unwrap();
    file.lock().unwrap();
    bench.prfix(["watch", "7"]).fails_with(3).says("is watched by another process").says("--take-over");
    bench.prfix(["watch", "7", "--once", "--yes"]).fails_with(3).says("is watched by another process");
    assert_eq!(bench.github.count("Harvest"), 0);
    drop(file);
}

#[test]
fn a_killed_watch_goes_on_with_everything_kept() {
    let bench = TestBench::new();
    let pr = Arc::new(one(&bench));
    confirmed(&bench, |_| {});
    bench.prfix(["watch", "7"]).dies_after("Reply", 1);
    assert_eq!(pr.replies(), 1);
    bench.prfix(["status"]).succeeds().says("its process died in a round");
    merges_at(&bench, &pr, 3);
    bench.prfix(["watch", "7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0), "nothing is said twice");
    assert_eq!(record(&bench).unwrap()["pushed"].as_array().unwrap().len(), 1);
    assert_eq!(bench.agent.calls_of("fix").len(), 1);
}
