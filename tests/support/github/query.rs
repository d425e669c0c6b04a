//! Reading the graph: the query root, and the fields that follow from others instead of being stored.

use apollo_compiler::resolvers::FieldError;
use serde_json::{Map, Value, json};

use super::execute::typed_error;
use super::live;
use super::store::{Store, link, target};

type Found = Result<Option<Value>, FieldError>;

/// A field of `Query`.
pub fn root(store: &Store, field: &str, args: &Value) -> Found {
    let text = |name: &str| args[name].as_str().unwrap_or_default();
    Ok(Some(match field {
        "viewer" => link(&format!("U_{}", store.viewer)),
        "rateLimit" => link("RATE"),
        "repository" => {
            let name = format!("{}/{}", text("owner"), text("name"));
            let id = store.repos.get(&name.to_lowercase()).ok_or_else(|| {
                typed_error("NOT_FOUND", format!("Could not resolve to a Repository with the name '{name}'."))
            })?;
            link(id)
        }
        "node" => node(store, text("id"))?,
        "nodes" => {
            let ids = args["ids"].as_array().cloned().unwrap_or_default();
            ids.iter().map(|id| node(store, id.as_str().unwrap_or_default()).unwrap_or(Value::Null)).collect()
        }
        _ => return Ok(None),
    }))
}

fn node(store: &Store, id: &str) -> Result<Value, FieldError> {
    if store.has(id) {
        return Ok(link(id));
    }
    Err(typed_error("NOT_FOUND", format!("Could not resolve to a node with the global id of '{id}'")))
}

/// A field of a stored node.
pub fn field(store: &mut Store, ty: &str, id: &str, field: &str, args: &Value) -> Found {
    match (ty, field) {
        ("Repository", "pullRequest" | "issueOrPullRequest") => return pull_request(store, id, args).map(Some),
        ("Repository", "pullRequests") => return Ok(Some(pull_requests(store, id, args))),
        ("User", "pullRequests") => return Ok(Some(of_author(store, id, args))),
        ("Repository", "ref") => {
            return Ok(Some(live::branch(store, id, args["qualifiedName"].as_str().unwrap_or(""))));
        }
        ("Repository", "object") => return Ok(Some(live::object(store, id, args))),
        ("Repository", "defaultBranchRef") => return Ok(Some(live::branch(store, id, "main"))),
        ("Commit", "checkSuites") => return Ok(Some(suites(store, id))),
        ("Commit", "statusCheckRollup") => return Ok(Some(rollup(store, id))),
        ("PullRequest", "statusCheckRollup") => return Ok(Some(rollup(store, &commit_of(store, id)))),
        ("PullRequest", "reviews") => return Ok(Some(reviews(store, id, args))),
        ("CheckRun" | "StatusContext", "isRequired") => return Ok(Some(json!(is_required(store, id)))),
        (_, "viewerDidAuthor") => return Ok(Some(json!(store.is_viewer(&store.get(id, "author"))))),
        _ => {}
    }
    let node = store.node(id).ok_or_else(|| typed_error("NOT_FOUND", "The node was deleted"))?;
    Ok(node.get(field).cloned())
}

/// A field of an object that is no node of its own.
pub fn inline_field(store: &Store, ty: &str, fields: &Map<String, Value>, field: &str, args: &Value) -> Found {
    if (ty, field) == ("Ref", "associatedPullRequests") {
        let repo = fields.get("_repo").and_then(Value::as_str).unwrap_or_default();
        let mut args = args.clone();
        args["headRefName"] = fields.get("name").cloned().unwrap_or_default();
        return Ok(Some(pull_requests(store, repo, &args)));
    }
    Ok(fields.get(field).cloned())
}

fn pull_request(store: &Store, repo: &str, args: &Value) -> Result<Value, FieldError> {
    let number = args["number"].as_u64().unwrap_or_default();
    let id = store.pull_request(number).filter(|id| store.ids(repo, "pullRequests").contains(id));
    id.map(|id| link(&id)).ok_or_else(|| {
        typed_error("NOT_FOUND", format!("Could not resolve to a PullRequest with the number of {number}."))
    })
}

