//! What agents and gates may write, put together from the run's folders.

use std::path::Path;

use crate::agent::Confinement;
use crate::git::Worktree;
use crate::model::agent::{Invocation, Role};

use super::context::Context;

/// The fix agent may write the worktree, its scratch folder and its own state; a probe only the latter two.
pub fn for_agent(
    ctx: &Context<'_>,
    role: Role,
    worktree: &Worktree,
    scratch: &Path,
    invocation: &Invocation,
) -> Confinement {
    Confinement::for_agent(&ctx.world.env, ctx.settings.sandbox, role, &worktree.path, scratch, &invocation.state_dirs)
}

/// Gates may write the worktree, a temporary folder and the caches of their tools.
pub fn for_gate(ctx: &Context<'_>, worktree: &Path, tmp: &Path) -> Confinement {
    Confinement::for_gate(&ctx.world.env, ctx.settings.sandbox, worktree, tmp)
}
