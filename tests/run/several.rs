//! Several pull requests side by side: a process, a worktree and a record each, one summary at the end.

use serde_json::Value;

use crate::support::{Pr, TestBench};

fn one(bench: &TestBench, number: u64, author: &str) -> Pr {
    let pr = bench.open_pr_number(number, &format!("feature-{number}"), author);
    pr.thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

/// `(argument, exit status, outcome)` of each run.
fn ends(document: &Value) -> Vec<(&str, u64, &str)> {
    assert_eq!(document["schema"], "git-prfix.reports/1");
    let entries = document["reports"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            let report = &entry["report"];
            let how = report["reason"].as_str().or(report["error"]["code"].as_str()).unwrap_or_default();
            (entry["argument"].as_str().unwrap(), entry["exit"].as_u64().unwrap(), how)
        })
        .collect()
}

#[test]
fn a_failure_of_one_leaves_the_others_alone() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let (seven, nine) = (one(&bench, 7, "ann"), one(&bench, 9, "ann"));
    let before = bench.snapshot();
    let ended = bench.prfix(["7", "8", "9", "7", "--json"]).fails_with(2);
    assert_eq!(
        ends(&ended.json()),
        [("7", 0, "pushed"), ("8", 2, "prfix::github::not_found"), ("9", 0, "pushed")],
        "in the order in which they were named, each once"
    );
    for (pr, branch) in [(&seven, "feature-7"), (&nine, "feature-9")] {
        assert_eq!((pr.unresolved(), pr.replies()), (0, 1));
        assert!(bench.file_at(branch, "src/a.rs").contains("i < n"));
    }
    let said = ended.stderr.lines().filter(|line| line.contains("pushed")).count();
    assert!(said >= 2 && ended.stderr.contains("#9: push"), "{ended}");
    before.assert_untouched();
}

#[test]
fn warnings_are_told_however_little_is_wanted() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.config("prfix.sandbox", "off");
    let _prs = (one(&bench, 7, "ann"), one(&bench, 9, "ann"));
    let ended = bench.prfix(["7", "9", "-q"]).succeeds().says("warning: #9: agents and gates run without a sandbox");
    assert!(!ended.stderr.contains("preflight"), "{ended}");
}

#[test]
fn the_summary_names_what_happened_and_what_to_do() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let _prs = (one(&bench, 7, "ann"), one(&bench, 9, "ann").set("state", "CLOSED".into()));
    let page = bench.prfix(["7", "9"]).fails_with(3).stdout;
    let line = |start: &str| {
        page.lines().map(str::trim_start).find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{page}"))
    };
    assert!(line("7 ").contains("done: pushed") && line("7 ").contains("1 fixed"), "{page}");
    assert!(line("9 ").contains("blocked: not-open"), "{page}");
    assert!(page.contains("reopen"), "{page}");
}

#[test]
fn as_many_work_at_once_as_there_are_jobs() {
    let bench = TestBench::new();
    let prs = [one(&bench, 7, "ann"), one(&bench, 8, "ann")];
    // Each waits in a pipe for the other: one alone would wait until its time is up.
    let meet = "if mkdir \"$dir/calls/first\"; then mkfifo \"$dir/calls/pipe\"; fi 2>/dev/null; \
                until [ -p \"$dir/calls/pipe\" ]; do :; done; \
                if mkdir \"$dir/calls/reader\" 2>/dev/null; then read -r word <\"$dir/calls/pipe\"; \
                else echo here >\"$dir/calls/pipe\"; fi";
    bench.agent.fix().sh(meet).replace("src/a.rs", "i <= n", "i < n");
    bench.prfix(["7", "8", "--jobs", "2"]).succeeds();
    assert!(prs.iter().all(|pr| pr.unresolved() == 0));
}

#[test]
fn no_more_work_at_once_than_there_are_jobs() {
    let bench = TestBench::new();
    let prs = [one(&bench, 7, "ann"), one(&bench, 8, "ann"), one(&bench, 9, "ann")];
    // Whoever finds another at work fails.
    bench.agent.fix().sh("mkdir \"$dir/calls/busy\" || exit 1").replace("src/a.rs", "i <= n", "i < n");
    bench.agent.fix().sh("rmdir \"$dir/calls/busy\"");
    bench.prfix(["7", "8", "9", "--jobs", "1"]).succeeds();
    assert!(prs.iter().all(|pr| pr.unresolved() == 0));
}

#[test]
fn mine_are_my_own_open_ones_that_need_work() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let (mine, theirs) = (one(&bench, 7, "octavia"), one(&bench, 9, "ann"));
    bench.open_pr_number(8, "quiet", "octavia");
    one(&bench, 10, "octavia").set("state", "CLOSED".into());
    let ended = bench.prfix(["--mine", "--json"]).succeeds().says("#8: nothing to do");
    assert_eq!(ends(&ended.json()), [("7", 0, "pushed")]);
    assert_eq!((mine.unresolved(), theirs.unresolved()), (0, 1));
    let again = bench.prfix(["--mine", "--json"]).succeeds();
    assert_eq!(ends(&again.json()), []);
}

#[test]
fn sweeps_of_several_are_sweeps() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let prs = [one(&bench, 7, "ann"), one(&bench, 8, "ann")];
    let document = bench.prfix(["sweep", "7", "8", "--json"]).succeeds().json();
    assert!(document["reports"].as_array().unwrap().iter().all(|entry| entry["report"]["sweeps"].is_array()));
    assert!(prs.iter().all(|pr| pr.unresolved() == 0));
}

#[test]
fn words_that_fit_only_one_pull_request_are_refused() {
    let bench = TestBench::new();
    bench.prfix(["7", "8", "--resume", "pr7-x"]).fails_with(2).says("about one pull request");
    bench.prfix(["7", "status"]).fails_with(2).says("`status` is a command");
    bench.prfix(["--mine", "7"]).fails_with(2);
    assert!(bench.github.requests().is_empty());
}

#[test]
fn an_interrupt_ends_all_of_them_in_order_and_begins_no_more() {
    let bench = TestBench::new();
    let prs = [one(&bench, 7, "ann"), one(&bench, 8, "ann")];
    bench.config("prfix.sandbox", "off");
    // Supervisor, run, and the process that a person's Ctrl-C reaches.
    let up =
        "up() { cut -d' ' -f4 \"/proc/$1/stat\"; }; kill -INT \"$(up \"$(up \"$PPID\")\")\"; while :; do sleep 1; done";
    bench.agent.fix_round(1).sh(up);
    let ended = bench.prfix(["7", "8", "--jobs", "1", "--json"]).fails_with(130);
    let document = ended.json();
    assert_eq!(ends(&document), [("7", 130, "interrupted")], "{ended}");
    assert_eq!(document["reports"][0]["report"]["worktree"]["kept"], true);
    assert!(prs.iter().all(|pr| pr.replies() == 0));
}
