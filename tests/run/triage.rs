//! Probes: one an item, routed by verdict, read-only (T65–T70, cases 12, 27).

use serde_json::json;

use crate::support::{TestBench, Thread};

fn three(bench: &TestBench) -> crate::support::Pr {
    bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Typo: should be Hello.")
        .with(Thread::at("src/a.rs:4").by("rita").says("Please guard against overflow here."))
}

#[test]
fn one_item_is_not_probed_and_several_are_once_each() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "Use `<` here.");
    bench.prfix(["7"]).succeeds();
    assert_eq!(bench.agent.calls_of("probe").len(), 0);

    let bench = TestBench::new();
    three(&bench);
    bench.prfix(["triage", "7", "--json"]).succeeds();
    let mut items: Vec<u32> = bench.agent.calls_of("probe").iter().map(|call| call.item).collect();
    items.sort_unstable();
    assert_eq!(items, [1, 2, 3]);
}

#[test]
fn verdicts_are_routed_and_what_is_out_stays_in_the_report() {
    let bench = TestBench::new();
    let pr = three(&bench);
    bench.agent.verdict(2, "already-addressed", "src/b.rs:3 says Hello already");
    bench.agent.verdict(3, "invalid", "src/a.rs:4 cannot overflow");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let status: Vec<&str> = report["items"].as_array().unwrap().iter().map(|i| i["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["fixed", "triaged-out", "triaged-out"]);
    assert_eq!(report["items"][1]["verdict"], "already-addressed");
    let brief = &bench.agent.calls_of("fix")[0].brief;
    assert_eq!(brief["items"].as_array().unwrap().len(), 1);
    assert_eq!(pr.unresolved(), 0, "triaged-out threads are answered and resolved by the default policy");
    assert!(pr.replies_in(2)[0].contains("cannot overflow"));
}

#[test]
fn everything_out_ends_without_a_mutation_and_the_worktree_is_gone() {
    let bench = TestBench::new();
    let pr = three(&bench);
    for item in [1, 2, 3] {
        bench.agent.verdict(item, "already-addressed", "it is there");
    }
    let head = pr.head();
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "all-triaged-out");
    assert_eq!((pr.head(), pr.replies()), (head, 0));
    assert_eq!(report["worktree"]["kept"], false);
    assert!(!bench.git(&["worktree", "list"]).contains("pr7"));
}

#[test]
fn an_unclear_verdict_stays_in_the_spec_with_its_reasoning() {
    let bench = TestBench::new();
    three(&bench);
    bench.agent.verdict(2, "unclear", "cannot tell which greeting is meant");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1, 2, 3]);
    bench.prfix(["7"]).succeeds();
    assert!(bench.agent.calls_of("fix")[0].prompt.contains("cannot tell which greeting is meant"));
}

#[test]
fn nonsense_is_asked_about_once_more_and_then_unclear() {
    let bench = TestBench::new();
    three(&bench);
    bench.agent.probe(2).prints("I think it is fine.");
    let report = bench.prfix(["triage", "7", "--json"]).succeeds().json();
    assert_eq!(report["items"][1]["verdict"], "unclear");
    let calls = bench.agent.calls_of("probe");
    let of_two: Vec<_> = calls.iter().filter(|call| call.item == 2).collect();
    assert_eq!(of_two.len(), 2);
    assert!(of_two.iter().any(|call| call.round == 2));
}

#[test]
fn what_a_probe_wrote_is_undone_and_reported() {
    let bench = TestBench::new();
    bench.config("prfix.sandbox", "off");
    three(&bench);
    bench.agent.probe(1).sh("echo hacked > src/a.rs; echo x > stray.txt").verdict("valid", "ok");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1, 2, 3]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("probe") && warnings.contains("undone"), "{warnings}");
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
    assert!(bench.file_at("feature", "src/a.rs").contains("fn count"));
}

#[test]
fn seven_items_run_in_waves_of_the_configured_width() {
    let bench = TestBench::new();
    let mut pr = bench.open_pr("feature");
    for line in 1..=7 {
        pr = pr.thread(&format!("src/a.rs:{line}"), &format!("Please look at concern number {line} again."));
    }
    // Each probe leaves a mark while it runs and counts the marks that it sees.
    let folder = bench.home().join(".cache/marks");
    let marks = folder.clone();
    std::fs::create_dir(&marks).unwrap();
    let marks = marks.display();
    bench
        .agent
        .probes()
        .sh(&format!("touch {marks}/$$; ls {marks} | grep -vc done >> {marks}/done.counts; sleep 0.1; rm {marks}/$$"))
        .verdict("valid", "ok");
    bench.prfix(["triage", "7", "--probes", "3"]).succeeds();
    let counts = std::fs::read_to_string(folder.join("done.counts")).unwrap();
    assert_eq!(counts.lines().count(), 7);
    assert!(counts.lines().all(|n| n.trim().parse::<u32>().unwrap() <= 3), "{counts}");
}

#[test]
fn triage_writes_nothing_outside_the_programs_own_state() {
    let bench = TestBench::new();
    let pr = three(&bench);
    let before = bench.snapshot();
    let report = bench.prfix(["triage", "7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "dry-run");
    assert_eq!(report["items"][0]["verdict"], "valid");
    assert_eq!(report["items"][0]["risk"], json!("low"));
    before.assert_untouched();
    assert_eq!(pr.replies(), 0);
    assert!(!bench.git(&["worktree", "list"]).contains("pr7"));
    assert!(bench.git(&["branch", "--list", "pr7*"]).is_empty());
}
