//! Several sweeps over one pull request: whether another one is due, and the report that sums them up (P27–P31, P42).

use crate::model::report::{Outcome, Reason, Report, SweepReport};

/// The most sweeps of one command: each pushes or resolves something, so that more mean that somebody keeps writing.
pub const MOST: usize = 5;

/// Another sweep is due when this one pushed or resolved something and threads are left, unless a person has to act.
pub fn again(report: &Report) -> bool {
    let moved = report.reason == Reason::Pushed || resolved(report) > 0;
    report.outcome == Outcome::Done && moved && report.threads.unresolved_after > 0
}

fn resolved(report: &Report) -> usize {
    report.items.iter().filter(|item| item.resolved).count()
}

/// Adds a sweep to those before it.
pub fn sum_up(before: Option<Report>, mut next: Report) -> Report {
    let entry = SweepReport {
        run: next.run.clone(),
        outcome: next.outcome,
        reason: next.reason,
        head_after: next.pr.head_after.clone(),
        resolved: resolved(&next),
    };
    let Some(mut sum) = before else {
        next.sweeps = vec![entry];
        return next;
    };
    let known = u32::try_from(sum.items.len()).unwrap_or(u32::MAX);
    for item in &mut next.items {
        item.id = item.id.saturating_add(known);
    }
    sum.run = next.run;
    sum.outcome = next.outcome;
    sum.unblock = next.unblock;
    if next.reason != Reason::NothingToDo {
        sum.reason = next.reason;
        (sum.gates, sum.worktree) = (next.gates, next.worktree);
    }
    sum.pr.head_after = next.pr.head_after.or(sum.pr.head_after);
    sum.commits.extend(next.commits);
    sum.items.extend(next.items);
    sum.dropped.extend(next.dropped.into_iter().filter(|drop| !sum.dropped.contains(drop)).collect::<Vec<_>>());
    sum.untrusted = next.untrusted;
    sum.self_review.extend(next.self_review);
    if !next.reviewers.is_empty() {
        sum.reviewers = next.reviewers;
    }
    sum.threads.unresolved_after = next.threads.unresolved_after;
    sum.usage += next.usage;
    sum.warnings.extend(next.warnings);
    sum.sweeps.push(entry);
    sum
}

/// A sweep that leaves a thread open is never done, whatever each run said of itself.
pub fn close(report: &mut Report) {
    let left = report.threads.unresolved_after;
    let acted =
        !matches!(report.reason, Reason::NoPush | Reason::DryRun | Reason::MergedDuringRun | Reason::ClosedDuringRun);
    if report.outcome != Outcome::Done || left == 0 || !acted {
        return;
    }
    report.outcome = Outcome::Blocked;
    report.reason = Reason::NeedsHuman;
    let mut strangers: Vec<String> =
        report.untrusted.iter().map(|comment| format!("@{} ({})", comment.author, comment.url)).collect();
    strangers.dedup();
    report.unblock = Some(if strangers.is_empty() {
        format!("look at the {left} thread(s) that are still open on {}", report.pr.url)
    } else {
        format!(
            "{left} thread(s) are still open, blocked by {} untrusted comment(s): answer and resolve them yourself: {}",
            strangers.len(),
            strangers.join(", ")
        )
    });
}
