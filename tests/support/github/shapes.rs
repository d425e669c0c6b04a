//! The JSON of REST answers, made from the nodes that GraphQL shows; checked against GitHub's OpenAPI
//! document where that was fetched.

use serde_json::{Value, json};

use super::check::Job;
use super::store::{NOW, Store};

/// The addresses that every account has, besides its own.
const OF_ACCOUNT: &[&str] = &[
    "followers",
    "following",
    "gists",
    "starred",
    "subscriptions",
    "organizations",
    "repos",
    "events",
    "received_events",
];

fn user(store: &Store, account: Option<&str>) -> Value {
    let Some(id) = account else { return Value::Null };
    let bot = store.text(id, "__typename") == "Bot";
    let login = store.text(id, "login");
    let login = if bot { format!("{login}[bot]") } else { login };
    let page = store.text(id, "url");
    let mut user = json!({"login": login, "id": store.get(id, "databaseId"), "node_id": id, "name": login,
        "avatar_url": page, "gravatar_id": "", "url": page, "html_url": page, "type": if bot { "Bot" } else { "User" },
        "site_admin": false});
    for field in OF_ACCOUNT {
        user[format!("{field}_url")] = json!(page);
    }
    user
}

/// `GET /user`.
pub fn viewer(store: &Store) -> Value {
    profile(user(store, Some(&format!("U_{}", store.viewer))))
}

/// `GET /users/{username}`; the login of a bot comes percent-encoded.
pub fn account(store: &mut Store, login: &str) -> Value {
    let account = store.account(&login.replace("%5B", "[").replace("%5D", "]"));
    profile(user(store, account["$ref"].as_str()))
}

fn profile(mut user: Value) -> Value {
    for (field, value) in [
        ("public_repos", json!(1)),
        ("public_gists", json!(0)),
        ("followers", json!(0)),
        ("following", json!(0)),
        ("created_at", json!(NOW)),
        ("updated_at", json!(NOW)),
        ("email", Value::Null),
        ("hireable", Value::Null),
        ("bio", Value::Null),
        ("blog", json!("")),
        ("company", Value::Null),
        ("location", Value::Null),
    ] {
        user[field] = value;
    }
    user
}

pub fn rate_limit(store: &Store) -> Value {
    let limit =
        json!({"limit": 5000, "used": store.rate_used, "remaining": 5000 - store.rate_used, "reset": 1_893_456_000});
    json!({"resources": {"core": limit, "search": limit, "graphql": limit}, "rate": limit})
}

/// `GET /repos/{owner}/{repo}/collaborators/{username}/permission`.
pub fn permission(store: &Store, login: &str) -> Value {
    let bare = login.strip_suffix("[bot]").unwrap_or(login);
    let permission = store.permissions.get(bare).map_or("read", String::as_str);
    let account = ["U", "BOT"].map(|kind| format!("{kind}_{bare}")).into_iter().find(|id| store.has(id));
    let may = |roles: &[&str]| roles.contains(&permission);
    let mut user = user(store, account.as_deref());
    if user.is_object() {
        user["role_name"] = json!(permission);
        user["permissions"] = json!({"pull": may(&["read", "write", "admin"]), "push": may(&["write", "admin"]),
            "admin": may(&["admin"]), "triage": may(&["write", "admin"]), "maintain": may(&["admin"])});
    }
    json!({"permission": permission, "role_name": permission, "user": user})
}

fn lower(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text.to_lowercase()) }
}

