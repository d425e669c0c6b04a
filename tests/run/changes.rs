//! The pull request changes under a run: every kind of event at every step. `docs/architecture.md` has the table.

use crate::support::bell::Bell;
use crate::support::git::git;
use crate::support::run::Finished;
use crate::support::{Pr, TestBench};

/// When it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    SetUp,
    Probing,
    Fixing,
    Gates,
    /// Right before the state is read for the last time before the push.
    BeforePush,
    /// The run was killed before the push, and is gone on with afterwards.
    DeadBeforePush,
    /// After the last look, while git pushes.
    Pushing,
    /// After the push, before it is confirmed.
    Pushed,
    /// The run was killed before the first reply, and is gone on with afterwards.
    DeadBeforeReply,
    /// Before the second thread is looked at.
    BetweenReplies,
    /// After the first thread was looked at, before the reply.
    Replying,
    /// Between the first reply and its resolution.
    Resolving,
}

const EARLY: &[When] = &[When::SetUp, When::Probing, When::Fixing, When::Gates, When::BeforePush, When::DeadBeforePush];
const LATE: &[When] = &[When::Pushed, When::DeadBeforeReply, When::BetweenReplies, When::Replying, When::Resolving];

impl When {
    fn is_early(self) -> bool {
        EARLY.contains(&self)
    }

    /// The thread that an event of a thread is about: one that has not been answered yet, if there is one.
    fn thread(self) -> usize {
        usize::from(self == Self::BetweenReplies)
    }
}

fn all() -> impl Iterator<Item = When> {
    EARLY.iter().chain(&[When::Pushing]).chain(LATE).copied()
}

/// What was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    exit: i32,
    reason: &'static str,
    /// The head branch has the fix.
    pushed: bool,
    replies: usize,
    unresolved: usize,
    kept: bool,
}

const PUSHED: End = End { exit: 0, reason: "pushed", pushed: true, replies: 2, unresolved: 0, kept: false };
/// Nothing was written to the pull request, and the work is kept.
const STOPPED: End = End { exit: 3, reason: "push-rejected", pushed: false, replies: 0, unresolved: 2, kept: true };
/// One thread was left alone.
const LEFT_ONE: End = End { replies: 1, ..PUSHED };

type Event = fn(&Pr, usize);

struct Ended {
    bench: TestBench,
    pr: Pr,
    run: Finished,
}

/// A run over two threads with an event at one of its steps.
fn happens(when: When, event: Event) -> Ended {
    let bench = TestBench::new();
    let pr = bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Typo: should be Hello.");
    // The bell's pipes lie where neither an agent nor a gate may write.
    bench.config("prfix.sandbox", "off");
    let bell = Bell::new(bench.root());
    let happen = {
        let pr = pr.clone();
        move || event(&pr, when.thread())
    };
    let ring = |rings: bool| if rings { bell.ring() } else { ":".to_owned() };
    let gate = format!("if grep -q 'i < n' src/a.rs; then {}; fi; sh check.sh", ring(when == When::Gates));
    bench.write(".git/gate.sh", &gate);
    bench.config("prfix.testCommand", &format!("sh {}", bench.clone_dir().join(".git/gate.sh").display()));
    bench.agent.probe(1).sh(&ring(when == When::Probing)).verdict("valid", "read the code");
    bench
        .agent
        .fix()
        .sh(&ring(when == When::Fixing))
        .replace("src/a.rs", "i <= n", "i < n")
        .replace("src/b.rs", "Helo", "Hello")
        .for_items("src/a.rs", &[1])
        .for_items("src/b.rs", &[2]);
    let on = |name, nth| bench.github.on(name).nth(nth);
    match when {
        When::SetUp => {
            bench.config("prfix.setupCommand", &format!("sh -c {}", shlex::try_quote(&bell.ring()).unwrap()))
        }
        When::BeforePush => on("Now", 1).before(happen.clone()),
        When::Pushing => super::pushing::hook(&bench.clone_dir().join(".git"), "pre-push", &bell.ring()),
        When::Pushed => on("Now", 2).before(happen.clone()),
        When::BetweenReplies => on("ThreadNow", 2).before(happen.clone()),
        When::Replying => on("Reply", 1).before(happen.clone()),
        When::Resolving => on("Resolve", 1).before(happen.clone()),
        When::DeadBeforePush => drop(bench.prfix(["7"]).dies_before("Now", 1)),
        When::DeadBeforeReply => drop(bench.prfix(["7"]).dies_before("Reply", 1)),
        When::Probing | When::Fixing | When::Gates => {}
    }
    match when {
        When::DeadBeforePush | When::DeadBeforeReply => happen(),
        _ => bell.answer(happen),
    }
    let run = bench.prfix(["7", "--json"]).run();
    Ended { bench, pr, run }
}

