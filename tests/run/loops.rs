//! The fix loop over review findings: two rounds at most, staged and never committed (L1–L19, T91–T101).

use std::path::Path;

use serde_json::{Value, json};

use crate::support::bench::FEATURE;
use crate::support::{TestBench, has_script};

/// The operator's checkout on a branch with the off-by-one, and work of the operator's own that is not committed.
pub(super) fn checkout() -> TestBench {
    let bench = TestBench::new();
    bench.git(&["config", "user.name", "Olga Operator"]);
    bench.git(&["config", "user.email", "olga@example.com"]);
    for (path, text) in FEATURE {
        bench.write(path, text);
    }
    bench.git(&["add", "--all"]);
    bench.git(&["commit", "-q", "-m", "Add counting"]);
    bench.write("README.md", "# demo\n\nHalf a sentence\n");
    bench.write("notes.txt", "not to be lost\n");
    bench.write("staged.txt", "staged by hand\n");
    bench.git(&["add", "staged.txt"]);
    bench
}

pub(super) fn finding(id: u32, changes: &Value) -> Value {
    let mut finding = json!({"id": id, "severity": "P1", "title": "The loop runs too far", "body": "It reads past the end.",
        "file": "src/a.rs", "line_start": 3, "line_end": 3, "confidence": 0.9, "criterion": "no read past the end",
        "verdict": "confirmed", "evidence": "i <= n"});
    for (name, value) in changes.as_object().expect("fields") {
        finding[name] = value.clone();
    }
    finding
}

pub(super) fn hand_in(bench: &TestBench, findings: &[Value]) -> String {
    let path = bench.root().join("findings.json");
    let envelope = json!({"schema_version": "v1", "findings": findings, "checks_run": ["AC-1: PASS — read"]});
    std::fs::write(&path, envelope.to_string()).expect("a file");
    path.to_string_lossy().into_owned()
}

pub(super) fn one(bench: &TestBench) -> String {
    hand_in(bench, &[finding(1, &json!({}))])
}

pub(super) fn attempt(files: &[&str]) -> Value {
    json!({"files_changed": files, "summary": "Changed the bound.", "concerns": null,
        "needs_scope_expansion": null, "additional_files": null, "justification": null})
}

fn expansion(files: &[&str]) -> Value {
    json!({"files_changed": null, "summary": null, "concerns": null, "needs_scope_expansion": true,
        "additional_files": files, "justification": "the bound is computed there"})
}

fn says_of(findings: &[Value]) -> Value {
    json!({"schema_version": "v1", "findings": findings, "checks_run": ["read src/a.rs"]})
}

pub(super) fn staged(bench: &TestBench) -> Vec<String> {
    bench.git(&["diff", "--cached", "--name-only"]).lines().map(str::to_owned).collect()
}

pub(super) fn text(bench: &TestBench, path: &str) -> String {
    std::fs::read_to_string(bench.clone_dir().join(path)).unwrap_or_default()
}

/// HEAD, the operator's own uncommitted work, and nothing left of the loop's worktree.
#[track_caller]
pub(super) fn the_rest_is_untouched(bench: &TestBench) {
    assert_eq!(bench.git(&["log", "--format=%s", "-1"]).trim(), "Add counting");
    assert_eq!(text(bench, "README.md"), "# demo\n\nHalf a sentence\n");
    assert_eq!(text(bench, "notes.txt"), "not to be lost\n");
    assert_eq!(bench.git(&["diff", "--cached", "--name-only", "--", "README.md", "notes.txt"]), "");
    assert!(staged(bench).contains(&"staged.txt".to_owned()));
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 1);
}

/// As before the loop, the file of the finding included.
#[track_caller]
pub(super) fn nothing_is_changed(bench: &TestBench) {
    the_rest_is_untouched(bench);
    assert_eq!(staged(bench), ["staged.txt"]);
    assert_eq!(text(bench, "src/a.rs"), FEATURE[0].1);
}

