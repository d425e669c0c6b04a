//! One run per pull request: a file lock, which ends with its process however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::store::{StateError, Store};

/// Who holds the lock; for people, never for deciding.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Held {
    pub pid: u32,
    /// RFC 3339.
    pub since: String,
}

/// The lock of one pull request, released when dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a pull request.
    ///
    /// # Errors
    /// [`StateError::Locked`] names the process that has it, and since when.
    pub fn take(store: &Store, pr: u64, now: Timestamp) -> Result<Self, StateError> {
        let path = store.pr_dir(pr)?.join("lock");
        Self::at(&path, now, |held| StateError::Locked { pr, pid: held.pid, since: held.since })
    }

    /// Takes the lock of the fix loops of this repository.
    ///
    /// # Errors
    /// [`StateError::LoopRuns`] names the process that has it, and since when.
    pub fn take_loop(store: &Store, now: Timestamp) -> Result<Self, StateError> {
        std::fs::create_dir_all(store.root()).map_err(StateError::io(store.root(), "created"))?;
        let path = store.root().join("loop.lock");
        Self::at(&path, now, |held| StateError::LoopRuns { pid: held.pid, since: held.since })
    }

    fn at(path: &Path, now: Timestamp, refusal: impl FnOnce(Held) -> StateError) -> Result<Self, StateError> {
        let io = |doing| StateError::io(path, doing);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io("opened"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                let held = serde_json::from_str(&text).unwrap_or(Held { pid: 0, since: "an unknown time".into() });
                return Err(refusal(held));
            }
            Err(TryLockError::Error(error)) => return Err(io("locked")(error)),
        }
        let held = Held { pid: std::process::id(), since: now.to_string() };
        let text = serde_json::to_string(&held).unwrap_or_default();
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(io("written"))?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_told_who_holds_the_lock_and_since_when() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let now: Timestamp = "2026-11-30T23:45:01Z".parse().unwrap();
        let lock = Lock::take(&store, 7, now).unwrap();
        let refusal = Lock::take(&store, 7, now).unwrap_err().to_string();
        assert!(
            refusal.contains(&std::process::id().to_string()) && refusal.contains("2026-11-30T23:45:01Z"),
            "{refusal}"
        );
        assert!(Lock::take(&store, 8, now).is_ok());
        drop(lock);
        assert!(Lock::take(&store, 7, now).is_ok());
    }
}
