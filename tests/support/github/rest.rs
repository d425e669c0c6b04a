//! The REST endpoints that this program uses, and those that `gh run view` needs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::check::{Job, Log};
use super::http::Answer;
use super::store::{Store, link};
use super::{mutations, shapes};

/// A request below the API's root.
pub struct Rest<'a> {
    pub method: &'a str,
    /// Without query and `/api/v3`.
    pub path: &'a str,
    pub query: BTreeMap<String, String>,
    pub body: Value,
    /// Scheme and host that links in answers start with.
    pub base: String,
}

/// What came of it, and the route's name in the OpenAPI document.
pub struct Routed {
    pub answer: Answer,
    pub route: &'static str,
}

/// Answers a request; `None` when no route is known for it.
pub fn answer(store: &mut Store, rest: &Rest<'_>) -> Option<Routed> {
    let words: Vec<&str> = rest.path.split('/').filter(|word| !word.is_empty()).collect();
    let (route, answer) = match (rest.method, words.as_slice()) {
        ("GET", []) => ("/", json(200, &json!({"current_user_url": format!("{}/user", rest.base)}))),
        ("GET", ["user"]) => ("/user", json(200, &shapes::viewer(store))),
        ("GET", ["users", login]) => ("account", json(200, &shapes::account(store, login))),
        ("GET", ["rate_limit"]) => ("/rate_limit", json(200, &shapes::rate_limit(store))),
        (method, ["repos", owner, name, words @ ..]) => {
            let Some(repo) = store.repos.get(&format!("{owner}/{name}").to_lowercase()).cloned() else {
                return Some(Routed { route: "/repos", answer: not_found() });
            };
            return in_repository(store, rest, &repo, (method, words));
        }
        _ => return None,
    };
    Some(Routed { route, answer })
}

fn in_repository(store: &mut Store, rest: &Rest<'_>, repo: &str, request: (&str, &[&str])) -> Option<Routed> {
    let (route, answer) = match request {
        ("GET", ["actions", "jobs", id, "logs"]) => ("job-logs", logs(store, id)),
        ("GET", ["actions", "jobs", id]) => {
            ("job", of_job(store, id, |store, job| shapes::job(store, job, &rest.base)))
        }
        ("GET", ["actions", "runs", id, "jobs"]) => ("jobs", jobs(store, rest, id)),
        ("GET", ["actions", "runs", id, "attempts", _, "jobs"]) => ("attempt-jobs", jobs(store, rest, id)),
        ("GET", ["actions", "runs", id, "logs"]) => ("run-logs", redirect(store, &format!("run-{id}"))),
        ("GET", ["actions", "runs", id]) => ("run", run(store, rest, id)),
        ("GET", ["actions", "runs"]) => ("runs", runs(store, rest)),
        ("GET", ["actions", "workflows", _]) => ("workflow", json(200, &shapes::workflow())),
        ("POST", ["actions", "runs", id, "rerun-failed-jobs"]) => ("rerun", rerun(store, id)),
        ("POST", ["actions", "jobs", id, "rerun"]) => ("rerun-job", rerun_job(store, id)),
        ("GET", ["check-runs", id, "annotations"]) => {
            ("annotations", paged(rest, store.jobs.get(&number(id)).map(|job| job.annotations.clone())))
        }
        ("GET", ["commits", oid, "statuses"]) => ("statuses", paged(rest, Some(statuses(store, oid)))),
        ("GET", ["collaborators", login, "permission"]) => ("permission", json(200, &shapes::permission(store, login))),
        ("POST", ["pulls", number, "comments", id, "replies"]) => ("reply", reply(store, number, id, &rest.body)),
        ("POST", ["pulls", number, "requested_reviewers"]) => ("reviewers", reviewers(store, number, &rest.body)),
        ("GET", ["pulls", number, "comments"]) => ("review-comments", paged(rest, review_comments(store, number))),
        ("GET", ["rules", "branches", ..]) => ("rules", paged(rest, Some(shapes::rules(store)))),
        ("GET", []) => ("repository", json(200, &json!({"full_name": store.text(repo, "nameWithOwner")}))),
        _ => return None,
    };
    Some(Routed { route, answer })
}

