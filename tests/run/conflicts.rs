//! A branch that conflicts with its base is merged, never rebased.

use serde_json::json;

use crate::support::git::{commit_to, git};
use crate::support::{Pr, TestBench};

fn conflicting(bench: &TestBench) -> Pr {
    let pr = bench.open_pr("feature");
    commit_to(
        &bench.hub(),
        "main",
        "Greet warmly",
        &[
            ("src/b.rs", "/// Greets.\nfn greet(name: &str) -> String {\n    format!(\"Dear {name}\")\n}\n"),
            ("docs.md", "docs\n"),
        ],
    );
    pr
}

#[test]
fn the_agent_resolves_the_files_in_conflict_and_the_program_concludes_the_merge() {
    let bench = TestBench::new();
    let pr = conflicting(&bench).thread("src/a.rs:3", "This loop is off by one, use `<`.");
    let head = pr.head();
    bench
        .agent
        .fix_round(1)
        .write("src/b.rs", "/// Greets.\nfn greet(name: &str) -> String {\n    format!(\"Dear {name}, hello\")\n}\n");
    bench.agent.fix_round(2).replace("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "pushed", "{report:#}");
    let log = git(&bench.hub(), &["log", "--format=%s|%P", "-2", "feature"]);
    let merge = log.lines().nth(1).unwrap();
    assert!(merge.starts_with("Merge branch 'main' into feature|") && merge.contains(&head), "{log}");
    assert!(bench.file_at("feature", "src/b.rs").contains("Dear {name}, hello"));
    assert!(bench.file_at("feature", "docs.md").contains("docs"));
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
    assert!(bench.agent.calls_of("fix")[0].prompt.contains("src/b.rs"));
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn markers_left_behind_and_edits_beyond_the_conflict_block_in_the_end() {
    let bench = TestBench::new();
    let pr = conflicting(&bench);
    let head = pr.head();
    bench.agent.fix().sh("echo more >> docs.md").answers(&json!({"touched_files": []}));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "conflict", "{report:#}");
    let unblock = report["unblock"].as_str().unwrap();
    assert!(unblock.contains("conflict markers") && unblock.contains("`docs.md` is not in conflict"), "{unblock}");
    assert_eq!(bench.agent.calls_of("fix").len(), 3);
    assert_eq!(pr.head(), head);
}
