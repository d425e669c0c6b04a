//! What the fix loop never does to the operator's checkout, whatever happens (L9, L19, L20, T97, T98).

use std::path::Path;

use serde_json::json;

use super::loops::{attempt, checkout, finding, hand_in, nothing_is_changed, one, staged, text, the_rest_is_untouched};
use crate::support::bench::FEATURE;

#[test]
fn staged_changes_of_somebody_else_are_not_mixed_with_a_fix() {
    let prepared = || {
        let bench = checkout();
        bench.write("src/a.rs", &FEATURE[0].1.replace("    i\n", "    i // mine\n"));
        bench.git(&["add", "src/a.rs"]);
        bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
        bench
    };
    let bench = prepared();
    let index = bench.git(&["ls-files", "--stage"]);
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    assert!(report["buckets"]["deferred"][0]["why"].as_str().unwrap().contains("staged already"), "{report:#}");
    assert!(bench.agent.calls().is_empty());
    assert_eq!(bench.git(&["ls-files", "--stage"]), index);

    bench.prfix(["loop", &one(&bench), "--on-staged", "proceed"]).succeeds();
    let now = text(&bench, "src/a.rs");
    assert!(now.contains("i // mine") && now.contains("i < n"), "{now}");

    let bench = prepared();
    bench.config("prfix.testCommand", "no-such-program-anywhere");
    bench.prfix(["loop", &one(&bench), "--on-staged", "proceed"]).fails_with(4);
    assert_eq!(bench.git(&["ls-files", "--stage"]), index, "a revert brings the staged changes back");
    assert!(text(&bench, "src/a.rs").contains("i // mine"));
}

#[test]
fn what_an_agent_does_beyond_its_files_never_arrives() {
    let bench = checkout();
    let plan = bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("README.md", "mine now\n");
    let plan = plan.write("junk/x.txt", "junk\n").delete("notes.txt").sh("git add -A; git stash -q; git stash pop -q");
    plan.sh("git -c user.name=x -c user.email=x@x commit -qam evil").answers(&attempt(&["src/a.rs"]));
    bench.prfix(["loop", &one(&bench)]).succeeds().says("that it may not, which was undone");
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);
    assert!(!bench.clone_dir().join("junk").exists());
    assert_eq!(bench.git(&["stash", "list"]), "");
    the_rest_is_untouched(&bench);
}

#[test]
fn a_loop_that_was_killed_leaves_the_files_as_they_were_and_the_next_one_says_where() {
    let mut bench = checkout();
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let path = one(&bench);
    // Written into the checkout and staged, and the journal does not know it yet.
    bench.env("PRFIX_ABORT_AT", "7");
    assert_eq!(bench.prfix(["loop", &path]).run().status.code(), None);
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);
    bench.env("PRFIX_ABORT_AT", "0");
    let nothing = hand_in(&bench, &[]);
    let said = bench.prfix(["loop", &nothing]).succeeds().says("an earlier loop was cut off");
    let dir = said.stderr.split("as they were are in ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let kept = std::fs::read_to_string(Path::new(&dir).join("1/files/src/a.rs")).unwrap();
    assert_eq!(kept, FEATURE[0].1);
    assert!(!bench.prfix(["loop", &nothing]).succeeds().stderr.contains("cut off"), "said once");

    bench.git(&["restore", "--staged", "--worktree", "src/a.rs"]);
    bench.prfix(["loop", &one(&bench)]).succeeds();
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 1, "the dead loop's worktree is taken over");
}

#[test]
fn a_file_that_the_operator_changes_meanwhile_is_left_to_the_operator() {
    let bench = checkout();
    bench.config("prfix.sandbox", "off");
    let file = bench.clone_dir().join("src/a.rs");
    let plan = bench.agent.fix().replace("src/a.rs", "i <= n", "i < n");
    plan.sh(&format!("echo '// typed meanwhile' > '{}'", file.display())).answers(&attempt(&["src/a.rs"]));
    let report = bench.prfix(["loop", &one(&bench), "--json"]).fails_with(4).json();
    assert!(report["buckets"]["deferred"][0]["why"].as_str().unwrap().contains("by somebody else"), "{report:#}");
    assert_eq!(text(&bench, "src/a.rs"), "// typed meanwhile\n");
    assert_eq!(staged(&bench), ["staged.txt"]);
    the_rest_is_untouched(&bench);
}