#[test]
fn a_finding_that_round_one_resolves_is_staged_alone_and_never_committed() {
    let bench = checkout();
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let report = bench.prfix(["loop", &one(&bench), "--json"]).succeeds().json();
    assert_eq!(report["schema"], "git-prfix.loop/1");
    assert_eq!(
        (&report["buckets"]["resolved"][0]["id"], &report["converged"]),
        (&json!(1), &json!(true)),
        "{report:#}"
    );
    assert_eq!(report["findings"][0]["verdict"], "rejected");
    assert_eq!(report["checks_run"], json!(["AC-1: PASS — read", "sh check.sh: passed"]));
    assert_eq!(report["staged"], json!(["src/a.rs"]));
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);
    assert_eq!(bench.git(&["diff", "--", "src/a.rs"]), "");
    assert!(text(&bench, "src/a.rs").contains("while i < n"));
    the_rest_is_untouched(&bench);
    let calls = bench.agent.calls();
    assert_eq!(calls.iter().map(|call| call.role.as_str()).collect::<Vec<_>>(), ["fix"]);
    assert!(!Path::new(&calls[0].cwd).starts_with(bench.clone_dir()), "agents work on a copy");
}

#[test]
fn what_is_not_confirmed_or_not_bad_enough_is_ignored_and_a_flag_widens() {
    let bench = checkout();
    let findings = [
        finding(1, &json!({"severity": "P2"})),
        finding(2, &json!({"verdict": null})),
        finding(3, &json!({"verdict": "rejected"})),
        finding(4, &json!({"verdict": "demoted"})),
    ];
    let path = hand_in(&bench, &findings);
    let report = bench.prfix(["loop", &path, "--json"]).succeeds().json();
    let ids = |bucket: &str| -> Vec<u64> {
        report["buckets"][bucket].as_array().unwrap().iter().map(|one| one["id"].as_u64().unwrap()).collect()
    };
    assert_eq!((ids("dropped"), ids("demoted")), (vec![1, 2, 3], vec![4]), "{report:#}");
    assert!(bench.agent.calls().is_empty());
    nothing_is_changed(&bench);

    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let report = bench.prfix(["loop", &path, "--json", "--min-severity", "P2"]).succeeds().json();
    assert_eq!(report["buckets"]["resolved"][0]["id"], 1, "{report:#}");
}

#[test]
fn round_two_is_told_what_round_one_did_and_a_verifier_sees_what_is_staged() {
    let bench = checkout();
    bench.agent.fix_round(1).replace("src/a.rs", "i += 1", "i += 2").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let word = finding(1, &json!({"verdict": "rejected", "evidence": "src/a.rs:3 reads i < n"}));
    bench.agent.verify().answers(&says_of(&[word]));
    let report = bench.prfix(["loop", &one(&bench), "--json"]).succeeds().json();
    assert_eq!(
        report["buckets"]["resolved"][0],
        json!({"id": 1, "round": 2, "evidence": "src/a.rs:3 reads i < n", "verified": true})
    );
    let fixes = bench.agent.calls_of("fix");
    let history = &fixes[1].brief["history"][0];
    assert_eq!((&history["round"], &history["files_changed"]), (&json!(1), &json!(["src/a.rs"])));
    assert!(fixes[1].prompt.contains("the lines of the finding are as they were"), "{}", fixes[1].prompt);
    let verifier = &bench.agent.calls_of("verify")[0];
    assert!(verifier.prompt.contains("+    while i < n {") && !verifier.prompt.contains("staged by hand"));
    assert!(verifier.prompt.contains("no read past the end"), "the criterion");
    the_rest_is_untouched(&bench);
}

#[test]
fn there_is_no_third_round_and_the_escalation_has_both_tries() {
    let bench = checkout();
    bench.agent.fix_round(1).replace("src/a.rs", "i += 1", "i += 2").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).replace("src/a.rs", "i += 2", "i += 3").answers(&attempt(&["src/a.rs"]));
    bench.agent.verify().answers(&says_of(&[finding(1, &json!({"evidence": "line 3 still reads i <= n"}))]));
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    let escalated = &report["buckets"]["escalated"][0];
    assert_eq!(escalated["attempts"].as_array().unwrap().len(), 2, "{report:#}");
    assert!(escalated["remains"].as_str().unwrap().contains("still reads i <= n"));
    assert_eq!((&escalated["choice"], &escalated["staged"]), (&json!("defer"), &json!(["src/a.rs"])));
    assert_eq!((bench.agent.calls_of("fix").len(), bench.agent.calls_of("verify").len()), (2, 1));
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);

    let bench = checkout();
    bench.agent.fix().sh("true").answers(&attempt(&[]));
    bench.agent.verify().answers(&says_of(&[finding(1, &json!({}))]));
    bench.prfix(["loop", &one(&bench), "--on-escalate", "another"]).fails_with(4).says("put back for another approach");
    nothing_is_changed(&bench);
}

