//! An agent at work: the pull request's own agent files are set aside, and what it did to anything but the files of
//! the worktree is undone and named afterwards, also when it was interrupted.

use std::sync::PoisonError;

use crate::git::{Fingerprint, Worktree};

use super::aside;
use super::context::{Context, Progress, Result};
use super::sandbox;

/// Lets agents work in a worktree; `who` names them in the report.
pub fn contained<T>(
    ctx: &Context<'_>,
    worktree: &Worktree,
    progress: &Progress,
    who: &str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let mut fingerprint = Fingerprint::take(&ctx.world.repo, worktree)?;
    if let (false, Some(home)) = (sandbox::holds(ctx), ctx.world.env.home()) {
        fingerprint = fingerprint.and_outside(&ctx.world.repo, worktree, &home)?;
    }
    let aside = aside::take(ctx, worktree, progress)?;
    ctx.instant();
    let done = work();
    ctx.instant();
    let noticed = std::mem::take(&mut *ctx.noticed.lock().unwrap_or_else(PoisonError::into_inner));
    for what in noticed {
        ctx.warn(format!("{who} {what}"));
    }
    aside::restore(ctx, aside)?;
    for tampering in fingerprint.restore(&ctx.world.repo, worktree)? {
        ctx.warn(if tampering.undone {
            format!("{who} tampered: {} (undone)", tampering.what)
        } else {
            // It may be the operator's own work of the meantime.
            format!("changed while {who} ran: {} (left as it is: look at it)", tampering.what)
        });
    }
    done
}
