//! Sweeps: every unresolved thread is verified, fixed or answered, and resolved (P27–P31, P42, T88, T129).

use serde_json::{Value, json};

use crate::support::{Fault, TestBench, Thread};

fn statuses(report: &Value) -> Vec<&str> {
    report["items"].as_array().unwrap().iter().map(|item| item["status"].as_str().unwrap()).collect()
}

#[test]
fn what_holds_is_fixed_what_does_not_is_answered_and_the_rest_is_left_to_a_person() {
    let bench = TestBench::new();
    let pr = bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Typo: should be Hello.")
        .thread("src/a.rs:4", "Should this be a u64?")
        .with(Thread::at("src/a.rs:1").says("Rewrite it.").by("mallory").association("NONE"));
    bench.agent.verdict(2, "invalid", "src/b.rs:3 says Hello already");
    bench.agent.verdict(3, "unclear", "both types are used");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1]);
    let report = bench.prfix(["sweep", "7", "--json"]).fails_with(3).json();
    assert_eq!(statuses(&report), ["fixed", "triaged-out", "needs-human"], "{report:#}");
    assert_eq!((&report["reason"], pr.unresolved()), (&"needs-human".into(), 2), "{report:#}");
    assert!(pr.is_resolved(0) && pr.is_resolved(1) && !pr.is_resolved(2));
    assert!(pr.replies_in(1)[0].contains("says Hello already"));
    assert_eq!(pr.replies_in(3), [""; 0], "strangers are never answered");
    assert_eq!(report["untrusted"][0]["author"], "mallory");
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
}

#[test]
fn a_single_thread_is_checked_against_the_head_and_resolved_without_a_push() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").with(Thread::at("src/b.rs:3").says("Say Hello.").outdated());
    bench.agent.verdict(1, "already-addressed", "src/b.rs:3 says Hello");
    let head = pr.head();
    let report = bench.prfix(["sweep", "7", "--json"]).succeeds().json();
    assert_eq!((&report["outcome"], &report["reason"]), (&"done".into(), &"all-triaged-out".into()), "{report:#}");
    assert_eq!((pr.unresolved(), pr.replies(), pr.head()), (0, 1, head));
    assert_eq!(report["threads"], json!({"unresolved_before": 1, "unresolved_after": 0}));
    assert_eq!(bench.agent.calls_of("fix").len(), 0);
    let again = bench.prfix(["sweep", "7", "--json"]).succeeds().json();
    assert_eq!((&again["reason"], pr.replies()), (&"nothing-to-do".into(), 1));
}

#[test]
fn a_thread_of_strangers_alone_is_named_and_the_sweep_is_not_done() {
    let bench = TestBench::new();
    let pr = bench
        .open_pr("feature")
        .with(Thread::at("src/a.rs:3").says("Please rewrite this loop.").by("mallory").association("NONE"));
    let report = bench.prfix(["sweep", "7", "--json"]).fails_with(3).json();
    let unblock = report["unblock"].as_str().unwrap();
    assert!(unblock.contains("1 untrusted comment") && unblock.contains("@mallory"), "{report:#}");
    assert_eq!((pr.replies(), bench.agent.calls().len()), (0, 0));
}

#[test]
fn threads_that_were_answered_and_left_open_are_resolved_without_a_second_answer() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.config("prfix.resolve", "never");
    bench.prfix(["7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (1, 1));
    bench.config("prfix.resolve", "answered");
    bench.agent.verdict(1, "already-addressed", "src/a.rs:3 uses `<`");
    bench.prfix(["sweep", "7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
}

#[test]
fn words_that_a_noise_rule_drops_still_leave_a_thread_to_be_resolved() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "LGTM");
    bench.agent.verdict(1, "invalid", "nothing is asked for");
    bench.prfix(["sweep", "7"]).succeeds();
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_thread_that_comes_up_meanwhile_is_swept_too() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1]);
    let later = pr.clone();
    bench.github.on("Reply").nth(1).before(move || drop(later.clone().thread("src/b.rs:3", "Say Hello.")));
    let seen = bench.agent.probe(1);
    seen.sh("if grep -q 'Say Hello' \"$PRFIX_BRIEF\"; then v=already-addressed; else v=valid; fi")
        .sh("printf '{\"item_id\": 1, \"verdict\": \"%s\", \"reasoning\": \"src/b.rs:3\", \"proposed_fix\": null, \"risk\": \"low\"}' \"$v\"");
    let report = bench.prfix(["sweep", "7", "--json"]).succeeds().json();
    assert_eq!(statuses(&report), ["fixed", "triaged-out"], "{report:#}");
    assert_eq!((pr.unresolved(), report["sweeps"].as_array().unwrap().len()), (0, 2), "{report:#}");
    let ids: Vec<u64> = report["items"].as_array().unwrap().iter().map(|item| item["id"].as_u64().unwrap()).collect();
    assert_eq!((ids, &report["reason"]), (vec![1, 2], &"all-triaged-out".into()));
}