#[test]
fn uncommitted_lines_of_the_files_own_are_kept_and_files_come_and_go_with_their_modes() {
    let bench = checkout();
    bench.write("src/a.rs", &FEATURE[0].1.replace("    i\n", "    i // mine, not staged\n"));
    bench.write("src/new.rs", "fn fresh() {}\n");
    let path = hand_in(
        &bench,
        &[
            finding(1, &json!({})),
            finding(2, &json!({"file": "src/b.rs", "line_start": 3, "line_end": 3})),
            finding(3, &json!({"file": "check.sh", "line_start": 2, "line_end": 2})),
            finding(4, &json!({"file": "src/new.rs", "line_start": 1, "line_end": 1})),
        ],
    );
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    bench.agent.fix_round(2).delete("src/b.rs").answers(&attempt(&["src/b.rs"]));
    let plan = bench.agent.fix_round(3).replace("check.sh", "# The project's test", "# The test");
    plan.sh("chmod +x check.sh").answers(&attempt(&["check.sh"]));
    bench.agent.fix_round(4).replace("src/new.rs", "fresh", "newer").answers(&attempt(&["src/new.rs"]));
    bench.prfix(["loop", &path]).succeeds();
    let now = text(&bench, "src/a.rs");
    assert!(now.contains("i // mine, not staged") && now.contains("i < n"), "{now}");
    assert!(!bench.clone_dir().join("src/b.rs").exists());
    let status = bench.git(&["status", "--porcelain"]);
    for line in ["M  check.sh", "M  src/a.rs", "D  src/b.rs", "A  src/new.rs", "A  staged.txt", "?? notes.txt"] {
        assert!(status.lines().any(|found| found == line), "{line}:\n{status}");
    }
    assert!(bench.git(&["ls-files", "--stage", "check.sh"]).starts_with("100755"));
    assert_eq!(text(&bench, "src/new.rs"), "fn newer() {}\n");
}

#[test]
fn without_an_agent_nothing_is_begun() {
    let bench = checkout();
    bench.unset("prfix.agentCommand");
    bench.prfix(["loop", &one(&bench)]).fails_with(3).says("set the command line of the agent");
    nothing_is_changed(&bench);
}

#[test]
fn an_interrupted_loop_puts_everything_back() {
    let bench = checkout();
    // A signal to the program is not for processes in the sandbox to send.
    bench.config("prfix.sandbox", "off");
    bench.agent.fix_round(1).replace("src/a.rs", "i += 1", "i += 2").answers(&attempt(&["src/a.rs"]));
    let plan = bench.agent.fix_round(2).replace("src/a.rs", "i <= n", "i < n");
    plan.sh("kill -INT $(cut -d' ' -f4 /proc/$PPID/stat); while :; do sleep 1; done");
    let path = one(&bench);
    bench.prfix(["loop", &path]).fails_with(130);
    assert_eq!(bench.agent.calls_of("fix").len(), 2);
    nothing_is_changed(&bench);
    let nothing = hand_in(&bench, &[]);
    assert!(!bench.prfix(["loop", &nothing]).succeeds().stderr.contains("cut off"));
}

#[test]
fn a_budget_that_ends_in_the_middle_defers_the_rest() {
    let bench = checkout();
    // Any call of an agent takes longer.
    bench.config("prfix.budgetSeconds", "0.00001");
    let other = finding(2, &json!({"file": "src/b.rs"}));
    let path = hand_in(&bench, &[finding(1, &json!({})), other]);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let report = bench.prfix(["loop", &path, "--json"]).fails_with(4).json();
    assert_eq!(report["buckets"]["resolved"][0]["id"], 1, "{report:#}");
    let why = report["buckets"]["deferred"][0]["why"].as_str().unwrap();
    assert!(why.contains("the budget of this loop is used up"), "{report:#}");
    assert_eq!(staged(&bench), ["src/a.rs", "staged.txt"]);
}

#[test]
fn a_loop_is_undone_from_what_it_kept_unless_somebody_worked_on_since() {
    let mut bench = checkout();
    bench.write("src/a.rs", &FEATURE[0].1.replace("    i\n", "    i // mine, not staged\n"));
    let (mine, index) = (text(&bench, "src/a.rs"), bench.git(&["ls-files", "--stage"]));
    bench.prfix(["loop", "--restore"]).fails_with(1).says("kept any file");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").answers(&attempt(&["src/a.rs"]));
    let path = one(&bench);
    let run = bench.prfix(["loop", &path, "--json"]).succeeds().json()["run"].as_str().unwrap().to_owned();
    let put_back = |bench: &crate::support::TestBench| {
        assert_eq!((text(bench, "src/a.rs"), bench.git(&["ls-files", "--stage"])), (mine.clone(), index.clone()));
        the_rest_is_untouched(bench);
    };
    let restored = bench.prfix(["loop", "--restore", &run, "--json"]).succeeds().json();
    assert_eq!((&restored["restored"], &restored["left"]), (&json!(["src/a.rs"]), &json!([])));
    put_back(&bench);
    bench.prfix(["loop", "--restore"]).succeeds();
    put_back(&bench);

    // Killed after it had written and staged.
    bench.env("PRFIX_ABORT_AT", "7");
    assert_eq!(bench.prfix(["loop", &path]).run().status.code(), None);
    assert!(text(&bench, "src/a.rs").contains("i < n"));
    bench.env("PRFIX_ABORT_AT", "0");
    bench.prfix(["loop", "--restore"]).succeeds();
    assert_eq!((text(&bench, "src/a.rs"), bench.git(&["ls-files", "--stage"])), (mine.clone(), index.clone()));

    bench.prfix(["loop", &path]).succeeds();
    bench.write("src/a.rs", "// typed since\n");
    let restored = bench.prfix(["loop", "--restore", "--json"]).fails_with(3).json();
    assert_eq!(restored["left"], json!(["src/a.rs"]));
    assert_eq!(text(&bench, "src/a.rs"), "// typed since\n");
    bench.prfix(["loop", "--restore", "loop-x"]).fails_with(1).says("no loop that kept files");
    bench.prfix(["loop", "--restore", &run, &path]).fails_with(2);
}