/// `GET /repos/{owner}/{repo}/actions/jobs/{job_id}`.
pub fn job(store: &Store, job: &Job, base: &str) -> Value {
    let (status, conclusion) = (store.text(&job.check, "status"), store.text(&job.check, "conclusion"));
    let step = |number: u64, name: &str, conclusion: &Value| {
        json!({"name": name, "status": lower(&status), "conclusion": conclusion, "number": number,
            "started_at": NOW, "completed_at": NOW})
    };
    let good = lower(if conclusion.is_empty() { "" } else { "SUCCESS" });
    let steps = json!([
        step(1, "Set up job", &good),
        step(2, "Run actions/checkout@v4", &good),
        step(3, &job.step, &lower(&conclusion)),
        step(4, "Complete job", &good)
    ]);
    let api = format!("{base}/repos/octo/demo");
    let page = format!("https://github.com/octo/demo/actions/runs/{}", job.run);
    json!({"id": job.id, "run_id": job.run, "run_url": format!("{api}/actions/runs/{}", job.run), "run_attempt": job.attempt,
        "node_id": job.check, "head_sha": job.commit.trim_start_matches("C_"), "url": format!("{api}/actions/jobs/{}", job.id),
        "html_url": format!("{page}/job/{}", job.id), "status": lower(&status), "conclusion": lower(&conclusion),
        "created_at": NOW, "started_at": store.text(&job.check, "startedAt"),
        "completed_at": if conclusion.is_empty() { Value::Null } else { json!(NOW) },
        "name": store.text(&job.check, "name"), "steps": steps,
        "check_run_url": format!("{api}/check-runs/{}", job.id), "labels": ["ubuntu-latest"], "runner_id": 1,
        "runner_name": "runner", "runner_group_id": 2, "runner_group_name": "default", "workflow_name": job.workflow,
        "head_branch": null})
}

/// `GET /repos/{owner}/{repo}/actions/runs/{run_id}`.
pub fn run(store: &Store, job: &Job, base: &str) -> Value {
    let mates: Vec<&Job> = store.jobs.values().filter(|other| other.run == job.run).collect();
    let all = |field: &str| -> Vec<String> { mates.iter().map(|mate| store.text(&mate.check, field)).collect() };
    let running = all("status").iter().any(|status| status != "COMPLETED");
    let worst = ["FAILURE", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE"];
    let conclusion = worst.into_iter().find(|bad| all("conclusion").iter().any(|got| got == bad)).unwrap_or("SUCCESS");
    let attempt = mates.iter().map(|mate| mate.attempt).max().unwrap_or(1);
    bare_run(
        base,
        &RunFacts {
            id: job.run,
            workflow: &job.workflow,
            oid: job.commit.trim_start_matches("C_"),
            event: job.event,
            status: if running { "in_progress" } else { "completed" },
            conclusion: if running { Value::Null } else { lower(conclusion) },
            attempt,
        },
    )
}

/// What tells one workflow run from another.
pub struct RunFacts<'a> {
    pub id: u64,
    pub workflow: &'a str,
    pub oid: &'a str,
    pub event: &'a str,
    pub status: &'a str,
    pub conclusion: Value,
    pub attempt: u64,
}

/// A run from its facts alone; some have no jobs.
pub fn bare_run(base: &str, facts: &RunFacts<'_>) -> Value {
    let api = format!("{base}/repos/octo/demo/actions");
    let url = format!("{api}/runs/{}", facts.id);
    let commit = json!({"id": facts.oid, "tree_id": facts.oid, "message": "m", "timestamp": NOW,
        "author": {"name": "Ann", "email": "ann@example.com"}, "committer": {"name": "Ann", "email": "ann@example.com"}});
    json!({"id": facts.id, "name": facts.workflow, "node_id": format!("WFR_{}", facts.id), "head_branch": "feature",
        "head_sha": facts.oid, "path": ".github/workflows/ci.yml", "run_number": facts.id % 1000, "run_attempt": facts.attempt,
        "event": facts.event, "status": facts.status, "conclusion": facts.conclusion, "workflow_id": 9, "check_suite_id": 10,
        "display_title": facts.workflow, "url": url, "html_url": format!("https://github.com/octo/demo/actions/runs/{}", facts.id),
        "pull_requests": [], "created_at": NOW, "updated_at": NOW, "run_started_at": NOW,
        "jobs_url": format!("{url}/jobs"), "logs_url": format!("{url}/logs"), "check_suite_url": url,
        "artifacts_url": url, "cancel_url": url, "rerun_url": format!("{url}/rerun"), "previous_attempt_url": null,
        "workflow_url": format!("{api}/workflows/9"), "head_commit": commit,
        "repository": repository(), "head_repository": repository()})
}

pub fn workflow() -> Value {
    let url = "https://github.com/octo/demo/actions/workflows/ci.yml";
    json!({"id": 9, "node_id": "W_9", "name": "CI", "path": ".github/workflows/ci.yml", "state": "active",
        "created_at": NOW, "updated_at": NOW, "url": url, "html_url": url, "badge_url": url})
}

