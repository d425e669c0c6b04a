//! The PR's own agent files, set aside while an agent runs.
//!
//! Agent CLIs take hooks, commands and keys from files in the folder that they run in, some of them even in modes
//! that are called read-only. Links are moved as links and never followed.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Name of the record in the store; written before anything is moved.
const RECORD: &str = "set-aside.json";

/// Files moved out of the worktree; put back by [`SetAside::restore`], or when dropped.
///
/// The store must lie where the agent can't write. When the program dies, the next [`SetAside::take`] with the same
/// store puts everything back first.
#[derive(Debug)]
pub struct SetAside {
    store: PathBuf,
    record: Record,
    restored: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    worktree: PathBuf,
    names: Vec<String>,
}

impl SetAside {
    /// Moves `names` (files or folders, relative to the worktree) into `store`, those that are there.
    ///
    /// # Errors
    /// When a name leaves the worktree or lies in `.git`, when a leftover of an earlier run can't be put back, or
    /// when moving fails; what was moved by then is put back.
    pub fn take(worktree: &Path, names: &[String], store: &Path) -> io::Result<Self> {
        for name in names {
            check(name)?;
        }
        if let Some(leftover) = Self::leftover(worktree, store)? {
            leftover.restore()?;
        }
        let there = |name: &&String| has_real_parents(worktree, name) && exists(&worktree.join(name));
        let record = Record { worktree: worktree.to_owned(), names: names.iter().filter(there).cloned().collect() };
        let aside = Self { store: store.to_owned(), record, restored: false };
        if !aside.record.names.is_empty() {
            aside.write_record()?;
        }
        for name in &aside.record.names {
            // A failure drops `aside`, which puts back what was moved.
            relocate(&worktree.join(name), &store.join("files").join(name))?;
        }
        Ok(aside)
    }

    /// Paths that were moved, relative to the worktree.
    pub fn names(&self) -> Vec<String> {
        self.record.names.clone()
    }

    /// Puts everything back, over whatever the agent may have created in its place; names what it did create.
    ///
    /// # Errors
    /// When a file can't be moved back. The store keeps it then, for the next attempt.
    pub fn restore(mut self) -> io::Result<Vec<String>> {
        self.restored = true;
        self.put_back()
    }

    fn leftover(worktree: &Path, store: &Path) -> io::Result<Option<Self>> {
        let text = match fs::read(store.join(RECORD)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let record: Record = serde_json::from_slice(&text)?;
        if record.worktree != worktree {
            let why = format!("{} holds files of {}", store.display(), record.worktree.display());
            return Err(io::Error::new(ErrorKind::AlreadyExists, why));
        }
        Ok(Some(Self { store: store.to_owned(), record, restored: false }))
    }

    fn write_record(&self) -> io::Result<()> {
        fs::create_dir_all(&self.store)?;
        let partial = self.store.join("set-aside.partial");
        fs::write(&partial, serde_json::to_vec(&self.record)?)?;
        fs::File::open(&partial)?.sync_all()?;
        fs::rename(partial, self.store.join(RECORD))
    }

    fn put_back(&self) -> io::Result<Vec<String>> {
        let mut created = Vec::new();
        for name in &self.record.names {
            let (kept, place) = (self.store.join("files").join(name), self.record.worktree.join(name));
            if !exists(&kept) {
                continue;
            }
            make_real_parents(&self.record.worktree, name)?;
            if exists(&place) {
                created.push(name.clone());
                // Moved before it is removed: the agent may have made it hard to remove.
                let away = tempfile::tempdir_in(&self.store)?;
                relocate(&place, &away.path().join("created"))?;
            }
            relocate(&kept, &place)?;
        }
        if exists(&self.store.join(RECORD)) {
            fs::remove_file(self.store.join(RECORD))?;
        }
        // Only what the agent created may still be in there.
        let _ = fs::remove_dir_all(&self.store);
        Ok(created)
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        if !self.restored
            && let Err(error) = self.put_back()
        {
            tracing::warn!(store = %self.store.display(), %error, "files that were set aside could not be put back");
        }
    }
}

/// A name must stay in the worktree and out of git's own folder.
fn check(name: &str) -> io::Result<()> {
    let path = Path::new(name);
    let normal = path.components().all(|part| matches!(part, Component::Normal(_)));
    let in_git = path.components().next().is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
    if name.is_empty() || !normal || in_git {
        return Err(io::Error::new(ErrorKind::InvalidInput, format!("`{name}` can't be set aside")));
    }
    Ok(())
}

fn metadata(path: &Path) -> Option<Metadata> {
    fs::symlink_metadata(path).ok()
}

fn exists(path: &Path) -> bool {
    metadata(path).is_some()
}

fn parents<'a>(worktree: &'a Path, name: &str) -> impl Iterator<Item = PathBuf> + use<'a> {
    let mut dirs: Vec<_> =
        Path::new(name).ancestors().skip(1).filter(|dir| *dir != Path::new("")).map(Path::to_owned).collect();
    dirs.reverse();
    dirs.into_iter().map(|dir| worktree.join(dir))
}

/// No folder on the way to it is a link.
fn has_real_parents(worktree: &Path, name: &str) -> bool {
    parents(worktree, name).all(|dir| metadata(&dir).is_some_and(|data| data.is_dir()))
}

fn make_real_parents(worktree: &Path, name: &str) -> io::Result<()> {
    for dir in parents(worktree, name) {
        match metadata(&dir) {
            Some(data) if data.is_dir() => continue,
            Some(_) => fs::remove_file(&dir)?,
            None => {}
        }
        fs::create_dir(&dir)?;
    }
    Ok(())
}

/// Moves a file, folder or link to a place that doesn't exist, over file systems if need be.
fn relocate(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            // Complete under another name first, so that a half copy is never taken for the whole.
            let mut partial = to.as_os_str().to_owned();
            partial.push(".prfix-partial");
            let partial = PathBuf::from(partial);
            remove(&partial)?;
            copy(from, &partial)?;
            fs::rename(&partial, to)?;
            remove(from)
        }
        result => result,
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let data = fs::symlink_metadata(from)?;
    if data.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if !data.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    fs::set_permissions(to, data.permissions())
}

fn remove(path: &Path) -> io::Result<()> {
    match metadata(path) {
        Some(data) if data.is_dir() => fs::remove_dir_all(path),
        Some(_) => fs::remove_file(path),
        None => Ok(()),
    }
}
