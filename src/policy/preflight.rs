//! May a run begin on this pull request at all? Every "no" is a blocked run with one way out.

use crate::model::feedback::Harvest;
use crate::model::pr::{Actor, PrState, PullRequest};
use crate::model::report::Reason;

/// A refusal: the reason of the report, and what a person has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub reason: Reason,
    pub unblock: String,
}

impl Refused {
    fn new(reason: Reason, unblock: impl Into<String>) -> Self {
        Self { reason, unblock: unblock.into() }
    }
}

/// What the run wants to do to the pull request.
#[derive(Debug, Clone, Copy)]
pub struct Intent {
    pub push: bool,
    pub reply: bool,
}

/// Open, pushable, and able to take replies (A6–A9).
pub fn check(harvest: &Harvest, intent: Intent) -> Result<(), Refused> {
    let pr = &harvest.pr;
    if pr.state != PrState::Open {
        return Err(not_open(pr));
    }
    if intent.push {
        may_push(pr)?;
    }
    if intent.push && intent.reply && harvest.pending_review {
        let unblock = format!(
            "submit or discard your pending review on {}: replies would vanish into it; then run again (or use --no-reply)",
            pr.url
        );
        return Err(Refused::new(Reason::NeedsHuman, unblock));
    }
    Ok(())
}

/// GitHub starts no workflow for what is pushed with a workflow's own `GITHUB_TOKEN`
/// (GitHub's "Triggering a workflow"), so that the fix would stay without checks.
pub fn starts_no_workflows(viewer: &Actor) -> Option<&'static str> {
    viewer.is("github-actions[bot]").then_some(
        "the token is a workflow's own: GitHub starts no workflows for what it pushes; to see checks on the fix, use the token of an app or of a person",
    )
}

/// What a classic token must be allowed to do.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub host: &'a str,
    /// Files of workflows may be part of the push, and the push is authorised by a token.
    pub workflows: bool,
}

/// A classic token names its scopes (A6, T15). No names mean another kind of token, about which only a
/// refusal will tell.
pub fn scopes(has: &[String], wanted: Wanted<'_>) -> Result<(), Refused> {
    let lacks = |scope: &str| !has.iter().any(|known| known == scope);
    let refuse = |scope: &str, why: &str| {
        let unblock = format!(
            "the token lacks the scope `{scope}`, without which {why}: run `gh auth refresh --hostname {} --scopes {scope}` (or add it to the token in the environment), then run again",
            wanted.host
        );
        Err(Refused::new(Reason::Auth, unblock))
    };
    if has.is_empty() {
        return Ok(());
    }
    if lacks("repo") && lacks("public_repo") {
        return refuse("repo", "it may neither reply nor resolve threads");
    }
    if wanted.workflows && lacks("workflow") {
        return refuse("workflow", "GitHub refuses a push that changes workflow files (--allow ci)");
    }
    Ok(())
}

fn not_open(pr: &PullRequest) -> Refused {
    let unblock = if pr.state == PrState::Merged {
        format!("#{} is merged already; open a new pull request for further changes", pr.number)
    } else {
        format!("reopen #{} ({}), then run again", pr.number, pr.url)
    };
    Refused::new(Reason::NotOpen, unblock)
}

