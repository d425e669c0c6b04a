//! `worktree list` and `worktree clean`.

use serde_json::Value;

use super::kept;
use crate::support::TestBench;
use crate::support::git::git;

fn listed(bench: &TestBench) -> Vec<Value> {
    bench.prfix(["worktree", "list", "--json"]).succeeds().json().as_array().expect("a list").clone()
}

/// The clock of the run, and one two hours later, when its worktree is no longer fresh.
const NOW: &str = "2026-11-30T10:00:00Z";
const LATER: &str = "2026-11-30T12:00:00Z";

/// A worktree of a dead owner, clean and without a commit of its own.
fn left_behind(bench: &mut TestBench) -> std::path::PathBuf {
    bench.clock(NOW);
    let (path, _) = kept(bench);
    git(&path, &["reset", "-q", "--hard", "HEAD~1"]);
    bench.git(&["worktree", "unlock", &path.to_string_lossy()]);
    bench.clock(LATER);
    path
}

#[test]
fn a_kept_worktree_is_listed_with_its_pull_request_and_why_it_stays() {
    let bench = TestBench::new();
    bench.prfix(["worktree", "list"]).succeeds().says("no managed worktrees");
    kept(&bench);
    let all = listed(&bench);
    assert_eq!(all.len(), 1);
    assert_eq!((all[0]["pr"].as_u64(), all[0]["state"].as_str()), (Some(7), Some("locked")));
    assert!(all[0]["bytes"].as_u64().unwrap() > 0 && all[0]["owner_alive"] == false, "{all:#?}");
    bench.prfix(["worktree", "list"]).succeeds().says("--no-push").says("#7");
}

#[test]
fn cleaning_without_a_terminal_or_yes_shows_and_removes_nothing() {
    let mut bench = TestBench::new();
    let path = left_behind(&mut bench);
    bench.prfix(["worktree", "clean"]).succeeds().says("dead-owner").says("nothing was removed").says("--yes");
    bench.prfix(["worktree", "clean", "--dry-run", "--yes"]).succeeds().says("1 would be removed");
    assert!(path.is_dir());
    let removed = bench.prfix(["worktree", "clean", "--yes", "--json"]).succeeds().json();
    assert_eq!(removed[0]["removed"], true, "{removed:#}");
    assert!(!path.exists() && listed(&bench).is_empty());
    bench.prfix(["worktree", "clean", "--yes"]).succeeds().says("nothing that could be removed");
}

#[test]
fn unpushed_commits_locks_and_ignored_secrets_survive_a_clean() {
    let mut bench = TestBench::new();
    bench.clock(NOW);
    let (path, _) = kept(&bench);
    bench.clock(LATER);
    let states = |bench: &TestBench| {
        let all = bench.prfix(["worktree", "clean", "--yes", "--json"]).succeeds().json();
        all[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(states(&bench), "locked");
    bench.git(&["worktree", "unlock", &path.to_string_lossy()]);
    assert_eq!(states(&bench), "holds-work");
    git(&path, &["reset", "-q", "--hard", "HEAD~1"]);
    std::fs::write(path.join(".gitignore"), ".env\n").unwrap();
    git(&path, &["add", ".gitignore"]);
    git(&path, &["commit", "-qm", "ignore"]);
    git(&path, &["push", "-q", &bench.hub().to_string_lossy(), "HEAD:ignored"]);
    bench.git(&["fetch", "-q", &bench.hub().to_string_lossy(), "ignored:refs/remotes/origin/ignored"]);
    std::fs::write(path.join(".env"), "TOKEN=1\n").unwrap();
    assert_eq!(states(&bench), "holds-work");
    assert_eq!(std::fs::read_to_string(path.join(".env")).unwrap(), "TOKEN=1\n");
}

#[test]
fn force_removes_the_named_worktree_only_and_never_a_locked_or_foreign_one() {
    let bench = TestBench::new();
    let (path, commit) = kept(&bench);
    let name = path.to_string_lossy().into_owned();
    bench.prfix(["worktree", "clean", "--force", &name]).fails_with(3).says("is locked");
    let foreign = bench.root().join("foreign");
    bench.git(&["worktree", "add", "-q", "--detach", &foreign.to_string_lossy()]);
    bench.prfix(["worktree", "clean", "--force", &foreign.to_string_lossy()]).fails_with(2).says("not a managed");
    assert!(foreign.is_dir() && path.is_dir());
    bench.git(&["worktree", "unlock", &name]);
    bench.prfix(["worktree", "clean", "--force", &name]).succeeds().says("removed");
    assert!(!path.exists() && foreign.is_dir());
    bench.git(&["cat-file", "-e", &format!("{commit}^{{commit}}")]);
}
