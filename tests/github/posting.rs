//! Nothing is posted twice, and refusals say which permission is missing.

use git_prfix::github::{GithubError, Permission, RerunOutcome};
use serde_json::{Value, json};

use super::fixture::{comment, harvest, more, ours, page, pull_request, whole};
use super::scripted::{Script, slept};

const MARKER: &str = "<!-- git-prfix 7 -->";

fn replied(state: &str) -> Value {
    json!({"addPullRequestReviewThreadReply": {"comment": {"id": "PRRC_new", "url": "u", "state": state}}})
}

fn thread_now(comments: Value) -> Value {
    json!({"node": {"isResolved": false, "viewerCanReply": true, "viewerCanResolve": true, "comments": comments}})
}

#[test]
fn a_reply_whose_answer_was_lost_is_looked_for_and_not_repeated() {
    for status in [None, Some(502), Some(500)] {
        let script = Script::new();
        match status {
            None => script.lost("Reply"),
            Some(status) => script.status("Reply", status, &[], "{}"),
        };
        let quoted = comment("PRRC_quote", MARKER);
        script.data("ThreadNow", thread_now(page(vec![quoted], 2, Some("c"))));
        script.data("MoreThreadComments", more(page(vec![ours("PRRC_ours", &format!("Fixed. {MARKER}"))], 2, None)));
        let posted = script.client().reply("PRRT_1", "Fixed.", MARKER).unwrap();
        assert_eq!(posted.id, "PRRC_ours", "{status:?}");
    }
}

#[test]
fn where_our_own_reply_may_be_among_what_is_withheld_nothing_is_sent_again() {
    let script = Script::new();
    script.lost("Reply");
    script.data("ThreadNow", thread_now(whole(vec![comment("PRRC_1", "x"), Value::Null])));
    let error = script.client().reply("PRRT_1", "Fixed.", MARKER).unwrap_err();
    assert!(error.to_string().contains("withheld 1 of the comments"), "{error}");
}

#[test]
fn a_reply_that_never_arrived_is_sent_once_more() {
    let script = Script::new();
    script.lost("Reply");
    script.data("ThreadNow", thread_now(whole(vec![comment("PRRC_1", "x")])));
    script.data("Reply", replied("SUBMITTED"));
    assert_eq!(script.client().reply("PRRT_1", "Fixed.", MARKER).unwrap().id, "PRRC_new");

    let script = Script::new();
    script.lost("Reply").lost("Reply");
    for _ in 0..2 {
        script.data("ThreadNow", thread_now(whole(vec![comment("PRRC_1", "x")])));
    }
    assert!(matches!(script.client().reply("PRRT_1", "Fixed.", MARKER), Err(GithubError::Transport(_))));
}

#[test]
fn a_reply_that_a_pending_review_swallowed_says_so() {
    let script = Script::new();
    script.data("Reply", replied("PENDING"));
    assert_eq!(script.client().reply("PRRT_1", "Fixed.", MARKER).unwrap().state, "PENDING");
}

#[test]
fn a_long_body_is_cut_before_it_is_sent() {
    let script = Script::new();
    script.data("Reply", replied("SUBMITTED"));
    script.client().reply("PRRT_1", &format!("{}{MARKER}", "x".repeat(70_000)), MARKER).unwrap();
    let sent = script.variables("Reply")[0]["body"].as_str().unwrap().to_owned();
    assert!(sent.len() <= 60_000 && sent.ends_with(MARKER));
}