impl Ended {
    fn end(&self) -> End {
        let report = self.run.json();
        let reasons = ["pushed", "push-rejected", "merged-during-run", "closed-during-run", "needs-human"];
        let reason = reasons.into_iter().find(|reason| report["reason"] == **reason);
        End {
            exit: self.run.status.code().unwrap_or(-1),
            reason: reason.unwrap_or("another"),
            pushed: self.bench.file_at("feature", "src/b.rs").contains("Hello"),
            replies: self.pr.replies(),
            unresolved: self.pr.unresolved(),
            kept: report["worktree"]["kept"] == true,
        }
    }

    #[track_caller]
    fn is(&self, when: When, expected: End) {
        assert_eq!(self.end(), expected, "{when:?}: {}", self.run);
    }

    #[track_caller]
    fn warns(&self, when: When, text: &str) {
        let warnings = self.run.json()["warnings"].to_string();
        assert!(warnings.contains(text), "{when:?}: {warnings}");
    }
}

#[test]
fn a_push_by_somebody_is_built_upon_and_stays() {
    for when in all() {
        let ended = happens(when, |pr, _| drop(pr.push(&[("docs.md", "theirs\n")])));
        ended.is(when, PUSHED);
        assert_eq!(ended.bench.file_at("feature", "docs.md"), "theirs\n", "{when:?}");
        assert_eq!(git(&ended.bench.hub(), &["log", "--merges", "--oneline", "feature"]), "", "{when:?}");
    }
}

#[test]
fn a_conflicting_push_by_somebody_is_never_overwritten() {
    const THEIRS: &str = "fn count(items: &[u32]) -> usize {\n    items.iter().count()\n}\n";
    for when in all() {
        let ended = happens(when, |pr, _| drop(pr.push(&[("src/a.rs", THEIRS)])));
        let early = when.is_early() || when == When::Pushing;
        ended.is(when, if early { STOPPED } else { PUSHED });
        assert_eq!(ended.bench.file_at("feature", "src/a.rs"), THEIRS, "{when:?}");
    }
}

/// What the author has rewritten before the push is built upon. Afterwards, what is not on the pull request any more
/// is not called fixed.
fn rewritten(event: Event) {
    for when in all() {
        let ended = happens(when, event);
        ended.is(
            when,
            match when {
                When::Pushed | When::DeadBeforeReply => STOPPED,
                // The first thread was looked at before; between look and reply no other look fits.
                When::BetweenReplies | When::Replying | When::Resolving => End { replies: 1, unresolved: 1, ..STOPPED },
                _ => PUSHED,
            },
        );
        assert_eq!(ended.bench.file_at("feature", "docs.md"), "theirs\n", "{when:?}");
        if !when.is_early() && when != When::Pushing {
            assert!(ended.run.json()["unblock"].as_str().unwrap().contains("--fresh"), "{when:?}: {}", ended.run);
        }
    }
}

#[test]
fn a_force_push_before_ours_is_built_upon_and_after_it_ends_the_answers() {
    rewritten(|pr, _| {
        let files = [crate::support::bench::FEATURE, &[("docs.md", "theirs\n")]].concat();
        drop(pr.force_push(&files));
    });
}

#[test]
fn a_rebase_by_the_author_is_treated_like_any_rewrite() {
    rewritten(|pr, _| {
        crate::support::git::commit_to(&pr.head_disk, "main", "the base moves", &[("base.md", "base\n")]);
        let files = [crate::support::bench::FEATURE, &[("docs.md", "theirs\n")]].concat();
        drop(pr.force_push(&files));
    });
}

#[test]
fn a_pull_request_that_was_retargeted_is_finished_and_it_is_said() {
    for when in all() {
        let ended = happens(when, |pr, _| {
            git(&pr.head_disk, &["update-ref", "refs/heads/next", "refs/heads/main"]);
            drop(pr.clone().set("baseRefName", serde_json::json!("next")));
        });
        ended.is(when, PUSHED);
        if when.is_early() && when != When::DeadBeforePush {
            ended.warns(when, "`next`");
        }
    }
}

