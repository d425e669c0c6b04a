//! What the snapshot sees, and the operator's clone.

use std::process::Command;

use crate::support::bench::TestBench;
use crate::support::git::git;

#[test]
fn a_snapshot_sees_every_kind_of_change_but_the_allowed_ones() {
    let bench = TestBench::new();
    let before = bench.snapshot();
    bench.git(&["update-ref", "refs/heads/pr7-fix", "HEAD"]);
    bench.git(&["update-ref", "refs/prfix/pr-7/head", "HEAD"]);
    std::fs::create_dir_all(bench.journal_dir().join("runs")).unwrap();
    before.assert_untouched();

    bench.git(&["branch", "stray"]);
    bench.git(&["config", "core.hooksPath", "/tmp"]);
    bench.write("README.md", "changed\n");
    bench.write("src/new.rs", "new\n");
    std::fs::remove_file(bench.clone_dir().join("check.sh")).unwrap();
    let changes = before.changes().join("\n");
    let wanted = [
        "added .git/refs/heads/stray",
        "changed .git/config",
        "changed README.md",
        "added src/new.rs",
        "removed check.sh",
    ];
    for want in wanted {
        assert!(changes.contains(want), "{want}: {changes}");
    }
}

#[test]
fn the_operators_git_reaches_the_hub_by_its_public_url() {
    let bench = TestBench::new();
    let output = Command::new("git")
        .args(["ls-remote", "origin", "refs/heads/main"])
        .current_dir(bench.clone_dir())
        .env_clear()
        .envs(bench.environment())
        .output()
        .unwrap();
    let main = git(&bench.hub(), &["rev-parse", "main"]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with(main.trim()));
}
