//! Watches: rounds that never ask, a gate that costs nothing, brakes, status, resume and stop.

mod action;
mod asking;
mod brakes;
mod lifecycle;
mod once;
mod polling;
mod several;

use serde_json::{Value, json};

use crate::support::{Pr, TestBench};

/// A pull request with one thread that the scripted agent fixes.
fn one(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

/// The record of the watch of pull request 7.
fn record(bench: &TestBench) -> Option<Value> {
    let text = std::fs::read_to_string(bench.journal_dir().join("pr-7/watch.json")).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

/// Leaves the record of a watch that a person confirmed on a terminal (`--detach`, `--install`): a start without
/// one goes on from it.
fn confirmed(bench: &TestBench, change: impl FnOnce(&mut Value)) {
    let dir = bench.journal_dir().join("pr-7");
    std::fs::create_dir_all(&dir).unwrap();
    let mut record = json!({
        "schema": "git-prfix.watch/1", "number": 7,
        "repo": {"host": "github.com", "owner": "octo", "name": "demo"}, "node_id": "PR_7", "title": "Add counting",
        "head_branch": "feature", "push_target": "octo/demo", "head": "",
        "options": {"every": 2, "reply": true, "instructions": null, "allow": [], "allow_unverified": false,
            "accept_red_baseline": false},
        "confirmed": "2026-01-01T00:00:00Z", "owner": null, "pushed": [], "max_pushes": 10,
        "started_at": "2026-01-01T00:00:00Z", "last_check": null, "last_round": null, "last_run": null,
        "round": null, "seen": null, "memory": {}, "needs_human": [], "ended": null,
    });
    change(&mut record);
    std::fs::write(dir.join("watch.json"), record.to_string()).unwrap();
}

/// Worktrees that the program manages in the operator's repository.
fn worktrees(bench: &TestBench) -> usize {
    bench.git(&["worktree", "list", "--porcelain"]).lines().filter(|line| line.starts_with("worktree ")).count() - 1
}
