//! Small readings: who we are, which pull requests a branch has, what holds right now.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Access;
use super::checks::{RawCheck, newest};
use super::client::{Client, ThreadNow};
use super::error::GithubError;
use super::harvest::Login;
use super::paging::to_the_end;
use super::parse::{Connection, Oid, RawComment, RawPullRequest, oid, read};
use super::queries::{BY_BRANCH, COMMIT_CHECKS, MINE, NOW, THREAD_NOW, VIEWER};
use crate::model::feedback::{Check, Comment};
use crate::model::pr::{Actor, PrNow, PrState, PullRequest};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawNow {
    state: PrState,
    head_ref_oid: String,
    head_ref_name: String,
    base_ref_name: String,
    merged_at: Option<String>,
    closed_at: Option<String>,
    merge_commit: Option<Oid>,
    review_threads: Connection<Resolved>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resolved {
    is_resolved: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawThreadNow {
    is_resolved: bool,
    #[serde(default)]
    pull_request: Option<RawHead>,
    viewer_can_reply: bool,
    viewer_can_resolve: bool,
    comments: Connection<RawComment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawHead {
    head_ref_oid: String,
}

#[derive(Deserialize)]
struct RawMine {
    number: u64,
    repository: RawName,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawName {
    name_with_owner: String,
}

impl Client {
    /// Who the token belongs to.
    ///
    /// # Errors
    /// [`GithubError::Unauthorized`] when GitHub refuses the token twice: a refusal right after the
    /// token was made can be a lagging server's.
    pub fn viewer(&self) -> Result<Actor, GithubError> {
        let ask = || self.graphql(&VIEWER, &json!({}), Access::Read);
        let answer = match ask() {
            Err(GithubError::Unauthorized { .. }) => {
                self.clock.sleep(std::time::Duration::from_secs(3));
                ask()?
            }
            other => other?,
        };
        read::<Login>(&answer.data["viewer"], VIEWER.what).map(|login| login.actor())
    }

    /// The open pull requests whose head is `branch`; `owner` narrows to one head owner.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] when the repository is not there.
    pub fn pull_requests_of_branch(&self, branch: &str, owner: Option<&str>) -> Result<Vec<PullRequest>, GithubError> {
        let page = |cursor: Option<&str>| {
            let (answer, _) = self.graphql_sized(&BY_BRANCH, &[20, 10, 5], |page| {
                json!({"owner": self.repo.owner, "repo": self.repo.name, "branch": branch, "after": cursor, "page": page})
            })?;
            let repository = &answer.data["repository"];
            if repository.is_null() {
                let (what, host) = (format!("repository {}", self.repo.full_name()), self.repo.host.clone());
                return Err(match answer.errors.first() {
                    Some(error) if error.kind != "NOT_FOUND" => error.fatal(BY_BRANCH.what, &host),
                    _ => GithubError::NotFound { what, host },
                });
            }
            read::<Connection<RawPullRequest>>(&repository["pullRequests"], BY_BRANCH.what)
                .map(|list| (list, answer.errors))
        };
        let list = to_the_end(BY_BRANCH.what, "pull requests", page(None)?, |cursor| page(Some(cursor)))?;
        let all = list.items.into_iter().map(|raw| raw.pull_request(&self.repo.host));
        let wanted = |pr: &PullRequest| match (owner, &pr.head_repo) {
            (Some(owner), Some(head)) => head.id.owner.eq_ignore_ascii_case(owner),
            (Some(_), None) => false,
            (None, _) => true,
        };
        all.filter(|pr| pr.as_ref().map_or(true, wanted)).collect()
    }

    /// Numbers of the viewer's open pull requests of this repository, oldest first, and what GitHub withheld of the list.
    ///
    /// # Errors
    /// When the list can't be read to its end.
    pub fn mine(&self) -> Result<(Vec<u64>, Vec<String>), GithubError> {
        let page = |cursor: Option<&str>| {
            let ask = |page: u32| json!({"after": cursor, "page": page});
            let (answer, _) = self.graphql_sized(&MINE, &[100, 50, 25], ask)?;
            read::<Connection<RawMine>>(&answer.data["viewer"]["pullRequests"], MINE.what)
                .map(|list| (list, answer.errors))
        };
        let list = to_the_end(MINE.what, "pull requests", page(None)?, |cursor| page(Some(cursor)))?;
        let here = self.repo.full_name();
        let ours = list.items.iter().filter(|pr| pr.repository.name_with_owner.eq_ignore_ascii_case(&here));
        let mut numbers: Vec<u64> = ours.map(|pr| pr.number).collect();
        numbers.sort_unstable();
        Ok((numbers, list.gaps))
    }

    /// What must still hold right before a push or a post.
    ///
    /// # Errors
    /// As for [`Client::harvest`].
    pub fn now(&self, number: u64) -> Result<PrNow, GithubError> {
        let page = |cursor: Option<&str>| {
            let (answer, _) = self.graphql_sized(&NOW, &[100, 50, 25], |page| {
                let mut variables = self.of_pull_request(number);
                variables["page"] = page.into();
                variables["after"] = cursor.into();
                variables
            })?;
            self.found::<RawNow>(&answer, number, NOW.what).map(|now| (now, answer.errors))
        };
        let (now, errors) = page(None)?;
        let threads = to_the_end(NOW.what, "review threads", (now.review_threads, errors), |cursor| {
            page(Some(cursor)).map(|(now, errors)| (now.review_threads, errors))
        })?
        .whole(NOW.what)?;
        Ok(PrNow {
            state: now.state,
            head_oid: oid(now.head_ref_oid)?,
            head_branch: now.head_ref_name,
            base_branch: now.base_ref_name,
            merged_at: now.merged_at,
            merge_commit: now.merge_commit.map(|commit| commit.oid),
            closed_at: now.closed_at,
            unresolved_threads: threads.items.iter().filter(|thread| !thread.is_resolved).count(),
        })
    }

    /// The checks of any commit of the repository; none when GitHub has none or does not know it. `number` is the pull
    /// request that "required" is asked about.
    ///
    /// # Errors
    /// When GitHub gives no answer or refuses.
    pub fn checks_of(&self, oid: &str, number: u64) -> Result<Vec<Check>, GithubError> {
        let (answer, _) = self.graphql_sized(&COMMIT_CHECKS, &[100, 50, 20], |page| {
            let mut variables = self.of_pull_request(number);
            variables["oid"] = oid.into();
            variables["page"] = page.into();
            variables
        })?;
        let contexts = &answer.data["repository"]["object"]["statusCheckRollup"]["contexts"];
        match answer.errors.first() {
            _ if !contexts.is_null() => {
                let list: Connection<RawCheck> = read(contexts, COMMIT_CHECKS.what)?;
                Ok(newest(list.nodes.into_iter().flatten().collect()))
            }
            Some(error) => Err(error.fatal(COMMIT_CHECKS.what, &self.repo.host)),
            None => Ok(Vec::new()),
        }
    }

    /// One thread with all of its comments.
    ///
    /// # Errors
    /// [`GithubError::NotFound`] when the thread was deleted.
    pub fn thread(&self, thread: &str) -> Result<ThreadNow, GithubError> {
        let (answer, _) =
            self.graphql_sized(&THREAD_NOW, &[100, 50, 25], |page| json!({"id": thread, "page": page}))?;
        let node: &Value = &answer.data["node"];
        if node.is_null() {
            return Err(match answer.errors.first() {
                Some(error) if error.kind != "NOT_FOUND" => error.fatal(THREAD_NOW.what, &self.repo.host),
                _ => GithubError::NotFound { what: "the review thread".to_owned(), host: self.repo.host.clone() },
            });
        }
        let raw: RawThreadNow = read(node, THREAD_NOW.what)?;
        Ok(ThreadNow {
            resolved: raw.is_resolved,
            head_oid: raw.pull_request.map(|head| oid(head.head_ref_oid)).transpose()?,
            viewer_can_reply: raw.viewer_can_reply,
            viewer_can_resolve: raw.viewer_can_resolve,
            comments: self.thread_comments(thread, raw.comments)?.whole(THREAD_NOW.what)?.items,
        })
    }

    /// All comments of the conversation, to find our own summary by its marker.
    ///
    /// # Errors
    /// When the list cannot be read to its end.
    pub fn conversation(&self, pr: &PullRequest) -> Result<Vec<Comment>, GithubError> {
        self.conversation_of(&pr.node_id)
    }
}
