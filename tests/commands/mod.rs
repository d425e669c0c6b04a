//! The small commands: worktrees, the push guard and its hook, `init`, `doctor`, `rules`.

mod doctor;
mod guard;
mod hook;
mod init;
mod rules;
mod worktree;

use std::path::PathBuf;

use crate::support::TestBench;

const NULL: &str = "0000000000000000000000000000000000000000";

/// A run that was stopped before its push: the kept worktree, and the commit in it.
fn kept(bench: &TestBench) -> (PathBuf, String) {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one.");
    let report = bench.prfix(["7", "--no-push", "--json"]).succeeds().json();
    let path = PathBuf::from(report["worktree"]["path"].as_str().expect("a worktree"));
    let commits = report["commits"].as_array().expect("commits");
    (path, commits[0].as_str().expect("a commit").to_owned())
}