#[test]
fn each_word_of_a_verifier_has_its_bucket() {
    let words = [
        (json!({"verdict": "demoted", "severity": "P2", "evidence": "a comment is left"}), "demoted", 0),
        (json!({"verdict": "demoted", "severity": "P1", "evidence": "half of it"}), "escalated", 4),
        (json!({"verdict": "rejected", "evidence": null}), "escalated", 4),
        (json!({"verdict": "rejected", "evidence": "line 3"}), "resolved", 0),
    ];
    for (word, bucket, exit) in words {
        let bench = checkout();
        bench.agent.fix().sh("true").answers(&attempt(&[]));
        bench.agent.verify().answers(&says_of(&[finding(1, &word)]));
        let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(exit).json();
        assert_eq!(report["buckets"][bucket][0]["id"], 1, "{word}: {report:#}");
    }
    let bench = checkout();
    bench.agent.fix().sh("true").answers(&attempt(&[]));
    bench.agent.verify().prints("I think it is fine.");
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    assert!(report["buckets"]["escalated"][0]["remains"].as_str().unwrap().contains("unreadable"), "{report:#}");
}

#[test]
fn a_new_severe_finding_of_the_verifier_escalates() {
    let bench = checkout();
    bench.agent.fix_round(1).replace("src/a.rs", "i += 1", "i += 2").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let fixed = finding(1, &json!({"verdict": "rejected", "evidence": "line 3"}));
    let new = finding(900, &json!({"severity": "P0", "title": "It skips every second entry"}));
    bench.agent.verify().answers(&says_of(&[fixed, new]));
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    assert!(
        report["buckets"]["escalated"][0]["remains"].as_str().unwrap().contains("a new P0: It skips"),
        "{report:#}"
    );
    assert_eq!(report["new_findings"][0]["id"], 900);
    assert_eq!(report["buckets"]["resolved"], json!([]));
}

#[test]
fn what_cannot_be_verified_is_put_back_unless_the_operator_says_otherwise() {
    let broken = || {
        let bench = checkout();
        bench.config("prfix.testCommand", "no-such-program-anywhere");
        bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
        bench
    };
    let bench = broken();
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    let escalated = &report["buckets"]["escalated"][0];
    assert!(escalated["remains"].as_str().unwrap().starts_with("it could not be verified"), "{report:#}");
    assert_eq!((&escalated["staged"], &report["staged"]), (&json!([]), &json!([])));
    assert_eq!(bench.agent.calls_of("fix").len(), 1, "no second round: it was not an attempt that failed");
    nothing_is_changed(&bench);

    let bench = broken();
    let report = bench.prfix(["loop", &one(&bench), "--json", "--on-inconclusive", "accept"]).succeeds().json();
    assert_eq!(report["buckets"]["resolved"][0]["verified"], false, "{report:#}");
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);

    let bench = broken();
    // Fails to start in the first verification (a failed gate is run twice), and passes in the second.
    let tries = bench.home().join(".cache/tries");
    let script = format!("echo >> {0}; test $(wc -l < {0}) -gt 2 || exit 127", tries.display());
    bench.config("prfix.testCommand", &format!("sh -c '{script}'"));
    let report = bench.prfix(["loop", &one(&bench), "--json", "--on-inconclusive", "retry"]).succeeds().json();
    assert_eq!(report["buckets"]["resolved"][0]["round"], 1, "{report:#}");
    assert_eq!(bench.agent.calls_of("fix").len(), 1, "the agent was not asked again");
}

#[test]
fn tests_that_turn_red_are_a_failed_round_and_those_that_were_red_say_nothing() {
    let bench = checkout();
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n /* BROKEN */").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).replace("src/a.rs", " /* BROKEN */", "").answers(&attempt(&["src/a.rs"]));
    let word = finding(1, &json!({"verdict": "rejected", "evidence": "src/a.rs:3"}));
    bench.agent.verify().answers(&says_of(&[word]));
    bench.prfix(["loop", &one(&bench), "--json"]).succeeds();
    assert!(bench.agent.calls_of("fix")[1].prompt.contains("failed with status 1, and not so before"));

    let bench = checkout();
    bench.write("src/c.rs", "// BROKEN long before\n");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    let remains = report["buckets"]["escalated"][0]["remains"].as_str().unwrap().to_owned();
    assert!(remains.contains("is red, as before the fix"), "{report:#}");
    assert_eq!(text(&bench, "src/c.rs"), "// BROKEN long before\n");
}

