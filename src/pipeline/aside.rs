//! Agent files that the pull request brings along are set aside while an agent runs.

use crate::agent::SetAside;
use crate::git::Worktree;

use super::context::{Context, Progress, Result};

/// Moves away those of the named files that differ from the base branch.
pub fn take(ctx: &Context<'_>, worktree: &Worktree, progress: &Progress) -> Result<SetAside> {
    let names = ctx.rules.agent_files();
    let base = progress.harvest.as_ref().map(|h| h.pr.base_oid.clone());
    // Without a pull request, the default branch as far as this clone knows it; without that, everything is foreign.
    let known = || ctx.world.repo.ref_oid(&format!("refs/remotes/{}/HEAD", ctx.remote.name));
    let base = base.or_else(known).unwrap_or_default();
    let foreign: Vec<String> = names.into_iter().filter(|name| differs(ctx, worktree, &base, name)).collect();
    let store = ctx.run.subdir("aside")?;
    let aside = SetAside::take(&worktree.path, &foreign, &store).map_err(|error| {
        miette::miette!(
            help = "check the rights of the worktree",
            "agent files of the pull request could not be set aside: {error}"
        )
    })?;
    if !aside.names().is_empty() {
        ctx.warn(format!(
            "set aside while agents run, since {}: {}",
            if progress.harvest.is_some() {
                "the pull request changes them"
            } else {
                "they are not those of the default branch"
            },
            aside.names().join(", ")
        ));
    }
    Ok(aside)
}

/// Present in the worktree, and not the same as on the base branch. What cannot be compared differs.
fn differs(ctx: &Context<'_>, worktree: &Worktree, base: &str, name: &str) -> bool {
    if worktree.path.join(name).symlink_metadata().is_err() {
        return false;
    }
    let repo = &ctx.world.repo;
    let under = |commit: &str| -> Option<std::collections::BTreeMap<String, String>> {
        let mut paths = repo.paths_at(commit).ok()?;
        paths.retain(|path, _| path == name || path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')));
        Some(paths)
    };
    match (under(base), under(&worktree.base)) {
        (Some(there), Some(here)) => there != here || here.is_empty(),
        _ => true,
    }
}

/// Puts them back before anything is examined.
pub fn restore(ctx: &Context<'_>, aside: SetAside) -> Result<()> {
    let made = aside.restore().map_err(|error| {
        miette::miette!(
            help = "they are in the run's folder, below `aside/`",
            "agent files could not be put back: {error}"
        )
    })?;
    for name in made {
        ctx.warn(format!("an agent made `{name}`, which agents would obey; it was removed"));
    }
    Ok(())
}
