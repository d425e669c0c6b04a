//! GraphQL's answers as they come, and their way into the model. Strict about what must be there,
//! lenient about words that GitHub may add.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::GithubError;
use crate::model::feedback::{Comment, Review, Side, Thread};
use crate::model::pr::{Actor, ActorKind, Association, HeadRepo, Mergeable, PrState, PullRequest};
use crate::model::repo::RepoId;

/// Reads a part of an answer. What does not fit is an error, never an empty list.
pub(super) fn read<T: DeserializeOwned>(value: &Value, what: &str) -> Result<T, GithubError> {
    T::deserialize(value).map_err(|error| GithubError::bad(what, error.to_string()))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageInfo {
    pub has_next_page: bool,
    pub end_cursor: Option<String>,
}

/// A page of a list. A node is null when GitHub withholds it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", bound = "T: DeserializeOwned")]
pub(super) struct Connection<T> {
    pub total_count: u64,
    pub page_info: PageInfo,
    pub nodes: Vec<Option<T>>,
}

/// A list that is not paged.
#[derive(Debug, Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
pub(super) struct Nodes<T> {
    pub nodes: Vec<Option<T>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Oid {
    pub oid: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Who {
    #[serde(rename = "__typename")]
    kind: ActorKind,
    login: String,
}

impl Who {
    pub fn actor(&self) -> Actor {
        Actor::new(&self.login, self.kind)
    }
}

/// The fields that the three kinds of comment share.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawComment {
    id: String,
    url: String,
    body: String,
    author: Option<Who>,
    author_association: Association,
    viewer_did_author: bool,
    created_at: String,
    last_edited_at: Option<String>,
    editor: Option<Who>,
    is_minimized: bool,
    minimized_reason: Option<String>,
    /// Conversation comments have none.
    state: Option<String>,
}

impl RawComment {
    pub fn comment(self) -> Comment {
        let reason = self.minimized_reason.unwrap_or_else(|| "hidden".to_owned());
        Comment {
            id: self.id,
            url: self.url,
            body: self.body,
            author: self.author.map(|who| who.actor()),
            association: self.author_association,
            viewer_did_author: self.viewer_did_author,
            created_at: self.created_at,
            edited_at: self.last_edited_at,
            editor: self.editor.map(|who| who.actor()),
            minimized: self.is_minimized.then_some(reason),
            state: self.state.unwrap_or_else(|| "SUBMITTED".to_owned()),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawReview {
    #[serde(flatten)]
    comment: RawComment,
    #[serde(default)]
    author_can_push_to_repository: bool,
    commit: Option<Oid>,
}

impl RawReview {
    pub fn review(self) -> Review {
        let comment = self.comment.comment();
        Review {
            state: comment.state.clone(),
            commit_oid: self.commit.map(|commit| commit.oid),
            author_can_push: self.author_can_push_to_repository,
            comment,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Root {
    diff_hunk: String,
    original_commit: Option<Oid>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawThread {
    pub id: String,
    is_resolved: bool,
    is_outdated: bool,
    path: String,
    /// `LINE` or `FILE`; older servers have only lines.
    #[serde(default)]
    subject_type: Option<String>,
    diff_side: Side,
    start_diff_side: Option<Side>,
    line: Option<u64>,
    start_line: Option<u64>,
    original_line: Option<u64>,
    original_start_line: Option<u64>,
    viewer_can_reply: bool,
    viewer_can_resolve: bool,
    root: Nodes<Root>,
}

/// A thread and the first page of its comments.
#[derive(Debug, Deserialize)]
pub(super) struct ThreadPage {
    #[serde(flatten)]
    pub thread: RawThread,
    pub comments: Connection<RawComment>,
}

impl RawThread {
    /// `comments` are all of the thread's, also those of later pages.
    pub fn thread(self, comments: Vec<Comment>) -> Thread {
        let root = self.root.nodes.into_iter().flatten().next();
        let (hunk, commit) = root.map(|root| (root.diff_hunk, root.original_commit)).unwrap_or_default();
        let about_file = self.subject_type.as_deref() == Some("FILE");
        Thread {
            id: self.id,
            path: self.path,
            file_level: about_file,
            side: self.diff_side,
            start_side: self.start_diff_side,
            line: self.line.filter(|_| !about_file),
            start_line: self.start_line.filter(|_| !about_file),
            original_line: self.original_line.filter(|_| !about_file),
            original_start_line: self.original_start_line.filter(|_| !about_file),
            original_commit: commit.map(|commit| commit.oid),
            outdated: self.is_outdated,
            resolved: self.is_resolved,
            viewer_can_reply: self.viewer_can_reply,
            viewer_can_resolve: self.viewer_can_resolve,
            diff_hunk: hunk,
            comments,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawHeadRepo {
    name_with_owner: String,
    is_archived: bool,
    viewer_permission: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RawBranch {
    name: String,
    target: Option<Oid>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawBaseRepo {
    pub id: String,
    name_with_owner: String,
    is_archived: bool,
    viewer_permission: Option<String>,
    default_branch_ref: Option<RawBranch>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawBaseRef {
    #[serde(default)]
    ref_update_rule: Value,
    #[serde(default)]
    rules: Value,
}

impl RawBaseRef {
    /// From branch protection and from rulesets. Both may be hidden, and each is optional.
    fn required_checks(&self) -> Vec<String> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let protection = list(&self.ref_update_rule["requiredStatusCheckContexts"]).into_iter();
        let rules = list(&self.rules["nodes"]).into_iter();
        let rulesets = rules.flat_map(|rule| list(&rule["parameters"]["requiredStatusChecks"]));
        let names = protection.chain(rulesets.map(|check| check["context"].clone()));
        let mut names: Vec<String> = names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        names.sort();
        names.dedup();
        names
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawPullRequest {
    id: String,
    number: u64,
    url: String,
    title: String,
    body: String,
    state: PrState,
    is_draft: bool,
    locked: bool,
    author: Option<Who>,
    author_association: Association,
    head_ref_name: String,
    pub head_ref_oid: String,
    head_repository: Option<RawHeadRepo>,
    is_cross_repository: bool,
    maintainer_can_modify: bool,
    base_ref_name: String,
    base_ref_oid: String,
    base_ref: Option<RawBaseRef>,
    pub base_repository: RawBaseRepo,
    mergeable: Mergeable,
    #[serde(default)]
    merge_state_status: Option<String>,
    merged_at: Option<String>,
    closed_at: Option<String>,
    merge_commit: Option<Oid>,
}

impl RawPullRequest {
    pub fn pull_request(self, host: &str) -> Result<PullRequest, GithubError> {
        let base = self.base_repository;
        let head_repo = match self.head_repository {
            Some(head) => Some(HeadRepo {
                id: repo_id(host, &head.name_with_owner)?,
                viewer_can_push: can_push(head.viewer_permission.as_deref()),
                archived: head.is_archived,
            }),
            None => None,
        };
        Ok(PullRequest {
            node_id: self.id,
            repo: repo_id(host, &base.name_with_owner)?,
            number: self.number,
            url: self.url,
            title: self.title,
            body: self.body,
            state: self.state,
            draft: self.is_draft,
            locked: self.locked,
            author: self.author.map(|who| who.actor()),
            author_association: self.author_association,
            head_branch: self.head_ref_name,
            head_oid: oid(self.head_ref_oid)?,
            head_repo,
            cross_repository: self.is_cross_repository,
            maintainer_can_modify: self.maintainer_can_modify,
            base_branch: self.base_ref_name,
            base_oid: oid(self.base_ref_oid)?,
            default_branch: base.default_branch_ref.and_then(|branch| Some((branch.name, branch.target?.oid))),
            mergeable: self.mergeable,
            merge_state: self.merge_state_status.unwrap_or_else(|| "UNKNOWN".to_owned()),
            merged_at: self.merged_at,
            closed_at: self.closed_at,
            merge_commit: self.merge_commit.map(|commit| commit.oid),
            viewer_can_push_base: can_push(base.viewer_permission.as_deref()),
            base_archived: base.is_archived,
            required_checks: self.base_ref.as_ref().map(RawBaseRef::required_checks).unwrap_or_default(),
        })
    }
}

/// `RepositoryPermission` values that allow a push. The schema says null to GitHub Apps, whatever they
/// may do: then the push itself will tell.
fn can_push(permission: Option<&str>) -> bool {
    matches!(permission, None | Some("WRITE" | "MAINTAIN" | "ADMIN"))
}

fn repo_id(host: &str, name_with_owner: &str) -> Result<RepoId, GithubError> {
    RepoId::from_url(&format!("https://{host}/{name_with_owner}"))
        .ok_or_else(|| GithubError::bad("read the pull request", "a repository's name cannot be used"))
}

/// Commit ids go to git: nothing but 40 or 64 hex digits may pass.
pub(super) fn oid(text: String) -> Result<String, GithubError> {
    let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
    if hex && matches!(text.len(), 40 | 64) {
        return Ok(text);
    }
    Err(GithubError::bad("read the pull request", "a commit id is not one"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_deleted_author_is_nobody_and_a_bot_is_named_as_in_rest() {
        let raw = |author: Value| {
            let comment = json!({
                "id": "IC_1", "url": "u", "body": "b", "author": author, "authorAssociation": "SOMETHING_NEW",
                "viewerDidAuthor": false, "createdAt": "t", "lastEditedAt": null, "isMinimized": true, "minimizedReason": "outdated"
            });
            read::<RawComment>(&comment, "test").unwrap().comment()
        };
        let gone = raw(Value::Null);
        assert_eq!((gone.author, gone.association), (None, Association::None));
        assert_eq!(gone.minimized.as_deref(), Some("outdated"));
        let bot = raw(json!({"__typename": "Bot", "login": "coderabbitai"})).author.unwrap();
        assert_eq!(bot, Actor::new("coderabbitai[bot]", ActorKind::User));
        assert_eq!(raw(json!({"__typename": "Mannequin", "login": "m"})).author.unwrap().kind, ActorKind::Other);
    }

    #[test]
    fn required_checks_come_from_protection_and_rulesets() {
        let base: RawBaseRef = serde_json::from_value(json!({
            "refUpdateRule": {"requiredStatusCheckContexts": ["build", null]},
            "rules": {"nodes": [{"parameters": null}, {"parameters": {}}, null,
                {"parameters": {"requiredStatusChecks": [{"context": "test"}, {"context": "build"}]}}]}
        }))
        .unwrap();
        assert_eq!(base.required_checks(), ["build", "test"]);
        let hidden: RawBaseRef = serde_json::from_value(json!({"refUpdateRule": null})).unwrap();
        assert!(hidden.required_checks().is_empty());
    }

    #[test]
    fn an_app_is_not_refused_for_what_github_does_not_tell_it() {
        assert!(can_push(None) && can_push(Some("MAINTAIN")));
        assert!(!can_push(Some("READ")) && !can_push(Some("TRIAGE")));
    }

    #[test]
    fn what_is_not_a_commit_id_goes_no_further() {
        for bad in ["", "HEAD", "--upload-pack=x", "g".repeat(40).as_str()] {
            assert!(oid(bad.to_owned()).is_err(), "{bad}");
        }
        assert!(oid("a".repeat(64)).is_ok());
    }
}
