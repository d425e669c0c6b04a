//! A head that moved while a round worked: what came is merged, never rebased onto, and verified again once.

use crate::git::{self, Ancestry, MergeStart};
use crate::model::feedback::Harvest;
use crate::model::report::Reason;
use crate::model::text::short;
use crate::state::Event;

use super::commit;
use super::context::{Context, Progress, Result, Stop};
use super::isolate::fetch_head;
use super::push::{Push, Tried, confirm, still_open, try_push};
use super::verify::{self, Verdict};

/// Brings the moved head and our commit `oid` together and pushes the merge. Where that is not possible, nothing is
/// pushed and the round may start over on the new head.
pub fn merge(
    ctx: &Context<'_>,
    push: &Push<'_>,
    harvest: &Harvest,
    progress: &mut Progress,
    oid: &str,
) -> Result<String> {
    let tip = fetch_head(ctx, push.head, harvest)?;
    if ctx.world.repo.ancestry(oid, &tip) == Ancestry::Yes {
        // An earlier push whose answer was lost, or somebody pushed it for us.
        confirm(ctx, push, harvest, progress, oid)?;
        return Ok(oid.to_owned());
    }
    if ctx.world.repo.ancestry(&push.worktree.base, &tip) != Ancestry::Yes {
        return Err(moved(progress, "the branch's history was rewritten"));
    }
    let Some(merged) = merge_into_worktree(ctx, push, harvest, &tip)? else {
        return Err(moved(progress, "what was pushed meanwhile conflicts with the fix"));
    };
    ctx.record(Event::Rebased { onto: tip.clone(), oid: merged.clone() })?;
    progress.commits = ctx.world.repo.commits_between(&tip, &merged)?;
    if let Verdict::Red(_) = verify::run(ctx, push.worktree, progress, push.gates, &merged)? {
        return Err(moved(progress, "the gates are red together with what was pushed meanwhile"));
    }
    still_open(ctx, progress)?;
    match try_push(ctx, push, harvest, (&merged, &tip))? {
        Tried::Pushed => {
            confirm(ctx, push, harvest, progress, &merged)?;
            Ok(merged)
        }
        Tried::Moved(_) => Err(moved(progress, "the branch moved again")),
    }
}

/// The merge commit; `None` when it conflicts, and then the worktree is as it was.
fn merge_into_worktree(ctx: &Context<'_>, push: &Push<'_>, harvest: &Harvest, tip: &str) -> Result<Option<String>> {
    let worktree = push.worktree;
    match git::start_merge(&worktree.path, tip)? {
        MergeStart::Clean => {
            let branch = &harvest.pr.head_branch;
            let message = format!("Merge {} of '{branch}' into the fix", short(tip));
            git::commit(&worktree.path, &message, ctx.settings.hook_timeout)
                .map(Some)
                .map_err(|error| commit::blocked(ctx, &error))
        }
        // A killed round had merged it.
        MergeStart::UpToDate => Ok(ctx.world.repo.ref_oid(&format!("refs/heads/{}", worktree.branch))),
        MergeStart::Conflicts(_) => {
            git::abort_merge(&worktree.path)?;
            Ok(None)
        }
    }
}

fn moved(progress: &mut Progress, why: &str) -> Stop {
    progress.moved = true;
    Stop::blocked(Reason::PushRejected, format!("{why}; the next round works on the new head"))
}
