//! Checks: GitHub Actions jobs with their logs and annotations, other apps' check runs, statuses.

use std::sync::Arc;

use serde_json::{Value, json};

use super::store::{NOW, Store, link};

/// A check as a test describes it.
///
/// ```ignore
/// Check::failed("build").log("error: expected `;`").annotation("src/a.rs", 3, "expected `;`")
/// ```
#[derive(Clone)]
pub struct Check {
    pub name: String,
    pub status: &'static str,
    pub conclusion: Option<&'static str>,
    pub workflow: Option<String>,
    pub app: String,
    pub event: &'static str,
    pub required: bool,
    pub summary: Option<String>,
    /// A commit status instead of a check run: its state.
    pub state: Option<&'static str>,
    pub target_url: Option<String>,
    pub started_at: String,
    pub log: Log,
    pub annotations: Vec<Value>,
    /// The `run:` step that failed.
    pub step: String,
}

/// Where a job's log comes from.
#[derive(Clone)]
pub enum Log {
    /// The whole raw text.
    Text(String),
    /// So many bytes of chatter, generated while they are sent, then the text.
    Huge(u64, String),
    /// GitHub answers with this status: 404 and 410 for logs that are gone.
    Missing(u16),
}

/// What the Actions API tells about a job.
#[derive(Clone)]
pub struct Job {
    pub id: u64,
    pub run: u64,
    pub attempt: u64,
    pub check: String,
    pub workflow: String,
    pub commit: String,
    pub step: String,
    pub event: &'static str,
    pub log: Arc<Log>,
    pub annotations: Vec<Value>,
}

impl Check {
    fn new(name: &str, status: &'static str, conclusion: Option<&'static str>) -> Self {
        Self {
            name: name.to_owned(),
            status,
            conclusion,
            workflow: Some("CI".into()),
            app: "github-actions".into(),
            event: "pull_request",
            required: false,
            summary: None,
            state: None,
            target_url: None,
            started_at: NOW.into(),
            log: Log::Text(raw_log("sh check.sh", "all checks passed", 0)),
            annotations: Vec::new(),
            step: "Run sh check.sh".into(),
        }
    }

    pub fn passed(name: &str) -> Self {
        Self::new(name, "COMPLETED", Some("SUCCESS"))
    }

    pub fn failed(name: &str) -> Self {
        Self::new(name, "COMPLETED", Some("FAILURE")).log("the check failed")
    }

    pub fn running(name: &str) -> Self {
        Self::new(name, "IN_PROGRESS", None)
    }

    pub fn queued(name: &str) -> Self {
        Self::new(name, "QUEUED", None)
    }

    /// Any conclusion of `CheckConclusionState`, such as `STARTUP_FAILURE`.
    pub fn concluded(name: &str, conclusion: &'static str) -> Self {
        Self::new(name, "COMPLETED", Some(conclusion))
    }

    /// A commit status with a `StatusState`.
    pub fn status(context: &str, state: &'static str) -> Self {
        Self { state: Some(state), workflow: None, ..Self::new(context, "COMPLETED", None) }
    }

    pub fn workflow(mut self, name: &str) -> Self {
        self.workflow = Some(name.to_owned());
        self
    }

    /// A check run of another app, which has no job and no log.
    pub fn app(mut self, slug: &str) -> Self {
        self.app = slug.to_owned();
        self.workflow = None;
        self
    }

    pub fn event(mut self, event: &'static str) -> Self {
        self.event = event;
        self
    }

    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub fn summary(mut self, text: &str) -> Self {
        self.summary = Some(text.to_owned());
        self
    }

    pub fn started_at(mut self, time: &str) -> Self {
        self.started_at = time.to_owned();
        self
    }

    /// What the failing step prints; time stamps and markers are added.
    pub fn log(mut self, output: &str) -> Self {
        self.log = Log::Text(raw_log("sh check.sh", output, 1));
        self
    }

    /// The log as GitHub stores it, every byte.
    pub fn raw_log(mut self, text: &str) -> Self {
        self.log = Log::Text(text.to_owned());
        self
    }

    /// A log of that many bytes that ends with the failing step.
    pub fn huge_log(mut self, bytes: u64, output: &str) -> Self {
        self.log = Log::Huge(bytes, raw_log("sh check.sh", output, 1));
        self
    }

    pub fn no_log(mut self, status: u16) -> Self {
        self.log = Log::Missing(status);
        self
    }

    pub fn annotation(mut self, path: &str, line: u64, message: &str) -> Self {
        self.annotations.push(json!({"path": path, "start_line": line, "end_line": line, "start_column": null,
            "end_column": null, "annotation_level": "failure", "title": "", "message": message, "raw_details": "",
            "blob_href": format!("https://github.com/octo/demo/blob/head/{path}")}));
        self
    }
}

