//! What a push obliges to: void marks are reset, reviewers that wait to be asked are asked (P33–P38, T151–T155, T157).

use serde_json::{Value, json};

use crate::support::{Check, Pr, TestBench};

const COPILOT: &str = "copilot-pull-request-reviewer";

fn one(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

fn reviewed_by(pr: Pr, bot: &str, body: &str) -> Pr {
    pr.review(&format!("{bot}[bot]"), "COMMENTED", body)
}

/// `(login, state)` of the report's reviewers.
fn reviewers(report: &Value) -> Vec<(&str, &str)> {
    let list = report["reviewers"].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|entry| (entry["login"].as_str().unwrap(), entry["state"].as_str().unwrap())).collect()
}

fn said(pr: &Pr, text: &str) -> usize {
    pr.conversation().iter().filter(|(_, body)| body == text).count()
}

#[test]
fn copilot_is_requested_again_where_it_reviewed_and_others_only_when_they_are_named() {
    let bench = TestBench::new();
    let pr = reviewed_by(one(&bench), COPILOT, "Reviewed 2 out of 2 changed files.");
    let pr = reviewed_by(pr, "cursor", "Bugbot found nothing.");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [(COPILOT, "asked")]);
    assert_eq!(bench.github.count("RequestReviews"), 1);
    assert_eq!(said(&pr, "bugbot run"), 0);
}

#[test]
fn people_and_bots_that_are_named_are_asked() {
    let bench = TestBench::new();
    let pr = one(&bench).review("rita", "COMMENTED", "Thanks!").review("sam", "COMMENTED", "Thanks!");
    for name in ["Rita", "sam", "codex"] {
        bench.add_config("prfix.reviewers", name);
    }
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [("chatgpt-codex-connector", "asked"), ("rita", "asked"), ("sam", "asked")]);
    assert_eq!((bench.github.count("Reviewers"), bench.github.count("RequestReviews")), (1, 2));
    assert_eq!(said(&pr, "@codex review"), 1);
}

#[test]
fn what_is_turned_off_is_not_asked_although_it_is_turned_on() {
    let bench = TestBench::new();
    let pr = reviewed_by(one(&bench), COPILOT, "Reviewed.");
    for name in ["bugbot", "-BugBot", "copilot", "-copilot"] {
        bench.add_config("prfix.reviewers", name);
    }
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [("cursor", "off"), (COPILOT, "off")]);
    assert_eq!((said(&pr, "bugbot run"), bench.github.count("RequestReviews")), (0, 0));
}

#[test]
fn a_reviewer_that_does_not_react_is_down_at_this_head_only() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.config("prfix.reviewers", "bugbot");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [("cursor", "down")]);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("did not react to `bugbot run`") && warnings.contains("no approval"), "{warnings}");
    // The next push makes a new head: it is asked again, and its check appears.
    let pr = pr.thread("src/b.rs:3", "Typo: should be Hello.");
    bench.agent.fix_anew().replace("src/b.rs", "Helo", "Hello");
    let later = pr.clone();
    bench
        .github
        .on("AddComment")
        .before(move || drop(later.clone().check(Check::queued("Cursor Bugbot").app("cursor"))));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [("cursor", "asked")], "{report:#}");
    assert_eq!(said(&pr, "bugbot run"), 2);
}

#[test]
fn a_reviewer_that_looks_by_itself_is_not_asked() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.config("prfix.reviewers", "bugbot");
    let pushed = pr.clone();
    // The reply comes after the push: by then its check has passed without a word.
    bench.github.on("Reply").before(move || drop(pushed.clone().check(Check::passed("Cursor Bugbot").app("cursor"))));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [("cursor", "at-work")], "{report:#}");
    assert_eq!(said(&pr, "bugbot run"), 0);
}

