//! A branch that conflicts with its base: the base is merged (never rebased), the agent resolves the
//! files that conflict, the program concludes the merge.

use std::collections::BTreeMap;

use crate::git::{self, MergeStart, changed_paths};
use crate::model::feedback::Harvest;
use crate::model::manifest::Manifest;
use crate::model::report::Reason;
use crate::model::spec::{ItemKind, ItemStatus, SpecItem};
use crate::model::text::{digest, short};
use crate::policy::manifest::{normal, refused};
use crate::state::{Effect, Event};

use super::agents::describe;
use super::commit;
use super::context::{Context, Progress, Result, Stop};
use super::fix::{Desk, Dispatch, Start, dispatch};
use super::isolate::manager;

/// The merge is the pass before the first.
const PASS: u32 = 0;
const ATTEMPTS: u32 = 3;

/// Merges the base when the spec says that it conflicts, or when the operator asked for it; returns the merge commit.
pub fn run(ctx: &Context<'_>, desk: &Desk<'_>, progress: &mut Progress, harvest: &Harvest) -> Result<Option<String>> {
    let item = progress.spec.items.iter().find(|item| item.kind == ItemKind::Conflict).cloned();
    let item = match item {
        Some(item) => item,
        None if ctx.options.update_base => update_item(harvest),
        None => return Ok(None),
    };
    if let Some(oid) = ctx.past.passes.get(&PASS).and_then(|pass| pass.oid.clone()) {
        end(progress, &item, harvest, &[]);
        progress.commits.push(oid.clone());
        return Ok(Some(oid));
    }
    let into = ctx.private_ref("base");
    let base = git::fetch(&ctx.world.repo, &ctx.remote.url, &harvest.pr.base_branch, &into, ctx.world.fetch_limit())?;
    if let Some(oid) = killed_after_commit(ctx, desk, &base) {
        return record(ctx, progress, &item, harvest, &oid).map(Some);
    }
    manager(ctx).restore(desk.worktree, &desk.worktree.base)?;
    let paths = match git::start_merge(&desk.worktree.path, &base)? {
        MergeStart::UpToDate => {
            if item.id != 0 {
                progress.end(item.id, ItemStatus::TriagedOut, "the branch contains its base already");
            }
            return Ok(None);
        }
        MergeStart::Clean => Vec::new(),
        MergeStart::Conflicts(paths) => paths.iter().map(ToString::to_string).collect(),
    };
    resolve(ctx, desk, progress, &Conflict { item: &item, paths: &paths, base: &base, harvest })?;
    let message = format!("Merge branch '{}' into {}", harvest.pr.base_branch, harvest.pr.head_branch);
    let step = Effect::Commit { pass: PASS };
    let made = ctx.once(
        &step,
        || Ok(None),
        || {
            git::commit(&desk.worktree.path, &message, ctx.settings.hook_timeout)
                .map(Some)
                .map_err(|error| commit::blocked(ctx, &error))
        },
    )?;
    let oid = made.ok_or_else(|| miette::miette!("the merge commit has no id"))?;
    record(ctx, progress, &item, harvest, &oid).map(Some)
}

/// A merge commit that a killed run could not write down any more.
fn killed_after_commit(ctx: &Context<'_>, desk: &Desk<'_>, base: &str) -> Option<String> {
    let tip = ctx.world.repo.ref_oid(&format!("refs/heads/{}", desk.worktree.branch))?;
    let parents = ctx.world.repo.commit_parents(&tip).ok()?;
    (parents == [desk.worktree.base.clone(), base.to_owned()]).then_some(tip)
}

fn record(ctx: &Context<'_>, progress: &mut Progress, item: &SpecItem, harvest: &Harvest, oid: &str) -> Result<String> {
    let usage = crate::model::agent::Usage::default();
    ctx.record(Event::Fixed { pass: PASS, manifest: Manifest::default(), files: vec![], usage })?;
    ctx.record(Event::Committed { pass: PASS, oid: oid.to_owned(), files: vec![] })?;
    ctx.note(format!("merged `{}` as {}", harvest.pr.base_branch, short(oid)));
    end(progress, item, harvest, &[]);
    progress.commits.push(oid.to_owned());
    Ok(oid.to_owned())
}

/// Stands for the conflict that an update may meet; it has no number, for it is nobody's feedback.
fn update_item(harvest: &Harvest) -> SpecItem {
    let request = format!("Merge `{}`.", harvest.pr.base_branch);
    crate::policy::spec::plain_item(ItemKind::Conflict, &harvest.pr.url, request)
}

