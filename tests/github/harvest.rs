//! A harvest is complete, or it says what is missing.

use git_prfix::github::GithubError;
use git_prfix::model::feedback::CheckState;
use git_prfix::model::pr::Mergeable;
use serde_json::{Value, json};

use super::fixture::{BASE, HEAD, check_run, comment, commits, harvest, more, ours, page, review, thread, whole};
use super::scripted::{Script, slept};

fn threads(from: usize, to: usize) -> Vec<Value> {
    (from..to).map(|n| thread(&format!("PRRT_{n}"), whole(vec![comment(&format!("PRRC_{n}"), "x")]))).collect()
}

#[test]
fn an_ordinary_pull_request_costs_one_request() {
    let script = Script::new();
    let checks = (0..20).map(|n| check_run(n, &format!("check {n}"), "SUCCESS")).collect();
    let reviews = (0..6).map(|n| review(&format!("PRR_{n}"), "COMMENTED")).collect();
    let talk = (0..10).map(|n| comment(&format!("IC_{n}"), "hi")).collect();
    script.data(
        "Harvest",
        harvest(&[
            ("reviewThreads", whole(threads(0, 12))),
            ("reviews", whole(reviews)),
            ("comments", whole(talk)),
            ("commits", commits(HEAD, whole(checks))),
        ]),
    );
    let found = script.client().harvest(7).unwrap();
    assert_eq!((found.threads.len(), found.reviews.len(), found.comments.len()), (12, 6, 10));
    assert_eq!((found.checks.list.len(), found.checks.oid.as_str()), (20, HEAD));
    assert_eq!((found.viewer.login.as_str(), found.gaps.len()), ("me", 0));
    assert_eq!(found.pr.default_branch, Some(("main".to_owned(), BASE.to_owned())));
}

#[test]
fn a_hundred_and_thirty_threads_and_one_with_a_hundred_and_one_comments_are_all_read() {
    let script = Script::new();
    let mut first = threads(0, 50);
    let long = (0..50).map(|n| comment(&format!("PRRC_long_{n}"), "x")).collect();
    first[49] = thread("PRRT_long", page(long, 101, Some("c50")));
    script.data("Harvest", harvest(&[("reviewThreads", page(first, 130, Some("t50")))]));
    script.data("MoreThreads", more(page(threads(50, 100), 130, Some("t100"))));
    script.data("MoreThreads", more(page(threads(100, 130), 130, None)));
    let mut rest: Vec<Value> = (50..100).map(|n| comment(&format!("PRRC_long_{n}"), "x")).collect();
    rest.push(comment("PRRC_newest", "what counts"));
    script.data("MoreThreadComments", more(page(rest, 101, None)));

    let found = script.client().harvest(7).unwrap();
    assert_eq!(found.threads.len(), 130);
    let long = found.threads.iter().find(|thread| thread.id == "PRRT_long").unwrap();
    assert_eq!((long.comments.len(), long.comments[100].body.as_str()), (101, "what counts"));
    assert_eq!(script.variables("MoreThreads")[1]["after"], "t100");
    assert!(found.gaps.is_empty());
}

#[test]
fn our_own_answer_on_page_two_of_everything_is_seen() {
    let script = Script::new();
    script.data(
        "Harvest",
        harvest(&[
            ("reviews", page(vec![review("PRR_1", "COMMENTED")], 2, Some("r"))),
            ("comments", page(vec![comment("IC_1", "a")], 2, Some("c"))),
            ("commits", commits(HEAD, page(vec![check_run(1, "a", "SUCCESS")], 2, Some("k")))),
        ]),
    );
    script.data("MoreReviews", more(whole(vec![review("PRR_2", "APPROVED")])));
    script.data("MoreComments", more(page(vec![ours("IC_2", "<!-- ours -->")], 2, None)));
    let contexts = page(vec![check_run(2, "b", "FAILURE")], 2, None);
    script.data("MoreContexts", json!({"node": {"object": {"statusCheckRollup": {"contexts": contexts}}}}));

    let found = script.client().harvest(7).unwrap();
    assert_eq!(found.reviews[1].state, "APPROVED");
    assert!(found.comments[1].viewer_did_author);
    assert_eq!(found.checks.list[1].state, CheckState::Failed);
    assert_eq!(script.variables("MoreContexts")[0]["oid"], HEAD);
}

