//! The list of managed worktrees with what may become of each, and the sweep that acts on it.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::registry::Registration;
use super::remove::Work;
use super::{Manager, Metadata, leftover};
use crate::git::{Ancestry, GitError};
use crate::process::Output;

const FRESH: SignedDuration = SignedDuration::from_hours(1);
const STALE_CLEAN: SignedDuration = SignedDuration::from_hours(14 * 24);
const STALE_DIRTY: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Automatic sweeps per root that only report.
const DRY_SWEEPS: u32 = 3;

/// What a worktree is, and so what may become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Kept with a reason.
    Locked,
    /// Its owner runs, or a process works in it.
    Active,
    /// Less than an hour old.
    Fresh,
    /// Clean, nothing unpushed, nobody's.
    Empty,
    /// As [`State::Empty`], of a process that ended.
    DeadOwner,
    /// Changed files, precious ignored files or unpushed commits.
    HoldsWork,
    /// Unpushed commits, more than 14 days old.
    StaleClean,
    /// Changed files, more than 30 days old.
    StaleDirty,
    /// A folder without registration, with nothing but dependencies in it.
    OrphanedDir,
    /// A folder without registration that holds more.
    OrphanedDirPreserved,
    /// A registration whose folder is gone.
    OrphanedRegistration,
}

impl State {
    /// Nothing is lost when it goes.
    pub fn is_removable(self) -> bool {
        matches!(self, Self::Empty | Self::DeadOwner | Self::OrphanedDir | Self::OrphanedRegistration)
    }
}

/// One managed worktree.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    pub name: String,
    pub path: PathBuf,
    pub state: State,
    /// What speaks against its removal, in a reader's words.
    pub why: Vec<String>,
    pub pr: Option<u64>,
    pub owner: Option<String>,
    pub owner_alive: bool,
    /// Since it was acquired; unknown without metadata and folder.
    pub age_seconds: Option<i64>,
    /// Disk space of the checkout.
    pub bytes: u64,
    /// A sweep took it away.
    pub removed: bool,
}

