//! What the simulated GitHub shows, refuses and lets go wrong.

use serde_json::{Value, json};

use super::{HARVEST, crowded, graphql, harvest, send};
use crate::support::bench::{OPERATOR, TestBench};
use crate::support::git::{commit_to, git};
use crate::support::github::{Check, Fault};

#[test]
fn a_harvest_shows_what_the_test_described() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    let got = harvest(&bench);
    assert_eq!(got["headRefOid"], json!(pr.head()));
    assert_eq!(got["headRef"]["target"]["oid"], json!(pr.head()));
    assert_eq!(got["mergeable"], "MERGEABLE");
    assert_eq!(got["author"], json!({"__typename": "User", "login": "ann"}));
    assert_eq!(got["baseRef"]["refUpdateRule"]["requiredStatusCheckContexts"], json!(["build"]));
    let threads = &got["reviewThreads"];
    assert_eq!((&threads["totalCount"], &threads["pageInfo"]["hasNextPage"]), (&json!(3), &json!(true)));
    assert_eq!(threads["nodes"][1]["comments"]["nodes"][0]["author"]["login"], "coderabbitai");
    let commit = &got["commits"]["nodes"][0]["commit"];
    assert_eq!(commit["oid"], json!(pr.head()));
    assert_eq!(commit["statusCheckRollup"]["state"], "FAILURE");
    let contexts = commit["statusCheckRollup"]["contexts"]["nodes"].as_array().unwrap();
    assert_eq!((contexts.len(), &contexts[0]["isRequired"]), (3, &json!(true)));
    assert_eq!(got["pending"]["nodes"], json!([]));
}

#[test]
fn pages_follow_one_another_without_loss() {
    let bench = TestBench::new();
    crowded(&bench);
    let first = harvest(&bench);
    let after = &first["reviewThreads"]["pageInfo"]["endCursor"];
    let variables = json!({"owner": "octo", "repo": "demo", "number": 7, "after": after});
    let second = graphql(&bench, HARVEST, "Harvest", &variables);
    let threads = &second["data"]["repository"]["pullRequest"]["reviewThreads"];
    assert_eq!(threads["nodes"][0]["comments"]["nodes"][0]["author"], Value::Null);
    assert_eq!(threads["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(bench.github.count("Harvest"), 2);
}

#[test]
fn a_push_is_seen_when_the_lag_is_over() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").check(Check::passed("build")).checks_on_push(&[Check::queued("build")]);
    let before = pr.head();
    harvest(&bench);
    let pr = pr.lag_head(1).lag_commits(1);
    let pushed = pr.push(&[("src/c.rs", "new\n")]);

    assert_eq!(harvest(&bench)["headRefOid"], json!(before));
    let lagging = harvest(&bench);
    assert_eq!(lagging["headRefOid"], json!(pushed));
    assert_eq!(lagging["commits"]["nodes"][0]["commit"]["oid"], json!(before));
    let caught_up = harvest(&bench);
    let commit = &caught_up["commits"]["nodes"][0]["commit"];
    assert_eq!((&commit["oid"], &commit["statusCheckRollup"]["state"]), (&json!(pushed), &json!("PENDING")));
}

#[test]
fn a_conflict_with_the_base_is_computed_from_the_commits() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    commit_to(&bench.hub(), "main", "the same line", &[("src/b.rs", "something else\n")]);
    assert_eq!(harvest(&bench)["mergeable"], "CONFLICTING");
}

#[test]
fn a_fork_has_its_own_repository_and_the_base_knows_its_head() {
    let bench = TestBench::new();
    let pr = bench.open_pr_from_fork("mallory", "feature");
    let got = harvest(&bench);
    assert_eq!((&got["isCrossRepository"], &got["headRefOid"]), (&json!(true), &json!(pr.head())));
    assert_eq!(git(&bench.hub(), &["rev-parse", "refs/pull/7/head"]).trim(), pr.head());
}

#[test]
fn replies_resolutions_and_comments_take() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    let thread = json!({"id": pr.threads()[0]});
    let reply = "mutation Reply($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: \"Fixed\"}) { comment { state url } } }";
    let answer = graphql(&bench, reply, "Reply", &thread);
    assert_eq!(answer["data"]["addPullRequestReviewThreadReply"]["comment"]["state"], "SUBMITTED");
    let resolve = "mutation Resolve($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } } } }";
    let answer = graphql(&bench, resolve, "Resolve", &thread);
    assert_eq!(
        answer["data"]["resolveReviewThread"]["thread"],
        json!({"isResolved": true, "resolvedBy": {"login": OPERATOR}})
    );
    let comment = "mutation Add($id: ID!) { addComment(input: {subjectId: $id, body: \"Summary\"}) { commentEdge { node { url } } } }";
    graphql(&bench, comment, "Add", &json!({"id": pr.id}));

    assert_eq!(pr.replies_in(0), ["Fixed"]);
    assert_eq!((pr.replies(), pr.unresolved()), (1, 1));
    assert_eq!(pr.conversation().last(), Some(&(OPERATOR.to_owned(), "Summary".to_owned())));
}

#[test]
fn a_pending_review_swallows_replies() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "off by one").review(OPERATOR, "PENDING", "draft");
    let reply = "mutation R($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: \"x\"}) { comment { state } } }";
    let answer = graphql(&bench, reply, "R", &json!({"id": pr.threads()[0]}));
    assert_eq!(answer["data"]["addPullRequestReviewThreadReply"]["comment"]["state"], "PENDING");
    assert_eq!(harvest(&bench)["pending"]["nodes"].as_array().unwrap().len(), 1);
}

