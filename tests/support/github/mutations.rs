//! Writing the graph: the mutations that this program and `gh` use, with GitHub's refusals.

use apollo_compiler::resolvers::FieldError;
use serde_json::{Map, Value, json};

use super::execute::typed_error;
use super::store::{NOW, Store, link};

/// GitHub's limit for every kind of body, in characters.
const BODY_LIMIT: usize = 65_536;

type Done = Result<Value, FieldError>;

/// Runs one mutation and returns its payload.
pub fn run(store: &mut Store, name: &str, input: &Value) -> Done {
    check_body(input)?;
    let mut payload = match name {
        "addPullRequestReviewThreadReply" => reply(store, input)?,
        "resolveReviewThread" => resolve(store, input, true)?,
        "unresolveReviewThread" => resolve(store, input, false)?,
        "addComment" => add_comment(store, input)?,
        "updateIssueComment" => update_comment(store, input)?,
        "addReaction" => json!({"reaction": {"id": "REA_1", "content": input["content"]}}),
        "requestReviews" => request_reviews(store, input)?,
        _ => return Err(typed_error("SIMULATOR", format!("the mutation {name} is not simulated"))),
    };
    let target =
        input.as_object().into_iter().flatten().find(|(name, _)| name.ends_with("Id") && *name != "clientMutationId");
    store.writes.push((name.to_owned(), target.and_then(|(_, id)| id.as_str()).unwrap_or_default().to_owned()));
    payload["clientMutationId"] = input.get("clientMutationId").cloned().unwrap_or_default();
    Ok(payload)
}

fn check_body(input: &Value) -> Result<(), FieldError> {
    let Some(body) = input["body"].as_str() else { return Ok(()) };
    if body.chars().count() > BODY_LIMIT {
        return Err(typed_error("UNPROCESSABLE", "Body is too long (maximum is 65536 characters)"));
    }
    if body.trim().is_empty() {
        return Err(typed_error("UNPROCESSABLE", "Body can't be blank"));
    }
    Ok(())
}

/// The id in an input field, when a node of that type has it.
fn node(store: &Store, input: &Value, field: &str, types: &[&str]) -> Result<String, FieldError> {
    let id = input[field].as_str().unwrap_or_default();
    if types.contains(&store.text(id, "__typename").as_str()) {
        return Ok(id.to_owned());
    }
    Err(typed_error("NOT_FOUND", format!("Could not resolve to a node with the global id of '{id}'")))
}

fn reply(store: &mut Store, input: &Value) -> Done {
    let thread = node(store, input, "pullRequestReviewThreadId", &["PullRequestReviewThread"])?;
    if store.get(&thread, "viewerCanReply") == json!(false) {
        return Err(typed_error("FORBIDDEN", "viewer does not have permission to reply to this thread"));
    }
    let comment = reply_as(store, &thread, input["body"].as_str().unwrap_or_default());
    Ok(json!({ "comment": comment }))
}

/// Replies as the viewer. A pending review of the viewer swallows the reply; otherwise the reply makes
/// a review of its own, as on GitHub.
pub fn reply_as(store: &mut Store, thread: &str, body: &str) -> Value {
    let pr = store.id(thread, "pullRequest").expect("a thread of a pull request");
    let viewer = store.viewer.clone();
    let author = store.account(&viewer);
    let pending = store
        .ids(&pr, "reviews")
        .into_iter()
        .find(|review| store.text(review, "state") == "PENDING" && store.is_viewer(&store.get(review, "author")));
    let state = if pending.is_some() { "PENDING" } else { "SUBMITTED" };
    let review = match pending {
        Some(id) => link(&id),
        None => add_review(store, &pr, &author, "COMMENTED", ""),
    };
    let number = store.number();
    let root = store.ids(thread, "comments").first().map(|id| link(id));
    let url = format!("{}#discussion_r{number}", store.text(&pr, "url"));
    let comment = store.put(
        &format!("PRRC_{number}"),
        json!({"__typename": "PullRequestReviewComment", "body": body, "author": author, "authorAssociation": "MEMBER",
            "fullDatabaseId": number.to_string(), "createdAt": NOW, "updatedAt": NOW, "state": state, "url": url,
            "replyTo": root, "pullRequestReview": review, "pullRequest": link(&pr), "path": store.get(thread, "path"),
            "diffHunk": "", "outdated": store.get(thread, "isOutdated"), "line": store.get(thread, "line"),
            "originalLine": store.get(thread, "originalLine"), "isMinimized": false}),
    );
    store.push(thread, "comments", comment.clone());
    comment
}

