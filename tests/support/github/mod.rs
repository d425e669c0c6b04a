//! A simulated GitHub: GraphQL executed against GitHub's own schema, REST checked against its OpenAPI
//! document, over HTTP on a port of its own and over a unix socket for the real `gh`.
//!
//! Heads, commits and mergeability are read from bare repositories on disk, so that a push is seen as
//! one. A request that nothing matches, an operation that the schema does not allow, and a scripted
//! fault that no request meets make the test fail when the bench is dropped.

pub mod check;
mod connection;
mod execute;
mod http;
mod limits;
mod live;
mod logs;
mod mutations;
mod pr;
mod query;
mod rest;
mod rest_check;
pub mod schema;
pub mod script;
mod shapes;
mod store;
mod zip;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub use check::Check;
pub use pr::{Opening, Pr, Thread};
pub use script::{Fault, On};

use execute::Graph;
use http::{Answer, Body, Incoming, Server};
use script::Script;
use store::{Store, link};

/// One request, as a test may ask about it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The GraphQL operation's name, or method and path: `GET /repos/octo/demo/actions/jobs/5/logs`.
    pub name: String,
    pub variables: Value,
    pub headers: Vec<(String, String)>,
    pub query: String,
    pub bytes: usize,
}

/// The simulated GitHub. It answers until it is dropped.
pub struct FakeGithub {
    pub(super) state: Arc<State>,
    server: Server,
}

pub(super) struct State {
    graph: Mutex<Graph>,
    pub(super) store: Arc<Mutex<Store>>,
    script: Script,
    log: Mutex<Vec<Request>>,
    problems: Mutex<Vec<String>>,
    /// Requests are handled one at a time, so that scripts and counters are deterministic.
    turn: Mutex<()>,
    latency: Mutex<Duration>,
    child: Mutex<Option<u32>>,
    ranges: AtomicBool,
    older: AtomicBool,
    log_bytes: Arc<AtomicU64>,
    log_requests: AtomicUsize,
    bytes: AtomicU64,
}

impl FakeGithub {
    /// Starts with the accounts `octo` (an organization) and `viewer`, and no repository.
    pub fn start(socket: &Path, viewer: &str) -> Self {
        let store = Arc::new(Mutex::new(Store::default()));
        {
            let mut store = store.lock().unwrap();
            store.viewer = viewer.to_owned();
            store.scopes = Some("repo, read:org, workflow".to_owned());
            store.account(viewer);
        }
        let loaded = schema::official().unwrap_or_else(schema::slice);
        let state = Arc::new(State {
            graph: Mutex::new(Graph { loaded, store: Arc::clone(&store) }),
            store,
            script: Script::default(),
            log: Mutex::default(),
            problems: Mutex::default(),
            turn: Mutex::default(),
            latency: Mutex::default(),
            child: Mutex::default(),
            ranges: AtomicBool::new(true),
            older: AtomicBool::new(false),
            log_bytes: Arc::default(),
            log_requests: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
        });
        let handler = Arc::clone(&state);
        let server = Server::start(socket, move |request| handler.handle(&request));
        state.store.lock().unwrap().blobs = format!("http://{}", server.blobs);
        Self { state, server }
    }

    /// For `GITHUB_API_URL`; with `/graphql` for `GITHUB_GRAPHQL_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// For `http_unix_socket` in the configuration of `gh`.
    pub fn socket(&self) -> &Path {
        &self.server.socket
    }

