//! What a failing check printed, or why it cannot be had.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use git_prfix::clock::FixedClock;
use git_prfix::github::{Client, GithubError, Permission, Request, Response, Transport, TransportError};
use git_prfix::model::feedback::{Check, Checks};
use git_prfix::model::repo::RepoId;
use serde_json::{Value, json};

use super::fixture::{HEAD, check_run, commits, harvest, whole};
use super::scripted::Script;

/// The checks of a harvest with these contexts.
fn checks(script: &Script, contexts: Vec<Value>) -> Checks {
    script.data("Harvest", harvest(&[("commits", commits(HEAD, whole(contexts)))]));
    script.client().harvest(7).unwrap().checks
}

fn job_log(job: u64) -> String {
    format!("GET /repos/octo/demo/actions/jobs/{job}/logs")
}

fn annotations(job: u64, page: u32) -> String {
    format!("GET /repos/octo/demo/check-runs/{job}/annotations?per_page=100&page={page}")
}

fn of<'a>(checks: &'a Checks, name: &str) -> &'a Check {
    checks.list.iter().find(|check| check.name == name).unwrap()
}

#[test]
fn several_failing_jobs_get_their_logs_and_annotations_and_green_ones_cost_nothing() {
    let script = Script::new();
    let failing = (1..=6).map(|id| check_run(id, &format!("job {id}"), "FAILURE"));
    let mut checks = checks(&script, failing.chain([check_run(9, "green", "SUCCESS")]).collect());
    for id in 1..=6 {
        let log = format!("##[group]Run make {id}\nno rule\n##[error]Process completed with exit code 2.\n");
        script.rest(&job_log(id), 200, &[], &log).rest(&annotations(id, 1), 200, &[], "[]");
    }
    script.client().read_failures(&mut checks).unwrap();
    for id in 1..=6 {
        let log = of(&checks, &format!("job {id}")).log.as_ref().unwrap();
        assert_eq!(log.step.as_deref(), Some(format!("Run make {id}").as_str()));
    }
    assert!(of(&checks, "green").log.is_none());
}

#[test]
fn annotations_are_read_to_their_end_and_cleaned() {
    let script = Script::new();
    let mut checks = checks(&script, vec![check_run(1, "a", "FAILURE")]);
    let one = |message: &str| {
        json!([{"path": "src/a.rs", "start_line": 3, "end_line": 4, "annotation_level": "failure", "message": message,
            "title": null, "raw_details": null}])
        .to_string()
    };
    let next =
        [("link", "<https://api.github.com/x?page=2>; rel=\"next\", <https://api.github.com/x?page=2>; rel=\"last\"")];
    script.rest(&job_log(1), 200, &[], "x").rest(&annotations(1, 1), 200, &next, &one("\u{1b}[31mred\u{1b}[0m"));
    script.rest(&annotations(1, 2), 200, &[], &one("second"));
    script.client().read_failures(&mut checks).unwrap();
    let found: Vec<&str> = checks.list[0].annotations.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(found, ["red", "second"]);
    assert_eq!(checks.list[0].gap, None);
}

#[test]
fn a_log_that_is_gone_refused_or_elsewhere_is_a_gap_with_its_reason() {
    let script = Script::new();
    let mut elsewhere = check_run(3, "circle", "FAILURE");
    elsewhere["checkSuite"] = json!({"app": {"slug": "circleci"}, "workflowRun": null});
    let status = json!({"__typename": "StatusContext", "context": "legacy", "state": "FAILURE", "description": "broke",
        "targetUrl": "https://ci.test/1", "createdAt": "2026-01-01T00:00:00Z", "isRequired": true});
    let mut checks =
        checks(&script, vec![check_run(1, "gone", "FAILURE"), check_run(2, "refused", "TIMED_OUT"), elsewhere, status]);
    script.rest(&job_log(1), 410, &[], r#"{"message": "Gone"}"#).rest(&annotations(1, 1), 200, &[], "[]");
    script.rest(&job_log(2), 403, &[], r#"{"message": "Must have admin rights"}"#);
    script.rest(&annotations(2, 1), 404, &[], "{}").rest(&annotations(3, 1), 200, &[], "[]");
    script.client().read_failures(&mut checks).unwrap();
    let gap = |name: &str| of(&checks, name).gap.clone().unwrap();
    assert!(gap("gone").contains("expired"), "{}", gap("gone"));
    assert!(gap("refused").contains("Must have admin rights") && gap("refused").contains("annotations"));
    assert!(gap("circle").contains("not on GitHub"));
    assert!(gap("legacy").contains("https://ci.test/1"));
}

#[test]
fn a_token_that_is_refused_meanwhile_ends_the_reading() {
    let script = Script::new();
    let mut checks = checks(&script, vec![check_run(1, "a", "FAILURE")]);
    script.rest(&job_log(1), 401, &[], r#"{"message": "Bad credentials"}"#).rest(&annotations(1, 1), 200, &[], "[]");
    assert!(matches!(script.client().read_failures(&mut checks), Err(GithubError::Unauthorized { .. })));
}

#[test]
fn a_workflow_that_may_not_be_read_is_named() {
    let script = Script::new();
    let mut hidden = check_run(1, "a", "FAILURE");
    hidden["checkSuite"]["workflowRun"] = Value::Null;
    let error = json!({"type": "FORBIDDEN", "message": "Resource not accessible by integration",
        "path": ["repository", "pullRequest", "commits", "nodes", 0, "commit", "statusCheckRollup"]});
    let data = harvest(&[("commits", commits(HEAD, whole(vec![hidden])))]);
    script.answer("Harvest", json!({"data": data, "errors": [error]}));
    let found = script.client().harvest(7).unwrap();
    assert_eq!(found.checks.list[0].run_id, None);
    assert_eq!(found.gaps, ["parts of the checks cannot be read: Resource not accessible by integration"]);
}

/// Answers a log or a permission only while another one is being asked for as well.
#[derive(Default)]
struct Together {
    asked: Mutex<usize>,
    another: Condvar,
}

impl Transport for Together {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let body = if request.path.ends_with("/logs") || request.path.ends_with("/permission") {
            let mut asked = self.asked.lock().unwrap();
            *asked += 1;
            self.another.notify_all();
            // Long enough for any machine; a test that passes never waits for its end.
            let (asked, wait) =
                self.another.wait_timeout_while(asked, Duration::from_secs(60), |asked| *asked < 2).unwrap();
            assert!(!wait.timed_out(), "{} was asked for alone", request.path);
            drop(asked);
            r#"{"permission": "write"}"#
        } else {
            "[]"
        };
        Ok(Response { status: 200, headers: Vec::new(), body: body.into(), total: None })
    }

    fn name(&self) -> &'static str {
        "together"
    }
}

#[test]
fn logs_of_several_jobs_and_rights_of_several_accounts_are_asked_for_at_once() {
    let script = Script::new();
    let mut checks = checks(&script, vec![check_run(1, "a", "FAILURE"), check_run(2, "b", "FAILURE")]);
    let client = || {
        let clock = FixedClock::at("2026-01-01T00:00:00Z".parse().unwrap());
        Client::new(Box::<Together>::default(), RepoId::new("github.com", "octo", "demo"), Arc::new(clock))
    };
    client().read_failures(&mut checks).unwrap();
    assert!(checks.list.iter().all(|check| check.log.is_some()));
    let rights = client().permissions(&["ann".to_owned(), "rita".to_owned()]);
    assert!(rights.into_iter().all(|answer| answer.unwrap() == Permission::Write));
}