/// Adds a review with a body, and returns a reference to it.
pub fn add_review(store: &mut Store, pr: &str, author: &Value, state: &str, body: &str) -> Value {
    let number = store.number();
    let oid = store.text(pr, "headRefOid");
    let submitted = if state == "PENDING" { Value::Null } else { json!(NOW) };
    let url = format!("{}#pullrequestreview-{number}", store.text(pr, "url"));
    let review = store.put(
        &format!("PRR_{number}"),
        json!({"__typename": "PullRequestReview", "state": state, "body": body, "author": author,
            "authorAssociation": "MEMBER", "fullDatabaseId": number.to_string(), "createdAt": NOW, "updatedAt": NOW,
            "submittedAt": submitted, "url": url, "commit": link(&format!("C_{oid}")), "pullRequest": link(pr),
            "isMinimized": false, "authorCanPushToRepository": true}),
    );
    store.push(pr, "reviews", review.clone());
    review
}

fn resolve(store: &mut Store, input: &Value, on: bool) -> Done {
    let thread = node(store, input, "threadId", &["PullRequestReviewThread"])?;
    if on && store.get(&thread, "viewerCanResolve") == json!(false) {
        return Err(typed_error("FORBIDDEN", "viewer does not have permission to resolve the review thread"));
    }
    let viewer = store.viewer.clone();
    let by = if on { store.account(&viewer) } else { Value::Null };
    set_resolved(store, &thread, by);
    Ok(json!({ "thread": link(&thread) }))
}

/// Resolves a thread in somebody's name, or opens it again when there is nobody.
pub fn set_resolved(store: &mut Store, thread: &str, by: Value) {
    let on = !by.is_null();
    for (field, value) in
        [("isResolved", json!(on)), ("isCollapsed", json!(on)), ("viewerCanUnresolve", json!(on)), ("resolvedBy", by)]
    {
        store.set(thread, field, value);
    }
}

fn add_comment(store: &mut Store, input: &Value) -> Done {
    let subject = node(store, input, "subjectId", &["PullRequest", "Issue"])?;
    let viewer = store.viewer.clone();
    let author = store.account(&viewer);
    let comment = add_issue_comment(store, &subject, &author, input["body"].as_str().unwrap_or_default());
    Ok(json!({"subject": link(&subject),
        "commentEdge": {"__typename": "IssueCommentEdge", "cursor": "last", "node": comment}}))
}

/// Adds a comment to the conversation, and returns a reference to it.
pub fn add_issue_comment(store: &mut Store, pr: &str, author: &Value, body: &str) -> Value {
    let number = store.number();
    let url = format!("{}#issuecomment-{number}", store.text(pr, "url"));
    let comment = store.put(
        &format!("IC_{number}"),
        json!({"__typename": "IssueComment", "body": body, "author": author, "authorAssociation": "MEMBER",
            "fullDatabaseId": number.to_string(), "createdAt": NOW, "updatedAt": NOW, "url": url,
            "isMinimized": false, "viewerCanUpdate": store.is_viewer(author)}),
    );
    store.push(pr, "comments", comment.clone());
    comment
}

fn update_comment(store: &mut Store, input: &Value) -> Done {
    let id = node(store, input, "id", &["IssueComment"])?;
    if !store.is_viewer(&store.get(&id, "author")) {
        return Err(typed_error("FORBIDDEN", "viewer does not have permission to update this comment"));
    }
    store.set(&id, "body", input["body"].clone());
    store.set(&id, "lastEditedAt", json!(NOW));
    Ok(json!({ "issueComment": link(&id) }))
}

/// Without `union: true` the set of reviewers is replaced.
fn request_reviews(store: &mut Store, input: &Value) -> Done {
    let pr = node(store, input, "pullRequestId", &["PullRequest"])?;
    if input["union"] != json!(true) {
        store.set(&pr, "reviewRequests", json!([]));
    }
    for kind in ["userIds", "teamIds", "botIds"] {
        for id in input[kind].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let mut request = Map::new();
            request.insert("__typename".into(), json!("ReviewRequest"));
            request.insert("requestedReviewer".into(), link(id));
            store.push(&pr, "reviewRequests", Value::Object(request));
        }
    }
    Ok(json!({ "pullRequest": link(&pr) }))
}
