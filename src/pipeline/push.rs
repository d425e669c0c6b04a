//! One ref, one commit, never forced; and afterwards the remote and GitHub are asked what they have.

use std::time::Duration;

use crate::git::{self, Ancestry, PushOutcome, Worktree};
use crate::model::command::ProjectCommand;
use crate::model::feedback::Harvest;
use crate::model::pr::{PrNow, PrState};
use crate::model::report::Reason;
use crate::model::text::{mask_secrets, one_line, short};
use crate::state::{Effect, Event};

use super::context::{Context, Progress, Result, Stop};
use super::isolate::{HeadRemote, fetch_head, fetch_tip};
use super::verify::{self, Verdict};

/// What is pushed, and from where.
pub struct Push<'a> {
    pub worktree: &'a Worktree,
    pub head: &'a HeadRemote,
    pub gates: &'a [ProjectCommand],
}

/// Pushes the verified commit `oid`; returns the commit that is on the pull request afterwards.
pub fn run(
    ctx: &Context<'_>,
    push: &Push<'_>,
    harvest: &Harvest,
    progress: &mut Progress,
    oid: &str,
) -> Result<String> {
    let already = ctx.past.done.keys().find_map(|step| match step {
        Effect::Push { oid } => Some(oid.clone()),
        _ => None,
    });
    if let Some(pushed) = already {
        confirm(ctx, push, harvest, progress, &pushed)?;
        return Ok(pushed);
    }
    still_open(ctx, progress)?;
    match try_push(ctx, push, harvest, (oid, &push.worktree.base))? {
        Tried::Pushed => {}
        Tried::Moved(stderr) => return integrate(ctx, push, harvest, progress, (oid, &stderr)),
    }
    confirm(ctx, push, harvest, progress, oid)?;
    Ok(oid.to_owned())
}

pub(super) enum Tried {
    Pushed,
    /// The remote's branch is not an ancestor of ours any more.
    Moved(String),
}

/// Merged or closed meanwhile: nothing is pushed, the work stays (A45).
pub(super) fn still_open(ctx: &Context<'_>, progress: &mut Progress) -> Result<()> {
    let now = ctx.github.now(ctx.number)?;
    let base = progress.harvest.as_ref().map(|harvest| &harvest.pr.base_branch);
    if base.is_some_and(|base| *base != now.base_branch) {
        ctx.warn(format!(
            "#{} has another base now, `{}`; the fix stands on the head alone",
            ctx.number, now.base_branch
        ));
    }
    ended_without(ctx, progress, &now, "the fix was not pushed")
}

/// The pull request has ended, and what became of the fix.
fn ended_without(ctx: &Context<'_>, progress: &mut Progress, now: &PrNow, fix: &str) -> Result<()> {
    let (reason, what) = match now.state {
        PrState::Open => return Ok(()),
        PrState::Merged => (
            Reason::MergedDuringRun,
            format!(
                "#{} was merged at {} as {}; {fix}: cherry-pick it from the kept worktree's branch",
                ctx.number,
                now.merged_at.as_deref().unwrap_or("an unknown time"),
                now.merge_commit.as_deref().map_or("an unknown commit", short)
            ),
        ),
        PrState::Closed => (
            Reason::ClosedDuringRun,
            format!(
                "#{} was closed at {}; {fix} and stays in the kept worktree's branch",
                ctx.number,
                now.closed_at.as_deref().unwrap_or("an unknown time")
            ),
        ),
    };
    ctx.warn(what);
    progress.keep = Some(format!("git-prfix run {}: unpushed fix", ctx.run.id));
    Err(Stop::Done(reason))
}