#[test]
fn a_malformed_or_missing_page_is_never_no_feedback() {
    let broken: Vec<(&str, Value)> = vec![
        ("reviewThreads", Value::Null),
        ("reviewThreads", json!({"nodes": []})),
        ("reviewThreads", page(vec![], 4, None)),
        ("reviews", json!({"totalCount": 0, "pageInfo": {"hasNextPage": true, "endCursor": null}, "nodes": []})),
        ("comments", whole(vec![json!({"id": "IC_1"})])),
        ("headRefOid", json!("HEAD")),
    ];
    for (field, value) in broken {
        let script = Script::new();
        script.data("Harvest", harvest(&[(field, value.clone())]));
        let error = script.client().harvest(7).unwrap_err();
        assert!(matches!(error, GithubError::BadAnswer { .. }), "{field} {value}: {error}");
    }
    let script = Script::new();
    script.data("Harvest", harvest(&[("reviewThreads", page(threads(0, 50), 60, Some("t")))]));
    script.data("MoreThreads", json!({ "node": {} }));
    assert!(matches!(script.client().harvest(7), Err(GithubError::BadAnswer { .. })));
    for body in ["", "<html>", "[]", "{}", r#"{"data": null}"#] {
        let script = Script::new();
        script.status("Harvest", 200, &[], body);
        assert!(matches!(script.client().harvest(7), Err(GithubError::BadAnswer { .. })), "{body}");
    }
}

#[test]
fn what_is_withheld_inside_a_list_is_named() {
    let script = Script::new();
    let data = harvest(&[("reviews", whole(vec![review("PRR_1", "COMMENTED"), Value::Null]))]);
    let error = json!({"type": "FORBIDDEN", "message": "not yours",
        "path": ["repository", "pullRequest", "reviews", "nodes", 1]});
    script.answer("Harvest", json!({"data": data, "errors": [error]}));
    let found = script.client().harvest(7).unwrap();
    assert_eq!(found.reviews.len(), 1);
    assert_eq!(found.gaps, ["GitHub withheld 1 of the reviews: not yours"]);
}

#[test]
fn what_is_withheld_beside_the_lists_is_named_as_well() {
    let script = Script::new();
    let error = json!({"type": "FORBIDDEN", "message": "Resource not accessible by personal access token",
        "path": ["repository", "pullRequest", "baseRef", "rules"]});
    let data = harvest(&[("baseRef", json!({"refUpdateRule": null, "rules": null}))]);
    script.answer("Harvest", json!({"data": data, "errors": [error]}));
    let found = script.client().harvest(7).unwrap();
    let want = "GitHub withheld `baseRef.rules`: Resource not accessible by personal access token";
    assert_eq!(found.gaps, [want]);
}

#[test]
fn checks_that_the_token_may_not_read_are_unreadable_and_never_green() {
    let error = json!({"type": "FORBIDDEN", "message": "Resource not accessible by personal access token",
        "path": ["repository", "pullRequest", "commits", "nodes", 0, "commit", "statusCheckRollup", "contexts", "nodes", 0]});
    let one = commits(HEAD, whole(vec![Value::Null, check_run(2, "b", "SUCCESS")]));
    let none = json!({"nodes": [{"commit": {"oid": HEAD, "statusCheckRollup": null}}]});
    let empty = commits(HEAD, whole(vec![]));
    for (rollup, left) in [(one, 1), (none, 0), (empty, 0), (json!({ "nodes": [null] }), 0)] {
        let script = Script::new();
        script.answer("Harvest", json!({"data": harvest(&[("commits", rollup)]), "errors": [error]}));
        let found = script.client().harvest(7).unwrap();
        assert_eq!(found.checks.list.len(), left);
        assert!(found.checks.unreadable.as_deref().is_some_and(|why| why.contains("not accessible")));
        assert!(found.gaps.iter().any(|gap| gap.contains("not accessible")), "{:?}", found.gaps);
    }
}