/// A job log as GitHub stores it: byte-order mark, time stamps, CRLF, groups and colours.
pub fn raw_log(command: &str, output: &str, exit: i32) -> String {
    let mut lines = vec![
        "Current runner version: '2.330.0'".to_owned(),
        "##[group]Run actions/checkout@v4".into(),
        "with:".into(),
        "##[endgroup]".into(),
        "Syncing repository: octo/demo".into(),
        format!("##[group]Run {command}"),
        format!("\u{1b}[36;1m{command}\u{1b}[0m"),
        "shell: /usr/bin/bash -e {0}".into(),
        "##[endgroup]".into(),
    ];
    lines.extend(output.lines().map(str::to_owned));
    if exit != 0 {
        lines.push(format!("##[error]Process completed with exit code {exit}."));
    }
    lines.push("Post job cleanup.".into());
    let stamped: String = lines.iter().map(|line| format!("2026-11-30T12:00:01.1234567Z {line}\r\n")).collect();
    format!("\u{feff}{stamped}")
}

/// Puts a check on a commit, and returns the id of its node.
pub fn add(store: &mut Store, commit: &str, check: &Check) -> String {
    if check.required {
        store.required.insert(check.name.clone());
    }
    let id = match check.state {
        Some(state) => add_status(store, check, state),
        None => add_run(store, commit, check),
    };
    store.contexts.entry(commit.to_owned()).or_default().push(link(&id));
    id
}

fn add_status(store: &mut Store, check: &Check, state: &str) -> String {
    let (number, creator) = (store.number(), store.account("ci-server[bot]"));
    let id = format!("SC_{number}");
    store.put(
        &id,
        json!({"__typename": "StatusContext", "context": check.name, "state": state, "description": check.summary,
            "targetUrl": check.target_url, "createdAt": check.started_at, "creator": creator, "_number": number}),
    );
    id
}

fn add_run(store: &mut Store, commit: &str, check: &Check) -> String {
    let job = store.number();
    let id = format!("CR_{job}");
    let run = check.workflow.as_ref().map(|workflow| run_of(store, commit, workflow, check.event));
    let page = "https://github.com/octo/demo";
    let details = run.as_ref().map_or_else(
        || format!("https://{}.example/report/{job}", check.app),
        |(run, _)| format!("{page}/actions/runs/{run}/job/{job}"),
    );
    let suite = json!({"__typename": "CheckSuite", "id": format!("CS_{job}"), "databaseId": job % 1_000_000,
        "status": check.status, "conclusion": check.conclusion,
        "app": {"__typename": "App", "id": format!("A_{}", check.app), "slug": check.app, "name": check.app, "databaseId": 15_368},
        "workflowRun": run.as_ref().map(|(_, node)| node.clone())});
    let done = check.conclusion.map(|_| check.started_at.clone());
    store.put(
        &id,
        json!({"__typename": "CheckRun", "databaseId": job % 2_000_000_000, "name": check.name, "status": check.status,
            "conclusion": check.conclusion, "startedAt": check.started_at, "completedAt": done, "detailsUrl": details,
            "url": details, "permalink": details, "title": check.summary.as_deref().map(|_| check.name.clone()),
            "summary": check.summary, "externalId": "", "checkSuite": suite, "_commit": commit}),
    );
    let job = Job {
        id: job % 2_000_000_000,
        run: run.as_ref().map_or(0, |(run, _)| *run),
        attempt: 1,
        check: id.clone(),
        workflow: check.workflow.clone().unwrap_or_default(),
        commit: commit.to_owned(),
        step: check.step.clone(),
        event: check.event,
        log: Arc::new(check.log.clone()),
        annotations: check.annotations.clone(),
    };
    store.jobs.insert(job.id, job);
    id
}

/// One run of a workflow for each commit and event.
fn run_of(store: &mut Store, commit: &str, workflow: &str, event: &str) -> (u64, Value) {
    let key = format!("WFR_{workflow}_{event}_{commit}");
    if !store.has(&key) {
        let number = store.number() % 2_000_000_000;
        let flow = json!({"__typename": "Workflow", "id": format!("W_{workflow}"), "name": workflow, "databaseId": 9});
        store.put(
            &key,
            json!({"__typename": "WorkflowRun", "databaseId": number, "event": event, "runNumber": number % 1000,
                "url": format!("https://github.com/octo/demo/actions/runs/{number}"), "workflow": flow}),
        );
    }
    (store.get(&key, "databaseId").as_u64().unwrap_or_default(), link(&key))
}

/// The checks that a push to this pull request's head starts, when it has none yet.
pub fn start(store: &mut Store, pr: &str, head: &str) {
    let commit = format!("C_{head}");
    if store.contexts.contains_key(&commit) {
        return;
    }
    for check in store.on_push.get(pr).cloned().unwrap_or_default() {
        add(store, &commit, &check);
    }
}
