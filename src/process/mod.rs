//! The only door to child processes.
//!
//! Every child runs without a shell, with git's local environment variables cleared, without a
//! terminal, under a time limit, and with bounded memory for what it prints. When [`Run::run`]
//! returns, nothing that the child started is running any more: on Linux each child lives under a
//! supervisor that adopts what it orphans, so a daemon can't leave the tree; elsewhere the child's
//! process group is ended.

mod become_program;
mod capture;
mod conceal;
mod detach;
mod interrupt;
mod parallel;
mod run;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod tree;
mod wait;

pub use become_program::become_program;
pub use conceal::conceal_memory;
pub use detach::detach;
pub use interrupt::{interrupted, watch_interrupts};
pub use parallel::each;
#[cfg(target_os = "linux")]
pub use tree::working_in;
/// A process that works in a folder, where the system tells.
#[cfg(not(target_os = "linux"))]
pub fn working_in(_: &std::path::Path) -> Option<u32> {
    None
}
pub use run::{Ended, GIT_LOCAL_VARS, Output, ProcessError, Run};
pub use wait::nap;
