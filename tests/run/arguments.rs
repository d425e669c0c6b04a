//! What can be typed, and where it can be typed (T1–T6, T11–T13).

use crate::support::TestBench;
use crate::support::git::git;

fn fixable(bench: &TestBench) -> crate::support::Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This is off by one, please use `<`.")
}

#[test]
fn a_url_names_the_pull_request() {
    let bench = TestBench::new();
    let pr = fixable(&bench);
    bench.prfix(["https://github.com/octo/demo/pull/7/files", "--json"]).succeeds();
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_branch_and_the_current_branch_name_the_pull_request() {
    let bench = TestBench::new();
    let pr = fixable(&bench);
    bench.prfix(["harvest", "feature", "--json"]).succeeds();
    bench.git(&["fetch", "-q", &bench.hub().to_string_lossy(), "+refs/heads/*:refs/remotes/origin/*"]);
    bench.git(&["checkout", "-q", "-b", "local-name", "--track", "origin/feature"]);
    let report = bench.prfix(["--json"]).succeeds().json();
    assert_eq!(report["pr"]["number"], 7);
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_branch_without_a_pull_request_and_a_detached_head_say_so() {
    let bench = TestBench::new();
    bench.prfix(["harvest", "nowhere"]).fails_with(2).says("no open pull request has the head branch `nowhere`");
    bench.git(&["checkout", "-q", "--detach"]);
    bench.prfix(["harvest"]).fails_with(2).says("no branch is checked out");
}

#[test]
fn it_runs_from_a_subfolder_a_linked_worktree_and_by_path() {
    let bench = TestBench::new();
    fixable(&bench);
    std::fs::create_dir_all(bench.clone_dir().join("deep/er")).unwrap();
    bench.prfix(["harvest", "7"]).cwd(bench.clone_dir().join("deep/er")).succeeds();
    let linked = bench.root().join("linked");
    git(&bench.clone_dir(), &["worktree", "add", "-q", "--detach", &linked.to_string_lossy()]);
    bench.prfix(["harvest", "7"]).cwd(&linked).succeeds();
    let clone = bench.clone_dir().to_string_lossy().into_owned();
    bench.prfix(["--repo", &clone, "harvest", "7"]).cwd(bench.root()).succeeds();
}

#[test]
fn outside_a_repository_it_says_what_to_do_and_leaves_nothing() {
    let bench = TestBench::new();
    let empty = bench.root().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let said = format!("`{}` is not inside a git repository", empty.display());
    bench.prfix(["7"]).cwd(&empty).fails_with(2).says(&said).says("--repo");
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}

#[test]
fn none_or_two_matching_remotes_are_named_with_the_way_out() {
    let bench = TestBench::new();
    fixable(&bench);
    bench.git(&["remote", "add", "twin", "git@github.com:octo/demo.git"]);
    bench
        .prfix(["harvest", "https://github.com/octo/demo/pull/7"])
        .fails_with(2)
        .says("origin")
        .says("twin")
        .says("prfix.remote");
    bench.prfix(["harvest", "7", "--remote", "origin"]).succeeds();
    bench.git(&["remote", "remove", "twin"]);
    bench.git(&["remote", "set-url", "origin", "https://gitlab.com/octo/demo.git"]);
    bench.prfix(["harvest", "7"]).fails_with(2).says("origin (https://gitlab.com/octo/demo.git)").says("prfix.remote");
    bench.git(&["remote", "remove", "origin"]);
    bench.prfix(["harvest", "7"]).fails_with(2).says("has no remote");
}

#[test]
fn an_unknown_setting_names_the_nearest_known_one() {
    let bench = TestBench::new();
    bench.config("prfix.probModel", "x");
    bench.prfix(["harvest", "7"]).fails_with(2).says("probmodel").says("did you mean `probeModel`?");
}

#[test]
fn json_errors_are_a_document_and_the_message_stays_on_standard_error() {
    let bench = TestBench::new();
    let ended = bench.prfix(["harvest", "nowhere", "--json"]).fails_with(2);
    assert_eq!(ended.json()["outcome"], "blocked");
    assert!(ended.json()["error"]["message"].as_str().unwrap().contains("nowhere"));
    assert!(ended.stderr.contains("nowhere"));
}

#[test]
fn without_a_way_to_github_it_names_both_and_leaves_nothing() {
    let bench = TestBench::new();
    bench.unset("prfix.transport");
    let path = bench.root().join("bin");
    std::fs::create_dir(&path).unwrap();
    for tool in ["git", "sh", "cat", "sed", "grep"] {
        std::os::unix::fs::symlink(which::which(tool).unwrap(), path.join(tool)).unwrap();
    }
    let before = bench.snapshot();
    let run = bench.prfix(["7"]).env("PATH", &path.to_string_lossy()).without_env("GH_TOKEN");
    run.fails_with(3).says("gh");
    before.assert_untouched();
}

#[test]
fn a_mistyped_command_is_no_branch_beside_a_pull_request() {
    let bench = TestBench::new();
    let pr = fixable(&bench);
    bench.prfix(["harvst", "7"]).fails_with(2).says("`harvst` is no command").says("did you mean `git prfix harvest`?");
    assert_eq!((pr.unresolved(), bench.github.names().len()), (1, 0));
}
