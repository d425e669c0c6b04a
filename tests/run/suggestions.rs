//! Reviewers' suggestions, applied exactly and without an agent.

use crate::support::github::Thread;
use crate::support::{Pr, TestBench};

const HUNK: &str = "@@ -0,0 +1,7 @@\n+fn count(items: &[u32]) -> usize {\n+    let (mut i, n) = (0, items.len());\n+    while i <= n {";

fn suggestion(text: &str) -> String {
    format!("```suggestion\n{text}\n```")
}

/// A bench where no agent is installed: whatever would call one fails.
fn without_agent() -> TestBench {
    let bench = TestBench::new();
    bench.unset("prfix.agent");
    bench.unset("prfix.agentCommand");
    bench
}

fn off_by_one(bench: &TestBench, body: &str) -> Pr {
    bench.open_pr("feature").with(Thread::at("src/a.rs:3").hunk(HUNK).says(body))
}

fn commit(bench: &TestBench) -> String {
    crate::support::git::git(&bench.hub(), &["log", "-1", "--format=%B", "feature"])
}

#[test]
fn a_suggestion_is_applied_pushed_answered_and_credited_with_no_agent_installed() {
    let bench = without_agent();
    let pr = off_by_one(&bench, &suggestion("    while i < n {"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();

    assert_eq!((report["reason"].as_str(), report["items"][0]["status"].as_str()), (Some("pushed"), Some("fixed")));
    assert_eq!(report["usage"]["agent_calls"], 0);
    assert_eq!(report["gates"][0]["status"], "passed");
    let text = bench.file_at("feature", "src/a.rs");
    assert_eq!(text.lines().nth(2), Some("    while i < n {"));
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
    let message = commit(&bench);
    let credit = message.lines().find(|line| line.starts_with("Co-authored-by: ")).expect("a credit");
    assert!(
        credit.starts_with("Co-authored-by: rita <") && credit.ends_with("+rita@users.noreply.github.com>"),
        "{credit}"
    );
}

#[test]
fn several_suggestions_on_one_file_add_change_and_delete_lines_in_one_commit() {
    let bench = without_agent();
    let thread = |place: &str, body: &str| Thread::at(place).hunk(HUNK).says(body);
    let pr = bench
        .open_pr("feature")
        .with(thread("src/a.rs:1", &suggestion("/// Counts.\nfn count(items: &[u32]) -> usize {")))
        .with(thread("src/a.rs:2", "```suggestion\n```"))
        .with(thread("src/a.rs:3", "Off by one:\r\n~~~~suggestion\r\n    while i < n {\r\n~~~~\r\n"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["commits"].as_array().unwrap().len(), 1);
    assert_eq!(
        bench.file_at("feature", "src/a.rs"),
        "/// Counts.\nfn count(items: &[u32]) -> usize {\n    while i < n {\n        i += 1;\n    }\n    i\n}\n"
    );
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn line_ends_a_missing_final_one_and_odd_names_stay_as_they_are() {
    let bench = without_agent();
    let pr = bench.open_pr("feature");
    let name = "src/a \"b\" é'$(x).txt";
    pr.push(&[(name, "one\r\ntwo\r\nthree")]);
    let pr = pr
        .with(Thread::at(&format!("{name}:1-2")).says(&suggestion("1\n2\n2b")))
        .with(Thread::at(&format!("{name}:3")).says(&suggestion("3")));
    bench.prfix(["7", "--json"]).succeeds();
    let bytes = crate::support::git::git(&bench.hub(), &["show", &format!("feature:{name}")]);
    assert_eq!(bytes, "1\r\n2\r\n2b\r\n3");
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn suggestions_for_the_same_lines_are_refused_and_both_are_named() {
    let bench = without_agent();
    let pr = off_by_one(&bench, &suggestion("    while i < n {"))
        .with(Thread::at("src/a.rs:2-3").hunk(HUNK).by("ann").says(&suggestion("    for _ in items {")))
        .with(Thread::at("src/b.rs:3").says(&suggestion("    format!(\"Hello, {name}\")")));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "needs-human");
    for (item, other) in [(0, "for _ in items"), (1, "while i < n")] {
        assert_eq!(report["items"][item]["status"], "needs-human");
        assert!(report["items"][item]["detail"].as_str().unwrap().contains(other), "{report:#}");
    }
    assert_eq!(report["items"][2]["status"], "fixed", "what is clear is done all the same");
    assert!(bench.file_at("feature", "src/a.rs").contains("i <= n"));
    assert_eq!(pr.unresolved(), 2);
}

#[test]
fn one_comment_with_two_different_texts_is_left_to_a_person() {
    let bench = without_agent();
    off_by_one(&bench, &format!("{}\n{}", suggestion("    while i < n {"), suggestion("    while i != n {")));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["items"][0]["status"], "needs-human");
    let detail = report["items"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("i < n") && detail.contains("i != n"), "{detail}");
}

#[test]
fn a_suggestion_whose_lines_moved_is_mapped_and_one_whose_lines_changed_goes_to_the_agent() {
    let bench = TestBench::new();
    let pr = off_by_one(&bench, &suggestion("    while i < n {")).with(
        Thread::at("src/b.rs:3")
            .hunk("@@ -1,4 +1,4 @@\n /// Greets.\n fn greet(name: &str) -> String {\n+    format!(\"Helo, {name}\")")
            .says(&suggestion("    format!(\"Hello, {name}\")")),
    );
    let old = bench.file_at("feature", "src/a.rs");
    pr.push(&[("src/a.rs", &format!("// moved\n// down\n{old}\n")), ("src/b.rs", "fn greet() {}\n")]);
    bench.agent.fixes("src/b.rs", "fn greet() {}", "fn greet(_: &str) {}");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(bench.file_at("feature", "src/a.rs").lines().nth(4), Some("    while i < n {"));
    let fix = bench.agent.calls_of("fix");
    assert_eq!(fix.len(), 1);
    assert!(fix[0].prompt.contains("## Item 2:") && !fix[0].prompt.contains("## Item 1:"));
    assert_eq!(report["items"][1]["status"], "fixed");
    assert_eq!(bench.agent.calls_of("probe").len(), 1, "what is exact needs no probe");
}

#[test]
fn what_stands_around_a_suggestion_still_reaches_the_agent() {
    let bench = TestBench::new();
    off_by_one(&bench, &format!("Please also fix the typo in the greeting.\n{}", suggestion("    while i < n {")));
    bench.agent.fixes("src/b.rs", "Helo", "Hello");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
    assert!(bench.file_at("feature", "src/b.rs").contains("Hello"));
    assert_eq!(report["commits"].as_array().unwrap().len(), 2);
    let prompt = &bench.agent.calls_of("fix")[0].prompt;
    assert!(prompt.contains("already, word for word: 1."), "{prompt}");
}

#[test]
fn an_agent_that_finds_nothing_left_to_do_leaves_the_suggestion_fixed() {
    let bench = TestBench::new();
    off_by_one(&bench, &format!("Something like this, and check the callers?\n{}", suggestion("    while i < n {")));
    bench.agent.fix().declines(1, "there are no callers");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["items"][0]["status"], "fixed");
    assert!(report["items"][0]["detail"].as_str().unwrap().contains("there are no callers"));
    assert_eq!(report["commits"].as_array().unwrap().len(), 1);
}

#[test]
fn only_people_with_a_say_only_the_heads_side_and_no_protected_file() {
    let bench = without_agent();
    let pr = bench.open_pr("feature");
    pr.push(&[(".github/workflows/ci.yml", "on: push\n")]);
    let pr = pr
        .with(Thread::at("src/a.rs:3").by("mallory").hunk(HUNK).says(&suggestion("    evil")))
        .with(Thread::at(".github/workflows/ci.yml:1").says(&suggestion("on: pull_request_target")));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["untrusted"].as_array().unwrap().len(), 1);
    assert_eq!(report["items"][0]["status"], "needs-human");
    assert!(report["items"][0]["detail"].as_str().unwrap().contains("--allow ci"));
    assert!(!bench.file_at("feature", "src/a.rs").contains("evil"));
    assert!(bench.file_at("feature", ".github/workflows/ci.yml").contains("on: push"));
    drop(pr);
}

#[test]
fn a_suggestion_on_the_base_side_needs_an_agent() {
    let bench = without_agent();
    bench.open_pr("feature").with(Thread::at("src/b.rs:3").left().says(&suggestion("x")));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "agent");
}

#[test]
fn a_suggestion_that_turns_a_gate_red_is_not_pushed() {
    let bench = without_agent();
    let pr = off_by_one(&bench, &suggestion("    while i < n { // BROKEN"));
    let head = pr.head();
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "gates");
    assert_eq!((pr.head(), pr.replies()), (head, 0));
    assert_eq!(report["items"][0]["status"], "unaddressed");
}

#[test]
fn a_run_killed_at_any_step_applies_a_suggestion_once() {
    let mut at = 0;
    loop {
        at += 1;
        let bench = without_agent();
        let pr = off_by_one(&bench, &suggestion("    while i < n {"));
        let first = bench.prfix(["7", "--json"]).env("PRFIX_ABORT_AT", &at.to_string()).run();
        if first.status.success() {
            break;
        }
        bench.prfix(["7", "--json"]).succeeds();
        let ahead = crate::support::git::git(&bench.hub(), &["rev-list", "--count", "main..feature"]);
        assert_eq!((ahead.trim(), pr.replies(), pr.unresolved()), ("2", 1, 0), "killed at step {at}");
    }
    assert!(at > 10, "the run has steps to be killed at");
}