    /// Scripts requests of an operation (a GraphQL operation's name, or method and path; `*` stands
    /// for any characters).
    ///
    /// ```ignore
    /// bench.github.on("Harvest").fail(Fault::status(502));
    /// bench.github.on("ResolveThread").nth(2).before(move || pr.merge());
    /// ```
    pub fn on(&self, pattern: &str) -> On<'_> {
        On { script: &self.state.script, pattern: pattern.to_owned(), skip: 0, times: 1 }
    }

    /// All requests so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.state.log.lock().unwrap().clone()
    }

    /// The mutations that were carried out, in order, each with the id of what it was done to.
    pub fn writes(&self) -> Vec<(String, String)> {
        self.store().writes.clone()
    }

    /// The names of all requests so far, in order.
    pub fn names(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.name).collect()
    }

    /// How many requests match a pattern as of [`FakeGithub::on`].
    pub fn count(&self, pattern: &str) -> usize {
        self.names().iter().filter(|name| script::matches(pattern, name)).count()
    }

    /// Bytes of logs that were sent.
    pub fn log_bytes(&self) -> u64 {
        self.state.log_bytes.load(Ordering::Relaxed)
    }

    /// Requests to the store of logs, which [`FakeGithub::requests`] does not list.
    pub fn log_requests(&self) -> usize {
        self.state.log_requests.load(Ordering::Relaxed)
    }

    /// Bytes of JSON answers that were sent.
    pub fn bytes(&self) -> u64 {
        self.state.bytes.load(Ordering::Relaxed)
    }

    /// The log store does not know byte ranges.
    pub fn without_ranges(&self) {
        self.state.ranges.store(false, Ordering::SeqCst);
    }

    /// Each answer comes this long after its request, those of the store of logs included: what the simulator
    /// itself needs is a part of it.
    pub fn latency(&self, latency: Duration) {
        *self.state.latency.lock().unwrap() = latency;
    }

    /// An older server, which does not know these fields (`Type.field`); asking for them is no fault.
    pub fn lacks(&self, fields: &[&str]) {
        self.state.older.store(true, Ordering::SeqCst);
        self.state.graph.lock().unwrap().loaded = schema::without(fields);
    }

    /// Scopes of the token; `None` for a fine-grained one, which names none.
    pub fn scopes(&self, scopes: Option<&str>) {
        self.store().scopes = scopes.map(str::to_owned);
    }

    /// `admin`, `write`, `read` or `none` for an account, as REST tells it.
    pub fn permission(&self, login: &str, permission: &str) {
        self.store().permissions.insert(login.to_owned(), permission.to_owned());
    }

    /// Names of checks that the base branch requires.
    pub fn require_checks(&self, names: &[&str]) {
        self.store().required.extend(names.iter().map(|name| (*name).to_owned()));
    }

    /// A workflow run on a commit that waits for approval and has no jobs.
    pub fn run_awaits_approval(&self, oid: &str) {
        self.run_without_jobs(oid, "CI", "action_required");
    }

    /// A workflow run on a commit that ended without a job: `action_required`, `startup_failure`.
    pub fn run_without_jobs(&self, oid: &str, workflow: &str, conclusion: &str) {
        let id = self.store().number() % 2_000_000_000;
        let (event, status, conclusion) = ("pull_request", "completed", json!(conclusion));
        let facts = shapes::RunFacts { id, workflow, oid, event, status, conclusion, attempt: 1 };
        let run = shapes::bare_run(&self.url(), &facts);
        self.store().waiting_runs.push(run);
    }

    /// Ids of all workflow runs that have jobs.
    pub fn run_ids(&self) -> Vec<u64> {
        let runs: std::collections::BTreeSet<u64> = self.store().jobs.values().map(|job| job.run).collect();
        runs.into_iter().filter(|run| *run != 0).collect()
    }

    /// Any field of any node, for what has no method of its own.
    pub fn set(&self, node: &str, field: &str, value: Value) {
        self.store().set(node, field, value);
    }

    pub fn get(&self, node: &str, field: &str) -> Value {
        self.store().get(node, field)
    }

    /// What broke the rules so far; taking it keeps the bench from failing over it.
    pub fn take_problems(&self) -> Vec<String> {
        let mut problems = std::mem::take(&mut *self.state.problems.lock().unwrap());
        problems.extend(self.state.script.take_unused());
        problems
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.state.store.lock().unwrap()
    }

    /// The process that [`Fault::KillBefore`] and [`Fault::KillAfter`] kill.
    pub(super) fn watch_child(&self, pid: Option<u32>) {
        *self.state.child.lock().unwrap() = pid;
    }

    pub(super) fn open(&self, opening: &Opening<'_>) -> Pr {
        Pr::open(&self.state, opening)
    }

    /// Makes a repository known, with its bare repository on disk.
    pub(super) fn add_repository(&self, owner: &str, disk: &Path, parent: Option<&str>) -> String {
        let mut store = self.store();
        let id = format!("R_{owner}_demo");
        let holder = match parent {
            Some(_) => store.account(owner),
            None => store.put(
                &format!("O_{owner}"),
                json!({"__typename": "Organization", "login": owner, "name": owner, "url": format!("https://github.com/{owner}")}),
            ),
        };
        store.repos.insert(format!("{owner}/demo").to_lowercase(), id.clone());
        store.disks.insert(id.clone(), disk.to_owned());
        let url = format!("https://github.com/{owner}/demo");
        store.put(
            &id,
            json!({"__typename": "Repository", "name": "demo", "nameWithOwner": format!("{owner}/demo"), "owner": holder,
                "url": url, "sshUrl": format!("git@github.com:{owner}/demo.git"), "isFork": parent.is_some(),
                "isArchived": false, "isPrivate": false, "parent": parent.map(link), "pullRequests": [],
                "viewerPermission": if parent.is_some() { "READ" } else { "WRITE" }}),
        );
        id
    }
}

impl State {
    fn handle(&self, request: &Incoming) -> Answer {
        let asked = Instant::now();
        let answer = match request.target.strip_prefix("/_blob/") {
            Some(id) => self.blob(id, request),
            None => self.in_turn(request),
        };
        let latency = *self.latency.lock().unwrap();
        std::thread::sleep(latency.saturating_sub(asked.elapsed()));
        answer
    }

