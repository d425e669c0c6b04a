//! Agents that do not behave: contained, undone, named (T81, T82, cases 27, 28).

use crate::support::git::git;
use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

fn rogue(line: &str) -> (TestBench, Pr, serde_json::Value) {
    let bench = TestBench::new();
    // The sandbox would not let it happen.
    bench.config("prfix.sandbox", "off");
    let pr = one(&bench);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").sh(line);
    let before = bench.snapshot();
    let report = bench.prfix(["7", "--json"]).run();
    // What was put back has a new time, and a ref that was moved back says so in its log.
    let changes: Vec<String> = before
        .changes()
        .into_iter()
        .filter(|c| !c.contains("with the same contents") && !c.contains(".git/logs/"))
        .collect();
    assert!(changes.is_empty(), "{line}: {changes:?}");
    let json = report.json();
    (bench, pr, json)
}

#[test]
fn a_commit_by_the_agent_is_taken_back_to_its_changes() {
    let (bench, pr, report) = rogue("git add -A && git -c user.name=x -c user.email=x@x commit -qm rogue");
    assert_eq!(report["reason"], "pushed", "{report:#}");
    assert!(report["warnings"].to_string().contains("HEAD"), "{report:#}");
    let log = git(&bench.hub(), &["log", "--format=%s", "main..feature"]);
    assert!(!log.contains("rogue"), "{log}");
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn branches_tags_and_stashes_of_the_agent_are_undone_and_named() {
    for line in ["git branch evil", "git tag evil", "git checkout -q -b evil", "git update-ref refs/heads/main HEAD"] {
        let (bench, _, report) = rogue(line);
        assert_eq!(report["reason"], "pushed", "{line}: {report:#}");
        assert!(report["warnings"].to_string().contains("tampered"), "{line}: {report:#}");
        assert!(
            bench.git(&["branch", "--list", "evil"]).is_empty() && bench.git(&["tag", "--list"]).is_empty(),
            "{line}"
        );
    }
}

#[test]
fn configuration_and_hooks_are_put_back() {
    for line in [
        "git config core.hooksPath /tmp/evil",
        "printf '#!/bin/sh\\nexit 0\\n' > \"$(git rev-parse --git-common-dir)/hooks/pre-push\"",
        "echo 'src/secret' >> \"$(git rev-parse --git-common-dir)/info/exclude\"",
    ] {
        let (_, _, report) = rogue(line);
        assert_eq!(report["reason"], "pushed", "{line}: {report:#}");
        assert!(report["warnings"].to_string().contains("tampered"), "{line}: {report:#}");
    }
}

#[test]
fn a_push_by_the_agent_does_not_get_through() {
    let (bench, _, report) = rogue(
        "git push -q origin HEAD:refs/heads/evil; git push -q https://github.com/octo/demo.git HEAD:refs/heads/evil; true",
    );
    assert_eq!(report["reason"], "pushed", "{report:#}");
    assert!(git(&bench.hub(), &["branch", "--list", "evil"]).is_empty());
}

#[test]
fn a_link_out_of_the_worktree_is_refused() {
    let bench = TestBench::new();
    one(&bench);
    for round in 1..=3 {
        bench
            .agent
            .fix_round(round)
            .replace("src/a.rs", "i <= n", "i < n")
            .sh("ln -sf /etc/passwd src/link")
            .claims("src/link");
    }
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "manifest");
    assert!(report["unblock"].as_str().unwrap().contains("leads out of the worktree"), "{report:#}");
}

#[test]
fn escapes_in_what_the_agent_prints_never_reach_the_terminal() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").sh("printf '\\033]0;owned\\007\\033[2J\\n'");
    let ended = bench.prfix(["7", "-v"]).succeeds();
    assert!(!ended.stderr.contains('\u{1b}') && !ended.stdout.contains('\u{1b}'));
}
