//! The Markdown report: nothing that a stranger wrote may act.

use expect_test::expect;
use git_prfix::ui::report_markdown;

use super::samples;

#[test]
fn the_report_keeps_foreign_text_in_code() {
    expect![[r#"
        # git-prfix: PR 7 `` Sum a range, faster | `unsafe` ``

        **Blocked: the project's own checks are red.** <https://github.com/octo/demo/pull/7>

        To go on:

        ```text
        mend `cargo test` in the worktree, then run `git prfix --resume`
        ```

        ## Items

        | # | status | verdict | risk | where | from | thread |
        | --- | --- | --- | --- | --- | --- | --- |
        | 1 | fixed | valid | low | `src/range.rs:12` | thread `alice` | answered, resolved |
        | 2 | needs-human | unclear |  |  | comment `eve` |  |

        <details><summary>Item 1: request and evidence</summary>

        From <https://github.com/octo/demo/pull/7#discussion_r1>

        ```text
        The loop runs one step too far: use `<`, not `<=`.
        ```

        Triage:

        ```text
        `i <= n` reads past the end (src/range.rs:12).
        ```

        Outcome:

        ```text
        fixed in 1a2b3c4: the loop compares with `<`
        ```

        Answer: <https://github.com/octo/demo/pull/7#discussion_r101>

        </details>
        <details><summary>Item 2: request and evidence</summary>

        From <https://github.com/octo/demo/pull/7#discussion_r2>

        `````text
        ``` | <img src=x onerror=alert(1)> @octo/everyone
        ````
        # ***</details>
        `````

        Outcome:

        ```text
        Which of the two names is meant?
        ```

        </details>

        ## Gates

        | command | before | after | time | log |
        | --- | --- | --- | --- | --- |
        | `cargo fmt --check` | passed | passed | 1m 15s | `runs/pr7/gates/1.log` |
        | `cargo test` | failed | failed (exit status 101) | 1m 15s | `runs/pr7/gates/1.log` |

        ## What is where

        - commits: none
        - head branch: `feature/range`, `0f1e2d3c4b5a69788796a5b4c3d2e1f001234567`
        - unresolved threads: 2 → 2
        - worktree: `kept at ~/.local/state/git-prfix/worktrees/demo/pr7-fix, branch prfix/pr7-fix (locked: gates are red)`
        - usage: 4 agent calls, 1m 01s, 12.3k tokens in, 678 out, $0.42
        - run: `pr7-20261201T023000Z-1a2b`

        ## Left out

        | author | rule | why | source |
        | --- | --- | --- | --- |
        | `codecov` | `noise.bots` | `a coverage table, which asks for nothing` | <https://github.com/octo/demo/pull/7#issuecomment-31> |
        | `mallory` | untrusted | listed, not acted on, not answered | <https://github.com/octo/demo/pull/7#issuecomment-32> |

        ## Warnings

        - `2 local commits on feature/range are not on the remote`
    "#]].assert_eq(&report_markdown(&samples::report(true)));
}
