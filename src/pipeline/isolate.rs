//! The isolated worktree: fetched head, managed branch, copied files, dependencies.

use std::path::Path;

use crate::git::{self, Manager, Metadata, Remote, Worktree};
use crate::model::feedback::Harvest;
use crate::policy::remote::sibling_url;
use crate::settings::Settings;
use crate::state::{Event, RunDir};
use crate::world::World;

use super::context::{Context, Result, Stop};
use crate::model::report::Reason;

/// Where the head branch is fetched from and pushed to.
#[derive(Debug, Clone)]
pub struct HeadRemote {
    pub fetch_url: String,
    pub push_url: String,
}

/// The head repository's address: the base's remote, another remote that is the fork, or the
/// base's address with the fork's name in it.
pub fn head_remote(world: &World, base: &Remote, harvest: &Harvest) -> Result<HeadRemote> {
    let of = |remote: &Remote| HeadRemote { fetch_url: remote.url.clone(), push_url: push_url(remote) };
    let Some(head) =
        harvest.pr.head_repo.as_ref().filter(|head| harvest.pr.cross_repository || head.id != harvest.pr.repo)
    else {
        return Ok(of(base));
    };
    if let Some(remote) = world.repo.remotes()?.iter().find(|remote| remote.repo.as_ref() == Some(&head.id)) {
        return Ok(of(remote));
    }
    let from = base.repo.as_ref().unwrap_or(&harvest.pr.repo);
    let unknown = || {
        let unblock =
            format!("add a remote for the fork: `git remote add {} <url of {}>`", head.id.owner, head.id.full_name());
        Stop::blocked(Reason::ForkNoPush, unblock)
    };
    let url = sibling_url(&base.url, from, &head.id).ok_or_else(unknown)?;
    Ok(HeadRemote { fetch_url: url.clone(), push_url: url })
}

/// git rewrites an address by itself; only a separate push address has to be told.
fn push_url(remote: &Remote) -> String {
    if remote.push_url == remote.fetch_url { remote.url.clone() } else { remote.push_url.clone() }
}

/// Fetches the head and makes the run's worktree at it, or takes the one of the run that is resumed.
pub fn worktree(ctx: &Context<'_>, head: &HeadRemote, harvest: &Harvest) -> Result<Worktree> {
    if let Some((path, branch, base)) = &ctx.past.worktree
        && path.is_dir()
    {
        let worktree = Worktree { path: path.clone(), branch: branch.clone(), base: base.clone() };
        manager(ctx).release(&worktree)?;
        manager(ctx).recover(&worktree)?;
        // What the dead process left says that nobody works in it.
        manager(ctx).take_over(&worktree, &metadata(ctx, &worktree.base, harvest))?;
        return Ok(worktree);
    }
    let oid = fetch_head(ctx, head, harvest)?;
    warn_of_unpushed(ctx, harvest, &oid)?;
    ctx.instant();
    let slug = format!("pr{}-fix", ctx.number);
    let worktree = manager(ctx).acquire(&slug, &oid, &metadata(ctx, &oid, harvest))?;
    submodules(ctx, &worktree);
    ctx.record(Event::Isolated {
        path: worktree.path.clone(),
        branch: worktree.branch.clone(),
        base: worktree.base.clone(),
    })?;
    Ok(worktree)
}

/// Checks out the submodules that the operator uses too. Without one of them the gates will tell what it was needed
/// for.
pub fn submodules(ctx: &Context<'_>, worktree: &Worktree) {
    if let Err(error) = manager(ctx).populate_submodules(worktree, ctx.world.fetch_limit()) {
        ctx.warn(format!("the worktree lacks a submodule: {error}"));
    }
}

/// Commits that the operator has on a local branch of that name, and that are not on the pull request (A5).
fn warn_of_unpushed(ctx: &Context<'_>, harvest: &Harvest, oid: &str) -> Result<()> {
    let branch = &harvest.pr.head_branch;
    let count = ctx.world.repo.unpushed_local_commits(branch, oid)?;
    if count > 0 {
        ctx.warn(format!(
            "your local branch `{branch}` has {count} commits that are not pushed; the fix does not build on them"
        ));
    }
    Ok(())
}

pub fn manager<'r>(ctx: &Context<'r>) -> Manager<'r> {
    Manager::new(&ctx.world.repo, ctx.worktree_root())
}