impl Manager<'_> {
    /// All managed worktrees of this repository, by name. Nothing is changed. A root that is a
    /// symbolic link is skipped.
    ///
    /// # Errors
    /// When the registrations cannot be read.
    pub fn list(&self, now: Timestamp) -> Result<Vec<Listed>, GitError> {
        if self.store.is_redirected() {
            return Ok(Vec::new());
        }
        self.store.names().iter().map(|name| self.describe(name, now)).collect()
    }

    /// Takes away what [`State::is_removable`] allows, unless `dry_run`; only one process at a time
    /// does. A branch goes with its worktree when the program made it and it holds nothing of its own.
    ///
    /// # Errors
    /// When the registrations cannot be read. What could not be removed says so in [`Listed::why`].
    pub fn clean(&self, now: Timestamp, dry_run: bool) -> Result<Vec<Listed>, GitError> {
        if self.store.is_redirected() || !self.store.folder().is_dir() {
            return Ok(Vec::new());
        }
        self.store.prepare()?;
        let _lock = self.store.lock()?;
        let mut listed = self.list(now)?;
        for worktree in listed.iter_mut().filter(|worktree| worktree.state.is_removable() && !dry_run) {
            match self.sweep_away(worktree) {
                Ok(()) => worktree.removed = true,
                Err(error) => worktree.why.push(error.to_string()),
            }
        }
        Ok(listed)
    }

    /// A [`Manager::clean`] that nobody asked for: the first three below one root only report.
    ///
    /// # Errors
    /// As [`Manager::clean`].
    pub fn sweep(&self, now: Timestamp) -> Result<Vec<Listed>, GitError> {
        let dry_run = !self.store.folder().is_dir() || self.store.count_sweep() < DRY_SWEEPS;
        self.clean(now, dry_run)
    }

    fn describe(&self, name: &str, now: Timestamp) -> Result<Listed, GitError> {
        let path = self.store.checkout(name);
        let metadata = self.store.read(name);
        let registration = self.registration(&path)?;
        let age = age(metadata.as_ref(), &path, now);
        let owner_alive = metadata.as_ref().is_some_and(|metadata| metadata.owner_is_alive(now));
        let busy = owner_alive || is_occupied(&path);
        let (state, why) = match registration {
            Some(registration) => self.judge(&registration, metadata.as_ref(), age, busy),
            None if busy => (State::Active, Vec::new()),
            None => (orphan(&path), Vec::new()),
        };
        Ok(Listed {
            name: name.to_owned(),
            state,
            why,
            pr: metadata.as_ref().and_then(|metadata| metadata.pr),
            owner: metadata.map(|metadata| metadata.owner),
            owner_alive,
            age_seconds: age.map(|age| age.as_secs()),
            bytes: size(&path),
            path,
            removed: false,
        })
    }

    fn judge(
        &self,
        registration: &Registration,
        metadata: Option<&Metadata>,
        age: Option<SignedDuration>,
        busy: bool,
    ) -> (State, Vec<String>) {
        if let Some(reason) = registration.locked.as_ref().filter(|_| !registration.is_half_made() || busy) {
            return (State::Locked, vec![reason.clone()]);
        }
        if busy {
            return (State::Active, Vec::new());
        }
        if !registration.path.exists() || registration.is_half_made() {
            return (State::OrphanedRegistration, Vec::new());
        }
        let older = |limit| age.is_some_and(|age| age > limit);
        let base = metadata.map_or("", |metadata| metadata.base_oid.as_str());
        match self.work_in(registration, base, None) {
            Err(error) => (State::HoldsWork, vec![error.to_string()]),
            Ok(work) if !work.is_none() => (working(&work, &older), work.describe()),
            Ok(_) if !older(FRESH) => (State::Fresh, Vec::new()),
            Ok(_) if metadata.is_some() => (State::DeadOwner, Vec::new()),
            Ok(_) => (State::Empty, Vec::new()),
        }
    }

    fn sweep_away(&self, worktree: &Listed) -> Result<(), GitError> {
        let base = self.store.read(&worktree.name).map(|metadata| metadata.base_oid);
        match self.registration(&worktree.path)? {
            Some(registration) if worktree.state == State::OrphanedRegistration => {
                leftover::discard(self.repo, &registration)?;
            }
            Some(_) => self.take_away(&worktree.path)?,
            None if worktree.path.exists() => std::fs::remove_dir_all(&worktree.path)
                .map_err(|error| GitError::failed(&format!("removing `{}`", worktree.path.display()), error))?,
            None => {}
        }
        self.store.forget(&worktree.name);
        self.drop_branch(&worktree.name, base.as_deref());
        Ok(())
    }

    /// When git cannot tell, it is.
    fn is_checked_out(&self, full: &str) -> bool {
        let listed = self.repo.git().args(["worktree", "list", "--porcelain"]).run();
        let heads = listed.ok().filter(Output::success).map(|output| output.text());
        heads.is_none_or(|heads| heads.lines().any(|line| line.strip_prefix("branch ") == Some(full)))
    }

    /// Deletes our branch when nothing on it was ahead of its base.
    fn drop_branch(&self, name: &str, base: Option<&str>) {
        let full = format!("refs/heads/{name}");
        let (Some(base), Some(tip)) = (base, self.repo.ref_oid(&full)) else { return };
        if self.store.claimed_branch(name) && self.repo.ancestry(&tip, base) == Ancestry::Yes {
            // Not `git branch -D`, which writes the operator's configuration anew even when it has nothing to remove
            // there. The tip is named, so that a branch that moved meanwhile stays.
            if !self.is_checked_out(&full) {
                let _ = self.repo.git().args(["update-ref", "-d", &full, &tip]).run();
            }
        }
    }
}

fn working(work: &Work, older: &impl Fn(SignedDuration) -> bool) -> State {
    let dirty = !work.changed.is_empty() || !work.precious.is_empty();
    match dirty {
        true if older(STALE_DIRTY) => State::StaleDirty,
        false if older(STALE_CLEAN) => State::StaleClean,
        _ => State::HoldsWork,
    }
}

fn orphan(path: &Path) -> State {
    if path.is_symlink() {
        State::OrphanedDirPreserved
    } else if !path.exists() {
        State::OrphanedRegistration
    } else if leftover::is_only_rebuildable(path) {
        State::OrphanedDir
    } else {
        State::OrphanedDirPreserved
    }
}

fn age(metadata: Option<&Metadata>, path: &Path, now: Timestamp) -> Option<SignedDuration> {
    let folder = || Timestamp::try_from(path.symlink_metadata().ok()?.modified().ok()?).ok();
    let since = metadata.and_then(Metadata::created).or_else(folder)?;
    Some(now.duration_since(since))
}

/// A process has its working directory in it (where the system tells).
fn is_occupied(path: &Path) -> bool {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok()).any(|cwd| cwd.starts_with(path))
}

/// Bytes on disk; links are not followed.
fn size(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = path.symlink_metadata() else { return 0 };
    let own = metadata.blocks() * 512;
    if !metadata.is_dir() {
        return own;
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    own + entries.map(|entry| size(&entry.path())).sum::<u64>()
}
