//! Changed files that their language cannot read (P11). The check's program is sh, which is always there.

use crate::support::{Pr, TestBench};

const RULE: &str = "prfix.api = 1\nprfix.syntax { name = 'notes', why = 'a note says so', globs = { '**/*.note' }, argv = { 'sh', '-n' } }\n";

fn one(bench: &TestBench) -> Pr {
    let main: &[(&str, &str)] = &[(".prfix/rules.lua", RULE)];
    crate::support::git::commit_to(&bench.hub(), "main", "rules", main);
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

#[test]
fn a_file_that_cannot_be_read_any_more_goes_back_before_any_gate() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").write("x.note", "if true; then\n");
    bench.agent.fix_round(2).write("x.note", "if true; then :; fi\n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let asked = bench.agent.calls_of("fix");
    assert_eq!((asked.len(), pr.unresolved()), (2, 0), "{report:#}");
    assert!(asked[1].prompt.contains("`x.note` cannot be read any more (syntax/notes)"), "{}", asked[1].prompt);
    assert_eq!(report["gates"].as_array().unwrap().len(), 1, "the gates ran once, on what can be read");
}

#[test]
fn what_stays_unreadable_is_not_pushed_and_named() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").write("x.note", "if true; then\n");
    bench.agent.fix_round(2).write("x.note", "if false; then\n");
    bench.agent.fix_round(3).write("x.note", "while true; do\n");
    let head = pr.head();
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!((report["reason"].as_str(), pr.head()), (Some("gates"), head));
    assert!(report["unblock"].as_str().unwrap().contains("`x.note` cannot be read any more"), "{report:#}");
}

#[test]
fn a_gate_that_was_red_in_an_earlier_pass_is_not_what_has_to_be_mended() {
    let bench = TestBench::new();
    let _pr = one(&bench);
    bench.config("prfix.testCommand", "sh -c '! grep -q red x.note'");
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").write("x.note", "echo red\n");
    bench.agent.fix_round(2).write("x.note", "if false; then\n");
    bench.agent.fix_round(3).write("x.note", "while true; do\n");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    let unblock = report["unblock"].as_str().unwrap();
    assert!(unblock.contains("`x.note` cannot be read any more") && !unblock.contains("grep"), "{unblock}");
    assert_eq!(report["gates"].as_array().map(Vec::len), Some(0), "they speak of another commit");
}

#[test]
fn what_could_not_be_read_before_is_nobodys_fault() {
    let bench = TestBench::new();
    let pr = one(&bench);
    pr.push(&[("x.note", "if true; then\n")]);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("x.note", "if false; then\n");
    bench.prfix(["7"]).succeeds();
    assert_eq!(bench.agent.calls_of("fix").len(), 1);
}

#[test]
fn a_check_whose_program_is_missing_is_no_check() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let rule = RULE.replace("'sh', '-n'", "'no-such-program'");
    crate::support::git::commit_to(&bench.hub(), "main", "rules", &[(".prfix/rules.lua", &rule)]);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("x.note", "if true; then\n");
    bench.prfix(["7"]).succeeds();
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn data_that_cannot_be_read_goes_back_also_where_no_gate_is_known() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
    bench.unset("prfix.testCommand");
    bench.agent.fix_round(1).replace("src/a.rs", "i <= n", "i < n").write("data.json", "{\"a\": 1,}\n");
    bench.agent.fix_round(2).write("data.json", "{\"a\": 1}\n");
    bench.prfix(["7", "--allow-unverified"]).succeeds();
    let asked = bench.agent.calls_of("fix");
    assert_eq!((asked.len(), pr.unresolved()), (2, 0));
    assert!(asked[1].prompt.contains("`data.json` cannot be read any more (syntax/json)"), "{}", asked[1].prompt);
}

#[test]
fn a_check_of_python_runs_nothing_of_the_checkout() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
    let fix = bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("ast.py", "raise SystemExit(1)\n");
    fix.write("tool.py", "print('x')\n");
    bench.prfix(["7"]).succeeds();
    assert_eq!((bench.agent.calls_of("fix").len(), pr.unresolved()), (1, 0));
}
