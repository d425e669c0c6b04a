//! `guard pre-push`: what may leave a managed worktree, and what guard rules say of other pushes.

use std::path::Path;

use super::{NULL, kept};
use crate::support::TestBench;
use crate::support::git::git;

/// Asks the guard about one line of the hook's input.
fn ask<'b>(bench: &'b TestBench, cwd: &Path, line: &str) -> crate::support::run::Prfix<'b> {
    bench.prfix(["guard", "pre-push", "origin", "https://github.com/octo/demo.git"]).cwd(cwd).stdin(line)
}

fn commit(path: &Path, message: &str) -> String {
    git(path, &["commit", "-q", "--allow-empty", "-m", message]);
    git(path, &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Publishes `.prfix/rules.lua` on the default branch, and lets the clone know.
fn publish(bench: &TestBench, rules: &str) {
    crate::support::git::commit_to(&bench.hub(), "main", "rules", &[(".prfix/rules.lua", rules)]);
    bench.git(&["fetch", "-q", &bench.hub().to_string_lossy(), "main:refs/remotes/origin/main"]);
}

#[test]
fn a_managed_worktree_pushes_its_fix_to_the_pull_requests_head_only() {
    let bench = TestBench::new();
    let (path, fix) = kept(&bench);
    let base = git(&path, &["rev-parse", "HEAD~1"]).trim().to_owned();
    let right = format!("HEAD {fix} refs/heads/feature {base}\n");
    ask(&bench, &path, &right).succeeds();
    let allowed = ask(&bench, &path, &right).run();
    assert_eq!((allowed.stdout.as_str(), allowed.stderr.as_str()), ("", ""), "an allowed push is silent");

    let refused = |line: String, why: &str| drop(ask(&bench, &path, &line).fails_with(4).says(why));
    refused(format!("HEAD {fix} refs/heads/main {base}\n"), "is not the pull request's head");
    refused(format!("HEAD {fix} refs/tags/v1 {NULL}\n"), "is not the pull request's head");
    refused(format!("(delete) {NULL} refs/heads/feature {base}\n"), "would be deleted");
    refused(format!("HEAD {base} refs/heads/feature {fix}\n"), "would drop");
    let unknown = "1".repeat(40);
    refused(format!("HEAD {fix} refs/heads/feature {unknown}\n"), "cannot be told");
    refused(format!("{right}HEAD {fix} refs/heads/other {NULL}\n"), "refs/heads/other");
    refused("a line that git never wrote\n".into(), "not what git tells");
}

#[test]
fn commits_that_the_run_did_not_make_stay_in_its_worktree() {
    let bench = TestBench::new();
    let (path, fix) = kept(&bench);
    let base = git(&path, &["rev-parse", "HEAD~1"]).trim().to_owned();
    let foreign = commit(&path, "something else");
    let line = format!("HEAD {foreign} refs/heads/feature {base}\n");
    ask(&bench, &path, &line).fails_with(4).says(&foreign[..7]).says("your own checkout");
    ask(&bench, &path, &format!("HEAD {fix} refs/heads/feature {base}\n")).succeeds();
    ask(&bench, &bench.clone_dir(), &line).succeeds();
}

#[test]
fn a_blocked_run_hands_its_worktree_to_a_person() {
    let bench = TestBench::new();
    bench
        .agent
        .fix()
        .sh("echo \"BROKEN $PRFIX_ROUND\" >> src/a.rs")
        .claims("src/a.rs")
        .invariant("src/a.rs", &serde_json::json!({"claim": "c", "contains": "BROKEN"}));
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one.");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "gates");
    let path = std::path::PathBuf::from(report["worktree"]["path"].as_str().unwrap());
    let base = report["pr"]["head_before"].as_str().unwrap().to_owned();
    let mended = commit(&path, "by hand");
    ask(&bench, &path, &format!("HEAD {mended} refs/heads/feature {base}\n")).succeeds();
    ask(&bench, &path, &format!("HEAD {mended} refs/heads/main {base}\n")).fails_with(4);
}

#[test]
fn the_operators_own_pushes_are_nobodys_business() {
    let bench = TestBench::new();
    let head = bench.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let (own, other) = (commit(&bench.clone_dir(), "mine"), "2".repeat(40));
    for line in [
        format!("HEAD {own} refs/heads/main {head}\n"),
        format!("HEAD {head} refs/heads/topic {own}\n"),
        format!("HEAD {head} refs/heads/topic {other}\n"),
        format!("(delete) {NULL} refs/heads/topic {own}\n"),
        String::new(),
    ] {
        ask(&bench, &bench.clone_dir(), &line).succeeds();
    }
}

#[test]
fn the_teams_guard_rules_are_read_from_the_default_branch_without_the_network() {
    let bench = TestBench::new();
    publish(
        &bench,
        r#"prfix.api = 1
        prfix.guard { name = "frozen", why = "a release is under way", allow = function(x)
            for _, ref in ipairs(x.refs) do
                if ref.remote_ref == "refs/heads/release" then return "release is frozen until Monday" end
            end
        end }"#,
    );
    // Rules of the work tree count for nothing as long as they are not trusted.
    bench.write(".prfix/rules.lua", "prfix.api = 1\n");
    let head = bench.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let line = |branch: &str| format!("HEAD {head} refs/heads/{branch} {NULL}\n");
    let refused = ask(&bench, &bench.clone_dir(), &line("release")).fails_with(4).says("frozen until Monday");
    assert!(refused.stderr.contains("guard/frozen"), "{refused}");
    ask(&bench, &bench.clone_dir(), &line("topic")).succeeds();
    assert_eq!(bench.github.count("Harvest"), 0);
}

#[test]
fn a_guard_rule_can_ask_for_gates_that_passed_on_this_commit() {
    let bench = TestBench::new();
    let (path, fix) = kept(&bench);
    publish(
        &bench,
        r#"prfix.api = 1
        prfix.guard { name = "verified", allow = function(x)
            for _, ref in ipairs(x.refs) do
                if not ref.gates_passed then return "the gates did not pass on " .. ref.local_oid end
            end
        end }"#,
    );
    let base = git(&path, &["rev-parse", "HEAD~1"]).trim().to_owned();
    ask(&bench, &path, &format!("HEAD {fix} refs/heads/feature {base}\n")).succeeds();
    let line = format!("HEAD {base} refs/heads/topic {NULL}\n");
    ask(&bench, &bench.clone_dir(), &line).fails_with(4).says("the gates did not pass");
}

#[test]
fn a_broken_guard_rule_denies() {
    let bench = TestBench::new();
    let head = bench.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let line = format!("HEAD {head} refs/heads/topic {NULL}\n");
    publish(&bench, "prfix.api = 1\nprfix.guard { name = 'odd', allow = function(x) return x.no.such.thing end }\n");
    let report = bench
        .prfix(["guard", "pre-push", "origin", "https://github.com/octo/demo.git", "--json"])
        .stdin(&line)
        .fails_with(4)
        .json();
    assert_eq!(
        (report["decision"].as_str(), report["refused"][0]["rule"].as_str()),
        (Some("refuse"), Some("guard/odd"))
    );
    publish(&bench, "prfix.api = 1\nprfix.guard {\n");
    ask(&bench, &bench.clone_dir(), &line).fails_with(2).says(".prfix/rules.lua");
}
