//! Rounds of several pull requests side by side, each with its own record.

use std::sync::Arc;

use serde_json::{Value, json};

use super::confirmed;
use crate::support::{Pr, TestBench};

/// Pull requests 7 and 8, each with a thread and the record of a watch that a person confirmed.
fn two(bench: &TestBench) -> [Arc<Pr>; 2] {
    confirmed(bench, |_| {});
    let dir = bench.journal_dir();
    let text = std::fs::read_to_string(dir.join("pr-7/watch.json")).unwrap();
    [7, 8].map(|number| {
        let mut record: Value = serde_json::from_str(&text).unwrap();
        let branch = format!("feature-{number}");
        record["number"] = json!(number);
        record["node_id"] = json!(format!("PR_{number}"));
        record["head_branch"] = json!(branch);
        std::fs::create_dir_all(dir.join(format!("pr-{number}"))).unwrap();
        std::fs::write(dir.join(format!("pr-{number}/watch.json")), record.to_string()).unwrap();
        let pr = bench.open_pr_number(number, &branch, "ann");
        Arc::new(pr.thread("src/a.rs:3", "This loop is off by one, use `<`."))
    })
}

/// Both are merged with the nth poll, so that the watch ends.
fn merge_at(bench: &TestBench, prs: &[Arc<Pr>; 2], nth: usize) {
    let prs = prs.clone();
    bench.github.on("Gate").nth(nth).before(move || prs.iter().for_each(|pr| pr.merge()));
}

fn pushed(bench: &TestBench, number: u64) -> usize {
    let text = std::fs::read_to_string(bench.journal_dir().join(format!("pr-{number}/watch.json"))).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["pushed"].as_array().unwrap().len()
}

#[test]
fn as_many_rounds_at_once_as_there_are_jobs() {
    let bench = TestBench::new();
    let prs = two(&bench);
    // Each waits in a pipe for the other: one alone would wait until its time is up.
    let meet = "if mkdir \"$dir/calls/first\"; then mkfifo \"$dir/calls/pipe\"; fi 2>/dev/null; \
                until [ -p \"$dir/calls/pipe\" ]; do :; done; \
                if mkdir \"$dir/calls/reader\" 2>/dev/null; then read -r word <\"$dir/calls/pipe\"; \
                else echo here >\"$dir/calls/pipe\"; fi";
    bench.agent.fix().sh(meet).replace("src/a.rs", "i <= n", "i < n");
    merge_at(&bench, &prs, 4);
    let watched = bench.prfix(["watch", "7", "8", "--jobs", "2"]).succeeds();
    for (pr, number) in prs.iter().zip([7, 8]) {
        assert_eq!((pr.replies(), pr.unresolved(), pushed(&bench, number)), (1, 0, 1), "{watched}");
        assert!(bench.file_at(&format!("feature-{number}"), "src/a.rs").contains("i < n"));
        assert!(
            watched.stderr.contains(&format!("#{number}: no longer watched: the pull request was merged")),
            "{watched}"
        );
    }
    assert_eq!(watched.stderr.matches("pushed").count(), 2, "one line a round: {watched}");
}

#[test]
fn no_more_rounds_at_once_than_there_are_jobs() {
    let bench = TestBench::new();
    let prs = two(&bench);
    // Whoever finds another at work fails.
    bench.agent.fix().sh("mkdir \"$dir/calls/busy\" || exit 1").replace("src/a.rs", "i <= n", "i < n");
    bench.agent.fix().sh("rmdir \"$dir/calls/busy\"");
    merge_at(&bench, &prs, 4);
    bench.prfix(["watch", "7", "8", "--jobs", "1"]).succeeds();
    assert!(prs.iter().all(|pr| pr.unresolved() == 0));
}

#[test]
fn a_round_that_fails_leaves_the_other_alone_and_their_reports_are_their_own() {
    let bench = TestBench::new();
    let prs = two(&bench);
    bench.agent.fix().sh("case $(pwd) in *pr8*) exit 1 ;; esac").replace("src/a.rs", "i <= n", "i < n");
    merge_at(&bench, &prs, 4);
    let watched = bench.prfix(["watch", "7", "8"]).run();
    assert_eq!((prs[0].replies(), prs[0].unresolved(), pushed(&bench, 7)), (1, 0, 1), "{watched}");
    assert_eq!((prs[1].unresolved(), pushed(&bench, 8)), (1, 0), "{watched}");
    // The time line of a run's page has one fix, its own.
    for number in [7, 8] {
        let runs = std::fs::read_dir(bench.journal_dir().join("runs")).unwrap().map(|run| run.unwrap().path());
        let own = |run: &std::path::PathBuf| {
            let name = run.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with(&format!("pr{number}-"))
        };
        for run in runs.filter(own) {
            let text = std::fs::read_to_string(run.join("timeline.json")).unwrap();
            let spans: Vec<Value> = serde_json::from_str(&text).unwrap();
            let phases = spans.iter().filter(|span| span["phase"] == true);
            let mut labels: Vec<&str> = phases.filter_map(|span| span["label"].as_str()).collect();
            let all = labels.len();
            labels.sort_unstable();
            labels.dedup();
            assert_eq!(labels.len(), all, "#{number}: {text}");
        }
    }
}
