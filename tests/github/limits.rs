//! Rate limits are waited for within a patience; failures of reads are retried, within bounds.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use git_prfix::github::GithubError;
use serde_json::json;

use super::scripted::{Script, slept};

const USED_UP: &str = r#"{"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}"#;

fn viewer(script: &Script) {
    script.data("Viewer", json!({"viewer": {"login": "me"}}));
}

/// Seconds after 2026-01-01T00:00:00Z as an epoch.
fn at(seconds: i64) -> String {
    ("2026-01-01T00:00:00Z".parse::<jiff::Timestamp>().unwrap().as_second() + seconds).to_string()
}

#[test]
fn a_primary_limit_is_waited_for_until_its_reset_and_shown() {
    let script = Script::new();
    let reset = at(120);
    script.status("Viewer", 200, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)], USED_UP);
    viewer(&script);
    let shown = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&shown);
    let (client, clock) = script.client_and_clock();
    let client = client.on_wait(move |wait| sink.lock().unwrap().push((wait.whole.as_secs(), wait.left.as_secs())));
    assert_eq!(client.viewer().unwrap().login, "me");
    assert_eq!(slept(&clock), 121);
    let shown = shown.lock().unwrap();
    assert_eq!((shown[0], shown[1], shown[24], shown[25]), ((121, 121), (121, 116), (121, 1), (121, 0)));
}

#[test]
fn a_limit_beyond_the_patience_says_until_when() {
    let script = Script::new();
    let reset = at(3600);
    script.status("Viewer", 403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)], "{}");
    let (client, clock) = script.client_and_clock();
    let error = client.with_patience(Duration::from_secs(60)).viewer().unwrap_err();
    assert_eq!(error.to_string(), "GitHub's rate limit is used up until 2026-01-01 01:00:01 UTC");
    assert_eq!(slept(&clock), 0);
}

#[test]
fn a_secondary_limit_waits_longer_each_time() {
    let script = Script::new();
    let body = r#"{"message": "You have exceeded a secondary rate limit"}"#;
    script.status("Viewer", 403, &[("retry-after", "7")], body);
    script.status("Viewer", 429, &[], body);
    script.status("Viewer", 403, &[("x-ratelimit-remaining", "4000")], body);
    viewer(&script);
    let (client, clock) = script.client_and_clock();
    client.viewer().unwrap();
    assert_eq!(slept(&clock), 7 + 120 + 240);
}

#[test]
fn a_limited_reply_is_sent_again_because_it_was_not_carried_out() {
    let script = Script::new();
    script.status("Reply", 403, &[("retry-after", "5")], r#"{"message": "secondary rate limit"}"#);
    script.data(
        "Reply",
        json!({"addPullRequestReviewThreadReply": {"comment": {"id": "a", "url": "u", "state": "SUBMITTED"}}}),
    );
    script.client().reply("PRRT_1", "x", "m").unwrap();
}

#[test]
fn lack_of_access_is_not_a_rate_limit() {
    let script = Script::new();
    script.status("Viewer", 403, &[("x-ratelimit-remaining", "12")], r#"{"message": "Resource not accessible"}"#);
    let (client, clock) = script.client_and_clock();
    assert!(matches!(client.viewer(), Err(GithubError::Forbidden { .. })));
    assert_eq!(slept(&clock), 0);
}

#[test]
fn reads_are_retried_twice_after_server_errors_and_lost_connections() {
    let script = Script::new();
    script.status("Viewer", 503, &[], "").lost("Viewer");
    viewer(&script);
    let (client, clock) = script.client_and_clock();
    client.viewer().unwrap();
    assert_eq!(slept(&clock), 9);

    let script = Script::new();
    script.lost("Viewer").lost("Viewer").lost("Viewer");
    assert!(matches!(script.client().viewer(), Err(GithubError::Transport(_))));
}

#[test]
fn a_refused_token_is_tried_once_more() {
    let script = Script::new();
    script.status("Viewer", 401, &[], r#"{"message": "Bad credentials"}"#);
    viewer(&script);
    script.client().viewer().unwrap();

    let script = Script::new();
    for _ in 0..2 {
        script.status("Viewer", 401, &[], r#"{"message": "Bad credentials"}"#);
    }
    assert!(matches!(script.client().viewer(), Err(GithubError::Unauthorized { .. })));
}

#[test]
fn scopes_come_from_any_answer_or_are_asked_for() {
    let script = Script::new();
    script.status("Viewer", 200, &[("x-oauth-scopes", "repo, workflow")], r#"{"data": {"viewer": {"login": "me"}}}"#);
    let client = script.client();
    let want = Some(vec!["repo".to_owned(), "workflow".to_owned()]);
    assert_eq!((client.token_scopes(), client.token_scopes()), (want.clone(), want));

    let script = Script::new();
    viewer(&script);
    assert_eq!(script.client().token_scopes(), None);
}
