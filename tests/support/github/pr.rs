//! A pull request of the simulated GitHub: built by a test, changed by its events, asked afterwards.

use std::path::PathBuf;
use std::sync::{Arc, MutexGuard};

use serde_json::{Value, json};

use super::check::{self, Check};
use super::store::{NOW, Store, link};
use super::{State, live, mutations};
use crate::support::git;

/// A handle; the pull request itself lives in the simulated GitHub.
#[derive(Clone)]
pub struct Pr {
    pub(super) state: Arc<State>,
    /// Node id.
    pub id: String,
    pub number: u64,
    /// The head branch.
    pub branch: String,
    /// The bare repository that the head branch lives in.
    pub head_disk: PathBuf,
}

/// Where a new pull request comes from.
pub struct Opening<'a> {
    pub number: u64,
    pub branch: &'a str,
    pub author: &'a str,
    pub head_repo: &'a str,
    pub base_repo: &'a str,
}

/// A review thread as a test describes it.
///
/// ```ignore
/// Thread::at("src/a.rs:3").by("coderabbitai[bot]").says("off by one").reply("rita", "please do")
/// ```
#[derive(Clone)]
pub struct Thread {
    path: String,
    line: Option<u64>,
    start_line: Option<u64>,
    side: &'static str,
    outdated: bool,
    resolved: bool,
    can_resolve: bool,
    hunk: String,
    said: Vec<Said>,
}

