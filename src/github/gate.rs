//! The gate of a watch: one cheap request that says whether anything changed.

use serde_json::{Value, json};

use super::call::Access;
use super::client::Client;
use super::error::GithubError;
use super::parse::{oid, read};
use super::queries::GATE;
use crate::model::text::digest;
use crate::model::watch::{Poll, Polled, Seen};

/// Threads of each pull request, newest first, whose last comment is looked at. A word in an older one shows in the
/// pull request's `updatedAt`. Each thread costs a hundredth of a rate-limit point.
const THREADS: u32 = 50;

impl Client {
    /// Looks at several pull requests, by their node ids, in one request. Those that are gone are left out.
    ///
    /// # Errors
    /// When GitHub gives no answer, or none for any of them.
    pub fn gate(&self, ids: &[&str]) -> Result<Poll, GithubError> {
        let answer = self.graphql(&GATE, &json!({"ids": ids, "threads": THREADS}), Access::Read)?;
        let nodes = answer.data["nodes"].as_array().cloned().unwrap_or_default();
        let list: Vec<Polled> =
            nodes.into_iter().filter(|node| node["id"].is_string()).map(polled).collect::<Result<_, _>>()?;
        if let (true, Some(error)) = (list.is_empty(), answer.errors.first()) {
            return Err(error.fatal(GATE.what, &self.repo.host));
        }
        let limit = &answer.data["rateLimit"];
        Ok(Poll { list, cost: limit["cost"].as_u64().unwrap_or(0), remaining: limit["remaining"].as_u64() })
    }
}

fn polled(mut node: Value) -> Result<Polled, GithubError> {
    let conflicting = match node["mergeable"].take().as_str() {
        Some("CONFLICTING") => Some(true),
        Some("MERGEABLE") => Some(false),
        _ => None,
    };
    let contexts = &node["commits"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"]["nodes"];
    let running = |check: &&Value| {
        check["status"].as_str().is_some_and(|status| status != "COMPLETED")
            || matches!(check["state"].as_str(), Some("PENDING" | "EXPECTED"))
    };
    let name = |check: &Value| check["name"].as_str().or(check["context"].as_str()).map(str::to_owned);
    let pending = contexts.as_array().into_iter().flatten().filter(running).filter_map(name).collect();
    Ok(Polled {
        node_id: node["id"].as_str().unwrap_or_default().to_owned(),
        state: read(&node["state"], GATE.what)?,
        head_oid: oid(node["headRefOid"].as_str().unwrap_or_default().to_owned())?,
        pending,
        seen: Seen { digest: digest(&node.to_string()), conflicting },
    })
}
