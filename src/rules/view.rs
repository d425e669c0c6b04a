//! What rules may see: frozen pictures, never the disk or the network.

use std::collections::BTreeMap;

use serde::Serialize;

/// A comment as a rule sees it.
#[derive(Debug, Clone, Serialize)]
pub struct CommentView<'a> {
    pub id: &'a str,
    /// `thread`, `review`, `comment`.
    pub kind: &'a str,
    pub login: &'a str,
    pub bot: bool,
    /// GitHub's spelling, for instance `MEMBER`; `NONE` for a deleted account.
    pub association: &'a str,
    /// The account is gone: no rule about authors may match.
    pub ghost: bool,
    pub body: &'a str,
    pub path: Option<&'a str>,
    pub line: Option<u64>,
    pub outdated: bool,
    pub resolved: bool,
    pub minimized: Option<&'a str>,
    /// `APPROVED`, … for review bodies.
    pub review_state: Option<&'a str>,
    /// Written by us (`viewerDidAuthor`, or one of `prfix.identities`).
    pub own: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct PrView<'a> {
    pub number: u64,
    pub author: Option<&'a str>,
    pub title: &'a str,
    pub base: &'a str,
    pub head: &'a str,
    pub draft: bool,
}

/// A failing check, as evidence for the commands to run.
#[derive(Debug, Clone, Serialize)]
pub struct FailingJob {
    pub name: String,
    pub workflow: Option<String>,
    pub step: Option<String>,
}

/// The files of a checkout, by path; contents are read when a rule asks.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub files: BTreeMap<String, Vec<u8>>,
}
