//! The file of a watch, `pr-<n>/watch.json`, its two locks, and the list of all watches.
//!
//! `watch.lock` is held by the process that drives the watch, for as long as it does; the system releases it
//! however that ends. `watch.json` is changed under a lock of its own, for moments, also by those who only stop or
//! take over.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;

use jiff::Timestamp;

use super::lock::Held;
use super::store::{StateError, Store, write_atomic};
use crate::model::watch::{Record, SCHEMA};

/// The process that drives a watch holds this.
#[derive(Debug)]
pub struct Driving {
    _file: File,
}

/// The record of one pull request's watch.
#[derive(Debug, Clone)]
pub struct WatchFile {
    store: Store,
    pr: u64,
}

impl WatchFile {
    pub fn new(store: &Store, pr: u64) -> Self {
        Self { store: store.clone(), pr }
    }

    fn dir(&self) -> PathBuf {
        self.store.root().join(format!("pr-{}", self.pr))
    }

    pub fn path(&self) -> PathBuf {
        self.dir().join("watch.json")
    }

    /// The record; `None` when there is no watch.
    ///
    /// # Errors
    /// [`StateError::WatchUnreadable`] when the file is there and is none that this version can go on with.
    pub fn load(&self) -> Result<Option<Record>, StateError> {
        let path = self.path();
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StateError::io(&path, "read")(error)),
        };
        let unreadable = |why: String| StateError::WatchUnreadable { path: path.clone(), pr: self.pr, why };
        let record: Record = serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
        if record.schema != SCHEMA {
            return Err(unreadable(format!("it says `{}`", crate::model::text::one_line(&record.schema, 60))));
        }
        Ok(Some(record))
    }

    /// Changes the record as one step; `change` may make, replace or (with `None`) remove it.
    ///
    /// # Errors
    /// As [`WatchFile::load`], or when it cannot be written.
    pub fn update<T>(&self, change: impl FnOnce(&mut Option<Record>) -> T) -> Result<T, StateError> {
        let lock = self.store.pr_dir(self.pr)?.join("watch.write");
        let io = |doing| StateError::io(&lock, doing);
        let file = OpenOptions::new().append(true).create(true).open(&lock).map_err(io("opened"))?;
        file.lock().map_err(io("locked"))?;
        let before = self.load()?;
        let mut record = before.clone();
        let answer = change(&mut record);
        if record != before {
            self.store(record.as_ref())?;
        }
        Ok(answer)
    }

    fn store(&self, record: Option<&Record>) -> Result<(), StateError> {
        let path = self.path();
        let Some(record) = record else {
            return std::fs::remove_file(&path).map_err(StateError::io(&path, "removed"));
        };
        let text = serde_json::to_vec_pretty(record).map_err(|error| StateError::io(&path, "written")(error.into()))?;
        write_atomic(&path, &text)
    }

    /// Removes the file, whatever stands in it.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn discard(&self) -> Result<(), StateError> {
        match std::fs::remove_file(self.path()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StateError::io(&self.path(), "removed")(error))
            }
            _ => Ok(()),
        }
    }

    /// Takes the watch for this process.
    ///
    /// # Errors
    /// [`StateError::Watched`] names the process that drives it.
    pub fn drive(&self, now: Timestamp) -> Result<Driving, StateError> {
        let path = self.store.pr_dir(self.pr)?.join("watch.lock");
        let io = |doing| StateError::io(&path, doing);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io("opened"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let held = held(&mut file);
                return Err(StateError::Watched { pr: self.pr, pid: held.pid, since: held.since });
            }
            Err(TryLockError::Error(error)) => return Err(io("locked")(error)),
        }
        let text = serde_json::to_string(&Held { pid: std::process::id(), since: now.to_string() }).unwrap_or_default();
        let write = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
        write.map_err(io("written"))?;
        Ok(Driving { _file: file })
    }

    /// Who drives the watch right now. Asks no network and waits for nobody.
    pub fn driver(&self) -> Option<Held> {
        let mut file = File::open(self.dir().join("watch.lock")).ok()?;
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then(|| held(&mut file))
    }

    /// Whether a run works on the pull request right now.
    pub fn run_in_progress(&self) -> Option<Held> {
        let mut file = File::open(self.dir().join("lock")).ok()?;
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then(|| held(&mut file))
    }

    /// The pull requests that have a file of a watch, readable or not, in order.
    pub fn all(store: &Store) -> Vec<Self> {
        let entries = std::fs::read_dir(store.root()).into_iter().flatten().flatten();
        let mut numbers: Vec<u64> =
            entries.filter_map(|entry| entry.file_name().to_str()?.strip_prefix("pr-")?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers.into_iter().map(|pr| Self::new(store, pr)).filter(|file| file.path().exists()).collect()
    }

    pub fn pr(&self) -> u64 {
        self.pr
    }
}

fn held(file: &mut File) -> Held {
    let mut text = String::new();
    let _ = file.read_to_string(&mut text);
    serde_json::from_str(&text).unwrap_or(Held { pid: 0, since: "an unknown time".into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_drives_a_watch_and_others_see_who() {
        let dir = tempfile::tempdir().unwrap();
        let file = WatchFile::new(&Store::new(dir.path()), 7);
        assert!(file.driver().is_none());
        let driving = file.drive("2026-11-30T23:45:01Z".parse().unwrap()).unwrap();
        assert_eq!(file.driver().map(|held| held.pid), Some(std::process::id()));
        assert!(matches!(file.drive(Timestamp::UNIX_EPOCH), Err(StateError::Watched { pr: 7, .. })));
        drop(driving);
        assert!(file.driver().is_none() && file.drive(Timestamp::UNIX_EPOCH).is_ok());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_and_is_no_missing_watch() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let file = WatchFile::new(&store, 7);
        assert!(file.load().unwrap().is_none() && WatchFile::all(&store).is_empty());
        store.pr_dir(7).unwrap();
        std::fs::write(file.path(), r#"{"schema": "git-prfix.watch/9"}"#).unwrap();
        let error = file.load().unwrap_err().to_string();
        assert!(error.contains("watch.json"), "{error}");
        assert!(file.update(|record| *record = None).is_err());
        assert_eq!(WatchFile::all(&store).len(), 1);
        file.discard().unwrap();
        assert!(file.load().unwrap().is_none());
    }
}
