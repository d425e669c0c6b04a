//! One commit a pass, of exactly the declared paths, through the repository's own hooks.

use gix::bstr::BString;
use serde_json::json;

use crate::git::{self, CommitError, Worktree, changed_paths};
use crate::model::report::Reason;
use crate::model::text::{one_line, short};
use crate::state::{Effect, Event};

use super::context::{Context, Progress, Result, Stop};
use super::fix::Accepted;

/// Commits a pass on top of `parent` and returns the new commit; `None` when the pass changed nothing.
pub fn run(
    ctx: &Context<'_>,
    worktree: &Worktree,
    progress: &mut Progress,
    accepted: &Accepted,
    parent: &str,
) -> Result<Option<String>> {
    if let Some(oid) = ctx.past.passes.get(&accepted.pass).and_then(|pass| pass.oid.clone()) {
        progress.commits.push(oid.clone());
        return Ok(Some(oid));
    }
    if accepted.files.is_empty() {
        return Ok(None);
    }
    let step = Effect::Commit { pass: accepted.pass };
    let oid = ctx.once(
        &step,
        || Ok(own_commit(ctx, worktree, parent).map(Some)),
        || make(ctx, worktree, progress, accepted).map(Some),
    )?;
    let oid = oid.ok_or_else(|| miette::miette!("the commit of pass {} has no id", accepted.pass))?;
    check_committed(ctx, worktree, accepted, &oid, parent)?;
    ctx.record(Event::Committed { pass: accepted.pass, oid: oid.clone(), files: accepted.files.clone() })?;
    let files = if accepted.files.len() == 1 { "file" } else { "files" };
    ctx.note(format!("committed {} ({} {files})", short(&oid), accepted.files.len()));
    progress.commits.push(oid.clone());
    Ok(Some(oid))
}

/// A commit that a killed run made before it could write it down: HEAD, one step above the parent.
fn own_commit(ctx: &Context<'_>, worktree: &Worktree, parent: &str) -> Option<String> {
    let tip = ctx.world.repo.ref_oid(&format!("refs/heads/{}", worktree.branch))?;
    let parents = ctx.world.repo.commit_parents(&tip).ok()?;
    (parents == [parent.to_owned()]).then_some(tip)
}

fn make(ctx: &Context<'_>, worktree: &Worktree, progress: &Progress, accepted: &Accepted) -> Result<String> {
    let wanted: std::collections::BTreeSet<&str> = accepted.files.iter().map(String::as_str).collect();
    let changed = changed_paths(&worktree.path)?;
    let paths: Vec<BString> =
        changed.into_iter().map(|c| c.path).filter(|path| wanted.contains(path.to_string().as_str())).collect();
    if paths.len() != wanted.len() {
        return Err(miette::miette!(
            help = "run again with `--fresh`",
            "the worktree changed after its manifest was accepted: {} declared paths, {} found",
            wanted.len(),
            paths.len()
        )
        .into());
    }
    git::stage(&worktree.path, &paths)?;
    ctx.instant();
    let message = message(ctx, progress, accepted);
    git::commit(&worktree.path, &message, ctx.settings.hook_timeout).map_err(|error| blocked(ctx, &error))
}

/// A commit that did not come about, with what the hook or git said.
pub fn blocked(ctx: &Context<'_>, error: &CommitError) -> Stop {
    if crate::process::interrupted() {
        return Stop::Interrupted;
    }
    let stderr = match error {
        CommitError::HookRefused { stderr }
        | CommitError::TimedOut { stderr, .. }
        | CommitError::Signing { stderr }
        | CommitError::Identity { stderr }
        | CommitError::Failed { stderr } => stderr.as_str(),
        CommitError::Nothing => "",
    };
    let help = miette::Diagnostic::help(error).map(|help| format!("; {help}")).unwrap_or_default();
    let said = one_line(&crate::model::text::mask_secrets(stderr), 400);
    let said = if error.to_string().contains(stderr) { String::new() } else { format!(": {said}") };
    ctx.warn(format!("{error}{said}"));
    let unblock = format!("{error}{help}{said}");
    match error {
        CommitError::Nothing => Stop::blocked(Reason::NoCommit, unblock),
        _ => ctx.blocked_for_now(Reason::Guard, unblock),
    }
}

/// The commit stands on its parent and holds the declared paths; what a hook added is named.
fn check_committed(ctx: &Context<'_>, worktree: &Worktree, accepted: &Accepted, oid: &str, parent: &str) -> Result<()> {
    let parents = ctx.world.repo.commit_parents(oid)?;
    if parents != [parent.to_owned()] {
        let unblock = format!("a hook rewrote history below {}: look at the branch `{}`", short(oid), worktree.branch);
        return Err(Stop::blocked(Reason::Guard, unblock));
    }
    let committed = ctx.world.repo.changed_between(parent, oid)?;
    let extra: Vec<&String> = committed.iter().filter(|path| !accepted.files.contains(path)).collect();
    if !extra.is_empty() {
        let names: Vec<&str> = extra.iter().map(|path| path.as_str()).collect();
        ctx.warn(format!("a commit hook added to the commit: {}", names.join(", ")));
    }
    Ok(())
}

/// `fix(pr-<n>): address review feedback`, with the items in the body; a rule may change it.
fn message(ctx: &Context<'_>, progress: &Progress, accepted: &Accepted) -> String {
    let fixed = crate::policy::manifest::mapped(&accepted.manifest);
    let items: Vec<serde_json::Value> = progress
        .spec
        .items
        .iter()
        .filter(|item| fixed.contains(&item.id))
        .map(|item| json!({"id": item.id, "kind": item.kind, "source": item.source(), "request": one_line(&item.request, 72), "path": item.path, "line": item.line, "detail": null}))
        .collect();
    let context = json!({"number": ctx.number, "pass": accepted.pass, "items": items, "summary": accepted.manifest.summary, "files": accepted.files});
    let message = ctx.rules.text("commit", &context).unwrap_or_else(|| {
        let lines = items.iter().map(|item| format!("- {}", item["request"].as_str().unwrap_or_default()));
        let body: Vec<String> = lines.collect();
        format!("fix(pr-{}): address review feedback\n\n{}\n", ctx.number, body.join("\n"))
    });
    if accepted.trailers.is_empty() {
        return message;
    }
    format!("{}\n\n{}\n", message.trim_end(), accepted.trailers.join("\n"))
}
