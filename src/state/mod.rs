//! What a run leaves behind in `<git common dir>/prfix/`: journal, lock, store.

mod journal;
mod lock;
pub mod marks;
mod replay;
mod reviewers;
mod spending;
mod store;
mod watch;

pub use journal::{Effect, Entry, Event, GateRun, Journal};
pub use lock::{Held, Lock};
pub use replay::{Pass, Replay, entries, fold, replay};
pub use reviewers::Reviewers;
pub use spending::Spending;
pub use store::{RunDir, StateError, Store, write_atomic};
pub use watch::{Driving, WatchFile};
