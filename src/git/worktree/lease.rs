//! A process that works in managed worktrees says so in their metadata again and again (A20). Otherwise nobody could
//! tell, weeks later, whether a process id is still its own or was given to another program.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::store::Store;
use super::{Manager, Metadata, Worktree};
use crate::clock::Clock;
use crate::git::GitError;

const EVERY: SignedDuration = SignedDuration::from_mins(10);
/// How often the clock is looked at: on a machine that slept it has jumped.
const LOOK: Duration = Duration::from_secs(20);

/// Keeps the metadata of one owner's worktrees fresh until it is dropped.
pub struct Lease {
    kept: Arc<Kept>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Kept {
    store: Store,
    owner: String,
    clock: Arc<dyn Clock>,
}

impl Manager<'_> {
    /// This process is at work in all worktrees of `owner` that it acquires or takes over from now on.
    pub fn lease(&self, owner: &str, clock: Arc<dyn Clock>) -> Lease {
        let kept = Arc::new(Kept { store: self.store.clone(), owner: owner.to_owned(), clock });
        let (stop, stopped) = channel::<()>();
        let keeper = Arc::clone(&kept);
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                keeper.refresh();
            }
        });
        Lease { kept, stop: Some(stop), thread: Some(thread) }
    }

    /// Makes this process the owner of a worktree that an earlier one of the same run had.
    ///
    /// # Errors
    /// When the metadata cannot be written.
    pub fn take_over(&self, worktree: &Worktree, by: &Metadata) -> Result<(), GitError> {
        let Some(name) = self.name_of(&worktree.path) else { return Ok(()) };
        let _lock = self.store.lock()?;
        let before =
            self.store.read(&name).unwrap_or_else(|| Metadata { base_oid: worktree.base.clone(), ..by.clone() });
        let seen_at = Some(by.created_at.clone());
        self.store.write(&name, &Metadata { owner: by.owner.clone(), pid: by.pid, seen_at, ..before })
    }
}

impl Lease {
    /// Writes down that this process lives, where that was said last ten minutes ago or longer. Happens by itself.
    pub fn refresh(&self) {
        self.kept.refresh();
    }
}

impl Kept {
    fn refresh(&self) {
        let now = self.clock.now();
        let due = |metadata: &Metadata| {
            metadata.owner == self.owner
                && metadata.pid == std::process::id()
                && metadata.seen().is_none_or(|seen| now.duration_since(seen) >= EVERY)
        };
        let names: Vec<String> =
            self.store.names().into_iter().filter(|name| self.store.read(name).as_ref().is_some_and(due)).collect();
        for name in names {
            // What cannot be written now is tried again at the next look.
            let _ = self.renew(&name, now, due);
        }
    }

    /// Under the lock, and only what is still there: a worktree that was removed meanwhile does not come back.
    fn renew(&self, name: &str, now: Timestamp, due: impl Fn(&Metadata) -> bool) -> Result<(), GitError> {
        let _lock = self.store.lock()?;
        match self.store.read(name).filter(due) {
            Some(metadata) if self.store.checkout(name).exists() => {
                self.store.write(name, &Metadata { seen_at: Some(now.to_string()), ..metadata })
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
