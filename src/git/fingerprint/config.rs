//! Configuration files: the repository's, each worktree's, the user's, and what they include.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Place, Tampering, files};
use crate::git::{GitError, child};

/// What git itself notes when the operator switches or pushes a branch. Nothing runs because of it.
const BRANCH_NOTES: &[&str] = &["remote", "merge", "rebase", "description", "pushremote"];

pub(super) struct ConfigFiles {
    /// `None`: there was no such file.
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl ConfigFiles {
    pub(super) fn take(place: &Place<'_>) -> Result<Self, GitError> {
        let common = place.repo.common_dir();
        let mut paths = BTreeSet::from([
            common.join("config"),
            common.join("config.worktree"),
            place.admin.join("config.worktree"),
        ]);
        paths.extend(in_use(&place.worktree.path)?);
        paths.extend(of_the_user(&place.worktree.path));
        // What lies in the checkout is a change like any other.
        paths.retain(|path| !path.starts_with(&place.worktree.path));
        Ok(Self { files: paths.into_iter().map(|path| (path.clone(), fs::read(&path).ok())).collect() })
    }

    pub(super) fn restore(&self, place: &Place<'_>) -> Result<Vec<Tampering>, GitError> {
        let mut found = Vec::new();
        for (path, before) in &self.files {
            let after = fs::read(path).ok();
            if after == *before {
                continue;
            }
            let name = files::named(path, place.repo.common_dir());
            if let (Some(before), Some(after)) = (before, &after)
                && only_branch_notes(place, before, after)
            {
                found.push(Tampering::left(format!("`{name}` was edited in what it notes about branches")));
                continue;
            }
            let saved = match &after {
                Some(after) => format!("; what it became is in `{}`", save(place, path, after)?.display()),
                None => String::new(),
            };
            put_back(path, before.as_deref())?;
            let verb = match (before, after) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "edited",
            };
            found.push(Tampering::undone(format!("`{name}` was {verb}{saved}")));
        }
        Ok(found)
    }
}

/// Files that give any value at present.
fn in_use(dir: &Path) -> Result<Vec<PathBuf>, GitError> {
    let run = child::plumbing(dir).args(["config", "--list", "--show-origin", "--name-only", "-z"]);
    let output = child::succeed(run, "listing configuration files")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let origins = text.split('\0').filter_map(|part| part.strip_prefix("file:"));
    Ok(origins.map(|path| dir.join(path)).collect())
}

/// The user's own files, also those that are not there.
fn of_the_user(dir: &Path) -> Vec<PathBuf> {
    let listed = child::text(dir, ["var", "GIT_CONFIG_GLOBAL"], "looking for the user's configuration");
    listed.unwrap_or_default().lines().map(PathBuf::from).filter(|path| path.is_absolute()).collect()
}

/// The two differ in nothing but what git notes about branches.
fn only_branch_notes(place: &Place<'_>, before: &[u8], after: &[u8]) -> bool {
    let parse = |text: &[u8]| -> Option<BTreeSet<String>> {
        let run =
            child::plumbing(&place.worktree.path).args(["config", "--file", "-", "--no-includes", "--list", "-z"]);
        let output = run.stdin(text).run().ok().filter(crate::process::Output::success)?;
        Some(output.text().split('\0').map(str::to_owned).collect())
    };
    let (Some(before), Some(after)) = (parse(before), parse(after)) else { return false };
    before.symmetric_difference(&after).all(|entry| {
        let key = entry.split('\n').next().unwrap_or_default();
        let name = key.strip_prefix("branch.").and_then(|key| key.rsplit_once('.'));
        name.is_some_and(|(_, variable)| BRANCH_NOTES.contains(&variable))
    })
}

pub(super) fn save(place: &Place<'_>, path: &Path, bytes: &[u8]) -> Result<PathBuf, GitError> {
    let folder = place.repo.common_dir().join("prfix/put-back");
    let digest = crate::model::text::digest(&format!("{}{}", path.display(), String::from_utf8_lossy(bytes)));
    let target = folder.join(format!("{}-config", &digest[..8]));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&target, bytes))
        .map_err(|error| GitError::failed(&format!("writing `{}`", target.display()), error))?;
    Ok(target)
}

fn put_back(path: &Path, before: Option<&[u8]>) -> Result<(), GitError> {
    let done = match before {
        Some(bytes) => {
            let mode = path.metadata().map_or(0o644, |metadata| metadata.permissions().mode() & 0o7777);
            // A user's file may be a link into a folder of dotfiles, which stays one.
            let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
            files::write(&real, bytes, mode)
        }
        None => fs::remove_file(path),
    };
    done.map_err(|error| GitError::failed(&format!("putting `{}` back", path.display()), error))
}
