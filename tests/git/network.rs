//! Fetch, look-up and push against a bare repository, with every setting that could add to a push.

use git_prfix::git::{FetchError, PushOutcome, fetch, push, remote_head};

use super::fixture::{Fixture, LIMIT, git_in, hook};

#[test]
fn a_fetch_brings_one_branch_and_nothing_else() {
    let f = Fixture::new();
    let bare = f.with_origin();
    git_in(&bare, &["tag", "v1", "main"]);
    git_in(&bare, &["update-ref", "refs/heads/odd-\u{e9}", "main"]);
    let url = bare.to_str().unwrap();
    f.git(&["config", "fetch.prune", "true"]);
    f.git(&["config", "remote.origin.tagOpt", "--tags"]);
    let before = f.git(&["for-each-ref"]);
    let oid = fetch(&f.open(), url, "odd-\u{e9}", "refs/prfix/pr-1/head", LIMIT).unwrap();
    assert_eq!(oid, f.head());
    f.open().delete_private_ref("refs/prfix/pr-1/head").unwrap();
    assert_eq!(f.git(&["for-each-ref"]), before);
    assert!(!f.repo.join(".git/FETCH_HEAD").exists());
}

#[test]
fn a_forced_remote_branch_is_followed_and_a_missing_one_is_named() {
    let f = Fixture::new();
    let bare = f.with_origin();
    let url = bare.to_str().unwrap();
    let repo = f.open();
    f.commit("b", "1", "more");
    f.git(&["push", "-q", "origin", "main"]);
    fetch(&repo, url, "main", "refs/prfix/x", LIMIT).unwrap();
    f.git(&["push", "-q", "--force", "origin", "HEAD~1:main"]);
    assert_eq!(fetch(&repo, url, "main", "refs/prfix/x", LIMIT).unwrap(), f.git(&["rev-parse", "HEAD~1"]));
    assert!(matches!(fetch(&repo, url, "nope", "refs/prfix/x", LIMIT), Err(FetchError::NoBranch { .. })));
    assert!(fetch(&repo, url, "main", "refs/heads/main", LIMIT).is_err());
    assert!(fetch(&repo, url, "main:refs/heads/x", "refs/prfix/x", LIMIT).is_err());
}

#[test]
fn credentials_of_a_url_are_in_no_message() {
    let f = Fixture::new();
    let url = "https://me:sesame@127.0.0.1:9/o/r.git";
    let error = fetch(&f.open(), url, "main", "refs/prfix/x", LIMIT).unwrap_err().to_string();
    assert!(error.contains("***@127.0.0.1") && !error.contains("sesame"), "{error}");
    let PushOutcome::Failed { stderr } = push(&f.repo, url, &f.head(), "main", LIMIT) else { panic!("pushed?") };
    assert!(!stderr.contains("sesame"), "{stderr}");
}

#[test]
fn a_remote_head_is_read_by_its_exact_name() {
    let f = Fixture::new();
    let bare = f.with_origin();
    git_in(&bare, &["update-ref", "refs/heads/a/refs/heads/b", "main"]);
    let url = bare.to_str().unwrap();
    assert_eq!(remote_head(&f.open(), url, "main", LIMIT).unwrap(), Some(f.head()));
    assert_eq!(remote_head(&f.open(), url, "b", LIMIT).unwrap(), None);
    assert!(remote_head(&f.open(), "/no/such/place", "main", LIMIT).is_err());
}

#[test]
fn a_push_moves_one_branch_whatever_the_configuration_asks_for() {
    let f = Fixture::new();
    let bare = f.with_origin();
    git_in(&bare, &["config", "receive.advertisePushOptions", "true"]);
    f.git(&["checkout", "-q", "-b", "pr7-fix"]);
    let commit = f.commit("b", "1", "fix");
    f.git(&["tag", "-a", "-m", "t", "v9"]);
    for (key, value) in [
        ("push.followTags", "true"),
        ("push.default", "matching"),
        ("push.pushOption", "ci.skip"),
        ("push.recurseSubmodules", "on-demand"),
        ("remote.origin.mirror", "true"),
        ("remote.origin.push", "+refs/*:refs/*"),
    ] {
        f.git(&["config", key, value]);
    }
    let outcome = push(&f.repo, bare.to_str().unwrap(), &commit, "feature/-x", LIMIT);
    assert_eq!(outcome, PushOutcome::Pushed);
    let refs = git_in(&bare, &["for-each-ref", "--format=%(refname) %(objectname)"]);
    let main = f.git(&["rev-parse", "main"]);
    assert_eq!(refs, format!("refs/heads/feature/-x {commit}\nrefs/heads/main {main}"));
    assert_eq!(push(&f.repo, bare.to_str().unwrap(), &commit, "feature/-x", LIMIT), PushOutcome::UpToDate);
}

#[test]
fn a_branch_that_moved_is_rejected_and_never_forced() {
    let f = Fixture::new();
    let bare = f.with_origin();
    let base = f.head();
    let theirs = f.commit("theirs", "1", "theirs");
    f.git(&["push", "-q", "origin", "main"]);
    f.git(&["reset", "-q", "--hard", &base]);
    let ours = f.commit("ours", "1", "ours");
    f.git(&["config", "remote.origin.push", "+refs/heads/*:refs/heads/*"]);
    let outcome = push(&f.repo, bare.to_str().unwrap(), &ours, "main", LIMIT);
    assert!(matches!(outcome, PushOutcome::Rejected { .. }), "{outcome:?}");
    assert_eq!(git_in(&bare, &["rev-parse", "main"]), theirs);
}

#[test]
fn hooks_on_both_sides_can_refuse() {
    let f = Fixture::new();
    let bare = f.with_origin();
    let url = bare.to_str().unwrap();
    let commit = f.commit("b", "1", "fix");
    f.hook("pre-push", "cat; echo 'not today' >&2; exit 1");
    let outcome = push(&f.repo, url, &commit, "main", LIMIT);
    assert!(matches!(&outcome, PushOutcome::Refused { stderr } if stderr.contains("not today")), "{outcome:?}");
    f.hook("pre-push", "exit 0");
    hook(&bare.join("hooks"), "pre-receive", "echo 'GH006: Protected branch' >&2; exit 1");
    let outcome = push(&f.repo, url, &commit, "main", LIMIT);
    assert!(matches!(&outcome, PushOutcome::Refused { stderr } if stderr.contains("GH006")), "{outcome:?}");
}

#[test]
fn what_is_no_commit_or_branch_is_not_pushed() {
    let f = Fixture::new();
    let bare = f.with_origin();
    let url = bare.to_str().unwrap();
    let head = f.head();
    for (commit, branch) in [("", "main"), ("HEAD", "main"), ("--force", "main"), (&head, "a:b"), (&head, "a..b")] {
        let outcome = push(&f.repo, url, commit, branch, LIMIT);
        assert!(matches!(outcome, PushOutcome::Failed { .. }), "{commit} {branch}: {outcome:?}");
    }
}
