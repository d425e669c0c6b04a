//! The convergence gate: no unresolved thread, checks green on the present head, no conflict (P27, P28, P40).

use crate::model::convergence::{Convergence, OpenCheck, OpenThread};
use crate::model::feedback::{CheckState, Harvest};
use crate::model::pr::{Mergeable, PrState};
use crate::model::text::short;

use super::checks::never_ran;
use super::spec::login;

/// One obstacle: what is said of it, and whether waiting may be all that it needs.
struct Obstacle {
    why: String,
    passes: bool,
}

/// Judges one complete reading. What could not be read is an obstacle.
pub fn judge(harvest: &Harvest) -> Convergence {
    let unresolved = unresolved(harvest);
    let checks = open_checks(harvest);
    let mut obstacles = Vec::new();
    let stays = |why: String| Obstacle { why, passes: false };
    match harvest.pr.state {
        PrState::Open => {}
        PrState::Merged => obstacles.push(stays("it is merged: there is nothing left to converge".to_owned())),
        PrState::Closed => obstacles.push(stays("it is closed".to_owned())),
    }
    match unresolved.len() {
        0 => {}
        1 => obstacles.push(stays("1 unresolved thread".to_owned())),
        n => obstacles.push(stays(format!("{n} unresolved threads"))),
    }
    obstacles.extend(of_checks(harvest, &checks));
    match harvest.pr.mergeable {
        Mergeable::Mergeable => {}
        Mergeable::Conflicting => {
            obstacles.push(stays(format!("it conflicts with its base branch `{}`", harvest.pr.base_branch)));
        }
        Mergeable::Unknown => obstacles
            .push(Obstacle { why: "GitHub has not said yet whether it can be merged".to_owned(), passes: true }),
    }
    if harvest.pending_review {
        obstacles.push(stays(format!("a pending review of @{} was not submitted", harvest.viewer.login)));
    }
    obstacles.extend(harvest.gaps.iter().map(|gap| stays(format!("not everything could be read: {gap}"))));
    Convergence {
        converged: obstacles.is_empty(),
        pending: !obstacles.is_empty() && obstacles.iter().all(|obstacle| obstacle.passes),
        reasons: obstacles.into_iter().map(|obstacle| obstacle.why).collect(),
        unresolved,
        checks,
        mergeable: harvest.pr.mergeable,
        pending_review: harvest.pending_review,
    }
}

fn unresolved(harvest: &Harvest) -> Vec<OpenThread> {
    let open = harvest.threads.iter().filter(|thread| !thread.resolved);
    open.map(|thread| OpenThread {
        url: thread.comments.first().map(|comment| comment.url.clone()).unwrap_or_default(),
        path: thread.path.clone(),
        line: thread.line,
        author: login(thread.comments.first().and_then(|comment| comment.author.as_ref())),
        outdated: thread.outdated,
    })
    .collect()
}

/// Checks of another commit than the head say nothing about it.
fn are_of_the_head(harvest: &Harvest) -> bool {
    harvest.checks.oid.is_empty() || harvest.checks.oid == harvest.pr.head_oid
}

fn open_checks(harvest: &Harvest) -> Vec<OpenCheck> {
    let missing = never_ran(harvest).into_iter().map(|name| OpenCheck {
        name: name.to_owned(),
        state: "missing",
        required: true,
        url: None,
    });
    if !are_of_the_head(harvest) {
        return missing.collect();
    }
    let known = harvest.checks.list.iter().filter_map(|check| {
        let state = word(check.state)?;
        Some(OpenCheck { name: check.name.clone(), state, required: check.required, url: check.url.clone() })
    });
    known.chain(missing).collect()
}

/// `None` for what is green: passed, skipped, neutral.
fn word(state: CheckState) -> Option<&'static str> {
    match state {
        CheckState::Passed | CheckState::Skipped => None,
        CheckState::Failed => Some("failed"),
        CheckState::Cancelled => Some("cancelled"),
        CheckState::StartupFailure => Some("startup-failure"),
        CheckState::ActionRequired => Some("action-required"),
        CheckState::Stale => Some("stale"),
        CheckState::Pending => Some("pending"),
        CheckState::Unreadable => Some("unreadable"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Red,
    Running,
    Missing,
}

impl Kind {
    fn of(state: &str) -> Self {
        match state {
            "pending" => Self::Running,
            "missing" => Self::Missing,
            _ => Self::Red,
        }
    }
}

fn of_checks(harvest: &Harvest, checks: &[OpenCheck]) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    if let Some(why) = &harvest.checks.unreadable {
        obstacles.push(Obstacle { why: format!("the checks could not be read: {why}"), passes: false });
    }
    if !are_of_the_head(harvest) {
        let (theirs, head) = (short(&harvest.checks.oid), short(&harvest.pr.head_oid));
        let why = format!("GitHub still shows the checks of {theirs}, not of the head {head}");
        obstacles.push(Obstacle { why, passes: true });
    }
    let named = |kind: Kind, said: &str| {
        let names: Vec<&str> =
            checks.iter().filter(|check| Kind::of(check.state) == kind).map(|check| check.name.as_str()).collect();
        let passes = kind != Kind::Red;
        (!names.is_empty()).then(|| Obstacle { why: format!("{said}: {}", names.join(", ")), passes })
    };
    obstacles.extend(named(Kind::Red, "not green"));
    obstacles.extend(named(Kind::Running, "still running"));
    obstacles.extend(named(Kind::Missing, "required, but not there on the head"));
    obstacles
}
