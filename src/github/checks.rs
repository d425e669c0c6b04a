//! What the checks of a commit say: GitHub's words sorted, superseded runs left out.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::error::GithubError;
use super::parse::read;
use crate::model::feedback::{Check, CheckState};
use crate::model::text::one_line;

#[derive(Debug, Deserialize)]
#[serde(tag = "__typename")]
pub(super) enum RawCheck {
    CheckRun(CheckRun),
    StatusContext(StatusContext),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckRun {
    database_id: Option<u64>,
    name: String,
    status: String,
    conclusion: Option<String>,
    started_at: Option<String>,
    details_url: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    is_required: bool,
    check_suite: Option<Suite>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    app: Option<App>,
    workflow_run: Option<WorkflowRun>,
}

#[derive(Debug, Deserialize)]
struct App {
    slug: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorkflowRun {
    database_id: Option<u64>,
    #[serde(default)]
    event: String,
    workflow: Named,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatusContext {
    context: String,
    state: String,
    description: Option<String>,
    target_url: Option<String>,
    created_at: String,
    is_required: bool,
}

/// A run of `/actions/runs`.
#[derive(Debug, Deserialize)]
struct ListedRun {
    id: u64,
    #[serde(default)]
    name: Option<String>,
    event: String,
    status: Option<String>,
    conclusion: Option<String>,
    html_url: String,
    run_started_at: Option<String>,
}

/// A check suite of a commit, which shows a workflow run also when it has no check run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawSuite {
    status: String,
    conclusion: Option<String>,
    created_at: String,
    workflow_run: Option<SuiteRun>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SuiteRun {
    database_id: Option<u64>,
    url: String,
    #[serde(default)]
    event: String,
    workflow: Named,
}

impl RawSuite {
    fn listed(self) -> Option<ListedRun> {
        let run = self.workflow_run?;
        Some(ListedRun {
            id: run.database_id?,
            name: Some(run.workflow.name),
            event: run.event,
            status: Some(self.status),
            conclusion: self.conclusion,
            html_url: run.url,
            run_started_at: Some(self.created_at),
        })
    }
}

/// `CheckStatusState` and `CheckConclusionState`; what GitHub may add is not green.
fn run_state(status: &str, conclusion: Option<&str>) -> CheckState {
    if status != "COMPLETED" {
        return CheckState::Pending;
    }
    match conclusion.unwrap_or_default() {
        "SUCCESS" => CheckState::Passed,
        "SKIPPED" | "NEUTRAL" => CheckState::Skipped,
        "FAILURE" | "TIMED_OUT" => CheckState::Failed,
        "CANCELLED" => CheckState::Cancelled,
        "STARTUP_FAILURE" => CheckState::StartupFailure,
        "ACTION_REQUIRED" => CheckState::ActionRequired,
        "STALE" => CheckState::Stale,
        _ => CheckState::Pending,
    }
}

/// `StatusState`.
fn status_state(state: &str) -> CheckState {
    match state {
        "SUCCESS" => CheckState::Passed,
        "FAILURE" | "ERROR" => CheckState::Failed,
        _ => CheckState::Pending,
    }
}

/// A check with what tells it from the others of its commit, and what makes it the newest.
struct Candidate {
    group: (String, String),
    age: (bool, String, u64),
    check: Check,
}

impl CheckRun {
    fn candidate(self) -> Candidate {
        let state = run_state(&self.status, self.conclusion.as_deref());
        let (app, run) = match self.check_suite {
            Some(suite) => (suite.app.map(|app| app.slug), suite.workflow_run),
            None => (None, None),
        };
        let event = run.as_ref().map(|run| run.event.clone()).unwrap_or_default();
        let workflow = run.as_ref().map(|run| run.workflow.name.clone());
        let named = ids(self.details_url.as_deref().filter(|_| app.as_deref() == Some("github-actions")));
        let summary: Vec<String> = [self.title, self.summary].into_iter().flatten().filter(|t| !t.is_empty()).collect();
        let key = key(app.as_deref(), workflow.as_deref(), &self.name);
        let check = Check {
            key: key.clone(),
            name: self.name,
            state,
            raw_state: self.conclusion.unwrap_or(self.status),
            required: self.is_required,
            url: self.details_url,
            app,
            workflow,
            run_id: run.and_then(|run| run.database_id).or(named.map(|(run, _)| run)),
            job_id: self.database_id.or(named.map(|(_, job)| job)),
            started_at: self.started_at.clone(),
            summary: summary.join("\n"),
            log: None,
            annotations: Vec::new(),
            gap: None,
        };
        // A run that has not started is newer than any that has.
        let age = (self.started_at.is_none(), self.started_at.unwrap_or_default(), self.database_id.unwrap_or(0));
        Candidate { group: (key, event), age, check }
    }
}

/// Run and job in the address of an Actions check, `…/actions/runs/{run}/job/{job}`: the ids may be
/// withheld where the address is not.
fn ids(url: Option<&str>) -> Option<(u64, u64)> {
    let (run, job) = url?.split_once("/actions/runs/")?.1.split_once("/job/")?;
    let job = job.split(['?', '#', '/']).next()?;
    Some((run.parse().ok()?, job.parse().ok()?))
}

/// `app | workflow | name`, which stays the same over re-runs.
fn key(app: Option<&str>, workflow: Option<&str>, name: &str) -> String {
    format!("{} | {} | {name}", app.unwrap_or("-"), workflow.unwrap_or("-"))
}

impl StatusContext {
    fn candidate(self) -> Candidate {
        let key = format!("status | {}", self.context);
        let check = Check {
            key: key.clone(),
            state: status_state(&self.state),
            name: self.context,
            raw_state: self.state,
            required: self.is_required,
            url: self.target_url,
            started_at: Some(self.created_at.clone()),
            summary: self.description.unwrap_or_default(),
            ..blank()
        };
        Candidate { group: (key, String::new()), age: (false, self.created_at, 0), check }
    }
}

fn blank() -> Check {
    Check {
        key: String::new(),
        name: String::new(),
        state: CheckState::Pending,
        raw_state: String::new(),
        required: false,
        url: None,
        app: None,
        workflow: None,
        run_id: None,
        job_id: None,
        started_at: None,
        summary: String::new(),
        log: None,
        annotations: Vec::new(),
        gap: None,
    }
}

/// The newest check of each name, workflow and event, in the order of their keys.
pub(super) fn newest(raw: Vec<RawCheck>) -> Vec<Check> {
    let mut newest: BTreeMap<(String, String), Candidate> = BTreeMap::new();
    for check in raw {
        let candidate = match check {
            RawCheck::CheckRun(run) => run.candidate(),
            RawCheck::StatusContext(status) => status.candidate(),
        };
        match newest.get(&candidate.group) {
            Some(known) if known.age > candidate.age => {}
            _ => drop(newest.insert(candidate.group.clone(), candidate)),
        }
    }
    newest.into_values().map(|candidate| candidate.check).collect()
}

/// The runs of a commit that has no check at all, from the list of runs.
pub(super) fn from_runs(runs: &[Value]) -> Result<Vec<Check>, GithubError> {
    let runs = runs.iter().map(|run| read::<ListedRun>(run, "list the workflow runs of the head commit"));
    Ok(without_jobs(runs.collect::<Result<_, _>>()?, &[]))
}

/// The runs of a commit that stand beside its checks and have none.
pub(super) fn from_suites(suites: Vec<RawSuite>, checks: &[Check]) -> Vec<Check> {
    without_jobs(suites.into_iter().filter_map(RawSuite::listed).collect(), checks)
}

/// Workflow runs without any of these checks: those that wait for an approval, could not start, or have
/// not begun. `action_required` and `startup_failure` end without a job.
fn without_jobs(runs: Vec<ListedRun>, checks: &[Check]) -> Vec<Check> {
    let mut newest: BTreeMap<(String, String), (u64, Check)> = BTreeMap::new();
    for run in runs {
        let (status, conclusion) = (run.status.unwrap_or_default(), run.conclusion.unwrap_or_default());
        let state = run_state(&status.to_ascii_uppercase(), Some(&conclusion.to_ascii_uppercase()));
        let name = run.name.unwrap_or_else(|| "workflow".to_owned());
        let check = Check {
            key: key(Some("github-actions"), Some(&name), &name),
            state,
            raw_state: if conclusion.is_empty() { status } else { conclusion }.to_ascii_uppercase(),
            url: Some(run.html_url),
            app: Some("github-actions".to_owned()),
            workflow: Some(name.clone()),
            run_id: Some(run.id),
            started_at: run.run_started_at,
            summary: one_line(&format!("workflow run for `{}`", run.event), 200),
            name: name.clone(),
            ..blank()
        };
        let known = newest.entry((name, run.event)).or_insert_with(|| (0, check.clone()));
        if run.id >= known.0 {
            *known = (run.id, check);
        }
    }
    // A finished run without check runs says nothing about the code.
    let telling =
        |state| matches!(state, CheckState::ActionRequired | CheckState::StartupFailure | CheckState::Pending);
    let has_jobs = |run: &Check| checks.iter().any(|check| check.run_id == run.run_id);
    newest.into_values().map(|(_, check)| check).filter(|run| telling(run.state) && !has_jobs(run)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(id: u64, conclusion: Option<&str>, started: Option<&str>, event: &str) -> RawCheck {
        let value = json!({
            "__typename": "CheckRun", "databaseId": id, "name": "test", "isRequired": false,
            "status": if conclusion.is_some() { "COMPLETED" } else { "QUEUED" }, "conclusion": conclusion,
            "startedAt": started, "detailsUrl": null, "title": null, "summary": null,
            "checkSuite": {"app": {"slug": "github-actions"},
                "workflowRun": {"databaseId": id * 10, "event": event, "workflow": {"name": "CI"}}}
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn each_of_githubs_words_has_its_own_meaning() {
        use CheckState::{ActionRequired, Cancelled, Failed, Passed, Pending, Skipped, Stale, StartupFailure};
        let ended = [
            ("SUCCESS", Passed),
            ("NEUTRAL", Skipped),
            ("SKIPPED", Skipped),
            ("FAILURE", Failed),
            ("TIMED_OUT", Failed),
            ("CANCELLED", Cancelled),
            ("ACTION_REQUIRED", ActionRequired),
            ("STARTUP_FAILURE", StartupFailure),
            ("STALE", Stale),
            ("A_WORD_OF_TOMORROW", Pending),
        ];
        for (word, state) in ended {
            assert_eq!(run_state("COMPLETED", Some(word)), state, "{word}");
        }
        for status in ["QUEUED", "IN_PROGRESS", "WAITING", "PENDING", "REQUESTED"] {
            assert_eq!(run_state(status, Some("SUCCESS")), Pending, "{status}");
        }
        let statuses =
            [("SUCCESS", Passed), ("FAILURE", Failed), ("ERROR", Failed), ("PENDING", Pending), ("EXPECTED", Pending)];
        for (word, state) in statuses {
            assert_eq!(status_state(word), state, "{word}");
        }
    }

    #[test]
    fn a_failure_of_a_superseded_run_is_ignored() {
        let old = run(1, Some("FAILURE"), Some("2026-01-01T00:00:00Z"), "pull_request");
        let new = run(2, Some("SUCCESS"), Some("2026-01-01T01:00:00Z"), "pull_request");
        let checks = newest(vec![new, old]);
        assert_eq!(checks.len(), 1);
        assert_eq!((checks[0].state, checks[0].run_id), (CheckState::Passed, Some(20)));
        assert_eq!(checks[0].key, "github-actions | CI | test");
    }

    #[test]
    fn ids_that_are_withheld_are_read_from_the_address() {
        let mut value = json!({
            "__typename": "CheckRun", "databaseId": null, "name": "test", "isRequired": false, "status": "COMPLETED",
            "conclusion": "FAILURE", "startedAt": null, "title": null, "summary": null,
            "detailsUrl": "https://github.com/o/r/actions/runs/12/job/34?pr=7",
            "checkSuite": {"app": {"slug": "github-actions"}, "workflowRun": null}
        });
        let read = |value: &Value| {
            let check = newest(vec![serde_json::from_value(value.clone()).unwrap()]).remove(0);
            (check.run_id, check.job_id)
        };
        assert_eq!(read(&value), (Some(12), Some(34)));
        value["checkSuite"]["app"]["slug"] = "another".into();
        assert_eq!(read(&value), (None, None));
    }

    #[test]
    fn a_run_that_has_not_started_supersedes_a_cancelled_one_but_not_another_events() {
        let old = run(1, Some("CANCELLED"), Some("2026-01-01T00:00:00Z"), "pull_request");
        let push = run(3, Some("FAILURE"), Some("2026-01-01T00:00:00Z"), "push");
        let checks = newest(vec![run(2, None, None, "pull_request"), old, push]);
        let states: Vec<CheckState> = checks.iter().map(|check| check.state).collect();
        assert_eq!(states, [CheckState::Pending, CheckState::Failed]);
    }

    #[test]
    fn a_workflow_that_could_not_start_shows_beside_other_checks_unless_it_was_superseded() {
        let suite = |run: u64, workflow: &str, conclusion: &str| -> RawSuite {
            let value = json!({"status": "COMPLETED", "conclusion": conclusion, "createdAt": "2026-01-01T00:00:00Z",
                "workflowRun": {"databaseId": run, "url": "u", "event": "push", "workflow": {"name": workflow}}});
            serde_json::from_value(value).unwrap()
        };
        let checks = newest(vec![run(1, Some("SUCCESS"), Some("2026-01-01T00:00:00Z"), "push")]);
        let suites = vec![
            suite(10, "CI", "SUCCESS"),
            suite(9, "CI", "STARTUP_FAILURE"),
            suite(11, "Broken", "STARTUP_FAILURE"),
            suite(12, "Fork", "ACTION_REQUIRED"),
        ];
        let found: Vec<(Option<u64>, CheckState)> =
            from_suites(suites, &checks).into_iter().map(|check| (check.run_id, check.state)).collect();
        assert_eq!(found, [(Some(11), CheckState::StartupFailure), (Some(12), CheckState::ActionRequired)]);
    }

    #[test]
    fn runs_without_jobs_wait_for_approval_or_could_not_start() {
        let listed = |id: u64, name: &str, status: &str, conclusion: Option<&str>| {
            json!({"id": id, "name": name, "event": "pull_request", "status": status, "conclusion": conclusion,
                "html_url": "u", "run_started_at": null})
        };
        let runs = [
            listed(5, "CI", "completed", Some("action_required")),
            listed(4, "CI", "completed", Some("success")),
            listed(6, "Broken", "completed", Some("startup_failure")),
            listed(7, "Docs", "completed", Some("success")),
        ];
        let found: Vec<(String, CheckState)> =
            from_runs(&runs).unwrap().into_iter().map(|check| (check.name, check.state)).collect();
        let want = [("Broken".to_owned(), CheckState::StartupFailure), ("CI".to_owned(), CheckState::ActionRequired)];
        assert_eq!(found, want);
        assert!(from_runs(&[json!({})]).is_err());
    }
}