fn repository() -> Value {
    let page = "https://github.com/octo/demo";
    let mut owner = json!({"login": "octo", "id": 1, "node_id": "O_octo", "avatar_url": page, "gravatar_id": "", "url": page,
        "html_url": page, "type": "Organization", "site_admin": false});
    for field in OF_ACCOUNT {
        owner[format!("{field}_url")] = json!(page);
    }
    let mut repo = json!({"id": 1, "node_id": "R_octo_demo", "name": "demo", "full_name": "octo/demo", "owner": owner,
        "private": false, "html_url": page, "description": null, "fork": false, "url": page});
    for field in [
        "archive",
        "assignees",
        "blobs",
        "branches",
        "collaborators",
        "comments",
        "commits",
        "compare",
        "contents",
        "contributors",
        "deployments",
        "downloads",
        "events",
        "forks",
        "git_commits",
        "git_refs",
        "git_tags",
        "hooks",
        "issue_comment",
        "issue_events",
        "issues",
        "keys",
        "labels",
        "languages",
        "merges",
        "milestones",
        "notifications",
        "pulls",
        "releases",
        "stargazers",
        "statuses",
        "subscribers",
        "subscription",
        "tags",
        "teams",
        "trees",
    ] {
        repo[format!("{field}_url")] = json!(page);
    }
    repo
}

/// `GET /repos/{owner}/{repo}/commits/{ref}/statuses`.
pub fn status(store: &Store, id: &str) -> Value {
    json!({"url": "https://github.com/", "avatar_url": null, "id": store.get(id, "_number"), "node_id": id,
        "state": lower(&store.text(id, "state")), "description": store.get(id, "description"),
        "target_url": store.get(id, "targetUrl"), "context": store.text(id, "context"),
        "created_at": store.text(id, "createdAt"), "updated_at": store.text(id, "createdAt"),
        "creator": user(store, store.id(id, "creator").as_deref())})
}

/// `GET /repos/{owner}/{repo}/pulls/{number}/comments`.
pub fn review_comment(store: &Store, id: &str) -> Value {
    let number = |id: &str| store.text(id, "fullDatabaseId").parse::<u64>().map_or(Value::Null, |n| json!(n));
    let review = store.id(id, "pullRequestReview").map_or(Value::Null, |review| number(&review));
    let root = store.id(id, "replyTo").map_or(Value::Null, |root| number(&root));
    let pr = store.id(id, "pullRequest").unwrap_or_default();
    let (url, oid) = (store.text(id, "url"), store.text(&pr, "headRefOid"));
    let mut comment = json!({"url": url, "pull_request_review_id": review, "id": number(id), "node_id": id,
        "diff_hunk": store.text(id, "diffHunk"), "path": store.text(id, "path"), "commit_id": oid, "original_commit_id": oid,
        "user": user(store, store.id(id, "author").as_deref()), "body": store.text(id, "body"), "created_at": NOW,
        "updated_at": NOW, "html_url": url, "pull_request_url": store.text(&pr, "url"),
        "author_association": store.text(id, "authorAssociation"), "side": "RIGHT",
        "_links": {"self": {"href": url}, "html": {"href": url}, "pull_request": {"href": url}}});
    // GitHub leaves out what does not apply.
    let optional =
        [("in_reply_to_id", root), ("line", store.get(id, "line")), ("original_line", store.get(id, "originalLine"))];
    for (field, value) in optional.into_iter().filter(|(_, value)| !value.is_null()) {
        comment[field] = value;
    }
    comment
}

/// `GET /repos/{owner}/{repo}/rules/branches/{branch}`.
pub fn rules(store: &Store) -> Vec<Value> {
    if store.required.is_empty() {
        return Vec::new();
    }
    let checks: Vec<Value> = store.required.iter().map(|name| json!({ "context": name })).collect();
    vec![json!({"type": "required_status_checks", "ruleset_source_type": "Repository", "ruleset_source": "octo/demo",
        "ruleset_id": 1,
        "parameters": {"required_status_checks": checks, "strict_required_status_checks_policy": false}})]
}
