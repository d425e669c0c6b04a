//! `git prfix worktree`: managed worktrees, their age, size and state; and cleaning them.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use miette::Diagnostic;
use thiserror::Error;

use super::{CommandResult, Exit, Shell, local};
use crate::git::{Listed, Manager, State, Worktree};
use crate::ui::{Answer, Prompt};

#[derive(Debug, Subcommand)]
pub enum WorktreeCommand {
    /// Managed worktrees: state, age, size, pull request
    List,
    /// Remove those that hold nothing which could be lost, after showing them
    Clean(CleanArgs),
}

#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Remove this worktree with the work it holds; a locked one, or one in use, stays
    #[arg(long, value_name = "WORKTREE", conflicts_with = "dry_run")]
    pub force: Option<PathBuf>,
}

#[derive(Debug, Error, Diagnostic)]
enum CleanError {
    #[error("`{}` is not a managed worktree of this repository", path.display())]
    #[diagnostic(code(prfix::usage::no_worktree), help("`git prfix worktree list` shows them"))]
    Unknown { path: PathBuf },
    #[error("`{}` is in use: {who}", path.display())]
    #[diagnostic(code(prfix::worktree::in_use), help("wait for it to end, or end it; then clean again"))]
    InUse { path: PathBuf, who: String },
}

pub fn run(shell: &Shell, command: WorktreeCommand) -> CommandResult {
    let world = shell.world()?;
    let settings = local::team(&world, None)?.settings(&world)?;
    let manager = Manager::new(&world.repo, world.worktree_root(&settings));
    match command {
        WorktreeCommand::List => list(shell, &manager),
        WorktreeCommand::Clean(CleanArgs { force: Some(path), .. }) => force(shell, &manager, &path),
        WorktreeCommand::Clean(args) => clean(shell, &manager, args.dry_run),
    }
}

fn list(shell: &Shell, manager: &Manager<'_>) -> CommandResult {
    let listed = manager.list(shell.clock.now())?;
    if shell.global.json {
        shell.print_json(&listed)?;
    } else if listed.is_empty() {
        shell.ui.print(&format!("no managed worktrees below {}", manager.root().display()));
    } else {
        show(shell, &listed);
    }
    Ok(Exit::Done)
}

fn clean(shell: &Shell, manager: &Manager<'_>, dry_run: bool) -> CommandResult {
    let shown = manager.clean(shell.clock.now(), true)?;
    let removable = shown.iter().filter(|worktree| worktree.state.is_removable()).count();
    if !shell.global.json && !shown.is_empty() {
        show(shell, &shown);
    }
    let go = removable > 0 && !dry_run && (shell.global.yes || confirmed(shell, removable));
    let listed = if go { manager.clean(shell.clock.now(), false)? } else { shown };
    if shell.global.json {
        shell.print_json(&listed)?;
        return Ok(Exit::Done);
    }
    let removed = listed.iter().filter(|worktree| worktree.removed).count();
    shell.ui.print(&match (removable, go) {
        (0, _) => "there is nothing that could be removed without loss".to_owned(),
        (_, true) => format!("{removed} removed, {} kept", listed.len() - removed),
        (_, false) if dry_run => format!("{removable} would be removed"),
        (_, false) => format!("nothing was removed; `git prfix worktree clean --yes` removes {removable}"),
    });
    for failed in listed.iter().filter(|worktree| go && worktree.state.is_removable() && !worktree.removed) {
        shell.ui.say(&crate::ui::Say::Warning(format!("{}: {}", failed.path.display(), failed.why.join("; "))));
    }
    Ok(Exit::Done)
}

/// Asks; without a terminal the answer is no.
fn confirmed(shell: &Shell, removable: usize) -> bool {
    let prompt = Prompt {
        question: format!("Remove {removable} of them?"),
        details: vec!["those in state empty, dead-owner, orphaned-dir or orphaned-registration".to_owned()],
        choices: vec!["no".to_owned(), "yes".to_owned()],
        default: Some(0),
    };
    shell.ui.ask(&prompt) == Some(Answer(1))
}

/// One worktree that was named, with what it holds.
fn force(shell: &Shell, manager: &Manager<'_>, path: &Path) -> CommandResult {
    let wanted = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let listed = manager.list(shell.clock.now())?;
    let found = listed.into_iter().find(|listed| listed.path == wanted || Path::new(&listed.name) == path);
    let Some(mut found) = found else { return Err(CleanError::Unknown { path: path.to_owned() }.into()) };
    if found.state == State::Active || found.owner_alive {
        let who = found.owner.map_or_else(|| "a process works in it".to_owned(), |owner| format!("{owner} is running"));
        return Err(CleanError::InUse { path: found.path, who }.into());
    }
    let worktree = Worktree { path: found.path.clone(), branch: String::new(), base: String::new() };
    manager.remove(&worktree, None, true)?;
    found.removed = true;
    if shell.global.json {
        shell.print_json(&[found])?;
    } else {
        shell.ui.print(&format!("removed {}; its branch `{}` stays", found.path.display(), found.name));
    }
    Ok(Exit::Done)
}

fn show(shell: &Shell, listed: &[Listed]) {
    let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
    shell.print_table(&["worktree", "PR", "state", "age", "size", "owner", "why"], &rows);
}

fn row(listed: &Listed) -> Vec<String> {
    let owner = match (&listed.owner, listed.owner_alive) {
        (Some(owner), true) => format!("{owner} (running)"),
        (Some(owner), false) => owner.clone(),
        (None, _) => String::new(),
    };
    vec![
        listed.name.clone(),
        listed.pr.map(|pr| format!("#{pr}")).unwrap_or_default(),
        serde_json::to_value(listed.state).ok().and_then(|state| Some(state.as_str()?.to_owned())).unwrap_or_default(),
        listed.age_seconds.map(age).unwrap_or_default(),
        super::disk_size(listed.bytes),
        owner,
        listed.why.join("; "),
    ]
}

/// `5m`, `3h`, `12d`.
fn age(seconds: i64) -> String {
    match seconds {
        ..60 => "now".to_owned(),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        assert_eq!([-5, 59, 60, 7199, 86_399, 86_400 * 40].map(age), ["now", "now", "1m", "1h", "23h", "40d"]);
    }
}