#[test]
fn a_notice_about_quota_counts_at_the_present_head_and_stays() {
    let bench = TestBench::new();
    let pr = reviewed_by(one(&bench), COPILOT, "Copilot was unable to review: you have reached your quota limit.");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [(COPILOT, "down")], "{report:#}");
    // A new head alone does not bring it back.
    let pr = pr.thread("src/b.rs:3", "Typo: should be Hello.");
    bench.agent.fix_anew().replace("src/b.rs", "Helo", "Hello");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [(COPILOT, "down")], "{report:#}");
    assert_eq!(bench.github.count("RequestReviews"), 0);
    // A review of its does.
    let pr = reviewed_by(pr, COPILOT, "Reviewed 2 out of 2 changed files.").thread("src/b.rs:1", "Name it better.");
    bench.agent.fix_anew().write("src/b.rs", "/// Greets well.\n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [(COPILOT, "asked")], "{report:#}");
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn an_old_notice_about_quota_is_over() {
    let bench = TestBench::new();
    let pr = reviewed_by(one(&bench), COPILOT, "You have reached your quota limit.");
    pr.push(&[("docs.md", "more\n")]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), [(COPILOT, "asked")], "{report:#}");
}

#[test]
fn marks_of_the_caller_are_void_after_a_push_and_only_then() {
    let bench = TestBench::new();
    one(&bench);
    let state = bench.root().join("state.json");
    let text = "{\"pr\": 7, \"bugbot_clean_at\": \"abc\", \"copilot_clean_at\": \"abc\", \"rounds\": [1]}";
    std::fs::write(&state, text).unwrap();
    let file = state.to_string_lossy().into_owned();
    let reset = ["--reset-state", &file, "--fields", "bugbot_clean_at,copilot_clean_at"];
    bench.prfix([&["7", "--no-push"], &reset[..]].concat()).succeeds();
    assert_eq!(std::fs::read_to_string(&state).unwrap(), text);
    bench.prfix([&["7", "--fresh"], &reset[..]].concat()).succeeds().says("reset bugbot_clean_at, copilot_clean_at");
    let value: Value = serde_json::from_str(&std::fs::read_to_string(&state).unwrap()).unwrap();
    assert_eq!(value, json!({"pr": 7, "bugbot_clean_at": null, "copilot_clean_at": null, "rounds": [1]}));
}

#[test]
fn marks_that_cannot_be_reset_are_told_before_anything_is_done() {
    let bench = TestBench::new();
    one(&bench);
    let state = bench.root().join("state.json");
    std::fs::write(&state, "{\"a\": 1}").unwrap();
    let file = state.to_string_lossy().into_owned();
    let with = |fields: &str| bench.prfix(["7", "--reset-state", &file, "--fields", fields]);
    with("a,b").fails_with(2).says("there is no field `b`");
    std::fs::write(&state, "[1]").unwrap();
    with("a").fails_with(2);
    bench.prfix(["7", "--reset-state", &file]).fails_with(2).says("--fields");
    assert!(bench.agent.calls().is_empty() && bench.github.requests().is_empty());
}

#[test]
fn a_run_killed_at_any_step_asks_each_reviewer_once() {
    let bench = TestBench::new();
    let pr = reviewed_by(one(&bench), COPILOT, "Reviewed.");
    bench.config("prfix.reviewers", "codex");
    bench.prfix(["7"]).dies_after("AddComment", 1);
    bench.prfix(["7"]).succeeds();
    assert_eq!(said(&pr, "@codex review"), 1);
}

#[test]
fn a_run_that_posts_nothing_asks_nobody() {
    let bench = TestBench::new();
    let pr = reviewed_by(one(&bench), COPILOT, "Reviewed.");
    bench.config("prfix.reviewers", "codex");
    let report = bench.prfix(["7", "--no-reply", "--json"]).succeeds().json();
    assert_eq!(reviewers(&report), []);
    assert_eq!((said(&pr, "@codex review"), bench.github.count("RequestReviews")), (0, 0));
}