fn may_push(pr: &PullRequest) -> Result<(), Refused> {
    let no = |unblock: String| Err(Refused::new(Reason::ForkNoPush, unblock));
    let Some(head) = &pr.head_repo else {
        return no(format!("the fork that #{} came from is gone; its author has to push the branch again", pr.number));
    };
    let name = head.id.full_name();
    if head.archived {
        return no(format!("{name} is archived and takes no pushes; unarchive it, then run again"));
    }
    if !pr.cross_repository {
        if pr.viewer_can_push_base || head.viewer_can_push {
            return Ok(());
        }
        return no(format!("get write access to {name}, then run again"));
    }
    if head.viewer_can_push || (pr.maintainer_can_modify && pr.viewer_can_push_base) {
        return Ok(());
    }
    no(format!(
        "ask the author to tick \"Allow edits by maintainers\", or for write access to the fork {name}; then run again"
    ))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::feedback::Checks;
    use crate::model::pr::{Actor, ActorKind, Association, HeadRepo, Mergeable};
    use crate::model::repo::RepoId;

    pub(crate) fn harvest() -> Harvest {
        let repo = RepoId::new("github.com", "octo", "demo");
        Harvest {
            viewer: Actor::new("me", ActorKind::User),
            pr: PullRequest {
                node_id: "PR_1".into(),
                repo: repo.clone(),
                number: 7,
                url: "https://github.com/octo/demo/pull/7".into(),
                title: "t".into(),
                body: String::new(),
                state: PrState::Open,
                draft: false,
                locked: false,
                author: Some(Actor::new("ann", ActorKind::User)),
                author_association: Association::Member,
                head_branch: "feature".into(),
                head_oid: "a".repeat(40),
                head_repo: Some(HeadRepo { id: repo, viewer_can_push: true, archived: false }),
                cross_repository: false,
                maintainer_can_modify: false,
                base_branch: "main".into(),
                base_oid: "b".repeat(40),
                default_branch: None,
                mergeable: Mergeable::Mergeable,
                merge_state: "CLEAN".into(),
                merged_at: None,
                closed_at: None,
                merge_commit: None,
                viewer_can_push_base: true,
                base_archived: false,
                required_checks: vec![],
            },
            threads: vec![],
            reviews: vec![],
            comments: vec![],
            checks: Checks::default(),
            pending_review: false,
            gaps: vec![],
        }
    }

    const BOTH: Intent = Intent { push: true, reply: true };

    #[test]
    fn a_fork_is_pushable_when_it_is_ours_or_lets_maintainers_edit() {
        let mut h = harvest();
        h.pr.cross_repository = true;
        h.pr.head_repo = Some(HeadRepo {
            id: RepoId::new("github.com", "stranger", "demo"),
            viewer_can_push: false,
            archived: false,
        });
        let refused = check(&h, BOTH).unwrap_err();
        assert_eq!(refused.reason, Reason::ForkNoPush);
        assert!(refused.unblock.contains("stranger/demo"));
        assert!(check(&h, Intent { push: false, reply: true }).is_ok());
        h.pr.maintainer_can_modify = true;
        assert!(check(&h, BOTH).is_ok());
        h.pr.viewer_can_push_base = false;
        assert!(check(&h, BOTH).is_err());
        h.pr.head_repo.as_mut().unwrap().viewer_can_push = true;
        assert!(check(&h, BOTH).is_ok());
        h.pr.head_repo = None;
        assert!(check(&h, BOTH).is_err());
    }

    #[test]
    fn merged_and_closed_pull_requests_are_not_open() {
        for state in [PrState::Merged, PrState::Closed] {
            let mut h = harvest();
            h.pr.state = state;
            assert_eq!(check(&h, BOTH).unwrap_err().reason, Reason::NotOpen);
        }
    }

    #[test]
    fn missing_scopes_of_a_classic_token_are_named_with_the_command_that_adds_them() {
        let scopes_of = |has: &[&str], workflows: bool| {
            let has: Vec<String> = has.iter().map(|scope| (*scope).to_owned()).collect();
            scopes(&has, Wanted { host: "ghe.test", workflows }).map_err(|refused| refused.unblock)
        };
        assert!(scopes_of(&[], true).is_ok(), "not a classic token");
        assert!(scopes_of(&["repo", "workflow"], true).is_ok());
        assert!(scopes_of(&["public_repo"], false).is_ok());
        assert!(
            scopes_of(&["repo"], true).unwrap_err().contains("gh auth refresh --hostname ghe.test --scopes workflow")
        );
        assert!(scopes_of(&["gist"], false).unwrap_err().contains("--scopes repo`"));
    }

    #[test]
    fn a_pending_review_of_the_viewer_stops_a_run_that_would_reply() {
        let mut h = harvest();
        h.pending_review = true;
        assert_eq!(check(&h, BOTH).unwrap_err().reason, Reason::NeedsHuman);
        assert!(check(&h, Intent { push: true, reply: false }).is_ok());
    }
}
