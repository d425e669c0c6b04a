//! The guard in front of a hooks path: `core.hooksPath` names a folder of ours, in which every hook hands over to the
//! one of its name in the path that was configured. Tools such as husky find themselves called just as before, and no
//! file of theirs is touched.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::script::{self, NAME};
use super::{HookError, Hooks, Placed};

/// Hooks that are handed over whether they are there yet or not (githooks(5)).
const ALWAYS: &[&str] = &[
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "sendemail-validate",
];

/// Hooks whose mere presence costs or changes something: handed over only when they are there.
const WHEN_THERE: &[&str] = &[
    "reference-transaction",
    "post-index-change",
    "push-to-checkout",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "p4-changelist",
    "p4-prepare-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
];

/// What the configuration was, kept in our folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Was {
    /// The path that held.
    path: PathBuf,
    /// The repository's own setting, as written; `None` when the path came from somewhere else.
    local: Option<String>,
}

fn record(folder: &Path) -> PathBuf {
    folder.join("was.json")
}

fn read(folder: &Path) -> Option<Was> {
    serde_json::from_slice(&fs::read(record(folder)).ok()?).ok()
}

pub(super) fn install(hooks: &Hooks, path: &Path) -> Result<Placed, HookError> {
    let folder = hooks.forward_dir();
    let before = match read(&folder) {
        Some(was) if path == folder => was,
        _ => Was { path: path.to_owned(), local: hooks.config(&["--local", "--get", "core.hooksPath"])? },
    };
    let mut changed = write(hooks, &folder, &before)?;
    if path != folder {
        let ours = folder.to_string_lossy().into_owned();
        hooks.config(&["--local", "core.hooksPath", &ours])?;
        changed = true;
        if hooks.effective_path()?.as_deref() != Some(&folder) {
            restore(hooks, &before)?;
            return Err(HookError::Overruled);
        }
    }
    let first = before.path.join(NAME);
    let first = hooks.root.join(&first).is_file().then_some(first);
    Ok(Placed { hook: folder.join(NAME), installed: true, changed, first })
}

fn write(hooks: &Hooks, folder: &Path, before: &Was) -> Result<bool, HookError> {
    let mut changed = script::put(&folder.join(NAME), &script::guard(Some(&before.path.join(NAME))))?;
    let there = |name: &&&str| hooks.root.join(&before.path).join(name).exists();
    for name in ALWAYS.iter().chain(WHEN_THERE.iter().filter(there)) {
        changed |= script::put(&folder.join(name), &script::forwarder(&before.path))?;
    }
    let text = serde_json::to_string(before).unwrap_or_default();
    fs::write(record(folder), text).map_err(HookError::io(folder, "written"))?;
    Ok(changed)
}

pub(super) fn uninstall(hooks: &Hooks) -> Result<Placed, HookError> {
    let folder = hooks.forward_dir();
    let was = read(&folder);
    // A tool that set the path anew has the last word.
    if hooks.path.as_deref() == Some(&folder) {
        let unknown = Was { path: PathBuf::new(), local: None };
        restore(hooks, was.as_ref().unwrap_or(&unknown))?;
    }
    fs::remove_dir_all(&folder).map_err(HookError::io(&folder, "removed"))?;
    let first = was.map(|was| was.path).filter(|path| !path.as_os_str().is_empty());
    Ok(Placed { hook: folder.join(NAME), installed: false, changed: true, first })
}

fn restore(hooks: &Hooks, was: &Was) -> Result<(), HookError> {
    match &was.local {
        Some(local) => hooks.config(&["--local", "core.hooksPath", local])?,
        None => hooks.config(&["--local", "--unset", "core.hooksPath"])?,
    };
    Ok(())
}
