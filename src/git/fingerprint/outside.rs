//! The likely places out of the worktree, for agents that no sandbox holds: files of the home folder that are obeyed
//! at the next login, shell or command, and the operator's own checkout.
//!
//! The former are put back, and what they became is saved. The latter is only named: it is where the operator works.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::files::{Root, Snapshot};
use super::{Place, Tampering, config};
use crate::git::{GitError, child};
use crate::model::text::one_line;

/// Relative to HOME. git's own configuration is looked at in any case.
const OBEYED: &[&str] = &[
    ".profile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".zlogin",
    ".zlogout",
    ".config/fish/config.fish",
    ".config/fish/conf.d",
    ".config/environment.d",
    ".config/autostart",
    ".config/systemd/user",
    ".config/git",
    ".pam_environment",
    ".xprofile",
    ".xsessionrc",
    ".ssh/config",
    ".ssh/rc",
    ".ssh/authorized_keys",
    ".npmrc",
    ".curlrc",
    ".cargo/config.toml",
    ".cargo/env",
    "Library/LaunchAgents",
];

/// Changed files of the checkout that are named one by one.
const NAMED: usize = 10;

pub(super) struct Outside {
    home: Vec<Snapshot>,
    /// The operator's checkout, and what its files looked like.
    checkout: Option<(PathBuf, BTreeMap<PathBuf, Stamp>)>,
}

/// Enough to notice that somebody wrote: reading every file would take too long.
type Stamp = (u64, u64, i64, i64, u32);

impl Outside {
    pub(super) fn take(place: &Place<'_>, home: &Path) -> Result<Self, GitError> {
        // A link is kept as one, and so is what it leads to, such as a folder of dotfiles.
        let roots = OBEYED.iter().map(|name| home.join(name)).flat_map(|path| {
            let real = path.canonicalize().ok().filter(|real| *real != path);
            real.into_iter().chain([path])
        });
        let roots: BTreeSet<PathBuf> = roots.collect();
        let checkout = place.repo.work_dir().filter(|dir| !place.worktree.path.starts_with(dir));
        let checkout = checkout.map(|dir| Ok((dir.to_owned(), stamps(dir)?))).transpose()?;
        Ok(Self { home: roots.into_iter().map(Root::whole).map(Snapshot::take).collect(), checkout })
    }

    pub(super) fn restore(&self, place: &Place<'_>) -> Result<Vec<Tampering>, GitError> {
        let mut found = Vec::new();
        for snapshot in &self.home {
            let save = |path: &Path, bytes: &[u8]| config::save(place, path, bytes);
            found.extend(snapshot.restore_and_save(place.repo.common_dir(), &save)?);
        }
        if let Some((dir, before)) = &self.checkout {
            found.extend(compare(before, &stamps(dir)?));
        }
        Ok(found)
    }
}

/// Tracked files and untracked ones that are not ignored.
fn stamps(dir: &Path) -> Result<BTreeMap<PathBuf, Stamp>, GitError> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = child::output(dir, args, "listing the files of your checkout")?;
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let paths = paths.map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(path)));
    Ok(paths.filter_map(|path| Some((path.clone(), stamp(&dir.join(path))?))).collect())
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.len(), metadata.ino(), metadata.mtime(), metadata.mtime_nsec(), metadata.mode()))
}

fn compare(before: &BTreeMap<PathBuf, Stamp>, after: &BTreeMap<PathBuf, Stamp>) -> Vec<Tampering> {
    let all: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let changed: Vec<_> = all.into_iter().filter(|path| before.get(*path) != after.get(*path)).collect();
    let mut found: Vec<_> = changed
        .iter()
        .take(NAMED)
        .map(|path| {
            let verb = match (before.contains_key(*path), after.contains_key(*path)) {
                (false, _) => "added",
                (_, false) => "removed",
                _ => "edited",
            };
            Tampering::left(format!("`{}` of your checkout was {verb}", one_line(&path.to_string_lossy(), 120)))
        })
        .collect();
    if changed.len() > NAMED {
        found.push(Tampering::left(format!("{} more files of your checkout were changed", changed.len() - NAMED)));
    }
    found
}
