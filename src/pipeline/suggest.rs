//! Suggestions of reviewers, applied exactly and without an agent: one pass with a commit of its own, which goes
//! through the rules for paths, the gates and the push as every other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use crate::git::Worktree;
use crate::model::manifest::{Cause, Invariant, Manifest};
use crate::model::pr::Actor;
use crate::model::spec::{ItemStatus, SpecItem};
use crate::model::suggestion::Suggestion;
use crate::model::text::one_line;
use crate::policy::manifest::{Claim, Evidence, Violation, mapped, refused, violations};
use crate::policy::placing::{self, Edit};
use crate::state::Event;

use super::agents::{self, Agent};
use super::commit;
use super::context::{Context, Progress, Result};
use super::fix::{self, Accepted, Desk};
use super::isolate::manager;
use super::manifest::{Check, changes};

/// Apart from the agent's passes, which are numbered from 1, and from the merge's.
pub const PASS: u32 = 100;

/// A suggestion and the lines (from 0) of the present file that it replaces.
struct Placed<'a> {
    item: &'a SpecItem,
    suggestion: &'a Suggestion,
    path: &'a str,
    range: Range<usize>,
}

impl Placed<'_> {
    fn edit(&self) -> Edit<'_> {
        Edit { range: self.range.clone(), lines: &self.suggestion.blocks[0] }
    }
}

/// What becomes of the suggestions of the open items.
#[derive(Default)]
struct Plan<'a> {
    placed: Vec<Placed<'a>>,
    /// For a person, with the reason.
    refused: Vec<(u32, String)>,
    /// The lines read so already.
    done: Vec<u32>,
    /// For the agent, with the reason.
    left: Vec<(u32, String)>,
}

/// Whether a run could do without an agent: each item has a suggestion that asks for nothing more.
pub fn suffices(progress: &Progress) -> bool {
    progress.spec.items.iter().all(|item| {
        let apart = item.hint.as_ref().is_some_and(|hint| hint.needs_human);
        apart || item.suggestion.as_ref().is_some_and(|suggestion| !suggestion.asks_more)
    })
}

/// Sorts the suggestions before any agent is asked: those that can be applied are noted in `progress.suggested`, those
/// that contradict one another end here. Returns the agent, which is missed only when something is left for it.
pub fn look(
    ctx: &Context<'_>,
    worktree: &Worktree,
    progress: &mut Progress,
    agent: Option<Agent>,
) -> Result<Option<Agent>> {
    let items = progress.spec.items.clone();
    // What an earlier process of this run has applied is not looked for again: the head may have it by now.
    let applied = ctx.past.passes.get(&PASS).map(|pass| mapped(&pass.manifest)).unwrap_or_default();
    let open = |item: &&SpecItem| !progress.endings.contains_key(&item.id) && !applied.contains(&item.id);
    let open: Vec<&SpecItem> = items.iter().filter(open).collect();
    let plan = plan(ctx, &From::Commit(&worktree.base), &open)?;
    for (id, why) in plan.refused {
        ctx.note(format!("item {id} is left to a person: {why}"));
        progress.end(id, ItemStatus::NeedsHuman, why);
    }
    for id in plan.done {
        progress.end(id, ItemStatus::TriagedOut, "the lines read as suggested already");
    }
    for (id, why) in plan.left {
        ctx.note(format!("the suggestion of item {id} is left to the agent: {why}"));
    }
    progress.suggested = plan.placed.iter().map(|placed| placed.item.id).chain(applied).collect();
    match agent {
        None if for_agent(progress) => agents::choose(ctx).map(Some),
        other => Ok(other),
    }
}

/// Open items that an agent is needed for.
fn for_agent(progress: &Progress) -> bool {
    progress.open_items().any(|item| {
        let exact = item.suggestion.as_ref().is_some_and(|suggestion| !suggestion.asks_more);
        !(exact && progress.suggested.contains(&item.id))
    })
}

