//! What agents and gates may write and must not read, for this run.

use std::path::Path;

use crate::agent::{Confinement, SandboxMode, Site, Strength, credentials};
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

/// Says once when the sandbox is weaker here than it could be, and what follows from there being none.
pub fn announce(ctx: &Context<'_>) {
    let why = match (ctx.settings.sandbox, Strength::here()) {
        (Sandbox::Off, _) => "`prfix.sandbox` is `off`".to_owned(),
        (_, Strength::Full) => return,
        (_, Strength::Weaker(why)) => return ctx.warn(format!("the sandbox is weaker here: {why}")),
        // With `require` nothing will be run at all.
        (Sandbox::Require, Strength::None(_)) => return,
        (Sandbox::Auto, Strength::None(why)) => why,
    };
    ctx.warn(format!(
        "agents and gates run without a sandbox: {why}. What agents write out of the worktree is noticed only in git's \
         files, in start-up files of your home folder (put back), and in your checkout (left as it is)"
    ));
    let readable = credentials(&ctx.world.env);
    if !readable.is_empty() {
        ctx.warn(format!("without a sandbox agents and gates can read your credentials: {}", readable.join(", ")));
    }
}