/// Pushes `oid`, which stands on the branch as it was at `base`. A branch that was taken back behind `base` has moved:
/// a push would bring back what its author took away.
pub(super) fn try_push(
    ctx: &Context<'_>,
    push: &Push<'_>,
    harvest: &Harvest,
    (oid, base): (&str, &str),
) -> Result<Tried> {
    let branch = &harvest.pr.head_branch;
    let remote_tip = fetch_head(ctx, push.head, harvest)?;
    if remote_tip != oid && ctx.world.repo.ancestry(base, &remote_tip) == Ancestry::No {
        return Ok(Tried::Moved(format!("`{branch}` was taken back to {}", short(&remote_tip))));
    }
    if remote_tip != oid {
        match ctx.world.repo.ancestry(&remote_tip, oid) {
            Ancestry::Yes => {}
            Ancestry::No => return Ok(Tried::Moved(format!("`{branch}` is at {} now", short(&remote_tip)))),
            Ancestry::Unknown => {
                return Err(keep(
                    ctx,
                    "this clone's history is too shallow to tell a fast-forward; run `git fetch --unshallow`, then run again",
                ));
            }
        }
    }
    let mut moved = None;
    let step = Effect::Push { oid: oid.to_owned() };
    let tried = ctx.once(
        &step,
        || Ok((on_remote(ctx, push.head, branch)?.as_deref() == Some(oid)).then_some(None)),
        || match git::push(&push.worktree.path, &push.head.push_url, oid, branch, ctx.settings.hook_timeout) {
            PushOutcome::Pushed | PushOutcome::UpToDate => Ok(None),
            PushOutcome::Rejected { stderr } => {
                moved = Some(stderr);
                Err(Stop::Interrupted)
            }
            PushOutcome::Refused { stderr } => Err(refused(ctx, branch, &stderr)),
            PushOutcome::Failed { stderr } => {
                if on_remote(ctx, push.head, branch)?.as_deref() == Some(oid) {
                    Ok(None)
                } else {
                    Err(failed(ctx, branch, &stderr))
                }
            }
        },
    );
    match (tried, moved) {
        (_, Some(stderr)) => Ok(Tried::Moved(stderr)),
        (Ok(_), None) => Ok(Tried::Pushed),
        (Err(stop), None) => Err(stop),
    }
}

fn on_remote(ctx: &Context<'_>, head: &HeadRemote, branch: &str) -> Result<Option<String>> {
    Ok(git::remote_head(&ctx.world.repo, &head.push_url, branch, ctx.world.fetch_limit())?)
}

fn refused(ctx: &Context<'_>, branch: &str, stderr: &str) -> Stop {
    let said = one_line(&mask_secrets(stderr), 400);
    keep(
        ctx,
        &format!(
            "the push to `{branch}` was refused by a hook, a protection or missing rights; mend that, then run `git prfix --resume {}`: {said}",
            ctx.run.id
        ),
    )
}

fn failed(ctx: &Context<'_>, branch: &str, stderr: &str) -> Stop {
    if crate::process::interrupted() {
        return Stop::Interrupted;
    }
    let said = one_line(&mask_secrets(stderr), 400);
    keep(
        ctx,
        &format!(
            "the push to `{branch}` failed; when the network is back, run `git prfix --resume {}`: {said}",
            ctx.run.id
        ),
    )
}

fn keep(ctx: &Context<'_>, unblock: &str) -> Stop {
    ctx.blocked_for_now(Reason::PushRejected, unblock)
}

/// The head moved: our own unpushed commits go on top of it, are verified again, and pushed once
/// more. A conflict or a second rejection keeps the work as a patch.
fn integrate(
    ctx: &Context<'_>,
    push: &Push<'_>,
    harvest: &Harvest,
    progress: &mut Progress,
    (oid, why): (&str, &str),
) -> Result<String> {
    ctx.warn(format!("the head moved while we worked ({}); integrating once", one_line(&mask_secrets(why), 200)));
    if ctx.options.round.is_some() {
        return super::foreign::merge(ctx, push, harvest, progress, oid);
    }
    let base = push.worktree.base.as_str();
    if let Some((onto, _)) = &ctx.past.rebased {
        return Err(give_up(ctx, push, progress, (onto, oid), "the head moved again"));
    }
    if progress
        .commits
        .iter()
        .any(|commit| ctx.world.repo.commit_parents(commit).is_ok_and(|parents| parents.len() > 1))
    {
        return Err(give_up(
            ctx,
            push,
            progress,
            (base, oid),
            "the head moved, and our merge of the base cannot be rebased",
        ));
    }
    let onto = fetch_head(ctx, push.head, harvest)?;
    let rebased = match git::rebase_onto(&push.worktree.path, base, &onto) {
        Ok(rebased) => rebased,
        Err(error) => {
            return Err(give_up(ctx, push, progress, (base, oid), &format!("rebasing our commits failed: {error}")));
        }
    };
    ctx.record(Event::Rebased { onto: onto.clone(), oid: rebased.clone() })?;
    progress.commits = ctx.world.repo.commits_between(&onto, &rebased)?;
    match verify::run(ctx, push.worktree, progress, push.gates, &rebased)? {
        Verdict::Green => {}
        Verdict::Red(_) => {
            return Err(give_up(ctx, push, progress, (&onto, &rebased), "the gates are red on top of the moved head"));
        }
    }
    still_open(ctx, progress)?;
    match try_push(ctx, push, harvest, (&rebased, &onto))? {
        Tried::Pushed => {
            confirm(ctx, push, harvest, progress, &rebased)?;
            Ok(rebased)
        }
        Tried::Moved(_) => Err(give_up(ctx, push, progress, (&onto, &rebased), "the head moved again")),
    }
}