/// What a file's text is taken from.
enum From<'a> {
    /// Before anything is written; a killed run may have left the worktree half written.
    Commit(&'a str),
    /// As the commit was checked out: with the line ends that the operator's git gives it.
    Worktree(&'a Worktree, &'a str),
}

impl From<'_> {
    /// A regular file of the head, when nothing on its way is a link.
    fn read(&self, ctx: &Context<'_>, path: &str) -> Result<Option<Vec<u8>>> {
        let (Self::Commit(head) | Self::Worktree(_, head)) = self;
        let blob = ctx.world.repo.file_at(head, path)?;
        let (Self::Worktree(worktree, _), Some(_)) = (self, &blob) else { return Ok(blob) };
        let full = worktree.path.join(path);
        let root = worktree.path.canonicalize().unwrap_or_else(|_| worktree.path.clone());
        let plain = full.symlink_metadata().is_ok_and(|meta| meta.is_file())
            && full.canonicalize().is_ok_and(|real| real == root.join(path));
        Ok(if plain { std::fs::read(full).ok() } else { None })
    }
}

fn plan<'a>(ctx: &Context<'_>, from: &From<'_>, items: &[&'a SpecItem]) -> Result<Plan<'a>> {
    let mut plan = Plan::default();
    for item in items.iter().copied().filter(|item| item.hint.as_ref().is_none_or(|hint| hint.verdict.is_none())) {
        let (Some(suggestion), Some(path)) = (&item.suggestion, &item.path) else { continue };
        if let Some(why) = unfit(ctx, suggestion, path) {
            plan.refused.push((item.id, why));
            continue;
        }
        let Some(file) = from.read(ctx, path)? else {
            plan.left.push((item.id, "it is not about a regular file of the head".to_owned()));
            continue;
        };
        let reviewed = suggestion.commit.as_deref().and_then(|oid| ctx.world.repo.file_at(oid, path).ok().flatten());
        match placing::place(&file, suggestion, reviewed.as_deref()) {
            Err(misfit) => plan.left.push((item.id, misfit.to_string())),
            Ok(range) => {
                let placed = Placed { item, suggestion, path, range };
                if placing::apply(&file, &[placed.edit()]) == file {
                    plan.done.push(item.id);
                } else {
                    plan.placed.push(placed);
                }
            }
        }
    }
    refuse_overlaps(&mut plan);
    Ok(plan)
}

/// Why a person has to decide about a suggestion, wherever it belongs.
fn unfit(ctx: &Context<'_>, suggestion: &Suggestion, path: &str) -> Option<String> {
    let distinct: BTreeSet<&Vec<String>> = suggestion.blocks.iter().collect();
    if distinct.len() > 1 {
        let quoted: Vec<String> = suggestion.blocks.iter().map(|block| quote(block)).collect();
        return Some(format!("one comment suggests different texts for the same lines: {}", quoted.join(" or ")));
    }
    let (class, rule) = ctx.rules.protection(path)?;
    let way = refused(&class, ctx.options.allowed)?;
    Some(format!("`{path}` is protected ({rule}; {way})"))
}

fn quote(block: &[String]) -> String {
    if block.is_empty() { "(no line)".to_owned() } else { format!("`{}`", one_line(&block.join("\n"), 120)) }
}

/// Two suggestions for the same lines: neither is taken, and both are named in both.
fn refuse_overlaps(plan: &mut Plan<'_>) {
    let mut colliding: BTreeMap<u32, String> = BTreeMap::new();
    for a in &plan.placed {
        for b in plan.placed.iter().filter(|b| b.path == a.path && b.item.id != a.item.id) {
            if a.edit().collides(&b.edit()) {
                let why = format!(
                    "its suggestion {} contradicts {} of item {} ({}) on the same lines: decide which of them is wanted",
                    quote(&a.suggestion.blocks[0]),
                    quote(&b.suggestion.blocks[0]),
                    b.item.id,
                    b.item.source()
                );
                colliding.entry(a.item.id).or_insert(why);
            }
        }
    }
    plan.placed.retain(|placed| !colliding.contains_key(&placed.item.id));
    plan.refused.extend(colliding);
}