fn end(progress: &mut Progress, item: &SpecItem, harvest: &Harvest, paths: &[String]) {
    if item.id == 0 {
        return;
    }
    let resolved = if paths.is_empty() { String::new() } else { format!("; resolved {}", paths.join(", ")) };
    progress.end(item.id, ItemStatus::Fixed, format!("merged `{}`{resolved}", harvest.pr.base_branch));
}

struct Conflict<'a> {
    item: &'a SpecItem,
    paths: &'a [String],
    base: &'a str,
    harvest: &'a Harvest,
}

/// Lets the agent edit the files that conflict, and only those, until no marker is left; then stages them.
fn resolve(ctx: &Context<'_>, desk: &Desk<'_>, progress: &Progress, conflict: &Conflict<'_>) -> Result<()> {
    if conflict.paths.is_empty() {
        return Ok(());
    }
    for path in conflict.paths {
        if let Some((class, rule)) = ctx.rules.protection(path)
            && let Some(way) = refused(&class, ctx.options.allowed)
        {
            return Err(give_up(ctx, desk, conflict, &format!("`{path}` is protected ({rule}; {way})")));
        }
    }
    let before = contents(desk)?;
    let mut complaints = Vec::new();
    for _ in 0..ATTEMPTS {
        ctx.check_interrupt()?;
        let asked = Dispatch {
            round: ctx.next_round(),
            head: &desk.worktree.base,
            complaints: &complaints,
            start: Start::Merge,
        };
        let answer = dispatch(ctx, desk, progress, &[(task(conflict), None)], &asked)?;
        complaints = match answer {
            Ok(_) => faults(desk, conflict, &before)?,
            Err(failure) => vec![describe(&failure)],
        };
        if complaints.is_empty() {
            let wanted = changed_paths(&desk.worktree.path)?.into_iter().map(|change| change.path);
            let paths: Vec<_> = wanted.filter(|path| conflict.paths.contains(&path.to_string())).collect();
            git::stage(&desk.worktree.path, &paths)?;
            return Ok(());
        }
        complaints.iter().for_each(|complaint| ctx.note(complaint.clone()));
    }
    Err(give_up(ctx, desk, conflict, &complaints.join("; ")))
}

/// What the agent is told: the merge is under way, these files are open, nothing else is.
fn task(conflict: &Conflict<'_>) -> SpecItem {
    let mut item = conflict.item.clone();
    item.request = format!(
        "A merge of `{}` ({}) into this branch is under way in the worktree. Resolve the conflicts in: {}. Edit these \
         files only, keep what both sides meant, and leave no conflict marker. Do not commit and do not run git merge; \
         the program concludes it.",
        conflict.harvest.pr.base_branch,
        short(conflict.base),
        conflict.paths.join(", ")
    );
    item
}

/// Digest of every path that the merge changed, so that edits beyond the conflicts are seen.
fn contents(desk: &Desk<'_>) -> Result<BTreeMap<String, Option<String>>> {
    let changes = changed_paths(&desk.worktree.path)?;
    Ok(changes
        .into_iter()
        .map(|change| {
            let bytes = std::fs::read(desk.worktree.path.join(git::to_path(change.path.as_ref()))).ok();
            (change.path.to_string(), bytes.map(|bytes| digest(&String::from_utf8_lossy(&bytes))))
        })
        .collect())
}

fn faults(desk: &Desk<'_>, conflict: &Conflict<'_>, before: &BTreeMap<String, Option<String>>) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for path in conflict.paths {
        let text = std::fs::read(desk.worktree.path.join(path)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if text.lines().any(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")) {
            faults.push(format!("`{path}` still has conflict markers"));
        }
    }
    let after = contents(desk)?;
    let open = |path: &&String| !conflict.paths.iter().any(|known| normal(known) == path.as_str());
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for path in names.into_iter().filter(open).filter(|path| before.get(*path) != after.get(*path)) {
        faults.push(format!("`{path}` is not in conflict and must stay as the merge left it"));
    }
    Ok(faults)
}

fn give_up(ctx: &Context<'_>, desk: &Desk<'_>, conflict: &Conflict<'_>, why: &str) -> Stop {
    if let Err(error) = git::abort_merge(&desk.worktree.path) {
        ctx.warn(format!("the merge could not be taken back: {error}"));
    }
    let unblock = format!(
        "merge `{}` into `{}` by hand and push, then run again: {why}",
        conflict.harvest.pr.base_branch, conflict.harvest.pr.head_branch
    );
    Stop::blocked(Reason::Conflict, unblock)
}