#[test]
fn more_files_are_asked_for_before_any_edit() {
    let wants = || {
        let bench = checkout();
        bench.agent.fix_round(1).replace("src/b.rs", "Helo", "Hello").answers(&expansion(&["src/b.rs"]));
        bench
    };
    let bench = wants();
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    let deferred = &report["buckets"]["deferred"][0];
    assert_eq!(deferred["additional_files"], json!(["src/b.rs"]), "{report:#}");
    assert_eq!(text(&bench, "src/b.rs"), FEATURE[1].1, "its early edit is gone");
    nothing_is_changed(&bench);

    let bench = wants();
    bench.agent.fix_round(2).replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    bench.prfix(["loop", &one(&bench), "--on-scope", "reject"]).succeeds();
    assert!(bench.agent.calls_of("fix")[1].prompt.contains("a person said no"));
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);

    let bench = wants();
    let both = attempt(&["src/a.rs", "src/b.rs"]);
    let plan = bench.agent.fix_round(2).replace("src/a.rs", "i <= n", "i < n");
    plan.replace("src/b.rs", "Helo", "Hello").answers(&both);
    let report = bench.prfix(["loop", &one(&bench), "--json", "--on-scope", "approve"]).succeeds().json();
    assert_eq!(report["staged"], json!(["src/a.rs", "src/b.rs"]), "{report:#}");
    the_rest_is_untouched(&bench);

    let bench = checkout();
    bench.agent.fix().answers(&expansion(&[".github/workflows/ci.yml"]));
    let report = bench.prfix(["loop", &one(&bench), "--json", "--on-scope", "approve"]).fails_with(4).json();
    assert!(report["buckets"]["deferred"][0]["why"].as_str().unwrap().contains("is protected"), "{report:#}");
}

#[test]
fn findings_of_one_file_are_fixed_together_and_verified_one_by_one() {
    let bench = checkout();
    let other = finding(2, &json!({"title": "The result is unnamed", "line_start": 6, "line_end": 6}));
    let path = hand_in(&bench, &[finding(1, &json!({})), other]);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).sh("true").answers(&attempt(&[]));
    bench.agent.verify().answers(&says_of(&[finding(2, &json!({"evidence": "line 6 is as it was"}))]));
    let report = bench.prfix(["loop", &path, "--json"]).fails_with(4).json();
    assert_eq!(report["buckets"]["resolved"][0]["id"], 1, "{report:#}");
    assert_eq!(report["buckets"]["escalated"][0]["id"], 2, "{report:#}");
    let fixes = bench.agent.calls_of("fix");
    let asked: Vec<usize> = fixes.iter().map(|call| call.brief["findings"].as_array().unwrap().len()).collect();
    assert_eq!(asked, [2, 1]);
}

#[test]
fn an_envelope_that_does_not_fit_is_refused_by_field() {
    let bench = checkout();
    let path = bench.root().join("findings.json");
    let refused = |document: &Value, said: &str| {
        std::fs::write(&path, document.to_string()).unwrap();
        bench.prfix(["loop", &path.to_string_lossy()]).fails_with(2).says(said);
    };
    refused(&json!({"schema_version": "v2", "findings": []}), "`schema_version`: expected \"v1\", found \"v2\"");
    let document = says_of(&[finding(1, &json!({"severity": "P7", "criterion": null}))]);
    refused(&document, "`findings[0].severity`: expected one of P0, P1, P2, P3, found \"P7\"");
    let document = says_of(&[finding(1, &json!({"criterion": null}))]);
    refused(&document, "`findings[0].criterion`: expected a text, which P0 and P1 need, found null");
    std::fs::write(&path, "{").unwrap();
    bench.prfix(["loop", &path.to_string_lossy()]).fails_with(2).says("it is no JSON");
    nothing_is_changed(&bench);
}

