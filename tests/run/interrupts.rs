//! Ctrl-C while the fix agent works.

use crate::agent::alive;
use crate::support::TestBench;

#[test]
fn an_interrupted_fix_leaves_nothing_running_and_is_resumed() {
    let bench = TestBench::new();
    let pr = bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Typo: should be Hello.");
    // A signal to the program is not for processes in the sandbox to send.
    bench.config("prfix.sandbox", "off");
    let pids = "$HOME/.cache/scripted-agent/pids";
    bench
        .agent
        .fix_round(1)
        .sh("git branch evil; trap '' INT TERM")
        .sh(&format!("sleep 1000 & echo $! >> {pids}; setsid sleep 1001 & echo $! >> {pids}; echo $$ >> {pids}"))
        // The program is the parent of the supervisor, which is the parent of the agent.
        .sh("kill -INT $(cut -d' ' -f4 /proc/$PPID/stat); while :; do sleep 1; done");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1, 2]);

    let first = bench.prfix(["7", "--json"]).fails_with(130);

    let report = first.json();
    assert_eq!(
        (report["outcome"].as_str(), report["reason"].as_str()),
        (Some("blocked"), Some("interrupted")),
        "{first}"
    );
    assert!(report["unblock"].as_str().unwrap().contains("goes on where it stopped"), "{first}");
    assert_eq!(report["worktree"]["kept"], true);
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("refs/heads/evil") && bench.git(&["branch", "--list", "evil"]).is_empty(), "{warnings}");
    let pids = std::fs::read_to_string(bench.home().join(".cache/scripted-agent/pids")).unwrap();
    assert_eq!(pids.lines().count(), 3);
    assert!(pids.lines().all(|pid| !alive(pid)), "{pids}");
    assert!(bench.git(&["worktree", "list", "--porcelain"]).contains("locked"));
    assert!(!bench.git(&["worktree", "list"]).contains("before"), "{}", bench.git(&["worktree", "list"]));

    let second = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!((&second["run"], second["reason"].as_str()), (&report["run"], Some("pushed")));
    assert_eq!(pr.unresolved(), 0);
    let probes = bench.agent.calls_of("probe").len();
    assert_eq!(probes, 2, "verdicts are not paid for twice");
}