/// Applies what `look` found on top of the base's merge, if there is one, and commits it. Returns the last commit that
/// the program made itself.
pub fn run(
    ctx: &Context<'_>,
    desk: &Desk<'_>,
    progress: &mut Progress,
    merged: Option<String>,
) -> Result<Option<String>> {
    let (worktree, copied) = (desk.worktree, desk.copied);
    let parent = merged.as_deref().unwrap_or(&worktree.base);
    let accepted = match ctx.past.passes.get(&PASS) {
        Some(pass) => Some((pass.manifest.clone(), pass.files.clone())),
        None if progress.suggested.is_empty() => None,
        None => write(ctx, worktree, copied, progress, parent)?,
    };
    let Some((manifest, files)) = accepted else { return Ok(merged) };
    fix::apply(progress, &manifest);
    let applied = mapped(&manifest);
    let trailers = credits(ctx, progress, &applied);
    for item in progress.spec.items.iter().filter(|item| applied.contains(&item.id)) {
        if item.suggestion.as_ref().is_some_and(|suggestion| suggestion.asks_more) {
            progress.endings.remove(&item.id);
        }
    }
    progress.suggested = applied;
    ctx.world.ui.phase(crate::ui::Phase::Commit);
    let accepted = Accepted { pass: PASS, manifest, files, trailers };
    Ok(commit::run(ctx, worktree, progress, &accepted, parent)?.or(merged))
}

/// Writes the files, and takes back those that a rule refuses.
fn write(
    ctx: &Context<'_>,
    worktree: &Worktree,
    copied: &[String],
    progress: &mut Progress,
    parent: &str,
) -> Result<Option<(Manifest, Vec<String>)>> {
    let items = progress.spec.items.clone();
    let chosen: Vec<&SpecItem> = items.iter().filter(|item| progress.suggested.contains(&item.id)).collect();
    let paths: BTreeSet<String> = chosen.iter().filter_map(|item| item.path.clone()).collect();
    // What a killed run may have half written.
    manager(ctx).restore_paths(worktree, parent, &paths.iter().cloned().collect::<Vec<_>>())?;
    let from = From::Worktree(worktree, parent);
    let plan = plan(ctx, &from, &chosen)?;
    for (id, why) in plan.refused.iter().chain(&plan.left) {
        ctx.note(format!("the suggestion of item {id} cannot be applied any more: {why}"));
    }
    let mut written: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for path in &paths {
        let of_file: Vec<&Placed<'_>> = plan.placed.iter().filter(|placed| placed.path == path).collect();
        let edits: Vec<Edit<'_>> = of_file.iter().map(|placed| placed.edit()).collect();
        let Some(file) = from.read(ctx, path)?.filter(|_| !edits.is_empty()) else { continue };
        let full: PathBuf = worktree.path.join(path);
        let after = placing::apply(&file, &edits);
        std::fs::write(&full, &after)
            .map_err(|error| miette::miette!("`{}` cannot be written: {error}", full.display()))?;
        written.insert(path.clone(), after);
    }
    let mut manifest = manifest(&plan.placed, &written);
    let violations = judge(ctx, (worktree, copied), progress, &mut manifest, (parent, &written))?;
    if manifest.touched_files.is_empty() && violations.is_empty() {
        return Ok(None);
    }
    take_back(ctx, worktree, progress, (&mut manifest, &violations), parent)?;
    let files = manifest.touched_files.clone();
    if files.is_empty() {
        return Ok(None);
    }
    let usage = crate::model::agent::Usage::default();
    ctx.run.write_json(&format!("manifest-{PASS}.json"), &manifest)?;
    ctx.record(Event::Fixed { pass: PASS, manifest: manifest.clone(), files: files.clone(), usage })?;
    let many = if plan.placed.len() == 1 { "suggestion" } else { "suggestions" };
    ctx.note(format!("applied {} {many} as written", plan.placed.len()));
    Ok(Some((manifest, files)))
}

