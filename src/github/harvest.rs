//! One complete reading of a pull request.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Access;
use super::client::Client;
use super::error::GithubError;
use super::graphql::{Answer, ApiError};
use super::paging::{List, More};
use super::parse::{Connection, Nodes, RawComment, RawPullRequest, RawReview, ThreadPage, read};
use super::queries::{HARVEST, MERGEABLE, MORE_COMMENTS, MORE_REVIEWS, MORE_THREADS};
use super::rollup::{RawCommit, Rollup};
use crate::model::feedback::{Harvest, Thread};
use crate::model::pr::{Actor, ActorKind, Mergeable, PrState, PullRequest};

/// Threads, comments of each, reviews and conversation comments of one page.
const SIZES: &[u32] = &[50, 25, 10];
/// Checks of a page, for each size above.
const CONTEXTS_PER_ENTRY: u32 = 2;

#[derive(Deserialize)]
struct Data {
    viewer: Login,
}

#[derive(Deserialize)]
pub(super) struct Login {
    login: String,
}

impl Login {
    pub fn actor(&self) -> Actor {
        Actor::new(&self.login, ActorKind::User)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawHarvest {
    #[serde(flatten)]
    pr: RawPullRequest,
    review_threads: Connection<ThreadPage>,
    pending: Nodes<PendingReview>,
    reviews: Connection<RawReview>,
    comments: Connection<RawComment>,
    commits: Nodes<RawCommit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PendingReview {
    viewer_did_author: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawMergeable {
    state: PrState,
    head_ref_oid: String,
    mergeable: Mergeable,
    #[serde(default)]
    merge_state_status: Option<String>,
}

impl Client {
    /// Everything about one pull request, each list to its end; logs and annotations not yet.
    ///
    /// # Errors
    /// When a list cannot be read to its end. What GitHub withholds inside a list is a gap.
    pub fn harvest(&self, number: u64) -> Result<Harvest, GithubError> {
        let (answer, page) = self.graphql_sized(&HARVEST, SIZES, |page| {
            let mut variables = self.of_pull_request(number);
            variables["page"] = page.into();
            variables["contexts"] = (page * CONTEXTS_PER_ENTRY).into();
            variables
        })?;
        let data: Data = read(&answer.data, HARVEST.what)?;
        let raw: RawHarvest = self.found(&answer, number, HARVEST.what)?;
        self.assemble(data.viewer.actor(), raw, answer.errors, page)
    }

    fn assemble(
        &self,
        viewer: Actor,
        raw: RawHarvest,
        errors: Vec<ApiError>,
        page: u32,
    ) -> Result<Harvest, GithubError> {
        let sizes = &SIZES[SIZES.iter().position(|size| *size == page).unwrap_or(0)..];
        let repo_id = raw.pr.base_repository.id.clone();
        let mut pr = raw.pr.pull_request(&self.repo.host)?;
        let about = |field: &str| errors.iter().filter(|error| error.concerns(field)).cloned().collect::<Vec<_>>();
        let more = |operation, noun| More { operation, noun, sizes };

        let id = pr.node_id.clone();
        let threads =
            self.read_on(&more(&MORE_THREADS, "review threads"), &id, raw.review_threads, about("reviewThreads"))?;
        let threads = self.whole_threads(threads)?;
        let reviews = self.read_on(&more(&MORE_REVIEWS, "reviews"), &id, raw.reviews, about("reviews"))?;
        let comments =
            self.read_on(&more(&MORE_COMMENTS, "conversation comments"), &id, raw.comments, about("comments"))?;
        let comments = comments.comments();
        let mut gaps = [beside_lists(&errors), threads.gaps, reviews.gaps, comments.gaps].concat();
        let mut rollup =
            Rollup { client: self, pr: &pr, repo_id: &repo_id, errors: about("commits"), gaps: Vec::new() };
        let checks = rollup.read(raw.commits)?;
        gaps.append(&mut rollup.gaps);
        self.settle_mergeable(&mut pr)?;
        Ok(Harvest {
            viewer,
            pr,
            threads: threads.items,
            reviews: reviews.items.into_iter().map(RawReview::review).collect(),
            comments: comments.items,
            checks,
            pending_review: raw.pending.nodes.iter().flatten().any(|review| review.viewer_did_author),
            gaps,
        })
    }

    /// Reads the comments of each thread to their end.
    fn whole_threads(&self, raw: List<ThreadPage>) -> Result<List<Thread>, GithubError> {
        let mut list = List { items: Vec::with_capacity(raw.items.len()), gaps: raw.gaps, withheld: raw.withheld };
        for page in raw.items {
            let comments = self.thread_comments(&page.thread.id, page.comments)?;
            list.gaps.extend(comments.gaps);
            list.items.push(page.thread.thread(comments.items));
        }
        Ok(list)
    }

    /// `UNKNOWN` starts a computation at GitHub: asks again, as long as an answer can still come.
    fn settle_mergeable(&self, pr: &mut PullRequest) -> Result<(), GithubError> {
        let mut pause = Duration::from_secs(5);
        for _ in 0..5 {
            let waiting = pr.state == PrState::Open && pr.mergeable == Mergeable::Unknown;
            if !waiting || crate::process::interrupted() {
                break;
            }
            self.clock.sleep(pause);
            pause *= 2;
            let answer = self.graphql(&MERGEABLE, &self.of_pull_request(pr.number), Access::Read)?;
            let now: RawMergeable = self.found(&answer, pr.number, MERGEABLE.what)?;
            if now.state != PrState::Open || now.head_ref_oid != pr.head_oid {
                break;
            }
            pr.mergeable = now.mergeable;
            pr.merge_state = now.merge_state_status.unwrap_or_else(|| pr.merge_state.clone());
        }
        Ok(())
    }

    /// The variables that name a pull request.
    pub(super) fn of_pull_request(&self, number: u64) -> Value {
        json!({"owner": self.repo.owner, "repo": self.repo.name, "number": number})
    }

    /// The pull request of an answer, or why there is none.
    pub(super) fn found<T: serde::de::DeserializeOwned>(
        &self,
        answer: &Answer,
        number: u64,
        what: &str,
    ) -> Result<T, GithubError> {
        let node = &answer.data["repository"]["pullRequest"];
        if !node.is_null() {
            return read(node, what);
        }
        match answer.errors.first() {
            Some(error) if error.kind != "NOT_FOUND" => Err(error.fatal(what, &self.repo.host)),
            _ => Err(GithubError::NotFound {
                what: format!("pull request {number} of {}", self.repo.full_name()),
                host: self.repo.host.clone(),
            }),
        }
    }
}

/// Errors about parts of the pull request that are no list: without a word, what the base branch requires, say,
/// would look like nothing.
fn beside_lists(errors: &[ApiError]) -> Vec<String> {
    let lists = ["reviewThreads", "reviews", "comments", "commits"];
    let others = errors.iter().filter(|error| !lists.iter().any(|list| error.concerns(list)));
    others.map(|error| format!("GitHub withheld {}: {}", error.place(), error.text())).collect()
}