    fn in_turn(&self, request: &Incoming) -> Answer {
        let seen = read(request);
        let _turn = self.turn.lock().unwrap();
        let (events, fault) = self.script.take(&seen.name);
        for event in events {
            event();
        }
        self.log.lock().unwrap().push(seen.clone());
        match fault {
            Some(Fault::KillBefore) => self.signal(rustix::process::Signal::KILL),
            Some(Fault::Signal(signal)) => self.signal(signal),
            _ => {}
        }
        let answer = fault.as_ref().and_then(Fault::instead).unwrap_or_else(|| self.answer(&seen, request));
        if matches!(fault, Some(Fault::KillAfter)) {
            self.signal(rustix::process::Signal::KILL);
        }
        let answer = fault.iter().fold(self.with_headers(answer), |answer, fault| fault.spoil(answer));
        if let Body::Bytes(bytes) = &answer.body {
            self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        answer
    }

    fn answer(&self, seen: &Request, request: &Incoming) -> Answer {
        if request.header("authorization").is_none_or(|value| value.split_whitespace().nth(1).is_none()) {
            return rest::error(401, "Requires authentication");
        }
        live::refresh(&mut self.store.lock().unwrap());
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        if is_graphql(request) { self.graphql(seen, &body) } else { self.rest(seen, request, body) }
    }

    fn graphql(&self, seen: &Request, body: &Value) -> Answer {
        let query = body["query"].as_str().unwrap_or_default();
        let graph = self.graph.lock().unwrap();
        let executed = graph.execute(query, body["operationName"].as_str(), &seen.variables);
        if let Some(why) = executed.invalid.filter(|_| !self.older.load(Ordering::SeqCst)) {
            self.problem(format!("the operation {} is not valid: {why}", seen.name));
        }
        Answer::json(200, &executed.body)
    }

    fn rest(&self, seen: &Request, request: &Incoming, body: Value) -> Answer {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let query = query.split('&').filter_map(|pair| pair.split_once('='));
        let host = request.header("host").unwrap_or_default();
        let rest = rest::Rest {
            method: &request.method,
            path: path.strip_prefix("/api/v3").unwrap_or(path),
            query: query.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            body,
            // `gh` follows links to its own host only.
            base: if host.starts_with("127.0.0.1") { format!("http://{host}") } else { format!("https://{host}") },
        };
        let Some(routed) = rest::answer(&mut self.store.lock().unwrap(), &rest) else {
            self.problem(format!("no route for {}", seen.name));
            return rest::error(404, "Not Found");
        };
        if let Body::Bytes(bytes) = &routed.answer.body
            && let Some(problem) = rest_check::problem(routed.route, routed.answer.status, bytes)
        {
            self.problem(problem);
        }
        routed.answer
    }

    fn blob(&self, target: &str, request: &Incoming) -> Answer {
        self.log_requests.fetch_add(1, Ordering::Relaxed);
        if request.header("authorization").is_some() {
            self.problem("the token was sent to the store of logs".into());
        }
        let name = target.split('?').next().unwrap_or_default();
        if let Some(run) = name.strip_prefix("run-") {
            let files = rest::log_files(&self.store.lock().unwrap(), run);
            return Answer::new(200, zip::archive(&files)).header("content-type", "application/zip");
        }
        let id = name.parse().unwrap_or_default();
        let log = self.store.lock().unwrap().jobs.get(&id).map(|job| Arc::clone(&job.log));
        match log {
            Some(log) => logs::blob(&log, request, self.ranges.load(Ordering::SeqCst), &self.log_bytes),
            None => Answer::new(404, ""),
        }
    }

    fn with_headers(&self, mut answer: Answer) -> Answer {
        let store = self.store.lock().unwrap();
        let has = |answer: &Answer, name: &str| answer.headers.iter().any(|(n, _)| n == name);
        let left = 5000_u64.saturating_sub(store.rate_used);
        for (name, value) in [
            ("x-ratelimit-limit", "5000".to_owned()),
            ("x-ratelimit-remaining", left.to_string()),
            ("x-ratelimit-reset", "1893456000".to_owned()),
        ] {
            if !has(&answer, name) {
                answer = answer.header(name, value);
            }
        }
        match &store.scopes {
            Some(scopes) => answer.header("x-oauth-scopes", scopes),
            None => answer,
        }
    }

    fn problem(&self, what: String) {
        self.problems.lock().unwrap().push(what);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = self.child.lock().unwrap().expect("a program that was started by the bench");
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).expect("a pid")).expect("a pid");
        let _ = rustix::process::kill_process(pid, signal);
    }
}

fn is_graphql(request: &Incoming) -> bool {
    matches!(request.target.as_str(), "/graphql" | "/api/graphql")
}

fn read(request: &Incoming) -> Request {
    let path = request.target.split('?').next().unwrap_or_default();
    let mut seen = Request {
        name: format!("{} {}", request.method, path.strip_prefix("/api/v3").unwrap_or(path)),
        variables: Value::Null,
        headers: request.headers.clone(),
        query: request.target.split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default(),
        bytes: request.body.len(),
    };
    if is_graphql(request) {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let query = body["query"].as_str().unwrap_or_default();
        seen.name = body["operationName"].as_str().or_else(|| operation_name(query)).unwrap_or("anonymous").to_owned();
        seen.variables = body.get("variables").filter(|v| v.is_object()).cloned().unwrap_or_else(|| json!({}));
        seen.query = query.to_owned();
    }
    seen
}

/// The name in a query's text, which `gh` does not repeat beside it.
fn operation_name(query: &str) -> Option<&str> {
    let mut words = query.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.find(|word| matches!(*word, "query" | "mutation"))?;
    words.next()
}
