//! The fix agent and its manifest (T71–T84, T90, cases 24, 25, 28, 30, 31).

use serde_json::json;

use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

fn two(bench: &TestBench) -> Pr {
    one(bench).thread("src/b.rs:3", "Typo: should be Hello.")
}

/// The second answer claims what the first round left in the file.
fn right_claim(bench: &TestBench) {
    let holds = json!({"claim": "c", "line": 3, "contains": "i < n"});
    bench.agent.fix_round(2).claims("src/a.rs").for_items("src/a.rs", &[1]).invariant("src/a.rs", &holds);
}

#[test]
fn the_brief_names_items_commands_and_what_is_protected() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.prfix(["7", "--", "keep", "it small"]).succeeds();
    let call = &bench.agent.calls_of("fix")[0];
    for part in ["off by one", "sh check.sh", "keep it small", "feature"] {
        assert!(call.prompt.contains(part), "{part} not in\n{}", call.prompt);
    }
    assert!(call.brief["protected"].to_string().contains(".github/workflows"));
    assert_eq!(call.env.get("PRFIX_ROLE").map(String::as_str), Some("fix"));
    assert!(call.env.contains_key("PRFIX_BRIEF") && call.env.contains_key("PRFIX_SCHEMA"));
    assert!(!call.env.contains_key("GH_TOKEN") && !call.env.contains_key("PRFIX_ITEM"));
}

#[test]
fn all_violations_come_in_one_message_and_a_mended_manifest_is_accepted() {
    let bench = TestBench::new();
    let pr = two(&bench);
    bench
        .agent
        .fix_round(1)
        .replace("src/a.rs", "i <= n", "i < n")
        .write("extra.txt", "x")
        .hides("extra.txt")
        .for_items("src/a.rs", &[9]);
    bench
        .agent
        .fix_round(2)
        .sh("rm extra.txt")
        .replace("src/b.rs", "Helo", "Hello")
        .claims("src/a.rs")
        .for_items("src/a.rs", &[1])
        .for_items("src/b.rs", &[2])
        .invariant("src/a.rs", &json!({"claim": "the bound is exclusive", "line": 3, "contains": "i < n"}));
    let report = bench.prfix(["7", "--json"]).run();
    let second = &bench.agent.calls_of("fix")[1];
    for part in ["extra.txt", "item 9", "item 1 is not answered", "item 2 is not answered"] {
        assert!(second.prompt.contains(part), "{part} not in\n{}", second.prompt);
    }
    assert_eq!(report.json()["reason"], "pushed", "{report}");
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_third_failure_blocks_and_keeps_the_locked_worktree() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let head = pr.head();
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("extra.txt", "x").hides("extra.txt");
    bench.agent.fix_round(2).sh("true").hides("extra.txt").claims("src/a.rs");
    bench.agent.fix_round(3).sh("true").hides("extra.txt").claims("src/a.rs");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "manifest", "{report:#}");
    assert_eq!(bench.agent.calls_of("fix").len(), 3);
    assert_eq!(report["worktree"]["kept"], true);
    assert!(bench.git(&["worktree", "list", "--porcelain"]).contains("locked"));
    assert_eq!((pr.head(), pr.replies()), (head, 0));
    assert_eq!(report["items"][0]["status"], "unaddressed");
}

#[test]
fn a_contradicted_invariant_is_sent_back_with_the_discrepancy() {
    let bench = TestBench::new();
    one(&bench);
    bench
        .agent
        .fix_round(1)
        .replace("src/a.rs", "i <= n", "i < n")
        .invariant("src/a.rs", &json!({"claim": "c", "line": 1, "contains": "i < n"}));
    right_claim(&bench);
    bench.prfix(["7"]).succeeds();
    assert!(bench.agent.calls_of("fix")[1].prompt.contains("line 1 is"));
}

#[test]
fn a_bare_claim_is_checked_by_a_read_only_probe() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").invariant("src/a.rs", &json!("the bound is exclusive"));
    bench.agent.verify().answers(&json!({"results": [{"path": "src/a.rs", "holds": true, "why": "line 3"}]}));
    bench.prfix(["7"]).succeeds();
    let claims = bench.agent.calls_of("verify").into_iter().filter(|call| !call.brief["claims"].is_null());
    assert_eq!(claims.count(), 1);
}

