//! Reviewers that look again only when they are asked.

use serde::{Deserialize, Serialize};

/// A reviewer that did not react.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Down {
    pub login: String,
    /// Where that was seen.
    pub head: String,
    pub why: String,
    /// A new head does not help; only a review of the reviewer's does.
    pub sticky: bool,
}
