//! What agents and gates may write, put together from the run's folders.

use std::path::{Path, PathBuf};

use crate::agent::{Confinement, SandboxMode};
use crate::git::Worktree;
use crate::model::agent::{Invocation, Role};
use crate::settings::Sandbox;

use super::context::Context;

fn mode(ctx: &Context<'_>) -> SandboxMode {
    match ctx.settings.sandbox {
        Sandbox::Auto => SandboxMode::Auto,
        Sandbox::Require => SandboxMode::Require,
        Sandbox::Off => SandboxMode::Off,
    }
}

/// The fix agent may write the worktree, its scratch folder and its own state; a probe only the latter two.
pub fn for_agent(
    ctx: &Context<'_>,
    role: Role,
    worktree: &Worktree,
    scratch: &Path,
    invocation: &Invocation,
) -> Confinement {
    let home = ctx.world.env.home();
    let state = invocation.state_dirs.iter().filter_map(|dir| home.as_ref().map(|home| home.join(dir)));
    let mut writable: Vec<PathBuf> = state.chain([scratch.to_owned()]).collect();
    if role.may_write() {
        writable.push(worktree.path.clone());
    }
    Confinement { mode: mode(ctx), writable, hidden: vec![] }
}

/// Gates may write the worktree, a temporary folder and the caches of their tools.
pub fn for_gate(ctx: &Context<'_>, worktree: &Path, tmp: &Path) -> Confinement {
    Confinement { mode: mode(ctx), writable: vec![worktree.to_owned(), tmp.to_owned()], hidden: vec![] }
}
