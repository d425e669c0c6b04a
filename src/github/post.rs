//! Writing: replies, resolutions, comments. Nothing is ever posted twice because an answer was lost.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Access;
use super::client::{Client, NewComment};
use super::error::GithubError;
use super::parse::read;
use super::queries::{ADD_COMMENT, Operation, REPLY, RESOLVE};
use crate::model::feedback::Comment;
use crate::model::pr::PullRequest;

/// GitHub takes 65,536 characters; what it adds itself must fit as well.
const MAX_BODY: usize = 60_000;
/// How often a post is sent when each answer is lost and it is nowhere to be seen.
const ATTEMPTS: u32 = 2;
/// A post that was carried out shows after this time.
const PAUSE: Duration = Duration::from_secs(3);

#[derive(Deserialize)]
struct Posted {
    id: String,
    url: String,
    /// Conversation comments have none.
    state: Option<String>,
}

/// Something to post, and where in the answer the new comment stands.
struct Post<'a> {
    operation: &'a Operation,
    variables: Value,
    at: [&'a str; 2],
    marker: &'a str,
}

impl Client {
    /// Replies in a thread. Never repeated blindly: when the answer is lost, the thread is read
    /// again and `marker` looked for.
    ///
    /// # Errors
    /// [`GithubError::Forbidden`] when the token may not; the lost answer's own error when the reply
    /// could not be found afterwards and a second attempt failed as well.
    pub fn reply(&self, thread: &str, body: &str, marker: &str) -> Result<NewComment, GithubError> {
        let post = Post {
            operation: &REPLY,
            variables: json!({"thread": thread, "body": cut(body, marker)}),
            at: ["addPullRequestReviewThreadReply", "comment"],
            marker,
        };
        self.post_once(&post, || self.thread(thread).map(|now| now.comments))
    }

    /// Posts a conversation comment; like [`Client::reply`] for lost answers.
    ///
    /// # Errors
    /// As for [`Client::reply`].
    pub fn comment(&self, pr: &PullRequest, body: &str, marker: &str) -> Result<NewComment, GithubError> {
        let post = Post {
            operation: &ADD_COMMENT,
            variables: json!({"subject": pr.node_id, "body": cut(body, marker)}),
            at: ["addComment", "commentEdge"],
            marker,
        };
        self.post_once(&post, || self.conversation(pr))
    }

    /// Marks a thread as resolved.
    ///
    /// # Errors
    /// [`GithubError::Forbidden`], whose help names the permission, when the token may not.
    pub fn resolve(&self, thread: &str) -> Result<(), GithubError> {
        let answer = self.graphql(&RESOLVE, &json!({"thread": thread}), Access::Repeatable)?;
        let resolved = &answer.data["resolveReviewThread"]["thread"]["isResolved"];
        match (resolved.as_bool(), answer.errors.first()) {
            (Some(true), _) => Ok(()),
            (_, Some(error)) => Err(error.fatal(RESOLVE.what, &self.repo.host)),
            _ => Err(GithubError::bad(RESOLVE.what, "the thread is still unresolved")),
        }
    }

    /// Posts, and when the answer is lost, looks with `read_again` before it posts a second time.
    fn post_once(
        &self,
        post: &Post<'_>,
        read_again: impl Fn() -> Result<Vec<Comment>, GithubError>,
    ) -> Result<NewComment, GithubError> {
        let mut attempt = 1;
        loop {
            let lost = match self.post_now(post) {
                Err(error) if error.is_lost_answer() => error,
                other => return other,
            };
            self.clock.sleep(PAUSE);
            if let Some(found) = ours(read_again()?, post.marker) {
                return Ok(found);
            }
            if attempt == ATTEMPTS || crate::process::interrupted() {
                return Err(lost);
            }
            attempt += 1;
        }
    }

    fn post_now(&self, post: &Post<'_>) -> Result<NewComment, GithubError> {
        let what = post.operation.what;
        let answer = self.graphql(post.operation, &post.variables, Access::Once)?;
        let mut node = &answer.data[post.at[0]][post.at[1]];
        if node.get("node").is_some() {
            node = &node["node"];
        }
        match (node.is_null(), answer.errors.first()) {
            (true, Some(error)) => Err(error.fatal(what, &self.repo.host)),
            _ => read::<Posted>(node, what).map(|posted| NewComment {
                id: posted.id,
                url: posted.url,
                state: posted.state.unwrap_or_else(|| "SUBMITTED".to_owned()),
            }),
        }
    }
}

/// The newest comment of ours that carries the marker; somebody else may have quoted it.
fn ours(comments: Vec<Comment>, marker: &str) -> Option<NewComment> {
    let found =
        comments.into_iter().rev().find(|comment| comment.viewer_did_author && comment.body.contains(marker))?;
    Some(NewComment { id: found.id, url: found.url, state: found.state })
}

/// Cuts a body to what GitHub takes, and keeps the marker in it.
fn cut(body: &str, marker: &str) -> String {
    if body.chars().count() <= MAX_BODY {
        return body.to_owned();
    }
    let room = MAX_BODY.saturating_sub(marker.chars().count() + 20);
    let kept: String = body.chars().take(room).collect();
    if kept.contains(marker) { format!("{kept}\n\n(cut)") } else { format!("{kept}\n\n(cut)\n\n{marker}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_too_long_keeps_its_marker() {
        let marker = "<!-- prfix: 1 -->";
        let long = format!("{}{marker}", "é".repeat(70_000));
        let short = cut(&long, marker);
        assert!(short.chars().count() <= MAX_BODY && short.ends_with(marker));
        let first = cut(&format!("{marker}{}", "x".repeat(70_000)), marker);
        assert_eq!((first.matches(marker).count(), first.chars().count() <= MAX_BODY), (1, true));
        assert_eq!(cut("fine", marker), "fine");
    }
}
