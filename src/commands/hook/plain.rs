//! The guard in git's own hooks folder. A hook that is there (a person's, or one of pre-commit, prek or lefthook) is
//! renamed, called first, and renamed back.

use std::fs;
use std::path::Path;

use super::script::{self, BEFORE, NAME};
use super::{HookError, Placed};

pub(super) fn install(folder: &Path) -> Result<Placed, HookError> {
    let (hook, before) = (folder.join(NAME), folder.join(BEFORE));
    let foreign = hook.symlink_metadata().is_ok() && !script::is_ours(&hook);
    if foreign {
        if before.symlink_metadata().is_ok() {
            return Err(HookError::InTheWay { path: before });
        }
        fs::rename(&hook, &before).map_err(HookError::io(&hook, "renamed"))?;
    }
    let written = script::put(&hook, &script::guard(None));
    if written.is_err() && foreign {
        // Better no guard than no hook.
        let _ = fs::rename(&before, &hook);
    }
    let first = before.symlink_metadata().is_ok().then_some(before);
    Ok(Placed { hook, installed: true, changed: written?, first })
}

pub(super) fn uninstall(folder: &Path) -> Result<Placed, HookError> {
    let (hook, before) = (folder.join(NAME), folder.join(BEFORE));
    if !script::is_ours(&hook) {
        return Ok(Placed { hook, installed: false, changed: false, first: None });
    }
    if before.symlink_metadata().is_err() {
        fs::remove_file(&hook).map_err(HookError::io(&hook, "removed"))?;
        return Ok(Placed { hook, installed: false, changed: true, first: None });
    }
    // Replaces the guard in one step.
    fs::rename(&before, &hook).map_err(HookError::io(&before, "renamed"))?;
    Ok(Placed { first: Some(hook.clone()), hook, installed: false, changed: true })
}