#[test]
fn a_time_out_halves_the_page_until_it_works() {
    let script = Script::new();
    let limits = json!({"data": {"viewer": {"login": "me"}, "repository": null},
        "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "too much"}]});
    script.status("Harvest", 502, &[], r#"{"message": "timeout"}"#);
    script.answer("Harvest", limits);
    script.data("Harvest", harvest(&[]));
    let (client, clock) = script.client_and_clock();
    client.harvest(7).unwrap();
    let sizes: Vec<Value> = script.variables("Harvest").iter().map(|sent| sent["page"].clone()).collect();
    assert_eq!((sizes, slept(&clock)), (vec![json!(50), json!(25), json!(10)], 0));
}

#[test]
fn when_even_the_smallest_page_is_too_much_the_run_ends_with_githubs_words() {
    let script = Script::new();
    for _ in 0..5 {
        script.status("Harvest", 504, &[], r#"{"message": "We couldn't respond in time"}"#);
    }
    let (client, clock) = script.client_and_clock();
    let error = client.harvest(7).unwrap_err();
    assert!(matches!(&error, GithubError::Server { why, .. } if why.contains("respond in time")), "{error}");
    assert_eq!(slept(&clock), 9);
}

#[test]
fn a_time_out_that_comes_with_status_200_is_asked_again_at_the_smallest_page() {
    let script = Script::new();
    let timeout = json!({"data": null, "errors": [{"message":
        "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."}]});
    for _ in 0..4 {
        script.answer("Harvest", timeout.clone());
    }
    script.data("Harvest", harvest(&[]));
    let (client, clock) = script.client_and_clock();
    client.harvest(7).unwrap();
    let sizes: Vec<Value> = script.variables("Harvest").iter().map(|sent| sent["page"].clone()).collect();
    assert_eq!(sizes, [50, 25, 10, 10, 10].map(|size| json!(size)));
    assert_eq!(slept(&clock), 9);
}

#[test]
fn what_is_too_much_even_alone_is_named_beside_what_came() {
    let script = Script::new();
    let limit = json!({"type": "RESOURCE_LIMITS_EXCEEDED", "message": "Resource limits for this query exceeded.",
        "path": ["repository", "pullRequest", "reviewThreads", "nodes", 1]});
    let threads = whole(vec![threads(0, 1).remove(0), Value::Null]);
    let partial = json!({"data": harvest(&[("reviewThreads", threads)]), "errors": [limit]});
    script.answer("Harvest", partial.clone()).answer("Harvest", partial.clone()).answer("Harvest", partial);
    let found = script.client().harvest(7).unwrap();
    assert_eq!(found.threads.len(), 1);
    assert_eq!(found.gaps, ["GitHub withheld 1 of the review threads: Resource limits for this query exceeded."]);
}

#[test]
fn checks_of_another_commit_keep_their_own_id() {
    let script = Script::new();
    script.data("Harvest", harvest(&[("commits", commits(BASE, whole(vec![check_run(1, "a", "SUCCESS")])))]));
    let found = script.client().harvest(7).unwrap();
    assert_ne!(found.checks.oid, found.pr.head_oid);
}

#[test]
fn a_forks_workflow_that_waits_for_approval_is_found_without_any_check() {
    for rollup in [Value::Null, json!({"contexts": whole(vec![])})] {
        waits_for_approval(&rollup);
    }
}

fn waits_for_approval(rollup: &Value) {
    let script = Script::new();
    let commits = json!({"nodes": [{"commit": {"oid": HEAD, "statusCheckRollup": rollup}}]});
    script.data("Harvest", harvest(&[("commits", commits)]));
    let run = json!({"id": 5, "name": "CI", "event": "pull_request", "status": "completed",
        "conclusion": "action_required", "html_url": "https://github.com/x", "run_started_at": null});
    let call = format!("GET /repos/octo/demo/actions/runs?head_sha={HEAD}&per_page=100");
    let next = [("link", "<https://api.github.com/x?page=2>; rel=\"next\"")];
    script.rest(&call, 200, &next, &json!({"total_count": 1, "workflow_runs": []}).to_string());
    let second = json!({"total_count": 1, "workflow_runs": [run]}).to_string();
    script.rest(&format!("{call}&page=2"), 200, &[], &second);
    let found = script.client().harvest(7).unwrap();
    assert_eq!(found.checks.list[0].state, CheckState::ActionRequired);
    assert_eq!(found.checks.list[0].run_id, Some(5));
}

#[test]
fn a_list_of_workflow_runs_that_is_no_list_is_never_nothing() {
    let script = Script::new();
    let commits = json!({"nodes": [{"commit": {"oid": HEAD, "statusCheckRollup": null}}]});
    script.data("Harvest", harvest(&[("commits", commits)]));
    let call = format!("GET /repos/octo/demo/actions/runs?head_sha={HEAD}&per_page=100");
    script.rest(&call, 200, &[], "<html>");
    assert!(matches!(script.client().harvest(7), Err(GithubError::BadAnswer { .. })));
}

#[test]
fn more_check_suites_than_a_page_are_named() {
    let script = Script::new();
    let mut commits = commits(HEAD, whole(vec![check_run(1, "build", "SUCCESS")]));
    commits["nodes"][0]["commit"]["checkSuites"] = page(vec![], 130, Some("s100"));
    script.data("Harvest", harvest(&[("commits", commits)]));
    let found = script.client().harvest(7).unwrap();
    assert!(found.gaps[0].contains("130 check suites"), "{:?}", found.gaps);
}

#[test]
fn an_unknown_mergeability_is_asked_for_again_but_not_of_a_closed_pull_request() {
    let tiny = |word: &str| json!({"repository": {"pullRequest": {"state": "OPEN", "headRefOid": HEAD, "mergeable": word, "mergeStateStatus": "X"}}});
    let script = Script::new();
    script.data("Harvest", harvest(&[("mergeable", json!("UNKNOWN"))]));
    script.data("Mergeable", tiny("UNKNOWN")).data("Mergeable", tiny("CONFLICTING"));
    let (client, clock) = script.client_and_clock();
    assert_eq!(client.harvest(7).unwrap().pr.mergeable, Mergeable::Conflicting);
    assert_eq!(slept(&clock), 15);

    let script = Script::new();
    script.data("Harvest", harvest(&[("mergeable", json!("UNKNOWN")), ("state", json!("CLOSED"))]));
    assert_eq!(script.client().harvest(7).unwrap().pr.mergeable, Mergeable::Unknown);
}

#[test]
fn our_pending_review_is_noticed() {
    for (did, want) in [(true, true), (false, false)] {
        let script = Script::new();
        let pending = json!({"nodes": [{"id": "PRR_9", "viewerDidAuthor": did}]});
        script.data("Harvest", harvest(&[("pending", pending)]));
        assert_eq!(script.client().harvest(7).unwrap().pending_review, want);
    }
}

#[test]
fn minimised_edited_outdated_left_and_file_level_comments_keep_what_they_are() {
    let mut hidden = comment("PRRC_1", "spam");
    hidden["isMinimized"] = true.into();
    hidden["minimizedReason"] = "spam".into();
    hidden["lastEditedAt"] = "2026-01-02T00:00:00Z".into();
    hidden["author"] = Value::Null;
    let mut left = thread("PRRT_left", whole(vec![hidden]));
    left["diffSide"] = "LEFT".into();
    left["isOutdated"] = true.into();
    left["line"] = Value::Null;
    let mut file = thread("PRRT_file", whole(vec![comment("PRRC_2", "x")]));
    file["subjectType"] = "FILE".into();
    file["line"] = json!(1);
    let script = Script::new();
    script.data("Harvest", harvest(&[("reviewThreads", whole(vec![left, file]))]));
    let found = script.client().harvest(7).unwrap();
    let (left, file) = (&found.threads[0], &found.threads[1]);
    assert_eq!((left.outdated, left.line, left.original_line), (true, None, Some(3)));
    assert_eq!(left.side, git_prfix::model::feedback::Side::Left);
    assert_eq!(left.comments[0].minimized.as_deref(), Some("spam"));
    assert!(left.comments[0].edited_at.is_some() && left.comments[0].author.is_none());
    assert_eq!((file.file_level, file.line), (true, None));
}

#[test]
fn an_older_server_is_asked_once_what_it_lacks() {
    let undefined = json!({"errors": [{"message": "Field 'rules' doesn't exist on type 'Ref'", "path": ["query"],
        "extensions": {"code": "undefinedField", "typeName": "Ref", "fieldName": "rules"}}]});
    let fields = |names: &[&str]| json!({"fields": names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>()});
    let script = Script::new();
    script.answer("Harvest", undefined);
    script.data(
        "Detect",
        json!({"PullRequest": fields(&["mergeStateStatus"]), "PullRequestReview": fields(&["authorCanPushToRepository"]),
            "PullRequestReviewThread": fields(&[]), "Ref": fields(&["refUpdateRule"]), "WorkflowRun": fields(&["event"])}),
    );
    let mut old = thread("PRRT_1", whole(vec![comment("PRRC_1", "x")]));
    old.as_object_mut().unwrap().remove("subjectType");
    let data = harvest(&[("baseRef", json!({"refUpdateRule": null})), ("reviewThreads", whole(vec![old]))]);
    script.data("Harvest", data.clone()).data("Harvest", data);
    let client = script.client();
    assert_eq!(client.harvest(7).unwrap().threads.len(), 1);
    client.harvest(7).unwrap();
    let sent = script.documents("Harvest");
    assert!(sent[0].contains("subjectType") && !sent[1].contains("subjectType") && !sent[2].contains("rules("));
}

#[test]
fn a_missing_pull_request_and_an_sso_refusal_are_told_apart() {
    let script = Script::new();
    let missing = json!({"data": {"viewer": {"login": "me"}, "repository": {"pullRequest": null}},
        "errors": [{"type": "NOT_FOUND", "message": "Could not resolve to a PullRequest", "path": ["repository", "pullRequest"]}]});
    script.answer("Harvest", missing);
    let error = script.client().harvest(7).unwrap_err();
    assert_eq!(error.to_string(), "pull request 7 of octo/demo was not found on github.com");

    let script = Script::new();
    let saml = json!({"data": {"viewer": {"login": "me"}, "repository": null}, "errors": [{"type": "FORBIDDEN",
        "message": "Resource protected by organization SAML enforcement.", "extensions": {"saml_failure": true}, "path": ["repository"]}]});
    script.answer("Harvest", saml);
    let error = script.client().harvest(7).unwrap_err();
    assert!(matches!(error, GithubError::Forbidden { ref help, .. } if help.contains("single sign-on")), "{error:?}");
}