#[test]
fn a_person_on_a_terminal_is_shown_both_tries_and_decides() {
    if !has_script() {
        return;
    }
    let bench = checkout();
    bench.agent.fix_round(1).answers(&expansion(&["src/b.rs"]));
    bench.agent.fix_round(2).replace("src/a.rs", "i += 1", "i += 2").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(3).sh("true").answers(&attempt(&[]));
    bench.agent.verify().answers(&says_of(&[finding(1, &json!({"evidence": "line 3 is as it was"}))]));
    let said = bench.prfix(["loop", &one(&bench)]).on_terminal("reject\nmanual\n").fails_with(4);
    for text in [
        "May the fix touch more files?",
        "src/b.rs",
        "round 1 changed src/a.rs",
        "round 2 changed nothing",
        "line 3 is as it was",
        "defer (recommended)",
        "left for a manual fix",
    ] {
        assert!(said.stdout.contains(text), "{text}: {said}");
    }
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);
}

#[test]
fn a_question_in_round_two_leaves_what_round_one_resolved() {
    let bench = checkout();
    let other = finding(2, &json!({"title": "The result is unnamed", "line_start": 6, "line_end": 6}));
    let path = hand_in(&bench, &[finding(1, &json!({})), other]);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).answers(&expansion(&["src/b.rs"]));
    let report = bench.prfix(["loop", &path, "--json"]).fails_with(4).json();
    assert_eq!(report["buckets"]["resolved"][0]["id"], 1, "{report:#}");
    assert_eq!(report["buckets"]["deferred"][0]["id"], 2, "{report:#}");
    assert!(text(&bench, "src/a.rs").contains("i < n"));
    assert_eq!(
        (staged(&bench), &report["staged"]),
        (vec!["src/a.rs".into(), "staged.txt".into()], &json!(["src/a.rs"]))
    );
}

#[test]
fn a_finding_without_evidence_is_looked_at_before_anything_is_changed() {
    let bench = checkout();
    let bare = |id: u32, file: &str| finding(id, &json!({"evidence": null, "file": file}));
    let path = hand_in(&bench, &[bare(1, "src/a.rs"), bare(2, "src/b.rs"), finding(3, &json!({"file": "src/b.rs"}))]);
    let holds = finding(1, &json!({"evidence": "src/a.rs:3 reads `i <= n`"}));
    let not = finding(2, &json!({"file": "src/b.rs", "verdict": "rejected", "evidence": "src/b.rs has no loop"}));
    let first = format!("case $round in 1) echo '{}' ;; *) echo '{}' ;; esac", says_of(&[holds]), says_of(&[not]));
    bench.agent.verify().sh(&first.replace("`", ""));
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).replace("src/b.rs", "Helo", "Hello").answers(&attempt(&["src/b.rs"]));
    let report = bench.prfix(["loop", &path, "--json"]).succeeds().json();
    let ids = |bucket: &str| -> Vec<u64> {
        report["buckets"][bucket].as_array().unwrap().iter().map(|one| one["id"].as_u64().unwrap()).collect()
    };
    assert_eq!((ids("resolved"), ids("dropped")), (vec![1, 3], vec![2]), "{report:#}");
    assert_eq!(
        (&report["findings"][1]["verdict"], &report["findings"][1]["evidence"]),
        (&json!("rejected"), &json!("src/b.rs has no loop"))
    );
    let roles: Vec<String> = bench.agent.calls().iter().map(|call| call.role.clone()).collect();
    assert_eq!(roles, ["verify", "fix", "verify", "fix"]);
    let asked = &bench.agent.calls_of("verify")[1];
    assert_eq!((&asked.brief["task"], asked.brief["findings"].as_array().unwrap().len()), (&json!("loop-before"), 1));
    assert!(!bench.agent.calls_of("fix")[1].prompt.contains("# Finding 2"), "what does not hold is not fixed");
}

#[test]
fn where_nobody_can_look_a_confirmed_finding_is_taken_as_it_is() {
    let bench = checkout();
    let path = hand_in(&bench, &[finding(1, &json!({"evidence": null}))]);
    bench.agent.verify().prints("no idea");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let report = bench.prfix(["loop", &path, "--json"]).succeeds().json();
    assert_eq!(report["buckets"]["resolved"][0]["id"], 1, "{report:#}");
    assert!(report["warnings"].to_string().contains("taken as they are"), "{report:#}");
}
