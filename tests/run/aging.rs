//! A repository in which git-prfix has worked for long: many runs, old formats, a limit to what is kept (issue of
//! disks that fill up and of starts that slow down).

use std::path::PathBuf;

use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

fn runs_dir(bench: &TestBench) -> PathBuf {
    bench.journal_dir().join("runs")
}

fn names(bench: &TestBench) -> Vec<String> {
    let entries = std::fs::read_dir(runs_dir(bench)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// An ended run of long ago, with these lines in its journal after the first.
fn old(bench: &TestBench, name: &str, more: &str) -> PathBuf {
    let dir = runs_dir(bench).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    let pr = name.trim_start_matches("pr").split('-').next().unwrap();
    let begun = format!(
        "{{\"v\":1,\"at\":\"2025-01-01T00:00:00Z\",\"event\":\"started\",\"pr\":{pr},\"head\":\"a\",\"options\":[]}}\n"
    );
    std::fs::write(dir.join("journal.jsonl"), begun + more).unwrap();
    dir
}

const ENDED: &str =
    "{\"v\":1,\"at\":\"2025-01-01T00:00:01Z\",\"event\":\"finished\",\"outcome\":\"done\",\"reason\":\"pushed\"}\n";

#[test]
fn a_start_among_five_thousand_runs_reads_none_of_them() {
    let bench = TestBench::new();
    bench.config("prfix.keepRuns", "100000");
    let pr = one(&bench);
    for n in 0..5000 {
        let dir = runs_dir(&bench).join(format!("pr{}-20250101T{:06}Z-0000", n % 50, n));
        std::fs::create_dir_all(&dir).unwrap();
        // Whoever opens a pipe that nobody writes to waits for ever.
        let (pipe, mode) = (dir.join("journal.jsonl"), rustix::fs::Mode::from_raw_mode(0o600));
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }
    // The newest of the pull request's own is the one that is looked at.
    old(&bench, "pr7-20250102T000000Z-0000", ENDED);
    bench.prfix(["7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved(), names(&bench).len()), (1, 0, 5002));
    bench.prfix(["report"]).succeeds().says("pushed");
}

#[test]
fn keep_runs_is_a_limit_for_what_is_over_and_for_nothing_else() {
    let bench = TestBench::new();
    bench.config("prfix.keepRuns", "3");
    one(&bench);
    let worktree = bench.root().join("kept-worktree");
    std::fs::create_dir(&worktree).unwrap();
    let isolated = format!(
        "{{\"v\":1,\"at\":\"2025-01-01T00:00:01Z\",\"event\":\"isolated\",\"path\":{:?},\"branch\":\"b\",\"base\":\"a\"}}\n",
        worktree.display().to_string()
    );
    old(&bench, "pr1-20250101T000001Z-0000", "");
    old(&bench, "pr2-20250101T000002Z-0000", &(isolated + ENDED));
    old(&bench, "pr3-20250101T000003Z-0000", "{\"v\":9,\"at\":\"2025-01-01T00:00:01Z\",\"event\":\"dreamt\"}\n");
    for n in 4..10 {
        old(&bench, &format!("pr{n}-20250101T00000{n}Z-0000"), ENDED);
    }
    bench.prfix(["7"]).succeeds();
    let left = names(&bench);
    let [unfinished, kept, newer, .., last] = left.as_slice() else { panic!("{left:?}") };
    assert!(unfinished.starts_with("pr1-") && kept.starts_with("pr2-") && newer.starts_with("pr3-"), "{left:?}");
    assert_eq!(left.len(), 6, "three that can be gone on with, and the newest three: {left:?}");
    assert!(last.starts_with("pr9-") && left.iter().any(|name| name.starts_with("pr7-2026")), "{left:?}");

    // The run that has just ended is never taken away under its reader.
    bench.config("prfix.keepRuns", "0");
    bench.prfix(["7"]).succeeds();
    bench.prfix(["report"]).succeeds().says("nothing");
}

#[test]
fn a_run_of_another_version_is_refused_with_the_way_on_and_never_continued() {
    for line in [
        "{\"v\":2,\"at\":\"2026-01-01T00:00:00Z\",\"begun\":{\"pull\":7}}\n",
        "{\"v\":1,\"at\":\"2026-01-01T00:00:00Z\",\"event\":\"started\",\"pr\":7,\"head\":\"a\",\"options\":[]}\nhalf a line\n",
        "{\"v\":0,\"at\":\"2026-01-01T00:00:00Z\",\"event\":\"started\",\"pr\":7,\"head\":\"a\",\"options\":[]}\n",
    ] {
        let bench = TestBench::new();
        let pr = one(&bench);
        let dir = old(&bench, "pr7-20260101T000000Z-0000", "");
        std::fs::write(dir.join("journal.jsonl"), line).unwrap();
        bench.prfix(["7"]).fails_with(3).says("another version of git-prfix").says("--fresh");
        assert_eq!(std::fs::read_to_string(dir.join("journal.jsonl")).unwrap(), line, "it is as it was");
        assert_eq!(pr.replies(), 0);
        bench.prfix(["7", "--fresh"]).succeeds();
        assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
    }
}

#[test]
fn a_specification_that_cannot_be_read_is_not_made_anew_under_the_same_numbers() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.prfix(["7"]).dies_before("Now", 1);
    let dir = runs_dir(&bench).join(&names(&bench)[0]);
    std::fs::write(dir.join("spec.json"), "{\"of\": \"another format\"}").unwrap();
    bench.prfix(["7"]).run().says("`spec.json` of run").says("--fresh");
    assert_eq!(pr.replies(), 0);
    bench.prfix(["7", "--fresh"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
}

#[test]
fn a_journal_that_was_cut_in_the_middle_of_a_character_is_gone_on_with() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.prfix(["7"]).dies_before("Now", 1);
    let journal = runs_dir(&bench).join(&names(&bench)[0]).join("journal.jsonl");
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes.extend_from_slice(b"{\"v\":1,\"at\":\"2026-01-02T03:04:05Z\",\"event\":\"warned\",\"text\":\"na\xc3");
    std::fs::write(&journal, bytes).unwrap();
    bench.prfix(["7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
}