#[test]
fn a_token_that_may_not_resolve_names_the_permission() {
    let script = Script::new();
    let error = json!({"type": "FORBIDDEN", "message": "Resource not accessible by integration", "path": ["resolveReviewThread"]});
    script.answer("Resolve", json!({"data": {"resolveReviewThread": null}, "errors": [error]}));
    match script.client().resolve("PRRT_1").unwrap_err() {
        GithubError::Forbidden { what, help, .. } => {
            assert_eq!(what, "resolve review threads");
            assert!(help.contains("contents: write"), "{help}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_reply_that_github_refuses_is_not_sent_again() {
    let script = Script::new();
    let error = json!({"type": "UNPROCESSABLE", "message": "the conversation is locked", "path": ["addPullRequestReviewThreadReply"]});
    script.answer("Reply", json!({"data": {"addPullRequestReviewThreadReply": null}, "errors": [error]}));
    let error = script.client().reply("PRRT_1", "Fixed.", MARKER).unwrap_err();
    assert_eq!(error.to_string(), "GitHub refused to reply in a review thread: the conversation is locked");
}

#[test]
fn a_resolution_is_repeated_because_it_changes_nothing_twice() {
    let script = Script::new();
    script.lost("Resolve").data("Resolve", json!({"resolveReviewThread": {"thread": {"isResolved": true}}}));
    script.client().resolve("PRRT_1").unwrap();

    let script = Script::new();
    script.data("Resolve", json!({"resolveReviewThread": {"thread": {"isResolved": false}}}));
    assert!(matches!(script.client().resolve("PRRT_1"), Err(GithubError::BadAnswer { .. })));
}

#[test]
fn a_summary_whose_answer_was_lost_is_found_in_the_conversation() {
    let script = Script::new();
    script.data("Harvest", harvest(&[]));
    let client = script.client();
    let pr = client.harvest(7).unwrap().pr;
    script.lost("AddComment");
    script.data("MoreComments", more(page(vec![comment("IC_1", "x")], 2, Some("c"))));
    script.data("MoreComments", more(page(vec![ours("IC_2", MARKER)], 2, None)));
    assert_eq!(client.comment(&pr, "Done.", MARKER).unwrap().id, "IC_2");

    let node = json!({"id": "IC_3", "url": "u"});
    script.data("AddComment", json!({"addComment": {"commentEdge": {"node": node}}}));
    let posted = client.comment(&pr, "Done.", MARKER).unwrap();
    assert_eq!((posted.id.as_str(), posted.state.as_str()), ("IC_3", "SUBMITTED"));
}

#[test]
fn writes_keep_a_second_between_them() {
    let script = Script::new();
    let (client, clock) = script.client_and_clock();
    for _ in 0..4 {
        script.data("Reply", replied("SUBMITTED"));
        client.reply("PRRT_1", "x", MARKER).unwrap();
    }
    assert_eq!(slept(&clock), 3);
}

#[test]
fn a_collaborators_permission_is_read_or_unknown() {
    let cases = [
        (200, r#"{"permission": "admin"}"#, Permission::Admin),
        (200, r#"{"permission": "write", "role_name": "maintain"}"#, Permission::Write),
        (200, r#"{"permission": "read", "role_name": "triage"}"#, Permission::Read),
        (200, r#"{"permission": "none"}"#, Permission::None),
        (404, r#"{"message": "Not Found"}"#, Permission::None),
        (403, r#"{"message": "Must have push access to view collaborator permission."}"#, Permission::Unknown),
    ];
    for (status, body, want) in cases {
        let script = Script::new();
        script.rest("GET /repos/octo/demo/collaborators/rev%2Fiewer/permission", status, &[], body);
        assert_eq!(script.client().permission("rev/iewer").unwrap(), want, "{body}");
    }
}

#[test]
fn a_rerun_is_asked_for_once_and_its_refusals_are_told_apart() {
    let call = "POST /repos/octo/demo/actions/runs/9/rerun-failed-jobs";
    let refused = |text: &str| RerunOutcome::Refused { message: text.to_owned() };
    let cases = [
        (201, "{}", RerunOutcome::Started),
        (403, r#"{"message": "This workflow is already running"}"#, RerunOutcome::AlreadyRunning),
        (403, r#"{"message": "created over a month ago"}"#, refused("created over a month ago")),
        (422, r#"{"message": "no failed jobs"}"#, refused("no failed jobs")),
    ];
    for (status, body, want) in cases {
        let script = Script::new();
        script.rest(call, status, &[], body);
        assert_eq!(script.client().rerun_failed_jobs(9).unwrap(), want, "{body}");
    }
    for (now, started) in [("queued", true), ("completed", false)] {
        let script = Script::new();
        script.rest_lost(call).rest(
            "GET /repos/octo/demo/actions/runs/9",
            200,
            &[],
            &json!({"status": now}).to_string(),
        );
        let outcome = script.client().rerun_failed_jobs(9);
        assert_eq!(outcome.is_ok_and(|outcome| outcome == RerunOutcome::Started), started, "{now}");
    }
}

#[test]
fn what_holds_now_counts_unresolved_threads_of_all_pages() {
    let script = Script::new();
    let now = |threads: Value| {
        let mut pr = pull_request();
        pr["reviewThreads"] = threads;
        json!({"repository": {"pullRequest": pr}})
    };
    let threads = |resolved: bool| (0..100).map(|_| json!({ "isResolved": resolved })).collect::<Vec<_>>();
    script.data("Now", now(page(threads(true), 102, Some("t"))));
    script.data("Now", now(page(vec![json!({"isResolved": false}), json!({"isResolved": false})], 102, None)));
    assert_eq!(script.client().now(7).unwrap().unresolved_threads, 2);

    let script = Script::new();
    script.data("Now", now(whole(vec![Value::Null])));
    assert!(script.client().now(7).is_err());
}

#[test]
fn my_pull_requests_are_those_of_this_repository_on_every_page() {
    let script = Script::new();
    let page = |numbers: &[u64], repo: &str, after: Option<&str>| {
        let nodes: Vec<Value> =
            numbers.iter().map(|n| json!({"number": n, "repository": {"nameWithOwner": repo}})).collect();
        let info = json!({"hasNextPage": after.is_some(), "endCursor": after});
        json!({"viewer": {"pullRequests": {"totalCount": 4, "pageInfo": info, "nodes": nodes}}})
    };
    script.data("Mine", page(&[18, 12], "Octo/Demo", Some("a")));
    script.data("Mine", page(&[5], "octo/other", Some("b"))).data("Mine", page(&[15], "octo/demo", None));
    assert_eq!(script.client().mine().unwrap(), (vec![12, 15, 18], vec![]));
    assert_eq!(script.variables("Mine")[2]["after"], "b");
}

#[test]
fn the_pull_request_of_a_branch_is_found_by_its_head_owner() {
    let script = Script::new();
    let mut fork = pull_request();
    fork["headRepository"]["nameWithOwner"] = "Fork/demo".into();
    fork["number"] = 8.into();
    let list = || json!({"repository": {"pullRequests": whole(vec![pull_request(), fork.clone()])}});
    script.data("ByBranch", list()).data("ByBranch", list());
    let client = script.client();
    let numbers = |owner| -> Vec<u64> {
        client.pull_requests_of_branch("feature", owner).unwrap().iter().map(|pr| pr.number).collect()
    };
    assert_eq!(numbers(None), [7, 8]);
    assert_eq!(numbers(Some("fork")), [8]);

    script.answer(
        "ByBranch",
        json!({"data": {"repository": null}, "errors": [{"type": "NOT_FOUND", "message": "gone"}]}),
    );
    let error = client.pull_requests_of_branch("feature", None).unwrap_err();
    assert_eq!(error.to_string(), "repository octo/demo was not found on github.com");
}