fn manifest(placed: &[Placed<'_>], written: &BTreeMap<String, Vec<u8>>) -> Manifest {
    let mut manifest =
        Manifest { summary: "Applied the reviewers' suggestions as written.".to_owned(), ..Manifest::default() };
    for path in written.keys() {
        manifest.touched_files.push(path.clone());
        let items = placed.iter().filter(|placed| placed.path == path).map(|placed| Cause::Item(placed.item.id));
        manifest.spec_item_map.insert(path.clone(), items.collect());
        let claim = "suggestion applied as written".to_owned();
        manifest.invariant_per_file.insert(path.clone(), Invariant { claim, line: None, contains: None });
    }
    manifest
}

/// The same rules as for an agent's change. A claim holds when the file is, byte for byte, what was written.
fn judge(
    ctx: &Context<'_>,
    (worktree, copied): (&Worktree, &[String]),
    progress: &Progress,
    manifest: &mut Manifest,
    (head, written): (&str, &BTreeMap<String, Vec<u8>>),
) -> Result<Vec<Violation>> {
    let known: BTreeSet<u32> = progress.spec.items.iter().map(|item| item.id).collect();
    let open = BTreeSet::new();
    let check = Check { agent: None, worktree, progress, head, copied, open: &open, known: &known, round: 0 };
    let changes: Vec<_> =
        changes(ctx, &check)?.into_iter().filter(|change| written.contains_key(&change.path)).collect();
    let holds = |path: &String| std::fs::read(worktree.path.join(path)).is_ok_and(|bytes| bytes == written[path]);
    let claims = written.keys().filter(|path| holds(path)).map(|path| (path.clone(), Claim::Holds)).collect();
    let evidence = Evidence {
        manifest,
        changes: &changes,
        open: &open,
        known: &known,
        allowed: ctx.options.allowed,
        claims: &claims,
    };
    Ok(violations(&evidence))
}

/// Files that may not change go back, and their items to a person.
fn take_back(
    ctx: &Context<'_>,
    worktree: &Worktree,
    progress: &mut Progress,
    (manifest, violations): (&mut Manifest, &[Violation]),
    parent: &str,
) -> Result<()> {
    for violation in violations {
        let Some(path) = &violation.path else { continue };
        manager(ctx).restore_paths(worktree, parent, std::slice::from_ref(path))?;
        manifest.touched_files.retain(|known| known != path);
        manifest.invariant_per_file.remove(path);
        for cause in manifest.spec_item_map.remove(path).unwrap_or_default() {
            if let Cause::Item(id) = cause {
                progress.end(id, ItemStatus::NeedsHuman, violation.what.clone());
            }
        }
    }
    Ok(())
}

/// `Co-authored-by` lines as GitHub writes them when it applies a suggestion. Our own account needs none.
fn credits(ctx: &Context<'_>, progress: &Progress, applied: &BTreeSet<u32>) -> Vec<String> {
    let ours = |author: &Actor| progress.harvest.as_ref().is_some_and(|harvest| harvest.viewer.same(author));
    let items = progress.spec.items.iter().filter(|item| applied.contains(&item.id));
    let authors = items.filter_map(|item| item.suggestion.as_ref()).flat_map(|suggestion| &suggestion.authors);
    let mut lines: Vec<String> = Vec::new();
    for author in authors.filter(|author| !ours(author)) {
        match ctx.github.account(author) {
            Ok(account) => lines.push(account.co_author(&ctx.github.repo().host)),
            Err(error) => ctx.warn(format!("@{} is not named as co-author: {error}", author.login)),
        }
    }
    lines.sort();
    lines.dedup();
    lines
}