fn json(status: u16, value: &Value) -> Answer {
    Answer::json(status, value)
}

pub fn error(status: u16, message: &str) -> Answer {
    let url = "https://docs.github.com/rest";
    json(status, &json!({"message": message, "documentation_url": url, "status": status.to_string()}))
}

fn not_found() -> Answer {
    error(404, "Not Found")
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or_default()
}

/// A page of a list, with the `Link` header that leads on.
fn paged(rest: &Rest<'_>, items: Option<Vec<Value>>) -> Answer {
    let Some(items) = items else { return not_found() };
    let (page, links) = page(rest, items);
    with_links(json(200, &Value::Array(page)), links)
}

fn page(rest: &Rest<'_>, items: Vec<Value>) -> (Vec<Value>, Option<String>) {
    let asked = |name: &str, default: usize| rest.query.get(name).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (size, at) = (asked("per_page", 30).clamp(1, 100), asked("page", 1).max(1));
    let more = items.len() > size * at;
    let page = items.into_iter().skip(size * (at - 1)).take(size).collect();
    let next = format!("<{}{}?per_page={size}&page={}>; rel=\"next\"", rest.base, rest.path, at + 1);
    (page, more.then_some(next))
}

fn with_links(answer: Answer, links: Option<String>) -> Answer {
    match links {
        Some(links) => answer.header("link", links),
        None => answer,
    }
}

fn logs(store: &Store, id: &str) -> Answer {
    match store.jobs.get(&number(id)).map(|job| (job, job.log.as_ref())) {
        None => not_found(),
        Some((_, Log::Missing(status))) => error(*status, if *status == 410 { "Gone" } else { "Not Found" }),
        Some((job, _)) => redirect(store, &job.id.to_string()),
    }
}

/// To the store of logs, which needs no token.
fn redirect(store: &Store, blob: &str) -> Answer {
    Answer::new(302, "").header("location", format!("{}/_blob/{blob}?sig=once", store.blobs))
}

/// The files of a run's log archive: the step that each job is about.
pub fn log_files(store: &Store, run: &str) -> Vec<(String, Vec<u8>)> {
    let of_run = store.jobs.values().filter(|job| job.run == number(run));
    let text = |job: &Job| match job.log.as_ref() {
        Log::Text(text) | Log::Huge(_, text) => text.clone().into_bytes(),
        Log::Missing(_) => Vec::new(),
    };
    of_run.map(|job| (format!("{}/3_{}.txt", store.text(&job.check, "name"), job.step), text(job))).collect()
}

fn of_job(store: &Store, id: &str, shape: impl Fn(&Store, &Job) -> Value) -> Answer {
    store.jobs.get(&number(id)).map_or_else(not_found, |job| json(200, &shape(store, job)))
}

fn jobs(store: &Store, rest: &Rest<'_>, run: &str) -> Answer {
    let of_run = store.jobs.values().filter(|job| job.run == number(run));
    let all: Vec<Value> = of_run.map(|job| shapes::job(store, job, &rest.base)).collect();
    if all.is_empty() {
        return not_found();
    }
    let total = all.len();
    let (page, links) = page(rest, all);
    with_links(json(200, &json!({"total_count": total, "jobs": page})), links)
}

fn run(store: &Store, rest: &Rest<'_>, id: &str) -> Answer {
    let job = store.jobs.values().find(|job| job.run == number(id));
    job.map_or_else(not_found, |job| json(200, &shapes::run(store, job, &rest.base)))
}

