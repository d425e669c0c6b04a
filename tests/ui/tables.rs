//! Tables at 80 and 160 columns.

use expect_test::expect;
use git_prfix::ui::{harvest_table, list_table, report_table, triage_table};
use unicode_width::UnicodeWidthStr;

use super::samples;

/// Keeps the indentation, which `expect!` takes away when every line has it.
fn titled(table: &str) -> String {
    format!("80 columns\n{table}")
}

#[test]
fn the_spec_is_readable_at_80_columns() {
    expect![[r#"
        80 columns
          #  from                 request
          1  src/range.rs:12      The loop runs one step too far: use `<`, not `<=`.
             thread by alice      #discussion_r1

          2  src/日本語/名前.rs:  名前を変更してください。 Thanks!
             3                    #discussion_r2
             thread by alice
             outdated

          3  check                build / linux (stable) failed
                                  build / linux (stable)

          left out  rule        why
          codecov   noise.bots  a coverage table, which asks for nothing
                                #issuecomment-31

          mallory   untrusted   no say here: listed, not acted on, not answered
                                #issuecomment-32

          warning: the newest 100 comments were read, there are more
    "#]]
    .assert_eq(&titled(&harvest_table(&samples::spec(), 80, false)));
}

#[test]
fn verdicts_are_readable_at_80_columns() {
    expect![[r#"
        80 columns
          #  verdict            from                 reasoning and proposal
          1  valid              src/range.rs:12      `i <= n` reads past the end
             low risk           thread by alice      (src/range.rs:12).
                                                     proposal for src/range.rs (fn sum):
                                                     compare with `<`

          2  already-addressed  src/日本語/名前.rs:  Renamed in the head commit
                                3                    (src/日本語/名前.rs:3).
                                thread by alice
                                outdated

          3  not probed         check                build / linux (stable) failed

          left out  rule        why
          codecov   noise.bots  a coverage table, which asks for nothing
                                #issuecomment-31

          mallory   untrusted   no say here: listed, not acted on, not answered
                                #issuecomment-32

          warning: the newest 100 comments were read, there are more
    "#]]
    .assert_eq(&titled(&triage_table(&samples::spec(), &samples::verdicts(), 80, false)));
}

#[test]
fn a_pushed_run_is_readable_at_80_columns() {
    expect![[r#"
        PR #7 Sum a range, faster | `unsafe`

          #  status       from             request and evidence
          1  fixed        src/range.rs:12  The loop runs one step too far: use `<`, not
             valid        thread by alice  `<=`.
             low risk                      #discussion_r1
                                           `i <= n` reads past the end
                                           (src/range.rs:12).
                                           fixed in 1a2b3c4: the loop compares with `<`
                                           answered and resolved

          2  needs-human  comment by eve   ``` | <img src=x onerror=alert(1)>
             unclear                       @octo/everyone
                                           ````
                                           # ***</details>
                                           #discussion_r2
                                           Which of the two names is meant?

          left out  rule        why
          codecov   noise.bots  a coverage table, which asks for nothing
                                #issuecomment-31

          mallory   untrusted   no say here: listed, not acted on, not answered
                                #issuecomment-32

          before  after   time    gate
          passed  passed  1m 15s  cargo fmt --check
          failed  passed  1m 15s  cargo test

          commits   1a2b3c4
          PR        https://github.com/octo/demo/pull/7
          threads   2 unresolved before, 1 after
          worktree  removed, branch prfix/pr7-fix stays
          usage     4 agent calls, 1m 01s, 12.3k tokens in, 678 out, $0.42
          run       pr7-20261201T023000Z-1a2b

          warning: 2 local commits on feature/range are not on the remote

        done: the fix is pushed
    "#]]
    .assert_eq(&report_table(&samples::report(false), 80, false));
}

#[test]
fn a_blocked_run_ends_with_the_one_thing_to_do_at_160_columns() {
    expect![[r#"
        PR #7 Sum a range, faster | `unsafe`

          #  status       from             request                                            evidence
          1  fixed        src/range.rs:12  The loop runs one step too far: use `<`, not       `i <= n` reads past the end (src/range.rs:12).
             valid        thread by alice  `<=`.                                              fixed in 1a2b3c4: the loop compares with `<`
             low risk                      https://github.com/octo/demo/pull/7#discussion_r1  answered and resolved

          2  needs-human  comment by eve   ``` | <img src=x onerror=alert(1)> @octo/everyone  Which of the two names is meant?
             unclear                       ````
                                           # ***</details>
                                           https://github.com/octo/demo/pull/7#discussion_r2

          left out  rule        why
          codecov   noise.bots  a coverage table, which asks for nothing
                                https://github.com/octo/demo/pull/7#issuecomment-31

          mallory   untrusted   no say here: listed, not acted on, not answered
                                https://github.com/octo/demo/pull/7#issuecomment-32

          before  after   time    gate
          passed  passed  1m 15s  cargo fmt --check

          failed  failed  1m 15s  cargo test
                                  exit status 101
                                  runs/pr7/gates/1.log

          commits   none
          PR        https://github.com/octo/demo/pull/7
          threads   2 unresolved before, 2 after
          worktree  kept at ~/.local/state/git-prfix/worktrees/demo/pr7-fix, branch prfix/pr7-fix (locked: gates are red)
          usage     4 agent calls, 1m 01s, 12.3k tokens in, 678 out, $0.42
          run       pr7-20261201T023000Z-1a2b

          warning: 2 local commits on feature/range are not on the remote

        blocked: the project's own checks are red
        to go on: mend `cargo test` in the worktree, then run `git prfix --resume`
    "#]].assert_eq(&report_table(&samples::report(true), 160, false));
}

#[test]
fn a_list_wraps_its_last_column_only() {
    let rows = [
        ["pr7-20261201T023000Z-1a2b", "#7", "done", "pushed: 2 items, 1 commit, and a good deal more to tell"],
        ["pr12-20261130T010203Z-ffff", "#12", "blocked", "\u{1b}]0;x\u{7}gates"],
    ];
    let rows = rows.map(|row| row.map(str::to_owned).to_vec());
    expect![[r#"
        80 columns
          run                         PR   state    why
          pr7-20261201T023000Z-1a2b   #7   done     pushed: 2 items, 1 commit, and a
                                                    good deal more to tell

          pr12-20261130T010203Z-ffff  #12  blocked  gates
    "#]]
    .assert_eq(&titled(&list_table(&["run", "PR", "state", "why"], &rows, 80, false)));
}

#[test]
fn no_table_is_wider_than_its_terminal_and_none_lets_an_escape_through() {
    for width in [40, 57, 80, 120, 160] {
        for text in [
            harvest_table(&samples::spec(), width, false),
            triage_table(&samples::spec(), &samples::verdicts(), width, false),
            report_table(&samples::report(true), width, false),
        ] {
            assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
            assert!(!text.contains('\u{1b}') && !text.contains(samples::TOKEN), "{text}");
        }
    }
}

#[test]
fn colour_only_adds_colours() {
    let painted = report_table(&samples::report(true), 80, true);
    assert!(painted.contains("\u{1b}[1m\u{1b}[31mblocked\u{1b}[0m"), "{painted:?}");
    let plain = git_prfix::model::text::strip_escapes(&painted);
    assert_eq!(plain, report_table(&samples::report(true), 80, false));
}
