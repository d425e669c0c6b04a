//! Commits with the repository's own hooks, and what stands in their way.

use std::time::Duration;

use git_prfix::git::{CommitError, MergeStart, commit, start_merge, written_tree};

use super::fixture::{Fixture, LIMIT, git_bytes, try_git};

fn staged() -> Fixture {
    let f = Fixture::new();
    f.write("a.txt", "changed\n");
    f.git(&["add", "a.txt"]);
    f
}

#[test]
fn the_message_is_kept_to_the_letter() {
    let f = staged();
    f.git(&["config", "commit.template", "/no/such/template"]);
    f.git(&["config", "commit.verbose", "true"]);
    let message = "fix(pr-7): address review feedback\n\n# 1: a heading, no comment\n  kept\n\nCo-authored-by: A <a@b>";
    let tree = written_tree(&f.repo).unwrap();
    let oid = commit(&f.repo, message, LIMIT).unwrap();
    assert_eq!(oid, f.head());
    assert_eq!(git_bytes(&f.repo, &["log", "-1", "--format=%B"]), format!("{message}\n\n").as_bytes());
    assert_eq!(f.git(&["rev-parse", "HEAD^{tree}"]), tree);
}

#[test]
fn a_hook_may_refuse_and_may_change_the_message() {
    let f = staged();
    f.hook("pre-commit", "echo 'lint: nothing to commit here' >&2; echo out; exit 1");
    let error = commit(&f.repo, "m", LIMIT).unwrap_err();
    assert!(matches!(&error, CommitError::HookRefused { stderr } if stderr.contains("lint:")), "{error:?}");
    f.hook("pre-commit", "exit 0");
    f.hook(
        "commit-msg",
        "grep -q '^fix' \"$1\" || { echo 'wants a prefix' >&2; exit 1; }; echo 'Signed-off-by: x' >> \"$1\"",
    );
    assert!(matches!(commit(&f.repo, "m", LIMIT), Err(CommitError::HookRefused { .. })));
    commit(&f.repo, "fix: m", LIMIT).unwrap();
    assert!(f.git(&["log", "-1", "--format=%B"]).contains("Signed-off-by"));
}

#[test]
fn a_hook_that_hangs_is_ended_and_nothing_is_committed() {
    let f = staged();
    let head = f.head();
    f.hook("pre-commit", "echo waiting >&2; sleep 600");
    let error = commit(&f.repo, "m", Duration::from_millis(300)).unwrap_err();
    assert!(matches!(error, CommitError::TimedOut { .. }), "{error:?}");
    assert_eq!(f.head(), head);
    assert!(!f.repo.join(".git/index.lock").exists());
}

#[test]
fn a_hook_has_no_terminal_to_ask_on() {
    let f = staged();
    f.hook("pre-commit", "if (: < /dev/tty) 2>/dev/null; then exit 0; else echo 'no terminal' >&2; exit 1; fi");
    let error = commit(&f.repo, "m", LIMIT).unwrap_err();
    assert!(matches!(&error, CommitError::HookRefused { stderr } if stderr.contains("no terminal")), "{error:?}");
}

#[test]
fn a_commit_that_is_made_counts_even_when_what_follows_hangs() {
    let f = staged();
    let head = f.head();
    f.hook("post-commit", "sleep 600");
    let oid = commit(&f.repo, "m", Duration::from_secs(2)).unwrap();
    assert_eq!(f.git(&["rev-parse", "HEAD~1"]), head);
    assert_eq!(oid, f.head());
}

#[test]
fn signing_identity_and_emptiness_are_told_apart() {
    let f = staged();
    f.git(&["config", "commit.gpgSign", "true"]);
    f.git(&["config", "gpg.program", "false"]);
    let error = commit(&f.repo, "m", LIMIT).unwrap_err();
    assert!(matches!(error, CommitError::Signing { .. }), "{error:?}");
    f.git(&["config", "commit.gpgSign", "false"]);
    f.git(&["config", "user.name", ""]);
    f.git(&["config", "user.useConfigOnly", "true"]);
    let error = commit(&f.repo, "m", LIMIT).unwrap_err();
    assert!(matches!(error, CommitError::Identity { .. }), "{error:?}");
    f.git(&["config", "user.name", "Ada"]);
    commit(&f.repo, "m", LIMIT).unwrap();
    assert!(matches!(commit(&f.repo, "m", LIMIT), Err(CommitError::Nothing)));
    f.write("untracked", "x");
    assert!(matches!(commit(&f.repo, "m", LIMIT), Err(CommitError::Nothing)));
}

#[test]
fn a_started_merge_is_concluded_with_both_parents() {
    let f = Fixture::new();
    f.git(&["checkout", "-q", "-b", "other"]);
    let theirs = f.commit("b", "x\n", "theirs");
    f.git(&["checkout", "-q", "main"]);
    let ours = f.commit("c", "x\n", "ours");
    assert_eq!(start_merge(&f.repo, &theirs).unwrap(), MergeStart::Clean);
    let merge = commit(&f.repo, "merge\n\n# kept", LIMIT).unwrap();
    assert_eq!(f.open().commit_parents(&merge).unwrap(), [ours, theirs]);
    assert!(!try_git(&f.repo, &["rev-parse", "-q", "--verify", "MERGE_HEAD"]).status.success());
}