#[test]
fn an_unchanged_head_after_a_fix_is_stuck_and_never_fixed() {
    let bench = TestBench::new();
    let pr = bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Say Hello.");
    bench.agent.verdict(2, "invalid", "src/b.rs:3 says Hello");
    let nothing = json!({"touched_files": [], "spec_item_map": {}, "invariant_per_file": {},
        "declined": {"1": "it is right as it is"}, "summary": "nothing"});
    bench.agent.fix().answers(&nothing);
    let report = bench.prfix(["sweep", "7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "no-commit", "{report:#}");
    assert!(!statuses(&report).contains(&"fixed"), "{report:#}");
    assert!(!pr.is_resolved(0) && pr.is_resolved(1), "what needs no commit is answered all the same");
}

#[test]
fn no_answer_of_github_is_no_success() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    bench.open_pr("feature").thread("src/a.rs:3", "Off by one.");
    bench.github.on("Harvest").always().fail(Fault::status(502));
    bench.prfix(["sweep", "7"]).fails_with(1);
}

#[test]
fn a_sweep_that_died_between_reply_and_resolve_answers_once() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/b.rs:3", "Say Hello.");
    bench.agent.verdict(1, "already-addressed", "src/b.rs:3 says Hello");
    bench.prfix(["sweep", "7"]).dies_before("Resolve", 1);
    assert_eq!((pr.replies(), pr.unresolved()), (1, 1));
    bench.prfix(["--resume"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
}

#[test]
fn findings_that_are_handed_in_need_no_thread() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature");
    let finding = |id: u32, severity: &str, verdict: &str| {
        json!({"id": id, "severity": severity, "title": "Off by one", "body": "The loop reads one too far.",
            "file": "src/a.rs", "line_start": 3, "line_end": 3, "confidence": 0.9, "criterion": "AC-1",
            "verdict": verdict, "evidence": null})
    };
    let file = bench.root().join("findings.json");
    let envelope = json!({"schema_version": "v1", "checks_run": [],
        "findings": [finding(4, "P1", "confirmed"), finding(5, "P2", "confirmed"), finding(6, "P0", "rejected")]});
    std::fs::write(&file, envelope.to_string()).unwrap();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let path = file.to_string_lossy().into_owned();
    let report = bench.prfix(["sweep", "7", "--findings", &path, "--json"]).succeeds().json();
    assert_eq!((statuses(&report), &report["items"][0]["source"]), (vec!["fixed"], &"finding 4".into()), "{report:#}");
    let dropped: Vec<&str> =
        report["dropped"].as_array().unwrap().iter().map(|drop| drop["url"].as_str().unwrap()).collect();
    assert_eq!(dropped, ["finding 5", "finding 6"]);
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
    assert_eq!(pr.conversation().len(), 1, "one comment cites the new head");

    std::fs::write(&file, envelope.to_string().replace("\"v1\"", "\"v2\"")).unwrap();
    bench.prfix(["sweep", "7", "--findings", &path]).fails_with(2).says("expected \"v1\"");
}

/// What the audit of round `n` finds: so many things.
fn audit_finds(bench: &TestBench, counts: &[usize]) {
    let dir = bench.home().join(".cache/scripted-agent/audits");
    std::fs::create_dir_all(&dir).unwrap();
    for (round, count) in counts.iter().enumerate() {
        let found = serde_json::json!({"path": "src/a.rs", "holds": false, "why": format!("wrong in round {}", round + 1),
            "item": 1, "kind": "unmet-intent", "confidence": "high"});
        let answer = serde_json::json!({"results": vec![found; *count]});
        std::fs::write(dir.join(round.to_string()), answer.to_string()).unwrap();
    }
    let step =
        format!("d='{}'; n=$(ls \"$d\" | sort -n | head -n 1); cat \"$d/$n\"; rm \"$d/$n\"; exit 0", dir.display());
    bench.agent.verify().sh(&step);
}

#[test]
fn the_audit_of_a_sweep_goes_on_until_nothing_is_found() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
    audit_finds(&bench, &[2, 1, 0]);
    bench.agent.fix_anew().replace("src/a.rs", "i <= n", "i < n").sh("echo \"// round $round\" >> src/a.rs");
    let report = bench.prfix(["sweep", "7", "--json"]).succeeds().json();
    assert_eq!((bench.agent.calls_of("verify").len(), bench.agent.calls_of("fix").len()), (3, 3), "{report:#}");
    assert_eq!((report["commits"].as_array().unwrap().len(), pr.unresolved()), (3, 0));
}

#[test]
fn an_audit_that_finds_more_than_before_or_never_ends_is_stuck() {
    for (counts, fixes, said) in [(&[1, 2][..], 2, "finds more than before"), (&[2, 1, 1], 3, "still finds")] {
        let bench = TestBench::new();
        let pr = bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
        audit_finds(&bench, counts);
        bench.agent.fix_anew().replace("src/a.rs", "i <= n", "i < n").sh("echo \"// round $round\" >> src/a.rs");
        let head = pr.head();
        let report = bench.prfix(["sweep", "7", "--json"]).fails_with(3).json();
        let unblock = report["unblock"].as_str().unwrap();
        assert!(unblock.contains("not converging") && unblock.contains(said), "{unblock}");
        assert_eq!((bench.agent.calls_of("fix").len(), pr.head(), pr.replies()), (fixes, head, 0));
        assert_eq!(report["worktree"]["kept"], true);
    }
}