fn pull_requests(store: &Store, repo: &str, args: &Value) -> Value {
    let fits = |id: &String| {
        let state = json!(store.text(id, "state"));
        let same = |arg: &str, field: &str| args[arg].as_str().is_none_or(|want| store.text(id, field) == want);
        args["states"].as_array().is_none_or(|states| states.contains(&state))
            && same("headRefName", "headRefName")
            && same("baseRefName", "baseRefName")
    };
    store.ids(repo, "pullRequests").iter().filter(|id| fits(id)).map(|id| link(id)).collect()
}

fn of_author(store: &Store, author: &str, args: &Value) -> Value {
    let fits = |id: &String| {
        let state = json!(store.text(id, "state"));
        store.id(id, "author").as_deref() == Some(author)
            && args["states"].as_array().is_none_or(|states| states.contains(&state))
    };
    let all = store.repos.values().flat_map(|repo| store.ids(repo, "pullRequests"));
    all.filter(fits).map(|id| link(&id)).collect()
}

fn reviews(store: &Store, pr: &str, args: &Value) -> Value {
    let author = args["author"].as_str();
    let fits = |id: &String| {
        let by = store.id(id, "author").map(|author| store.text(&author, "login"));
        // An unsubmitted review is visible to its author alone.
        let visible = store.text(id, "state") != "PENDING" || store.is_viewer(&store.get(id, "author"));
        let state = json!(store.text(id, "state"));
        visible
            && args["states"].as_array().is_none_or(|states| states.contains(&state))
            && author.is_none_or(|author| by.as_deref() == Some(author))
    };
    store.ids(pr, "reviews").iter().filter(|id| fits(id)).map(|id| link(id)).collect()
}

/// The last commit that GitHub shows for a pull request, which may lag behind its head.
fn commit_of(store: &Store, pr: &str) -> String {
    let commits = store.get(pr, "commits");
    let last = commits.as_array().and_then(|list| list.last()).map(|node| node["commit"].clone());
    last.as_ref().and_then(target).unwrap_or_default().to_owned()
}

/// The suites of a commit's check runs, and those of the workflow runs that have no job.
fn suites(store: &Store, commit: &str) -> Value {
    let contexts = store.contexts.get(commit).into_iter().flatten();
    let with_checks =
        contexts.filter_map(target).map(|id| store.get(id, "checkSuite")).filter(|suite| !suite.is_null());
    let bare = store.waiting_runs.iter().filter(|run| run["head_sha"] == commit.trim_start_matches("C_"));
    let upper = |value: &Value| value.as_str().map(str::to_uppercase);
    let bare = bare.map(|run| {
        let workflow = json!({"__typename": "Workflow", "name": run["name"]});
        json!({"__typename": "CheckSuite", "status": upper(&run["status"]), "conclusion": upper(&run["conclusion"]),
            "createdAt": run["created_at"], "workflowRun": {"__typename": "WorkflowRun", "databaseId": run["id"],
                "url": run["html_url"], "event": run["event"], "workflow": workflow}})
    });
    with_checks.chain(bare).collect()
}

/// `null` for a commit without any check, as on GitHub.
fn rollup(store: &Store, commit: &str) -> Value {
    let Some(contexts) = store.contexts.get(commit).filter(|contexts| !contexts.is_empty()) else { return Value::Null };
    let states: Vec<&str> = contexts.iter().filter_map(target).map(|id| rolled_up(store, id)).collect();
    let state = ["FAILURE", "ERROR", "PENDING"].into_iter().find(|state| states.contains(state)).unwrap_or("SUCCESS");
    json!({"__typename": "StatusCheckRollup", "id": format!("SCR_{commit}"), "state": state,
        "commit": link(commit), "contexts": contexts})
}

/// A check's part in the state of the whole (`StatusState`).
fn rolled_up(store: &Store, id: &str) -> &'static str {
    let (state, conclusion) = (store.text(id, "state"), store.text(id, "conclusion"));
    match if state.is_empty() { conclusion.as_str() } else { state.as_str() } {
        "SUCCESS" | "NEUTRAL" | "SKIPPED" => "SUCCESS",
        "" | "PENDING" | "EXPECTED" | "STALE" => "PENDING",
        "ERROR" => "ERROR",
        _ => "FAILURE",
    }
}

fn is_required(store: &Store, check: &str) -> bool {
    ["name", "context"].iter().any(|field| store.required.contains(&store.text(check, field)))
}
