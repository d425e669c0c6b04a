//! The checks of a pull request's newest commit, from its `statusCheckRollup`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Access;
use super::checks::{RawCheck, RawSuite, from_runs, from_suites, newest};
use super::client::Client;
use super::error::GithubError;
use super::graphql::ApiError;
use super::paging::{List, has_next, to_the_end};
use super::parse::{Connection, Nodes, Oid, read};
use super::queries::MORE_CONTEXTS;
use super::transport::Request;
use crate::model::feedback::{Check, Checks};
use crate::model::pr::{PrState, PullRequest};

#[derive(Deserialize)]
pub(super) struct RawCommit {
    commit: Commit,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commit {
    #[serde(flatten)]
    id: Oid,
    #[serde(default)]
    check_suites: Option<Connection<RawSuite>>,
    status_check_rollup: Option<RawRollup>,
}

#[derive(Deserialize)]
struct RawRollup {
    contexts: Connection<RawCheck>,
}

/// Reads the checks; afterwards `gaps` says what could not be read.
pub(super) struct Rollup<'a> {
    pub client: &'a Client,
    pub pr: &'a PullRequest,
    /// Node id of the base repository.
    pub repo_id: &'a str,
    /// Errors of the harvest that concern the checks.
    pub errors: Vec<ApiError>,
    pub gaps: Vec<String>,
}

impl Rollup<'_> {
    /// The commit's id is kept with its checks: right after a push GitHub still shows those of the
    /// commit before.
    pub fn read(&mut self, commits: Nodes<RawCommit>) -> Result<Checks, GithubError> {
        let why = self.errors.first().map(ApiError::text);
        let Some(commit) = commits.nodes.into_iter().flatten().next().map(|node| node.commit) else {
            let bad = || GithubError::bad(MORE_CONTEXTS.what, "the pull request has no commit");
            return why.ok_or_else(bad).map(|why| self.unreadable(self.pr.head_oid.clone(), why));
        };
        let oid = commit.id.oid;
        let suites = self.suites(commit.check_suites);
        let contexts = commit.status_check_rollup.map(|rollup| rollup.contexts);
        let list = match (contexts.filter(|list| list.total_count > 0 || !list.nodes.is_empty()), why) {
            (Some(contexts), _) => self.all(&oid, contexts),
            (None, Some(why)) => return Ok(self.unreadable(oid, why)),
            (None, None) => return Ok(Checks { list: self.runs_without_checks(&oid, suites)?, oid, unreadable: None }),
        };
        let list = match list {
            Err(error @ GithubError::Forbidden { .. }) => return Ok(self.unreadable(oid, error.to_string())),
            other => other?,
        };
        if list.gaps.is_empty() {
            let parts = self.errors.iter().map(|error| format!("parts of the checks cannot be read: {}", error.text()));
            self.gaps.extend(parts.take(1));
        }
        let unreadable = (!list.gaps.is_empty()).then(|| list.gaps.join("; "));
        self.gaps.extend(list.gaps);
        let mut checks = newest(list.items);
        checks.extend(from_suites(suites, &checks));
        Ok(Checks { oid, list: checks, unreadable })
    }

    /// The suites of an open pull request's commit. More than a page of them is more than anybody has.
    fn suites(&mut self, suites: Option<Connection<RawSuite>>) -> Vec<RawSuite> {
        let Some(suites) = suites.filter(|_| self.pr.state == PrState::Open) else { return Vec::new() };
        if suites.page_info.has_next_page {
            let (read, all) = (suites.nodes.len(), suites.total_count);
            self.gaps
                .push(format!("of {all} check suites only {read} were looked at for workflows that did not start"));
        }
        suites.nodes.into_iter().flatten().collect()
    }

    fn unreadable(&mut self, oid: String, why: String) -> Checks {
        self.gaps.push(format!("the checks cannot be read: {why}"));
        Checks { oid, list: Vec::new(), unreadable: Some(why) }
    }

    fn all(&self, oid: &str, first: Connection<RawCheck>) -> Result<List<RawCheck>, GithubError> {
        let what = MORE_CONTEXTS.what;
        to_the_end(what, "checks", (first, self.errors.clone()), |cursor| {
            let (answer, _) = self.client.graphql_sized(
                &MORE_CONTEXTS,
                &[100, 50, 20],
                |page| json!({"id": self.repo_id, "oid": oid, "number": self.pr.number, "after": cursor, "page": page}),
            )?;
            let rollup: Option<RawRollup> = read(&answer.data["node"]["object"]["statusCheckRollup"], what)?;
            match (rollup, answer.errors.first()) {
                (Some(rollup), _) => Ok((rollup.contexts, answer.errors)),
                (None, Some(error)) => Err(error.fatal(what, &self.client.repo.host)),
                (None, None) => Err(GithubError::bad(what, "a page is missing")),
            }
        })
    }

    /// A commit without any check: workflows that wait for an approval, could not start or have not
    /// begun show only in the list of runs.
    fn runs_without_checks(&mut self, oid: &str, suites: Vec<RawSuite>) -> Result<Vec<Check>, GithubError> {
        let shown = from_suites(suites, &[]);
        if self.pr.state != PrState::Open || !shown.is_empty() {
            return Ok(shown);
        }
        match self.listed_runs(oid) {
            Ok(runs) => from_runs(&runs),
            Err(GithubError::Forbidden { message, .. }) => {
                self.gaps.push(format!("whether workflows wait for an approval cannot be read: {message}"));
                Ok(Vec::new())
            }
            // Actions may be switched off for the repository.
            Err(GithubError::NotFound { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// All pages of the commit's workflow runs. GitHub lists a thousand at most.
    fn listed_runs(&self, oid: &str) -> Result<Vec<Value>, GithubError> {
        let what = "list the workflow runs of the head commit";
        let first = self.client.path(&format!("/actions/runs?head_sha={oid}&per_page=100"));
        let mut runs = Vec::new();
        for page in 1..=10 {
            let path = if page == 1 { first.clone() } else { format!("{first}&page={page}") };
            let response = self.client.rest(&Request::get(path), Access::Read, what)?;
            let answer: Value = serde_json::from_slice(&response.body).unwrap_or_default();
            runs.extend(read::<Vec<Value>>(&answer["workflow_runs"], what)?);
            if !has_next(&response) {
                break;
            }
        }
        Ok(runs)
    }
}
