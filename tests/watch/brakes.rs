//! What keeps a watch from going on for ever (T43–T45, cases 8, 31): echoes, findings that return, quiet time, budgets.

use std::sync::Arc;

use serde_json::json;

use super::{confirmed, one, record};
use crate::support::{Check, Pr, TestBench, Thread};

fn merges_at(bench: &TestBench, pr: &Arc<Pr>, nth: usize) {
    let pr = Arc::clone(pr);
    bench.github.on("Gate").nth(nth).before(move || pr.merge());
}

#[test]
fn a_bot_that_answers_our_reply_starts_no_round() {
    let bench = TestBench::new();
    let pr = Arc::new(one(&bench));
    bench.config("prfix.resolve", "never");
    confirmed(&bench, |_| {});
    let bot = Arc::clone(&pr);
    bench.github.on("Gate").nth(3).before(move || bot.reply(0, "coderabbitai[bot]", "Is `count` really right now?"));
    merges_at(&bench, &pr, 8);
    bench.prfix(["watch", "7"]).succeeds();
    assert_eq!((bench.agent.calls_of("fix").len(), pr.replies()), (1, 1));
}

#[test]
fn a_person_who_answers_our_reply_is_heard() {
    let bench = TestBench::new();
    let pr = Arc::new(one(&bench));
    bench.config("prfix.resolve", "never");
    confirmed(&bench, |_| {});
    let person = Arc::clone(&pr);
    bench.github.on("Gate").nth(3).before(move || person.reply(0, "rita", "Why not an iterator? Please explain."));
    merges_at(&bench, &pr, 8);
    bench.prfix(["watch", "7"]).succeeds();
    assert!(bench.agent.calls_of("fix").len() > 1);
    assert_eq!(pr.replies(), 2);
}

#[test]
fn the_same_finding_in_another_thread_goes_to_a_person() {
    let bench = TestBench::new();
    let finding =
        |place: &str| Thread::at(place).says("This loop runs one time too often, use `<`.").by("coderabbitai[bot]");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let pr = Arc::new(bench.open_pr("feature").with(finding("src/a.rs:3")).with(finding("src/a.rs:4").resolved()));
    confirmed(&bench, |_| {});
    let again = Arc::clone(&pr);
    bench.github.on("Gate").nth(3).before(move || again.unresolve(1));
    merges_at(&bench, &pr, 8);
    let watched = bench.prfix(["watch", "7"]).succeeds();
    let left = record(&bench).unwrap()["needs_human"].clone();
    let what = left[0]["what"].as_str().unwrap_or_default();
    assert!(what.contains("the same finding came back"), "{left:#} {watched}");
    assert_eq!((bench.agent.calls_of("fix").len(), pr.unresolved()), (1, 1));
    assert!(pr.replies_in(1)[0].starts_with("Needs a decision: the same finding"), "{:?}", pr.replies_in(1));
}

#[test]
fn a_round_waits_until_it_was_quiet() {
    let bench = TestBench::new();
    bench.agent.fix().declines(1, "as intended").declines(2, "as intended").declines(3, "as intended");
    let thread =
        |line: u64| Thread::at(&format!("src/a.rs:{line}")).says(&format!("Place {line} looks wrong.")).resolved();
    let pr = Arc::new(bench.open_pr("feature").with(thread(1)).with(thread(2)).with(thread(3)));
    confirmed(&bench, |record| record["options"]["every"] = json!(1));
    for at in 0..3 {
        let opened = Arc::clone(&pr);
        bench.github.on("Gate").nth(4 + at).before(move || opened.unresolve(at));
    }
    merges_at(&bench, &pr, 15);
    let watched = bench.prfix(["watch", "7", "--every", "1", "--settle", "200"]).succeeds();
    assert_eq!(bench.agent.calls_of("fix").len(), 1, "one round for all three: {watched}");
    watched.says("3 items not changed");
}

#[test]
fn a_used_up_budget_ends_the_watch() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
    bench.config("prfix.budgetUsd", "1");
    let costly = json!({"type": "result", "is_error": false, "result": "no manifest", "total_cost_usd": 1.5,
        "usage": {"input_tokens": 90, "output_tokens": 20}});
    bench.agent.fix().answers(&costly);
    confirmed(&bench, |_| {});
    bench.prfix(["watch", "7"]).fails_with(3).says("the budget of the pull request is used up");
    assert_eq!(bench.agent.calls().len(), 1);
    assert_eq!(record(&bench).unwrap()["ended"]["reason"], "budget");
}

#[test]
fn a_run_that_still_goes_is_run_again_once_it_has_ended() {
    let bench = TestBench::new();
    let flaky = Check::failed("unit").log("network is unreachable");
    let pr = Arc::new(bench.open_pr("feature").check(flaky));
    confirmed(&bench, |_| {});
    bench.agent.fix().declines(1, "the runner lost its network");
    let running = crate::support::Fault::message(403, "This workflow is already running");
    bench.github.on("POST */rerun-failed-jobs").fail(running);
    merges_at(&bench, &pr, 8);
    bench.prfix(["watch", "7"]).succeeds();
    assert!(record(&bench).unwrap()["memory"]["attempted"].as_array().unwrap().is_empty(), "it comes again");
}

#[test]
fn several_pull_requests_share_one_request() {
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature"));
    let other = Arc::new(bench.open_pr_number(8, "other", "ann"));
    confirmed(&bench, |_| {});
    let text = std::fs::read_to_string(bench.journal_dir().join("pr-7/watch.json")).unwrap();
    std::fs::create_dir_all(bench.journal_dir().join("pr-8")).unwrap();
    let text = text.replace("\"number\":7", "\"number\":8").replace("PR_7", "PR_8");
    std::fs::write(bench.journal_dir().join("pr-8/watch.json"), text).unwrap();
    merges_at(&bench, &pr, 5);
    merges_at(&bench, &other, 5);
    bench.prfix(["watch", "7", "8"]).succeeds().says("#7: no longer watched").says("#8: no longer watched");
    let polls: Vec<usize> = bench
        .github
        .requests()
        .iter()
        .filter(|request| request.name == "Gate")
        .map(|request| request.variables["ids"].as_array().unwrap().len())
        .collect();
    assert_eq!(polls[0], 2, "{polls:?}");
}
