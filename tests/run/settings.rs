//! Settings, copied files, set-up, re-review, team rules: what surrounds a run.

use crate::support::git::commit_to;
use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

#[test]
fn set_up_commands_prepare_both_worktrees_before_the_gates() {
    let bench = TestBench::new();
    one(&bench);
    std::fs::write(bench.clone_dir().join(".git/info/exclude"), "prepared\n").unwrap();
    bench.config("prfix.setupCommand", "sh -c 'echo ready > prepared'");
    bench.config("prfix.testCommand", "cat prepared");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(
        (report["gates"][0]["before"].as_str(), report["gates"][0]["status"].as_str()),
        (Some("passed"), Some("passed"))
    );
}

#[test]
fn files_named_by_the_teams_worktreeinclude_are_copied_and_the_pull_requests_own_list_is_not_asked() {
    let bench = TestBench::new();
    commit_to(
        &bench.hub(),
        "main",
        "Include",
        &[(".worktreeinclude", "*.local\n"), (".gitignore", "*.local\n*.secret\n")],
    );
    bench.write("test.local", "copied\n");
    bench.write("my.secret", "never\n");
    let pr = one(&bench);
    pr.push(&[(".worktreeinclude", "*.secret\n")]);
    bench.config("prfix.testCommand", "sh -c 'test -e test.local && ! test -e my.secret'");
    let report = bench.prfix(["7", "--no-push", "--json"]).succeeds().json();
    assert_eq!(report["gates"][0]["status"], "passed", "{report:#}");
}

#[test]
fn the_review_command_runs_after_the_push_with_the_spec_and_not_inside_another_run() {
    let bench = TestBench::new();
    one(&bench);
    let seen = bench.root().join("seen");
    bench.config("prfix.reReviewCommand", &format!("sh -c 'cat \"$PRFIX_BRIEF\" > {}'", seen.display()));
    bench.prfix(["7", "--re-review"]).succeeds();
    assert!(std::fs::read_to_string(&seen).unwrap().contains("off by one"));

    let bench = TestBench::new();
    one(&bench);
    bench.config("prfix.reReviewCommand", &format!("touch {}", bench.root().join("nested").display()));
    let report = bench.prfix(["7", "--re-review", "--json"]).env("PRFIX_NESTED", "1").succeeds().json();
    assert!(report["warnings"].to_string().contains("--re-review was skipped"));
    assert!(!bench.root().join("nested").exists());
}

#[test]
fn rules_come_from_the_default_branch_and_never_from_the_pull_request() {
    let rule = |word: &str| {
        format!(
            "prfix.api = 1\nprfix.noise {{ name = \"house\", why = \"house rule\", drop = function(c) if c.body:find(\"{word}\", 1, true) then return \"house\" end end }}\n"
        )
    };
    let bench = TestBench::new();
    commit_to(&bench.hub(), "main", "Rules", &[(".prfix/rules.lua", rule("from-main").as_str())]);
    let pr = bench
        .open_pr("feature")
        .thread("src/a.rs:3", "Please fix the loop, from-main.")
        .thread("src/a.rs:4", "Please fix the loop too, from-pr.");
    pr.push(&[(".prfix/rules.lua", rule("from-pr").as_str())]);
    let report = bench.prfix(["harvest", "7", "--json"]).succeeds().json();
    assert_eq!(report["items"].as_array().unwrap().len(), 1, "{report:#}");
    assert_eq!(report["dropped"][0]["rule"], "noise/house");
    assert!(report["items"][0]["request"].as_str().unwrap().contains("from-pr"));
}

#[test]
fn local_rules_count_once_they_are_trusted_and_any_edit_ends_that() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Please fix the loop, house style.");
    bench.write(".prfix/rules.lua", "prfix.api = 1\nprfix.noise { name = \"house\", why = \"w\", drop = function(c) if c.body:find(\"house\", 1, true) then return \"house\" end end }\n");
    let items = |bench: &TestBench| {
        bench.prfix(["harvest", "7", "--json"]).succeeds().json()["items"].as_array().unwrap().len()
    };
    assert_eq!(items(&bench), 1);
    bench.prfix(["rules", "trust"]).fails_with(2).says("rules trust");
    let diff = bench.prfix(["rules", "diff"]).succeeds();
    let digest = diff.stdout.lines().find_map(|line| line.trim().strip_prefix("digest ")).unwrap().trim().to_owned();
    bench.prfix(["rules", "trust", &digest]).succeeds();
    assert_eq!(items(&bench), 0);
    bench.write(".prfix/more.lua", "prfix.api = 1\n");
    assert_eq!(items(&bench), 1);
}

#[test]
fn unpushed_local_commits_are_named() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.git(&["fetch", "-q", &bench.hub().to_string_lossy(), "feature:feature"]);
    bench.git(&["checkout", "-q", "feature"]);
    bench.write("local.txt", "x\n");
    bench.git(&["add", "local.txt"]);
    bench.git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "local work"]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert!(report["warnings"].to_string().contains("1 commits that are not pushed"), "{report:#}");
    assert!(pr.unresolved() == 0 && bench.git(&["log", "-1", "--format=%s"]).contains("local work"));
}

#[test]
fn a_look_leaves_no_run_behind_that_a_later_run_could_take_for_its_own() {
    let bench = TestBench::new();
    let pr = one(&bench).thread("src/b.rs:3", "Typo: should be Hello.");
    bench.agent.fix().for_items("src/a.rs", &[1, 2]);
    bench.prfix(["7"]).dies_before("Resolve", 1);
    bench.prfix(["harvest", "7"]).succeeds();
    bench.prfix(["7", "--dry-run"]).succeeds();
    bench.prfix(["triage", "7"]).succeeds();
    bench.prfix(["7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (2, 0));
    assert!(bench.git(&["for-each-ref", "refs/prfix"]).is_empty());
}