#[test]
fn a_pull_request_that_became_a_draft_is_finished() {
    for when in all() {
        happens(when, |pr, _| drop(pr.clone().set("isDraft", serde_json::json!(true)))).is(when, PUSHED);
    }
}

#[test]
fn a_pull_request_that_was_closed_or_merged_before_the_push_gets_none_and_one_after_it_gets_its_answers() {
    for when in all() {
        let closed = happens(when, |pr, _| pr.close());
        let merged = happens(when, |pr, _| pr.merge());
        if when.is_early() || when == When::Pushing {
            // What git pushed in that moment is on the branch, and the pull request has ended without it.
            let stopped = End { pushed: when == When::Pushing, ..STOPPED };
            closed.is(when, End { exit: 0, reason: "closed-during-run", ..stopped });
            merged.is(when, End { exit: 0, reason: "merged-during-run", ..stopped });
            merged.warns(when, "cherry-pick");
        } else {
            closed.is(when, PUSHED);
            merged.is(when, PUSHED);
        }
    }
}

#[test]
fn a_pull_request_that_was_closed_and_reopened_is_finished() {
    for when in all() {
        let ended = happens(when, |pr, _| {
            pr.close();
            pr.reopen();
        });
        ended.is(when, PUSHED);
    }
    let ended = happens(When::BeforePush, |pr, _| pr.close());
    ended.pr.reopen();
    let again = ended.bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!((again["reason"].as_str(), ended.pr.unresolved()), (Some("pushed"), 0), "{again:#}");
}

#[test]
fn a_thread_that_somebody_resolved_is_left_alone() {
    for when in all() {
        let ended = happens(when, |pr, thread| pr.resolve(thread));
        if matches!(when, When::Replying | When::Resolving) {
            ended.is(when, PUSHED);
        } else {
            ended.is(when, LEFT_ONE);
            ended.warns(when, "somebody resolved the thread");
        }
    }
}

#[test]
fn a_thread_whose_comment_was_edited_or_that_has_a_new_one_is_left_for_another_run() {
    let events: [(Event, &str); 2] = [
        (|pr, thread| pr.edit(&pr.comments_of(thread)[0], "Something else entirely."), "edited or deleted"),
        (|pr, thread| pr.reply(thread, "rita", "Wait, please do it otherwise."), "somebody wrote in it"),
    ];
    for (event, why) in events {
        for when in all() {
            let ended = happens(when, event);
            if matches!(when, When::Replying | When::Resolving) {
                ended.is(when, PUSHED);
            } else {
                ended.is(when, End { unresolved: 1, ..LEFT_ONE });
                ended.warns(when, why);
            }
        }
    }
}

#[test]
fn a_thread_that_was_deleted_costs_its_answer_and_nothing_else() {
    for when in all() {
        let ended = happens(when, |pr, thread| pr.delete(&pr.threads()[thread]));
        ended.is(when, LEFT_ONE);
        ended.warns(when, "its thread is gone");
    }
}

#[test]
fn a_comment_of_the_conversation_is_answered_as_it_was_read_and_read_anew_when_it_was_edited() {
    for (nth, deleted) in [(1, false), (2, false), (1, true)] {
        let bench = TestBench::new();
        bench.agent.fixes("src/b.rs", "Helo", "Hello");
        let pr = bench.open_pr("feature").comment("rita", "Please mend the typo in src/b.rs: Helo.");
        let (event, comment) = (pr.clone(), pr.conversation_ids()[0].clone());
        bench.github.on("Now").nth(nth).before(move || match deleted {
            true => event.delete(&comment),
            false => event.edit(&comment, "Please greet in French instead."),
        });
        bench.prfix(["7"]).succeeds();
        let ours = pr.conversation().iter().filter(|(login, _)| login == crate::support::bench::OPERATOR).count();
        assert_eq!((ours, bench.file_at("feature", "src/b.rs").contains("Hello")), (1, true));
        let next = bench.prfix(["harvest", "7", "--json"]).succeeds().json();
        assert_eq!(next["items"].as_array().unwrap().len(), usize::from(!deleted), "{next:#}");
    }
}
