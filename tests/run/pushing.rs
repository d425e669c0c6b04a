//! Commit and push: exact, never forced, looked up afterwards (T87, T102–T115, cases 19–23, 26, 33).

use std::os::unix::fs::PermissionsExt;

use crate::support::git::git;
use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

pub(super) fn hook(dir: &std::path::Path, name: &str, script: &str) {
    std::fs::create_dir_all(dir.join("hooks")).unwrap();
    let file = dir.join("hooks").join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_commit_has_the_repositorys_identity_and_names_the_items() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let head = pr.head();
    bench.prfix(["7"]).succeeds();
    let log = git(&bench.hub(), &["log", "-1", "--format=%an <%ae>%n%P%n%B", "feature"]);
    assert!(
        log.starts_with(&format!("Olga Operator <olga@example.com>\n{head}\nfix(pr-7): address review feedback")),
        "{log}"
    );
    assert!(log.contains("off by one"), "{log}");
}

#[test]
fn a_commit_hook_that_refuses_is_reported_and_never_bypassed() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let head = pr.head();
    hook(&bench.clone_dir().join(".git"), "pre-commit", "echo 'style police: no' >&2; exit 1");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "guard");
    assert!(report["unblock"].as_str().unwrap().contains("style police"));
    assert_eq!(pr.head(), head);
    assert_eq!(report["worktree"]["kept"], true, "the work is not lost: {report:#}");
}

#[test]
fn a_hook_that_hangs_is_bounded() {
    let bench = TestBench::new();
    one(&bench);
    hook(&bench.clone_dir().join(".git"), "pre-commit", "sleep 600");
    bench.prfix(["7", "--hook-timeout", "1"]).fails_with(3).says("longer than 1 s");
}

#[test]
fn a_pre_push_hook_that_refuses_blocks_and_the_run_can_go_on_later() {
    let bench = TestBench::new();
    let pr = one(&bench);
    hook(&bench.clone_dir().join(".git"), "pre-push", "echo 'not today' >&2; exit 1");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "push-rejected");
    assert!(report["unblock"].as_str().unwrap().contains("not today"));
    assert_eq!(pr.replies(), 0);
}

#[test]
fn no_push_keeps_a_locked_worktree_and_writes_nothing_remote() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let head = pr.head();
    let report = bench.prfix(["7", "--no-push", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "no-push");
    assert_eq!((pr.head(), pr.replies()), (head, 0));
    assert_eq!(report["worktree"]["kept"], true);
    assert!(bench.git(&["worktree", "list", "--porcelain"]).contains("locked"));
    assert_eq!(report["pr"]["head_after"], serde_json::Value::Null);
}

#[test]
fn merged_meanwhile_pushes_and_posts_nothing_and_keeps_the_work() {
    for merged in [true, false] {
        let bench = TestBench::new();
        let pr = one(&bench);
        let event = pr.clone();
        bench.github.on("Now").nth(1).before(move || if merged { event.merge() } else { event.close() });
        let report = bench.prfix(["7", "--json"]).succeeds().json();
        assert_eq!(report["reason"], if merged { "merged-during-run" } else { "closed-during-run" }, "{report:#}");
        assert_eq!(pr.replies(), 0);
        assert_eq!(report["worktree"]["kept"], true);
    }
}

#[test]
fn a_head_that_moved_is_integrated_verified_and_pushed_once() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let event = pr.clone();
    bench.github.on("Now").nth(1).before(move || drop(event.push(&[("docs.md", "more\n")])));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "pushed", "{report:#}");
    assert!(bench.file_at("feature", "docs.md").contains("more"));
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
    assert_eq!(git(&bench.hub(), &["log", "--merges", "--oneline", "feature"]), "");
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_conflicting_move_keeps_the_work_as_a_patch_and_forces_nothing() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let event = pr.clone();
    let theirs = "fn count(items: &[u32]) -> usize {\n    items.iter().count()\n}\n";
    bench.github.on("Now").nth(1).before(move || drop(event.push(&[("src/a.rs", theirs)])));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "push-rejected");
    assert_eq!(bench.file_at("feature", "src/a.rs"), theirs);
    let run = bench.clone_dir().join(".git/prfix/runs").join(report["run"].as_str().unwrap());
    assert!(std::fs::read_to_string(run.join("fix.patch")).unwrap().contains("i < n"));
    assert_eq!(report["worktree"]["kept"], true);
    assert_eq!(pr.replies(), 0);
}