/// Login (`None` for a deleted account), association when it is not the usual one, body.
type Said = (Option<String>, Option<&'static str>, String);

impl Thread {
    /// `path:line`, `path:first-last`, or a path alone for a comment on the whole file.
    pub fn at(place: &str) -> Self {
        let (path, lines) = place.rsplit_once(':').unwrap_or((place, ""));
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        Self {
            path: path.to_owned(),
            line: last.parse().ok(),
            start_line: first.parse().ok().filter(|_| first != last),
            side: "RIGHT",
            outdated: false,
            resolved: false,
            can_resolve: true,
            hunk: "@@ -1,2 +1,3 @@\n context\n+added".into(),
            said: vec![(Some("rita".into()), None, String::new())],
        }
    }

    pub fn says(mut self, body: &str) -> Self {
        self.said[0].2 = body.to_owned();
        self
    }

    pub fn by(mut self, login: &str) -> Self {
        self.said[0].0 = Some(login.to_owned());
        self
    }

    /// The account of the thread's first comment is gone.
    pub fn by_nobody(mut self) -> Self {
        self.said[0].0 = None;
        self
    }

    /// `CommentAuthorAssociation` of the thread's first comment.
    pub fn association(mut self, association: &'static str) -> Self {
        self.said[0].1 = Some(association);
        self
    }

    pub fn reply(mut self, login: &str, body: &str) -> Self {
        self.said.push((Some(login.to_owned()), None, body.to_owned()));
        self
    }

    /// The line is gone from the head: GitHub knows the original line alone.
    pub fn outdated(mut self) -> Self {
        self.outdated = true;
        self
    }

    pub fn resolved(mut self) -> Self {
        self.resolved = true;
        self
    }

    /// A comment on the base file's line.
    pub fn left(mut self) -> Self {
        self.side = "LEFT";
        self
    }

    pub fn cannot_resolve(mut self) -> Self {
        self.can_resolve = false;
        self
    }

    pub fn hunk(mut self, hunk: &str) -> Self {
        self.hunk = hunk.to_owned();
        self
    }
}

impl Pr {
    pub(super) fn open(state: &Arc<State>, opening: &Opening<'_>) -> Self {
        let pr = {
            let mut store = state.store.lock().unwrap();
            let author = store.account(opening.author);
            let owner = store.get(opening.head_repo, "owner");
            let association = association(&store, opening.author);
            let number = opening.number;
            let id = format!("PR_{number}");
            let url = format!("{}/pull/{number}", store.text(opening.base_repo, "url"));
            let own = store.is_viewer(&author);
            store.put(
                &id,
                json!({"__typename": "PullRequest", "number": number, "title": "Add counting", "body": "", "state": "OPEN",
                    "isDraft": false, "locked": false, "closed": false, "merged": false, "url": url, "createdAt": NOW,
                    "updatedAt": NOW, "author": author, "authorAssociation": association, "headRefName": opening.branch,
                    "headRefOid": "", "baseRefName": "main", "baseRefOid": "", "headRepository": link(opening.head_repo),
                    "headRepositoryOwner": owner, "baseRepository": link(opening.base_repo),
                    "repository": link(opening.base_repo), "isCrossRepository": opening.head_repo != opening.base_repo,
                    "maintainerCanModify": false, "viewerCanUpdate": true, "viewerCanEditFiles": own,
                    "isInMergeQueue": false, "mergeable": "UNKNOWN", "mergeStateStatus": "UNKNOWN", "reviewThreads": [],
                    "reviews": [], "comments": [], "commits": [], "reviewRequests": [], "additions": 9, "deletions": 1,
                    "changedFiles": 2}),
            );
            store.push(opening.base_repo, "pullRequests", link(&id));
            let head_disk = store.disks[opening.head_repo].clone();
            Self { state: Arc::clone(state), id, number, branch: opening.branch.to_owned(), head_disk }
        };
        live::refresh(&mut pr.store());
        pr
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.state.store.lock().unwrap()
    }

    /// A thread by `rita`, a member of the organization, at `path:line`.
    pub fn thread(self, place: &str, body: &str) -> Self {
        self.with(Thread::at(place).says(body))
    }

    pub fn with(self, thread: Thread) -> Self {
        {
            let mut store = self.store();
            // The comment is on the head as it is now.
            live::refresh(&mut store);
            let number = store.number();
            let (id, repository) = (format!("PRRT_{number}"), store.get(&self.id, "repository"));
            let line = if thread.outdated { Value::Null } else { json!(thread.line) };
            let start = if thread.outdated { Value::Null } else { json!(thread.start_line) };
            store.put(
                &id,
                json!({"__typename": "PullRequestReviewThread", "isResolved": false, "isCollapsed": false,
                    "isOutdated": thread.outdated, "path": thread.path, "line": line, "startLine": start,
                    "originalLine": thread.line, "originalStartLine": thread.start_line, "diffSide": thread.side,
                    "startDiffSide": thread.start_line.map(|_| thread.side),
                    "subjectType": if thread.line.is_some() { "LINE" } else { "FILE" }, "viewerCanReply": true,
                    "viewerCanResolve": thread.can_resolve, "viewerCanUnresolve": false, "pullRequest": link(&self.id),
                    "repository": repository, "comments": []}),
            );
            store.push(&self.id, "reviewThreads", link(&id));
            for said in &thread.said {
                self.say(&mut store, &id, said, &thread);
            }
            if thread.resolved {
                let by = store.account("rita");
                mutations::set_resolved(&mut store, &id, by);
            }
        }
        self
    }

    fn say(&self, store: &mut Store, thread: &str, (login, known, body): &Said, of: &Thread) {
        let author = login.as_deref().map_or(Value::Null, |login| store.account(login));
        let association = known.unwrap_or_else(|| login.as_deref().map_or("NONE", |login| association(store, login)));
        let root = store.ids(thread, "comments").first().map(|id| link(id));
        let review = store.ids(&self.id, "reviews").into_iter().find(|id| {
            store.get(id, "author") == author
                && store.text(id, "state") == "COMMENTED"
                && store.text(id, "body").is_empty()
        });
        let review = match review {
            Some(id) => link(&id),
            None => mutations::add_review(store, &self.id, &author, "COMMENTED", ""),
        };
        let number = store.number();
        let commit = link(&format!("C_{}", store.text(&self.id, "headRefOid")));
        let comment = store.put(
            &format!("PRRC_{number}"),
            json!({"__typename": "PullRequestReviewComment", "body": body, "author": author,
                "authorAssociation": association, "fullDatabaseId": number.to_string(), "createdAt": NOW, "updatedAt": NOW,
                "state": "SUBMITTED", "url": format!("{}#discussion_r{number}", store.text(&self.id, "url")),
                "replyTo": root, "pullRequestReview": review, "pullRequest": link(&self.id), "path": of.path,
                "diffHunk": of.hunk, "outdated": of.outdated, "line": store.get(thread, "line"),
                "originalLine": of.line, "originalCommit": commit, "commit": commit, "isMinimized": false}),
        );
        store.push(thread, "comments", comment);
    }

    /// A review with a body; `state` as in `PullRequestReviewState`.
    pub fn review(self, login: &str, state: &str, body: &str) -> Self {
        {
            let mut store = self.store();
            let (author, association) = (store.account(login), association(&store, login));
            let review = mutations::add_review(&mut store, &self.id, &author, state, body);
            store.set(review["$ref"].as_str().unwrap_or_default(), "authorAssociation", json!(association));
        }
        self
    }

    /// A comment in the conversation.
    pub fn comment(self, login: &str, body: &str) -> Self {
        {
            let mut store = self.store();
            let (author, association) = (store.account(login), association(&store, login));
            let comment = mutations::add_issue_comment(&mut store, &self.id, &author, body);
            store.set(comment["$ref"].as_str().unwrap_or_default(), "authorAssociation", json!(association));
        }
        self
    }

    /// A check on the present head commit.
    pub fn check(self, check: Check) -> Self {
        let commit = format!("C_{}", self.head());
        live::refresh(&mut self.store());
        check::add(&mut self.store(), &commit, &check);
        self
    }

    /// A check on any commit of the repositories that GitHub knows, for instance the base branch's head.
    pub fn check_of(&self, oid: &str, check: &Check) {
        live::refresh(&mut self.store());
        check::add(&mut self.store(), &format!("C_{oid}"), check);
    }

    /// The checks that every later push to the head starts.
    pub fn checks_on_push(self, checks: &[Check]) -> Self {
        self.store().on_push.insert(self.id.clone(), checks.to_vec());
        self
    }

    pub fn title(self, title: &str) -> Self {
        self.set("title", json!(title))
    }

    /// The description.
    pub fn body(self, body: &str) -> Self {
        self.set("body", json!(body))
    }

    /// Any field of the pull request, named as in GraphQL.
    pub fn set(self, field: &str, value: Value) -> Self {
        self.store().set(&self.id, field, value);
        self
    }

    pub fn get(&self, field: &str) -> Value {
        self.store().get(&self.id, field)
    }

    /// GitHub shows the previous head for this many more requests after a push.
    pub fn lag_head(self, requests: u64) -> Self {
        self.set("_headLag", json!(requests))
    }

    /// The last commit, with its checks, stays the previous one for this many requests after a push.
    pub fn lag_commits(self, requests: u64) -> Self {
        self.set("_commitsLag", json!(requests))
    }
}

/// Events.
impl Pr {
    /// Somebody pushes a commit with these files to the head branch; returns the commit.
    pub fn push(&self, files: &[(&str, &str)]) -> String {
        git::commit_to(&self.head_disk, &self.branch, "another change", files)
    }

    /// Somebody replaces the head branch by one commit on top of `main`.
    pub fn force_push(&self, files: &[(&str, &str)]) -> String {
        let branch = format!("refs/heads/{}", self.branch);
        git::git(&self.head_disk, &["update-ref", &branch, "refs/heads/main"]);
        git::commit_to(&self.head_disk, &self.branch, "rewritten", files)
    }

    /// Somebody takes the head branch back to an earlier commit.
    pub fn reset_to(&self, commit: &str) {
        git::git(&self.head_disk, &["update-ref", &format!("refs/heads/{}", self.branch), commit]);
    }

    pub fn close(&self) {
        let mut store = self.store();
        live::refresh(&mut store);
        for (field, value) in [("state", json!("CLOSED")), ("closed", json!(true)), ("closedAt", json!(NOW))] {
            store.set(&self.id, field, value);
        }
    }

    pub fn reopen(&self) {
        let mut store = self.store();
        for (field, value) in [("state", json!("OPEN")), ("closed", json!(false)), ("closedAt", Value::Null)] {
            store.set(&self.id, field, value);
        }
    }

    /// Merged by `rita`; the head commit is the merge commit.
    pub fn merge(&self) {
        let head = format!("C_{}", self.head());
        let mut store = self.store();
        live::refresh(&mut store);
        let by = store.account("rita");
        for (field, value) in [
            ("state", json!("MERGED")),
            ("closed", json!(true)),
            ("closedAt", json!(NOW)),
            ("merged", json!(true)),
            ("mergedAt", json!(NOW)),
            ("mergedBy", by),
            ("mergeCommit", link(&head)),
        ] {
            store.set(&self.id, field, value);
        }
    }

    /// Somebody resolves the nth thread (from 0).
    pub fn resolve(&self, thread: usize) {
        let id = self.threads()[thread].clone();
        let mut store = self.store();
        let by = store.account("rita");
        mutations::set_resolved(&mut store, &id, by);
    }

    /// Somebody opens the nth thread (from 0) again.
    pub fn unresolve(&self, thread: usize) {
        let id = self.threads()[thread].clone();
        self.store().set(&id, "isResolved", json!(false));
    }

    /// Somebody replies in the nth thread (from 0).
    pub fn reply(&self, thread: usize, login: &str, body: &str) {
        let id = self.threads()[thread].clone();
        let mut store = self.store();
        let path = store.text(&id, "path");
        self.say(&mut store, &id, &(Some(login.to_owned()), None, body.to_owned()), &Thread::at(&path));
    }

    /// The author of a comment or a review edits it, by its node id.
    pub fn edit(&self, comment: &str, body: &str) {
        let author = self.store().get(comment, "author");
        self.rewrite(comment, body, author);
    }

    /// Somebody else edits a comment or a review, by its node id.
    pub fn edit_by(&self, login: &str, comment: &str, body: &str) {
        let editor = self.store().account(login);
        self.rewrite(comment, body, editor);
    }

    fn rewrite(&self, comment: &str, body: &str, editor: Value) {
        let mut store = self.store();
        for (field, value) in [("body", json!(body)), ("lastEditedAt", json!(NOW)), ("editor", editor)] {
            store.set(comment, field, value);
        }
    }

    /// Somebody deletes a node: a thread, a comment.
    pub fn delete(&self, node: &str) {
        self.store().delete(node);
    }

    pub fn minimize(&self, comment: &str, reason: &str) {
        let mut store = self.store();
        store.set(comment, "isMinimized", json!(true));
        store.set(comment, "minimizedReason", json!(reason));
    }
}

/// Questions.
impl Pr {
    /// The commit that the head branch has on disk.
    pub fn head(&self) -> String {
        git::read_ref(&self.head_disk, &self.branch).expect("the head branch")
    }

    /// Node ids of the threads, in order.
    pub fn threads(&self) -> Vec<String> {
        self.store().ids(&self.id, "reviewThreads")
    }

    /// Node ids of a thread's comments, in order.
    pub fn comments_of(&self, thread: usize) -> Vec<String> {
        let id = self.threads()[thread].clone();
        self.store().ids(&id, "comments")
    }

    pub fn is_resolved(&self, thread: usize) -> bool {
        let id = self.threads()[thread].clone();
        self.store().get(&id, "isResolved") == json!(true)
    }

    pub fn unresolved(&self) -> usize {
        (0..self.threads().len()).filter(|thread| !self.is_resolved(*thread)).count()
    }

    /// Bodies of the viewer's comments in the nth thread.
    pub fn replies_in(&self, thread: usize) -> Vec<String> {
        let comments = self.comments_of(thread);
        let store = self.store();
        let ours = comments.iter().filter(|id| store.is_viewer(&store.get(id, "author")));
        ours.map(|id| store.text(id, "body")).collect()
    }

    /// How many comments the viewer has written in all threads.
    pub fn replies(&self) -> usize {
        (0..self.threads().len()).map(|thread| self.replies_in(thread).len()).sum()
    }

    /// Login and body of each comment in the conversation.
    pub fn conversation(&self) -> Vec<(String, String)> {
        let store = self.store();
        let ids = store.ids(&self.id, "comments");
        let login = |id: &str| store.id(id, "author").map(|author| store.text(&author, "login")).unwrap_or_default();
        ids.iter().map(|id| (login(id), store.text(id, "body"))).collect()
    }

    /// Node ids of the conversation's comments, in order.
    pub fn conversation_ids(&self) -> Vec<String> {
        self.store().ids(&self.id, "comments")
    }

    /// Node ids of the reviews, in order.
    pub fn review_ids(&self) -> Vec<String> {
        self.store().ids(&self.id, "reviews")
    }
}

/// What GitHub shows for an account on this repository, by the permission it has.
fn association(store: &Store, login: &str) -> &'static str {
    match store.permissions.get(login).map(String::as_str) {
        Some("admin" | "write") => "MEMBER",
        Some("read") => "COLLABORATOR",
        _ => "NONE",
    }
}