#[test]
fn what_github_refuses_is_refused_and_noticed() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    let invalid = graphql(&bench, "query Bad { viewer { nope } }", "Bad", &json!({}));
    assert!(invalid["errors"].to_string().contains("nope"), "{invalid}");
    let unbounded = "query U { repository(owner: \"octo\", name: \"demo\") { pullRequests { nodes { id } } } }";
    assert_eq!(graphql(&bench, unbounded, "U", &json!({}))["errors"][0]["type"], "MISSING_PAGINATION_BOUNDARIES");
    let missing = "query M { repository(owner: \"octo\", name: \"demo\") { pullRequest(number: 99) { id } } }";
    let missing = graphql(&bench, missing, "M", &json!({}));
    assert_eq!(
        (&missing["errors"][0]["type"], &missing["data"]["repository"]),
        (&json!("NOT_FOUND"), &json!({"pullRequest": null}))
    );
    assert_eq!(send(&bench, "GET", "/repos/octo/demo/nonsense", &Value::Null).0, 404);
    bench.github.on("Never").fail(Fault::DropBefore);

    let problems = bench.github.take_problems();
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(problems[2].contains("GET /repos/octo/demo/nonsense"));
}

#[test]
fn scripted_faults_meet_the_requests_that_they_are_for() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    bench.github.on("Harvest").nth(2).fail(Fault::status(502));
    bench.github.on("Harvest").nth(3).fail(Fault::node("/repository/pullRequest/commits", "FORBIDDEN", "no checks"));
    let event = pr.clone();
    bench.github.on("Harvest").nth(4).before(move || event.resolve(0));
    bench.github.on("GET /user").fail(Fault::rate_limited(1_900_000_000));

    harvest(&bench);
    let variables = json!({"owner": "octo", "repo": "demo", "number": 7});
    let body = json!({"query": HARVEST, "operationName": "Harvest", "variables": variables});
    assert_eq!(send(&bench, "POST", "/graphql", &body).0, 502);
    let partial = send(&bench, "POST", "/graphql", &body).1;
    assert_eq!(partial["errors"][0]["path"], json!(["repository", "pullRequest", "commits"]));
    assert_eq!(partial["data"]["repository"]["pullRequest"]["commits"], Value::Null);
    assert_eq!(harvest(&bench)["reviewThreads"]["nodes"][0]["isResolved"], true);
    assert_eq!(send(&bench, "GET", "/user", &Value::Null).1["errors"][0]["type"], "RATE_LIMITED");
}

#[test]
fn rest_answers_fit_githubs_own_description() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    let got = harvest(&bench);
    let job = got["commits"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"]["nodes"][0]["databaseId"].clone();
    let repo = "/repos/octo/demo";
    let one = send(&bench, "GET", &format!("{repo}/actions/jobs/{job}"), &Value::Null).1;
    assert_eq!(
        (&one["name"], &one["conclusion"], &one["steps"][2]["conclusion"]),
        (&json!("build"), &json!("failure"), &json!("failure"))
    );
    let run = &one["run_id"];
    let jobs = send(&bench, "GET", &format!("{repo}/actions/runs/{run}/attempts/1/jobs?per_page=1"), &Value::Null).1;
    assert_eq!((&jobs["total_count"], jobs["jobs"].as_array().unwrap().len()), (&json!(2), 1));
    let annotations = send(&bench, "GET", &format!("{repo}/check-runs/{job}/annotations"), &Value::Null).1;
    assert_eq!(annotations[0]["message"], "expected `;`");
    for (path, want) in [
        (format!("{repo}/actions/runs/{run}"), 200),
        (format!("{repo}/actions/runs?head_sha={}", pr.head()), 200),
        (format!("{repo}/commits/{}/statuses", pr.head()), 200),
        (format!("{repo}/collaborators/rita/permission"), 200),
        (format!("{repo}/rules/branches/main"), 200),
        (format!("{repo}/pulls/7/comments"), 200),
        ("/user".into(), 200),
        ("/api/v3/user".into(), 200),
        (format!("{repo}/actions/jobs/1/logs"), 404),
    ] {
        assert_eq!(send(&bench, "GET", &path, &Value::Null).0, want, "{path}");
    }
    let again = format!("{repo}/actions/runs/{run}/rerun-failed-jobs");
    assert_eq!(send(&bench, "POST", &again, &json!({})).0, 201);
    assert_eq!(send(&bench, "POST", &again, &json!({})).0, 403);
    let root = pr.comments_of(0)[0].replace("PRRC_", "");
    let reply = send(&bench, "POST", &format!("{repo}/pulls/7/comments/{root}/replies"), &json!({"body": "Done"}));
    assert_eq!((reply.0, pr.replies()), (201, 1));
}

#[test]
fn logs_come_by_ranges_from_a_store_that_gets_no_token() {
    let bench = TestBench::new();
    bench.open_pr("feature").check(Check::failed("build").huge_log(500_000_000, "the end"));
    let got = harvest(&bench);
    let job = &got["commits"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"]["nodes"][0]["databaseId"];
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
    let url = format!("{}/repos/octo/demo/actions/jobs/{job}/logs", bench.github.url());
    let redirect = agent.get(&url).header("authorization", "bearer x").call().unwrap();
    let target = redirect.headers()["location"].to_str().unwrap().to_owned();
    let size = agent.get(&target).header("range", "bytes=0-0").call().unwrap();
    assert_eq!(size.headers()["content-range"], "bytes 0-0/500000000");
    let mut tail = agent.get(&target).header("range", "bytes=499999800-").call().unwrap();
    assert!(tail.body_mut().read_to_string().unwrap().contains("the end"));
    assert!(bench.github.log_bytes() < 1000);
    agent.get(&target).header("range", "bytes=0-0").header("authorization", "bearer x").call().unwrap();
    assert_eq!(bench.github.take_problems(), ["the token was sent to the store of logs"]);
}