#[test]
fn only_verifiable_files_are_committed_and_the_rest_leaves_no_residue() {
    let bench = TestBench::new();
    two(&bench);
    fn edit(plan: crate::support::agent::Plan<'_>) -> crate::support::agent::Plan<'_> {
        plan.for_items("src/a.rs", &[1]).for_items("src/b.rs", &[2]).invariant("src/b.rs", &json!("it is polite"))
    }
    edit(bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").replace("src/b.rs", "Helo", "Hello"));
    for round in 2..=4 {
        edit(
            bench
                .agent
                .fix_round(round)
                .claims("src/a.rs")
                .claims("src/b.rs")
                .invariant("src/a.rs", &json!({"claim": "c", "line": 3, "contains": "i < n"})),
        );
    }
    bench.agent.verify().answers(&json!({"results": []}));
    let report = bench.prfix(["7", "--json"]).run().json();
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"), "{report:#}");
    assert!(bench.file_at("feature", "src/b.rs").contains("Helo"));
    assert!(report["warnings"].to_string().contains("src/b.rs"));
}

#[test]
fn names_of_every_kind_deletions_and_renames_are_matched_and_committed() {
    let bench = TestBench::new();
    one(&bench);
    bench
        .agent
        .fix()
        .write("src/naïve файл \"q\".txt", "x\n")
        .delete("README.md")
        .rename("src/b.rs", "src/greet.rs")
        .invariant("src/greet.rs", &json!({"claim": "it greets", "contains": "fn greet"}))
        .replace("src/a.rs", "i <= n", "i < n");
    bench.prfix(["7"]).succeeds();
    let names = crate::support::git::git(
        &bench.hub(),
        &["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "feature"],
    );
    assert!(names.contains("greet.rs") && names.contains("файл") && !names.contains("README"), "{names}");
}

#[test]
fn stray_untracked_files_are_never_staged() {
    let bench = TestBench::new();
    one(&bench);
    bench.write(".env", "TOKEN=secret\n");
    bench.config("prfix.copy", ".env");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.prfix(["7"]).succeeds();
    let names = crate::support::git::git(&bench.hub(), &["ls-tree", "-r", "--name-only", "feature"]);
    assert!(!names.contains(".env"), "{names}");
    assert_eq!(std::fs::read_to_string(bench.clone_dir().join(".env")).unwrap(), "TOKEN=secret\n");
}

#[test]
fn ci_edits_deleted_tests_and_rules_need_the_operators_word() {
    for (path, flag) in [(".github/workflows/ci.yml", "ci"), (".prfix/rules.lua", "prfix")] {
        let bench = TestBench::new();
        one(&bench);
        bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write(path, "x: 1\n");
        bench.agent.fix_round(2).claims("src/a.rs").claims(path);
        bench.agent.fix_round(3).claims("src/a.rs").claims(path);
        let report = bench.prfix(["7", "--json"]).fails_with(3).json();
        assert_eq!(report["reason"], "manifest", "{path}: {report:#}");
        assert!(report["unblock"].as_str().unwrap().contains(&format!("--allow {flag}")));

        let bench = TestBench::new();
        one(&bench);
        bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write(path, "x: 1\n");
        bench.prfix(["7", "--allow", flag]).succeeds();
    }
}

#[test]
fn a_disabled_test_is_refused_unless_allowed() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("src/t.rs", "#[test]\n#[ignore]\nfn t() {}\n");
    for round in [2, 3] {
        bench.agent.fix_round(round).claims("src/a.rs").claims("src/t.rs");
    }
    bench.prfix(["7"]).fails_with(3).says("--allow tests");
}

#[test]
fn an_agent_that_fails_three_times_blocks_with_the_tail_of_its_errors() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix().sh("echo 'quota exceeded' >&2").exits(9);
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "agent");
    assert!(report["unblock"].as_str().unwrap().contains("quota exceeded"), "{report:#}");
    assert_eq!(bench.agent.calls_of("fix").len(), 3);
}

#[test]
fn a_hanging_agent_is_ended_with_its_children() {
    let bench = TestBench::new();
    one(&bench);
    let late = bench.root().join("late");
    bench.agent.fix().sh(&format!("(sleep 2; touch {}) & sleep 600", late.display()));
    let report = bench.prfix(["7", "--json", "--agent-timeout", "1"]).fails_with(3).json();
    assert_eq!(report["reason"], "agent");
    assert!(!late.exists(), "a grandchild lived on");
}

#[test]
fn garbage_is_sent_back_with_what_was_wrong() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").prints("All done! Have a nice day.");
    right_claim(&bench);
    bench.prfix(["7"]).succeeds();
    assert!(bench.agent.calls_of("fix")[1].prompt.contains("does not fit"));
}

#[test]
fn declined_and_open_questions_are_reported_and_the_run_is_not_done() {
    let bench = TestBench::new();
    let pr = two(&bench);
    bench
        .agent
        .fix()
        .replace("src/a.rs", "i <= n", "i < n")
        .for_items("src/a.rs", &[1])
        .needs_human(2, "Which greeting do you want?");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "needs-human");
    assert_eq!(report["items"][1]["status"], "needs-human");
    assert_eq!(report["pr"]["head_after"], pr.head().as_str(), "what is fixed is pushed");
    assert!(pr.replies_in(1)[0].contains("Which greeting do you want?"));
    assert!(!pr.is_resolved(1));
}

#[test]
fn an_agent_that_changes_nothing_makes_no_commit() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let head = pr.head();
    bench.agent.fix().declines(1, "the loop is right as it is");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "no-commit");
    assert_eq!(report["items"][0]["status"], "declined");
    assert_eq!(pr.head(), head);
}
