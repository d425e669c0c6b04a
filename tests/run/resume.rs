//! A run that was killed goes on, and does nothing twice (T118, T119).

use crate::support::{Pr, TestBench};

fn two(bench: &TestBench) -> Pr {
    bench
        .agent
        .fix()
        .replace("src/a.rs", "i <= n", "i < n")
        .replace("src/b.rs", "Helo", "Hello")
        .for_items("src/a.rs", &[1, 3])
        .for_items("src/b.rs", &[2]);
    bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Typo: should be Hello.")
        .comment("rita", "Could you keep the public API as it is, please?")
}

fn finished(bench: &TestBench, pr: &Pr) {
    assert_eq!((pr.replies_in(0).len(), pr.replies_in(1).len(), pr.unresolved()), (1, 1, 0));
    assert_eq!(bench.git(&["rev-parse", "pr7-fix"]).trim(), pr.head());
    assert!(!bench.git(&["worktree", "list"]).contains("pr7"), "{}", bench.git(&["worktree", "list"]));
    let commits = crate::support::git::git(&bench.hub(), &["rev-list", "--count", "main..feature"]);
    assert_eq!(commits.trim(), "2", "the pull request's own commit and one fix");
}

#[test]
fn a_run_killed_between_reply_and_resolve_replies_once() {
    let bench = TestBench::new();
    let pr = two(&bench);
    bench.prfix(["7", "--allow-unverified"]).dies_before("Resolve", 1);
    assert_eq!((pr.replies(), pr.unresolved()), (1, 2));
    let calls = bench.agent.calls().len();
    bench.prfix(["7"]).succeeds();
    finished(&bench, &pr);
    assert_eq!(bench.agent.calls().len(), calls, "work that an agent finished is not paid for again");
}

#[test]
fn a_run_killed_after_the_reply_took_but_before_it_knew_replies_once() {
    let bench = TestBench::new();
    let pr = two(&bench);
    bench.prfix(["7"]).dies_after("Reply", 1);
    bench.prfix(["--resume"]).succeeds();
    finished(&bench, &pr);
}

/// Two valid threads, one that does not hold, and a request without a thread.
fn four(bench: &TestBench) -> Pr {
    let pr = two(bench).with(crate::support::Thread::at("src/a.rs:6").says("Please return early here."));
    bench.agent.verdict(3, "invalid", "src/a.rs:6 returns already");
    bench.agent.fix().for_items("src/a.rs", &[1, 4]);
    pr
}

fn like_an_undisturbed_one(bench: &TestBench, pr: &Pr, what: &str) {
    let replies: Vec<usize> = (0..3).map(|thread| pr.replies_in(thread).len()).collect();
    assert_eq!((replies.as_slice(), pr.unresolved(), pr.conversation().len()), (&[1, 1, 1][..], 0, 2), "{what}");
    finished(bench, pr);
}

#[test]
fn a_run_that_dies_over_and_over_gets_there_and_does_nothing_twice() {
    for each in [9, 11] {
        let bench = TestBench::new();
        let pr = four(&bench);
        let mut deaths = 0;
        while bench.prfix(["7"]).env("PRFIX_ABORT_AT", &each.to_string()).run().status.code().is_none() {
            deaths += 1;
            assert!(deaths < 100, "it makes no way");
        }
        assert!(deaths > 3, "it died {deaths} times only");
        like_an_undisturbed_one(&bench, &pr, &format!("killed at every step {each}"));
    }
}

#[test]
fn fresh_starts_over_and_resume_without_a_run_says_so() {
    let bench = TestBench::new();
    let pr = two(&bench);
    bench.prfix(["--resume"]).fails_with(2).says("no unfinished run");
    bench.prfix(["7"]).dies_before("Reply", 1);
    bench.prfix(["runs"]).succeeds().says("unfinished");
    bench.prfix(["7"]).succeeds();
    finished(&bench, &pr);
    bench.prfix(["report"]).succeeds().says("pushed");
}