#[test]
fn after_a_rebase_the_kept_patch_holds_our_commits_alone() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.config("prfix.testCommand", "sh -c '! test -e docs.md'");
    let event = pr.clone();
    bench.github.on("Now").nth(1).before(move || drop(event.push(&[("docs.md", "theirs\n")])));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "push-rejected", "{report:#}");
    let run = bench.clone_dir().join(".git/prfix/runs").join(report["run"].as_str().unwrap());
    let patch = std::fs::read_to_string(run.join("fix.patch")).unwrap();
    assert!(patch.contains("i < n") && !patch.contains("theirs"), "{patch}");
    assert_eq!(bench.file_at("feature", "docs.md"), "theirs\n");
}

#[test]
fn submodules_that_the_operator_uses_are_there_for_the_gates() {
    let bench = TestBench::new();
    let library = bench.submodule_source();
    bench.move_submodule("feature", &library.head());
    bench.config("prfix.testCommand", "test -f sub/lib.txt");
    let pr = one(&bench);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["gates"][0]["before"], "passed", "{report:#}");
    assert_eq!(pr.unresolved(), 0);
    assert!(git(&bench.hub(), &["ls-tree", "feature", "sub"]).contains(&library.head()), "the gitlink stays");

    // Without it the run says so, and the gate is red before as after.
    bench.config("submodule.sub.url", "/no/such/place");
    pr.thread("src/b.rs:1", "name it");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert!(report["warnings"].to_string().contains("lacks a submodule"), "{report:#}");
}

#[test]
fn a_push_that_seems_to_work_while_the_head_is_another_is_an_error() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    let pr = one(&bench).lag_head(1000);
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "push-rejected");
    assert!(report["unblock"].as_str().unwrap().contains("GitHub's API"));
    assert_eq!(pr.replies(), 0, "no \"fixed\" before the pull request has it");
}

#[test]
fn the_operators_git_variables_reach_no_child() {
    let mut bench = TestBench::new();
    let pr = one(&bench);
    let decoy = bench.root().join("decoy");
    std::fs::create_dir(&decoy).unwrap();
    git(&decoy, &["init", "-q", "."]);
    let index = decoy.join("index").to_string_lossy().into_owned();
    bench.env("GIT_INDEX_FILE", &index);
    // A filter is started by gitoxide and not by us.
    let seen = bench.root().join("seen-by-the-filter");
    let filter = format!("sh -c 'env >> {}; cat'", seen.display());
    bench.config("filter.spy.smudge", &filter);
    bench.config("filter.spy.clean", &filter);
    std::fs::write(bench.clone_dir().join(".git/info/attributes"), "*.rs filter=spy\n").unwrap();
    let before = bench.snapshot();
    bench.prfix(["7"]).succeeds();
    assert_eq!(pr.unresolved(), 0);
    assert!(!decoy.join("index").exists());
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("PATH=") && !seen.contains(&index), "{seen}");
    before.assert_untouched();
}

#[test]
fn success_removes_the_worktree_and_keeps_the_branch() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["worktree"]["kept"], false);
    assert!(!bench.git(&["worktree", "list"]).contains("pr7"));
    assert_eq!(bench.git(&["rev-parse", "pr7-fix"]).trim(), pr.head());
    assert!(!std::path::Path::new(report["worktree"]["path"].as_str().unwrap()).exists());
}

#[test]
fn a_branch_that_was_rolled_back_does_not_get_its_commits_back() {
    let bench = TestBench::new();
    let pr = std::sync::Arc::new(one(&bench));
    let first = pr.head();
    pr.push(&[("docs.md", "taken back\n")]);
    let reset = std::sync::Arc::clone(&pr);
    bench.github.on("Now").before(move || reset.reset_to(&first));
    bench.prfix(["7"]).succeeds();
    let files = git(&bench.hub(), &["ls-tree", "--name-only", "feature"]);
    assert!(!files.contains("docs.md"), "{files}");
    assert_eq!(pr.unresolved(), 0);
}