fn runs(store: &Store, rest: &Rest<'_>) -> Answer {
    let commit = rest.query.get("head_sha").map(|oid| format!("C_{oid}"));
    let mut first_jobs = BTreeMap::new();
    for job in store.jobs.values().filter(|job| commit.as_ref().is_none_or(|commit| *commit == job.commit)) {
        first_jobs.entry(job.run).or_insert(job);
    }
    first_jobs.remove(&0);
    let mut all: Vec<Value> = first_jobs.values().map(|job| shapes::run(store, job, &rest.base)).collect();
    all.extend(store.waiting_runs.iter().cloned());
    let total = all.len();
    let (page, links) = page(rest, all);
    with_links(json(200, &json!({"total_count": total, "workflow_runs": page})), links)
}

fn rerun(store: &mut Store, run: &str) -> Answer {
    let run = number(run);
    let failed: Vec<u64> = store
        .jobs
        .values()
        .filter(|job| job.run == run && store.text(&job.check, "conclusion") != "SUCCESS")
        .map(|job| job.id)
        .collect();
    if failed.is_empty() {
        return if store.jobs.values().any(|job| job.run == run) {
            error(403, "This workflow run cannot be retried")
        } else {
            not_found()
        };
    }
    if failed.iter().any(|id| store.text(&store.jobs[id].check, "status") != "COMPLETED") {
        return error(403, "This workflow is already running");
    }
    failed.into_iter().for_each(|id| start_again(store, id));
    json(201, &json!({}))
}

fn rerun_job(store: &mut Store, id: &str) -> Answer {
    if !store.jobs.contains_key(&number(id)) {
        return not_found();
    }
    start_again(store, number(id));
    json(201, &json!({}))
}

fn start_again(store: &mut Store, id: u64) {
    let Some(job) = store.jobs.get_mut(&id) else { return };
    job.attempt += 1;
    let check = job.check.clone();
    store.set(&check, "status", json!("QUEUED"));
    store.set(&check, "conclusion", Value::Null);
    store.set(&check, "completedAt", Value::Null);
}

/// Newest first.
fn statuses(store: &Store, oid: &str) -> Vec<Value> {
    let contexts = store.contexts.get(&format!("C_{oid}")).cloned().unwrap_or_default();
    let ids = contexts.iter().rev().filter_map(super::store::target);
    ids.filter(|id| store.text(id, "__typename") == "StatusContext").map(|id| shapes::status(store, id)).collect()
}

fn review_comments(store: &Store, number: &str) -> Option<Vec<Value>> {
    let pr = store.pull_request(number.parse().ok()?)?;
    let threads = store.ids(&pr, "reviewThreads");
    let comments = threads.iter().flat_map(|thread| store.ids(thread, "comments"));
    Some(comments.map(|id| shapes::review_comment(store, &id)).collect())
}

fn reply(store: &mut Store, pr: &str, comment: &str, body: &Value) -> Answer {
    let Some(pr) = store.pull_request(number(pr)) else { return not_found() };
    let root = format!("PRRC_{comment}");
    let thread =
        store.ids(&pr, "reviewThreads").into_iter().find(|thread| store.ids(thread, "comments").first() == Some(&root));
    let (Some(thread), Some(text)) = (thread, body["body"].as_str()) else { return not_found() };
    let new = mutations::reply_as(store, &thread, text);
    json(201, &shapes::review_comment(store, super::store::target(&new).unwrap_or_default()))
}

/// Bots in the list are ignored without a word, as on GitHub.
fn reviewers(store: &mut Store, pr: &str, body: &Value) -> Answer {
    let Some(pr) = store.pull_request(number(pr)) else { return not_found() };
    for login in body["reviewers"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let id = format!("U_{login}");
        if store.has(&id) {
            store.push(&pr, "reviewRequests", json!({"__typename": "ReviewRequest", "requestedReviewer": link(&id)}));
        }
    }
    json(201, &json!({"number": store.get(&pr, "number"), "url": store.get(&pr, "url")}))
}
