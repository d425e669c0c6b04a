//! A pull request as GitHub describes it, at the moment it was read.

use serde::{Deserialize, Serialize};

use super::repo::RepoId;

/// `PullRequestState` of GitHub's GraphQL schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum PrState {
    Open,
    Closed,
    Merged,
}

/// `MergeableState`. `Unknown` means that GitHub has not computed it yet; it is not a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Mergeable {
    Mergeable,
    Conflicting,
    #[serde(other)]
    Unknown,
}

/// What kind of account wrote something (`Actor.__typename`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActorKind {
    User,
    Bot,
    /// Organizations, mannequins and whatever GitHub adds.
    #[serde(other)]
    Other,
}

/// An account. The login is the GraphQL form: a bot's `[bot]` suffix (REST) is cut off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub login: String,
    pub kind: ActorKind,
}

impl Actor {
    pub fn new(login: &str, kind: ActorKind) -> Self {
        let (login, kind) = match login.strip_suffix("[bot]") {
            Some(bare) => (bare, ActorKind::Bot),
            None => (login, kind),
        };
        Self { login: login.to_owned(), kind }
    }

    /// The account goes by this name, without regard to case: `x[bot]` names a bot only, `x` either.
    pub fn is(&self, login: &str) -> bool {
        match login.strip_suffix("[bot]") {
            Some(bare) => self.kind == ActorKind::Bot && self.login.eq_ignore_ascii_case(bare),
            None => self.login.eq_ignore_ascii_case(login),
        }
    }

    /// The same account: a person who took a bot's name is not the bot.
    pub fn same(&self, other: &Self) -> bool {
        (self.kind == ActorKind::Bot) == (other.kind == ActorKind::Bot) && self.login.eq_ignore_ascii_case(&other.login)
    }

    /// The login as REST spells it: a bot's ends in `[bot]`, which no person's can.
    pub fn rest_login(&self) -> String {
        format!("{}{}", self.login, if self.kind == ActorKind::Bot { "[bot]" } else { "" })
    }
}

/// `CommentAuthorAssociation`. Hidden membership shows as `Contributor` or `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Association {
    Owner,
    Member,
    Collaborator,
    Contributor,
    FirstTimeContributor,
    FirstTimer,
    Mannequin,
    #[serde(other)]
    None,
}

impl Association {
    /// GitHub's own spelling, which the rules see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "OWNER",
            Self::Member => "MEMBER",
            Self::Collaborator => "COLLABORATOR",
            Self::Contributor => "CONTRIBUTOR",
            Self::FirstTimeContributor => "FIRST_TIME_CONTRIBUTOR",
            Self::FirstTimer => "FIRST_TIMER",
            Self::Mannequin => "MANNEQUIN",
            Self::None => "NONE",
        }
    }
}

/// The repository that the head branch lives in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HeadRepo {
    pub id: RepoId,
    /// The viewer has write, maintain or admin there (`viewerPermission`).
    pub viewer_can_push: bool,
    pub archived: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PullRequest {
    /// GraphQL node id, the subject of conversation comments.
    pub node_id: String,
    pub repo: RepoId,
    pub number: u64,
    pub url: String,
    pub title: String,
    pub body: String,
    pub state: PrState,
    pub draft: bool,
    pub locked: bool,
    pub author: Option<Actor>,
    pub author_association: Association,
    pub head_branch: String,
    /// 40 or 64 hex digits.
    pub head_oid: String,
    /// `None` when the fork was deleted.
    pub head_repo: Option<HeadRepo>,
    pub cross_repository: bool,
    pub maintainer_can_modify: bool,
    pub base_branch: String,
    pub base_oid: String,
    /// Default branch of the base repository with its commit, where team rules are read from.
    pub default_branch: Option<(String, String)>,
    pub mergeable: Mergeable,
    /// `mergeStateStatus`, as GitHub spells it.
    pub merge_state: String,
    /// RFC 3339.
    pub merged_at: Option<String>,
    pub closed_at: Option<String>,
    pub merge_commit: Option<String>,
    /// The viewer has write, maintain or admin on the base repository.
    pub viewer_can_push_base: bool,
    pub base_archived: bool,
    /// Names of required checks, from the branch's rules; used to see those that never ran.
    pub required_checks: Vec<String>,
}

/// The few fields that are read again right before a push or a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrNow {
    pub state: PrState,
    pub head_oid: String,
    pub head_branch: String,
    pub base_branch: String,
    pub merged_at: Option<String>,
    pub merge_commit: Option<String>,
    pub closed_at: Option<String>,
    pub unresolved_threads: usize,
}
