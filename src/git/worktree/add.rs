//! Creation of the checkout: native where gitoxide writes what git would, else by `git worktree add`.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gix::progress::Discard;
use gix::worktree::add::Head;

use super::store::Store;
use super::{Worktree, fitness};
use crate::clock::{Clock, SystemClock};
use crate::git::{GitError, Repository, child};

/// A git that adds or removes a worktree at the same time can be read half-way.
const ATTEMPTS: u32 = 5;

/// Adds the worktree and runs the post-checkout hook. When it fails, nothing is left of it.
pub(super) fn add(repo: &Repository, store: &Store, worktree: &Worktree, limit: Duration) -> Result<(), GitError> {
    if let Some(why) = fitness::needs_git(repo, &worktree.base) {
        tracing::info!(target: "prfix::git", why, "the worktree is created by git itself");
        return by_git(repo, worktree, limit);
    }
    match natively(repo, store, worktree) {
        Ok(()) => {
            run_hook(repo, worktree, limit);
            Ok(())
        }
        Err(error) => {
            tracing::info!(target: "prfix::git", %error, "the worktree is created by git itself");
            by_git(repo, worktree, limit)
        }
    }
}

fn natively(repo: &Repository, store: &Store, worktree: &Worktree) -> Result<(), GitError> {
    let failed = |error: String| GitError::failed(&format!("creating `{}`", worktree.path.display()), error);
    let head = head_of(worktree).map_err(failed)?;
    let local = repo.local();
    let interrupt = AtomicBool::new(false);
    let prepare = || {
        let _lock = store.lock()?;
        let prepared = local.prepare_add_worktree(&worktree.path, head.clone(), &interrupt);
        prepared.map_err(|error| failed(error.to_string()))
    };
    let mut prepared = prepare();
    for _ in 1..ATTEMPTS {
        if prepared.is_ok() {
            break;
        }
        SystemClock.sleep(Duration::from_millis(20));
        prepared = prepare();
    }
    let (_, outcome) = prepared?.checkout(Discard, &interrupt).map_err(|error| failed(error.to_string()))?;
    if outcome.collisions.is_empty() && outcome.errors.is_empty() && outcome.delayed_paths_unknown.is_empty() {
        return Ok(());
    }
    // Names that fall together on this file system, or a filter that gave nothing back.
    let forced = gix::worktree::remove::Force::DiscardChanges;
    let _ = local.remove_worktree(&worktree.path, forced, Discard);
    Err(failed("some files could not be written".to_owned()))
}

fn head_of(worktree: &Worktree) -> Result<Head, String> {
    if worktree.branch.is_empty() {
        let id = gix::ObjectId::from_hex(worktree.base.as_bytes()).map_err(|error| error.to_string())?;
        return Ok(Head::Detached(id));
    }
    let name = format!("refs/heads/{}", worktree.branch);
    name.try_into().map(Head::Attached).map_err(|error: gix::validate::reference::name::Error| error.to_string())
}

fn by_git(repo: &Repository, worktree: &Worktree, limit: Duration) -> Result<(), GitError> {
    let detach: &[&str] = if worktree.branch.is_empty() { &["--detach"] } else { &[] };
    let target = if worktree.branch.is_empty() { &worktree.base } else { &worktree.branch };
    let run = repo.long_git().args(["-c", "worktree.useRelativePaths=false", "worktree", "add", "--quiet"]);
    let run = run.args(detach).arg("--").arg(&worktree.path).arg(target);
    // The checkout itself may take long as well.
    let run = run.timeout(limit + Duration::from_secs(600));
    match child::succeed(run, &format!("creating `{}`", worktree.path.display())) {
        Ok(_) => Ok(()),
        // A hook that failed leaves the worktree in place.
        Err(_) if worktree.path.join(".git").is_file() && is_complete(worktree) => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_complete(worktree: &Worktree) -> bool {
    child::text(&worktree.path, ["rev-parse", "--verify", "HEAD"], "reading HEAD").is_ok()
        && crate::git::changed_paths(&worktree.path).is_ok_and(|changes| changes.is_empty())
}

/// `post-checkout <null oid> <new oid> 1`, as git runs it (githooks(5)); its failure is reported and
/// leaves the worktree in place.
fn run_hook(repo: &Repository, worktree: &Worktree, limit: Duration) {
    let configured = repo.config.get("core.hookspath").map(|path| worktree.path.join(path));
    let folder = configured.unwrap_or_else(|| repo.common_dir().join("hooks"));
    // A path with `~` is left for git to expand.
    let expands = folder.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"~"));
    if !expands && !folder.join("post-checkout").exists() && repo.config.below("hook").is_empty() {
        return;
    }
    let null = "0".repeat(worktree.base.len());
    let run = child::git(&worktree.path).args(["hook", "run", "--ignore-missing", "post-checkout", "--"]);
    if let Err(error) = child::succeed(run.args([&null, &worktree.base, "1"]).timeout(limit), "post-checkout") {
        tracing::warn!(target: "prfix::git", %error, "the post-checkout hook failed");
    }
}
