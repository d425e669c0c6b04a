//! Asking reviewers to look again.

use serde::Deserialize;
use serde_json::json;

use super::call::Access;
use super::client::Client;
use super::error::GithubError;
use super::queries::{REQUEST_REVIEWS, REVIEWERS};

/// An account that reviewed a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewer {
    pub login: String,
    /// Bots are requested by another list of ids.
    pub bot: bool,
    /// GraphQL node id.
    pub id: String,
}

#[derive(Deserialize)]
struct RawReviews {
    reviews: Nodes,
}

#[derive(Deserialize)]
struct Nodes {
    nodes: Vec<Option<RawReview>>,
}

#[derive(Deserialize)]
struct RawReview {
    author: Option<RawAuthor>,
}

#[derive(Deserialize)]
struct RawAuthor {
    #[serde(rename = "__typename")]
    kind: String,
    login: String,
    /// Neither a person nor a bot has none.
    id: Option<String>,
}

impl Client {
    /// Who gave the last hundred reviews, each once.
    ///
    /// # Errors
    /// As for [`Client::harvest`].
    pub fn reviewers(&self, number: u64) -> Result<Vec<Reviewer>, GithubError> {
        let answer = self.graphql(&REVIEWERS, &self.of_pull_request(number), Access::Read)?;
        let raw: RawReviews = self.found(&answer, number, REVIEWERS.what)?;
        let mut reviewers: Vec<Reviewer> = Vec::new();
        for author in raw.reviews.nodes.into_iter().flatten().filter_map(|review| review.author) {
            let Some(id) = author.id else { continue };
            if reviewers.iter().all(|known| known.id != id) {
                reviewers.push(Reviewer { login: author.login, bot: author.kind == "Bot", id });
            }
        }
        Ok(reviewers)
    }

    /// Requests a review; asking twice is asking once.
    ///
    /// # Errors
    /// [`GithubError::Forbidden`] when the token may not; what GitHub said otherwise.
    pub fn request_review(&self, pr: &str, reviewer: &Reviewer) -> Result<(), GithubError> {
        let ids = [&reviewer.id];
        let none: [&String; 0] = [];
        let (users, bots) = if reviewer.bot { (&none[..], &ids[..]) } else { (&ids[..], &none[..]) };
        let variables = json!({"pr": pr, "users": users, "bots": bots});
        let answer = self.graphql(&REQUEST_REVIEWS, &variables, Access::Repeatable)?;
        match (answer.data["requestReviews"]["pullRequest"].is_null(), answer.errors.first()) {
            (false, _) => Ok(()),
            (true, Some(error)) => Err(error.fatal(REQUEST_REVIEWS.what, &self.repo.host)),
            (true, None) => Err(GithubError::bad(REQUEST_REVIEWS.what, "GitHub does not say that it is requested")),
        }
    }
}