/// For as long as a run works: see [`git::Lease`].
pub fn lease(world: &World, settings: &Settings, run: &RunDir) -> git::Lease {
    Manager::new(&world.repo, world.worktree_root(settings)).lease(&run.id, std::sync::Arc::clone(&world.clock))
}

pub fn metadata(ctx: &Context<'_>, oid: &str, harvest: &Harvest) -> Metadata {
    Metadata {
        owner: ctx.run.id.clone(),
        pid: std::process::id(),
        created_at: ctx.world.clock.now().to_string(),
        seen_at: None,
        base_oid: oid.to_owned(),
        base_branch: harvest.pr.head_branch.clone(),
        pr: Some(ctx.number),
        repo: harvest.pr.repo.to_string(),
    }
}

/// Fetches the head branch into its private ref. The remote is the truth; GitHub's API may lag.
pub fn fetch_head(ctx: &Context<'_>, head: &HeadRemote, harvest: &Harvest) -> Result<String> {
    let branch = &harvest.pr.head_branch;
    let oid = fetch_tip(ctx, head, harvest)?;
    if oid != harvest.pr.head_oid {
        ctx.warn(format!(
            "`{branch}` is at {} while GitHub's API still says {}; working on the former",
            crate::model::text::short(&oid),
            crate::model::text::short(&harvest.pr.head_oid)
        ));
    }
    Ok(oid)
}

/// As [`fetch_head`], where the head is expected to have moved.
pub fn fetch_tip(ctx: &Context<'_>, head: &HeadRemote, harvest: &Harvest) -> Result<String> {
    let branch = &harvest.pr.head_branch;
    Ok(git::fetch(&ctx.world.repo, &head.fetch_url, branch, &ctx.private_ref("head"), ctx.world.fetch_limit())?)
}

/// Copies what matches `prfix.copy` and the team's `.worktreeinclude` from the operator's tree;
/// returns the copied paths, which are never staged. Existing files are left alone.
pub fn copy_files(ctx: &Context<'_>, include: &[String], worktree: &Worktree) -> Result<Vec<String>> {
    let Some(from) = ctx.world.repo.work_dir() else { return Ok(Vec::new()) };
    let patterns: Vec<&String> = ctx.settings.copy.iter().chain(include).collect();
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    let mut builder = ignore::gitignore::GitignoreBuilder::new(from);
    for pattern in patterns {
        if let Err(error) = builder.add_line(None, pattern) {
            ctx.warn(format!("the copy pattern `{pattern}` is not valid and was left out: {error}"));
        }
    }
    let matcher = builder.build().map_err(|error| miette::miette!("the copy patterns cannot be used: {error}"))?;
    let mut copied = Vec::new();
    copy_matching(from, from, &worktree.path, &matcher, &mut copied).map_err(|error| {
        miette::miette!(
            help = "check `prfix.copy` and the rights of those files",
            "copying files into the worktree failed: {error}"
        )
    })?;
    Ok(copied)
}

fn copy_matching(
    root: &Path,
    dir: &Path,
    to: &Path,
    matcher: &ignore::gitignore::Gitignore,
    copied: &mut Vec<String>,
) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if entry.file_name() == ".git" {
            continue;
        }
        let relative = path.strip_prefix(root).unwrap_or(&path);
        let matched = matcher.matched_path_or_any_parents(relative, kind.is_dir()).is_ignore();
        if kind.is_dir() {
            copy_matching(root, &path, to, matcher, copied)?;
        } else if matched && (kind.is_file() || kind.is_symlink()) {
            let target = to.join(relative);
            if target.symlink_metadata().is_ok() || !parents_are_folders(to, relative) {
                continue;
            }
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent)?;
            }
            if kind.is_symlink() {
                std::os::unix::fs::symlink(std::fs::read_link(&path)?, &target)?;
            } else {
                reflink_copy::reflink_or_copy(&path, &target)?;
            }
            copied.push(relative.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// No link of the pull request's leads the copy out of the worktree.
fn parents_are_folders(root: &Path, relative: &Path) -> bool {
    let mut at = root.to_owned();
    let parents: Vec<_> = relative.parent().map(|p| p.components().collect()).unwrap_or_default();
    parents.into_iter().all(|part| {
        at.push(part);
        at.symlink_metadata().map_or(true, |meta| meta.is_dir())
    })
}
