//! What agents and gates may write and must not read, for this run.

use std::path::Path;

use crate::agent::{Confinement, SandboxMode, Site, Strength};
use crate::git::Worktree;
use crate::model::agent::{Invocation, Role};
use crate::settings::Sandbox;

use super::context::Context;

fn site<'a>(ctx: &'a Context<'_>, worktree: &'a Path) -> Site<'a> {
    let mode = match ctx.settings.sandbox {
        Sandbox::Auto => SandboxMode::Auto,
        Sandbox::Require => SandboxMode::Require,
        Sandbox::Off => SandboxMode::Off,
    };
    Site { mode, env: &ctx.world.env, worktree, hidden: &[] }
}

pub fn for_agent(ctx: &Context<'_>, role: Role, worktree: &Worktree, invocation: &Invocation) -> Confinement {
    Confinement::for_agent(role, &invocation.state_dirs, site(ctx, &worktree.path))
}

pub fn for_gate(ctx: &Context<'_>, worktree: &Path, tmp: &Path) -> Confinement {
    Confinement::for_gate(tmp, site(ctx, worktree))
}

/// Whether agents are really held by it here.
pub fn holds(ctx: &Context<'_>) -> bool {
    ctx.settings.sandbox != Sandbox::Off && !matches!(Strength::here(), Strength::None(_))
}

/// Says once when `auto` is weaker here than it could be.
pub fn announce(ctx: &Context<'_>) {
    if ctx.settings.sandbox != Sandbox::Auto {
        return;
    }
    match Strength::here() {
        Strength::Full => {}
        Strength::Weaker(why) => ctx.warn(format!("the sandbox is weaker here: {why}")),
        Strength::None(why) => ctx.warn(format!("agents and gates run without a sandbox: {why}")),
    }
}
