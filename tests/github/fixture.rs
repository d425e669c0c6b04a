//! Parts of answers as GitHub gives them, small and complete.

use serde_json::{Value, json};

pub const HEAD: &str = "1111111111111111111111111111111111111111";
pub const BASE: &str = "2222222222222222222222222222222222222222";

/// A page of a list.
pub fn page(nodes: Vec<Value>, total: usize, next: Option<&str>) -> Value {
    json!({"totalCount": total, "pageInfo": {"hasNextPage": next.is_some(), "endCursor": next}, "nodes": nodes})
}

pub fn whole(nodes: Vec<Value>) -> Value {
    let total = nodes.len();
    page(nodes, total, None)
}

pub fn comment(id: &str, body: &str) -> Value {
    json!({
        "id": id, "url": format!("https://github.com/octo/demo/pull/7#{id}"), "body": body, "state": "SUBMITTED",
        "author": {"__typename": "User", "login": "reviewer"}, "authorAssociation": "MEMBER", "viewerDidAuthor": false,
        "createdAt": "2026-01-01T00:00:00Z", "lastEditedAt": null, "isMinimized": false, "minimizedReason": null
    })
}

pub fn ours(id: &str, body: &str) -> Value {
    let mut comment = comment(id, body);
    comment["viewerDidAuthor"] = true.into();
    comment
}

pub fn review(id: &str, state: &str) -> Value {
    let mut review = comment(id, "Please look at this.");
    review["state"] = state.into();
    review["authorCanPushToRepository"] = true.into();
    review["commit"] = json!({ "oid": HEAD });
    review
}

pub fn thread(id: &str, comments: Value) -> Value {
    json!({
        "id": id, "isResolved": false, "isOutdated": false, "path": "src/a.rs", "subjectType": "LINE", "diffSide": "RIGHT",
        "line": 3, "startLine": null, "originalLine": 3, "originalStartLine": null, "viewerCanReply": true,
        "viewerCanResolve": true, "root": {"nodes": [{"diffHunk": "@@ -1 +1 @@"}]}, "comments": comments
    })
}

pub fn check_run(id: u64, name: &str, conclusion: &str) -> Value {
    json!({
        "__typename": "CheckRun", "databaseId": id, "name": name, "status": "COMPLETED", "conclusion": conclusion,
        "startedAt": "2026-01-01T00:00:00Z", "detailsUrl": "https://github.com/x", "title": null, "summary": null,
        "isRequired": false, "checkSuite": {"app": {"slug": "github-actions"},
            "workflowRun": {"databaseId": 900, "event": "pull_request", "workflow": {"name": "CI"}}}
    })
}

pub fn pull_request() -> Value {
    json!({
        "id": "PR_7", "number": 7, "url": "https://github.com/octo/demo/pull/7", "title": "Fix it", "body": "", "state": "OPEN",
        "isDraft": false, "locked": false, "author": {"__typename": "User", "login": "author"}, "authorAssociation": "OWNER",
        "headRefName": "feature", "headRefOid": HEAD, "isCrossRepository": false, "maintainerCanModify": false,
        "headRepository": {"nameWithOwner": "octo/demo", "isArchived": false, "viewerPermission": "WRITE"},
        "baseRefName": "main", "baseRefOid": BASE, "baseRef": {"refUpdateRule": null, "rules": {"nodes": []}},
        "baseRepository": {"id": "R_1", "nameWithOwner": "octo/demo", "isArchived": false, "viewerPermission": "WRITE",
            "defaultBranchRef": {"name": "main", "target": {"oid": BASE}}},
        "mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN", "mergedAt": null, "closedAt": null, "mergeCommit": null
    })
}

/// A harvest's data: an open pull request with one green check, and `changes` over it.
pub fn harvest(changes: &[(&str, Value)]) -> Value {
    let mut pr = pull_request();
    pr["reviewThreads"] = whole(vec![]);
    pr["pending"] = json!({ "nodes": [] });
    pr["reviews"] = whole(vec![]);
    pr["comments"] = whole(vec![]);
    pr["commits"] = commits(HEAD, whole(vec![check_run(1, "build", "SUCCESS")]));
    for (field, value) in changes {
        pr[*field] = value.clone();
    }
    json!({"viewer": {"login": "me"}, "repository": {"pullRequest": pr}})
}

pub fn commits(oid: &str, contexts: Value) -> Value {
    json!({"nodes": [{"commit": {"oid": oid, "statusCheckRollup": {"contexts": contexts}}}]})
}

/// A later page of a list of the node that was asked for.
pub fn more(page: Value) -> Value {
    json!({"node": {"connection": page}})
}
