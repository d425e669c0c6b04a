//! GitHub in memory: answers our own operations, with the head read from the bare remote, so that a
//! push is seen as one. What the program never asks for is an error.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::pull_request::{self, Comment, Commits, Discussion, LOG, Thread, VIEWER};
use super::scene::{DemoError, git};
use super::{BRANCH, NUMBER};
use crate::github::{Method, Request, Response, Transport, TransportError};

/// The embedded GitHub.
pub struct DemoGithub {
    remote: PathBuf,
    /// The head when the demo began.
    reviewed: String,
    discussion: Mutex<Discussion>,
}

/// A transport to it.
pub struct Connection(pub Arc<DemoGithub>);

impl Transport for Connection {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let (status, body) = match request.path.as_str() {
            "/graphql" => (200, self.0.graphql(request.body.as_ref().unwrap_or(&Value::Null))?.to_string()),
            path => self.0.rest(request.method, path),
        };
        let mut body = body.into_bytes();
        let total = body.len() as u64;
        if let Some(tail) = request.tail {
            body.drain(..body.len().saturating_sub(tail));
        }
        Ok(Response { status, headers: Vec::new(), body, total: Some(total) })
    }

    fn name(&self) -> &'static str {
        "embedded"
    }
}

impl DemoGithub {
    pub(super) fn new(remote: &Path) -> Result<Self, DemoError> {
        let reviewed = git(remote, &["rev-parse", &format!("refs/heads/{BRANCH}")])?;
        Ok(Self { remote: remote.to_owned(), reviewed, discussion: Mutex::new(Discussion::new()) })
    }

    /// The threads as they are now.
    pub fn threads(&self) -> Vec<Thread> {
        self.discussion().threads.clone()
    }

    /// The conversation as it is now.
    pub fn conversation(&self) -> Vec<Comment> {
        self.discussion().conversation.clone()
    }

    fn discussion(&self) -> MutexGuard<'_, Discussion> {
        self.discussion.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn commits(&self) -> Result<Commits, TransportError> {
        let read = |branch: &str| {
            git(&self.remote, &["rev-parse", &format!("refs/heads/{branch}")])
                .map_err(|error| TransportError::Unreachable { why: error.to_string() })
        };
        Ok(Commits { base: read("main")?, head: read(BRANCH)?, reviewed: self.reviewed.clone() })
    }

    fn graphql(&self, body: &Value) -> Result<Value, TransportError> {
        let (name, variables) = (body["operationName"].as_str().unwrap_or_default(), &body["variables"]);
        let data = match name {
            "Reply" | "Resolve" | "AddComment" => self.write(name, variables),
            _ => self.read(name, variables)?,
        };
        Ok(data.map_or_else(
            || json!({"data": null, "errors": [{"type": "NOT_FOUND", "message": format!("the demo has no {name} like that")}]}),
            |data| json!({ "data": data }),
        ))
    }

    /// Every list of the demo ends on its first page, so that none is read on.
    fn read(&self, name: &str, variables: &Value) -> Result<Option<Value>, TransportError> {
        let viewer = json!({ "login": VIEWER });
        Ok(match name {
            "Viewer" => Some(json!({ "viewer": viewer })),
            "Harvest" | "Now" | "Mergeable" if variables["number"] == json!(NUMBER) => {
                Some(json!({"viewer": viewer, "repository": {"pullRequest": self.pull_request()?}}))
            }
            "ByBranch" => {
                let found = if variables["branch"] == BRANCH { vec![self.pull_request()?] } else { vec![] };
                Some(json!({"repository": {"pullRequests": pull_request::connection(found)}}))
            }
            "ThreadNow" => {
                let id = variables["id"].as_str().unwrap_or_default();
                self.discussion().thread(id).map(|thread| json!({"node": thread.json()}))
            }
            "CommitChecks" => Some(json!({"repository": {"object": {"statusCheckRollup": null}}})),
            "MoreComments" => {
                let conversation = self.discussion().conversation.iter().map(Comment::json).collect();
                Some(json!({"node": {"connection": pull_request::connection(conversation)}}))
            }
            _ => None,
        })
    }

    fn write(&self, name: &str, variables: &Value) -> Option<Value> {
        let text = |name: &str| variables[name].as_str().unwrap_or_default();
        let mut discussion = self.discussion();
        Some(match name {
            "Reply" => {
                let comment = discussion.reply(text("thread"), text("body"))?;
                json!({"addPullRequestReviewThreadReply": {"comment": comment.json()}})
            }
            "Resolve" => {
                let thread = discussion.thread(text("thread"))?;
                thread.resolved = true;
                json!({"resolveReviewThread": {"thread": thread.json()}})
            }
            _ => json!({"addComment": {"commentEdge": {"node": discussion.comment(text("body")).json()}}}),
        })
    }

    fn pull_request(&self) -> Result<Value, TransportError> {
        let commits = self.commits()?;
        Ok(pull_request::json(&self.discussion(), &commits))
    }

    fn rest(&self, method: Method, path: &str) -> (u16, String) {
        let path = path.split('?').next().unwrap_or_default();
        let words: Vec<&str> = path.split('/').skip(4).collect();
        match (method, words.as_slice()) {
            (Method::Get, ["actions", "jobs", _, "logs"]) => (200, LOG.to_owned()),
            (Method::Get, ["check-runs", _, "annotations"]) => (200, "[]".to_owned()),
            (Method::Get, ["actions", "runs"]) => (200, json!({"total_count": 0, "workflow_runs": []}).to_string()),
            (Method::Get, ["collaborators", login, "permission"]) => {
                let permission = if ["rita", "sam", "ann", VIEWER].contains(login) { "write" } else { "read" };
                (200, json!({"permission": permission, "role_name": permission}).to_string())
            }
            _ => (404, json!({"message": "Not Found", "status": "404"}).to_string()),
        }
    }
}
