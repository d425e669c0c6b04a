//! Fail closed before anything is written (T6–T10, cases 20, 26).

use serde_json::json;

use crate::support::{Fault, TestBench, Thread};

#[test]
fn a_closed_and_a_merged_pull_request_are_blocked() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
    pr.close();
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!((report["outcome"].as_str(), report["reason"].as_str()), (Some("blocked"), Some("not-open")));
    assert!(report["unblock"].as_str().unwrap().contains("reopen"));
    assert!(bench.agent.calls().is_empty());
}

#[test]
fn a_fork_without_push_right_is_blocked_and_named() {
    let bench = TestBench::new();
    bench.open_pr_from_fork("stranger", "feature").with(Thread::at("src/a.rs:3").says("Please use `<` here."));
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "fork-no-push");
    assert!(report["unblock"].as_str().unwrap().contains("stranger/demo"));
    assert_eq!(bench.github.count("Reply"), 0);
}

#[test]
fn a_fork_that_lets_maintainers_edit_gets_the_fix_on_its_own_branch() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let pr = bench
        .open_pr_from_fork("stranger", "feature")
        .set("maintainerCanModify", json!(true))
        .with(Thread::at("src/a.rs:3").says("Please use `<` here."));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "pushed");
    assert_eq!(report["pr"]["head_after"], pr.head().as_str());
    assert!(
        crate::support::git::git(&bench.hub(), &["branch", "--list", "feature"]).is_empty(),
        "nothing goes to the base repository"
    );
}

#[test]
fn a_pending_review_of_ours_stops_the_run_before_work() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.").review("octavia", "PENDING", "draft");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "needs-human");
    assert!(report["unblock"].as_str().unwrap().contains("pending review"));
    assert!(bench.agent.calls().is_empty());
}

#[test]
fn a_refused_token_is_blocked_as_auth_with_the_way_to_sign_in() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    bench.github.on("Harvest").always().fail(Fault::status(401));
    bench.prfix(["7"]).fails_with(3).says("gh auth login");
}

#[test]
fn an_unknown_number_is_wrong_use() {
    let bench = TestBench::new();
    bench.prfix(["99"]).fails_with(2).says("not found");
}

#[test]
fn a_missing_agent_is_named_before_a_worktree_is_made() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
    bench.unset("prfix.agentCommand");
    let before = bench.snapshot();
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "agent");
    assert!(report["unblock"].as_str().unwrap().contains("prfix.agentCommand"));
    before.assert_untouched();
    assert!(!bench.git(&["worktree", "list"]).contains("pr7"));
}

#[test]
fn a_second_run_is_told_who_holds_the_pull_request() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
    let dir = bench.clone_dir().join(".git/prfix/pr-7");
    std::fs::create_dir_all(&dir).unwrap();
    let lock = std::fs::File::create(dir.join("lock")).unwrap();
    std::fs::write(dir.join("lock"), r#"{"pid": 4711, "since": "2026-01-02T03:04:05Z"}"#).unwrap();
    lock.lock().unwrap();
    bench.prfix(["7"]).fails_with(3).says("4711").says("2026-01-02T03:04:05Z");
}

#[test]
fn a_token_without_the_scope_for_workflow_files_is_named_before_work_starts() {
    let bench = TestBench::new();
    bench.github.scopes(Some("repo, read:org"));
    bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
    let report = bench.prfix(["7", "--allow", "ci", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "auth");
    let unblock = report["unblock"].as_str().unwrap();
    assert!(unblock.contains("gh auth refresh --hostname github.com --scopes workflow"), "{unblock}");
    assert!(bench.agent.calls().is_empty());
    assert!(!bench.git(&["worktree", "list"]).contains("pr7"));
}

#[test]
fn scopes_matter_only_where_they_are_needed() {
    for (scopes, args) in [
        (None, &["7", "--allow", "ci"][..]),
        (Some("repo"), &["7"]),
        (Some("repo, workflow"), &["7", "--allow", "ci"]),
        (Some("repo"), &["7", "--allow", "ci", "--no-push"]),
    ] {
        let bench = TestBench::new();
        bench.agent.fixes("src/a.rs", "i <= n", "i < n");
        bench.github.scopes(scopes);
        bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
        bench.prfix(args).succeeds();
        assert_eq!(bench.github.count("Viewer"), 0, "no request of its own");
    }
}

#[test]
fn an_sso_refusal_names_the_page_that_lifts_it_before_work_starts() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
    let page = "https://github.com/orgs/octo/sso?authorization_request=A1";
    let refusal = Fault::message(403, "Resource protected by organization SAML enforcement.");
    bench.github.on("Harvest").fail(refusal.header("x-github-sso", format!("required; url={page}")));
    let before = bench.snapshot();
    bench.prfix(["7"]).fails_with(3).says("single sign-on").says(page);
    assert!(bench.agent.calls().is_empty());
    before.assert_untouched();
}

#[test]
fn a_credential_in_gits_configuration_is_named_and_not_shown() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.git(&["config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic c2VjcmV0"]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("extraheader") && warnings.contains("agents and gates can read"), "{warnings}");
    assert!(!warnings.contains("c2VjcmV0"));
}

#[test]
fn a_workflows_own_token_is_said_to_start_no_workflows_for_the_fix() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "Please use `<` here.");
    let viewer = |login: &'static str| Fault::patch(move |body| body["data"]["viewer"]["login"] = login.into());
    bench.github.on("Harvest").always().fail(viewer("github-actions[bot]"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert!(report["warnings"].to_string().contains("starts no workflows for what it pushes"), "{report:#}");
}