/// Blocked, with our own commits, those after `from`, kept as a patch file.
fn give_up(ctx: &Context<'_>, push: &Push<'_>, progress: &mut Progress, (from, to): (&str, &str), why: &str) -> Stop {
    progress.keep = Some(format!("git-prfix run {}: unpushed fix", ctx.run.id));
    let patch = ctx.run.dir.join("fix.patch");
    let saved = git::save_patch(&push.worktree.path, from, to, &patch);
    let at = match saved {
        Ok(()) => format!("the work is kept in {} and in the worktree", patch.display()),
        Err(error) => format!("the work is kept in the worktree ({error})"),
    };
    Stop::blocked(
        Reason::PushRejected,
        format!("{why}; {at}: bring it onto the new head by hand, or run again with --fresh"),
    )
}

/// The remote's branch and the API's head must be our commit, or have it below (somebody pushed on top).
pub(super) fn confirm(
    ctx: &Context<'_>,
    push: &Push<'_>,
    harvest: &Harvest,
    progress: &mut Progress,
    oid: &str,
) -> Result<()> {
    let mut pause = Duration::from_secs(1);
    let mut api = String::new();
    for _ in 0..6 {
        let tip = on_remote(ctx, push.head, &harvest.pr.head_branch)?;
        if let Some(tip) = tip.as_ref().filter(|tip| *tip != oid)
            && !contains(ctx, push.head, harvest, oid)?
        {
            return Err(gone(ctx, oid, tip));
        }
        let now = ctx.github.now(ctx.number)?;
        if now.head_oid == oid || tip.as_ref() == Some(&now.head_oid) {
            return Ok(());
        }
        // Its head stays what it was when it ended.
        ended_without(ctx, progress, &now, "the fix reached its branch only afterwards")?;
        api = now.head_oid;
        ctx.check_interrupt()?;
        ctx.world.clock.sleep(pause);
        pause *= 2;
    }
    Err(ctx.blocked_for_now(
        Reason::PushRejected,
        format!(
            "the push of {} to `{}` seemed to work, but GitHub's API has {}; look at the branch, then run `git prfix --resume {}`",
            short(oid),
            harvest.pr.head_branch,
            short(&api),
            ctx.run.id
        ),
    ))
}

/// The branch on the remote has the commit, whoever pushed on top of it.
fn contains(ctx: &Context<'_>, head: &HeadRemote, harvest: &Harvest, oid: &str) -> Result<bool> {
    let tip = fetch_tip(ctx, head, harvest)?;
    Ok(ctx.world.repo.ancestry(oid, &tip) == Ancestry::Yes)
}

/// Before an answer says "fixed in `oid`": GitHub's API says that the head is `api`. The API may lag, so that the
/// remote has the last word.
pub(super) fn still_has(
    ctx: &Context<'_>,
    head: &HeadRemote,
    harvest: &Harvest,
    (oid, api): (&str, &str),
) -> Result<()> {
    if api == oid {
        return Ok(());
    }
    match on_remote(ctx, head, &harvest.pr.head_branch)? {
        Some(tip) if tip != oid && !contains(ctx, head, harvest, oid)? => Err(gone(ctx, oid, &tip)),
        Some(_) => Ok(()),
        None => Err(gone(ctx, oid, api)),
    }
}

/// Somebody rewrote the branch after our push.
fn gone(ctx: &Context<'_>, oid: &str, tip: &str) -> Stop {
    Stop::blocked(
        Reason::PushRejected,
        format!(
            "{} was pushed, and is not on the pull request any more: its branch was rewritten to {}; look at it, then run `git prfix {} --fresh`",
            short(oid),
            short(tip),
            ctx.number
        ),
    )
}
