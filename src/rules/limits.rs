//! The budget of one call into Lua: processor time and the size of strings.
//!
//! The budget latches. Once it is spent, every check fails until the outermost call has returned, so a script
//! that catches the error with `pcall` gains nothing.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;

/// The longest string that a script may build with a library function, in bytes.
pub(super) const MAX_STRING: usize = 16 << 20;
/// The most elements or repetitions that one library call may be asked for.
pub(super) const MAX_COUNT: i64 = 1_000_000;
/// Memory of the whole virtual machine, in bytes.
pub(super) const MAX_MEMORY: usize = 64 << 20;
/// Calls from a library function back into Lua that may be nested; each takes a good deal of the native stack.
const MAX_NESTED: u32 = 16;
/// Processor time of one question to the rules.
pub(super) const BUDGET: Duration = Duration::from_millis(250);

/// A rule used up its time.
#[derive(Debug, Error)]
#[error("the rule ran longer than {} ms", .0.as_millis())]
pub(super) struct Timeout(Duration);

/// Shared by the instruction hook, the pattern matcher and the wrapped library functions.
#[derive(Debug)]
pub(super) struct Limits {
    budget: Duration,
    running: Cell<bool>,
    /// Set at the first look at the clock, so that short calls never look.
    deadline: Cell<Option<Duration>>,
    spent: Cell<bool>,
    ticks: Cell<u32>,
    nested: Cell<u32>,
}

impl Limits {
    pub fn new(budget: Duration) -> Rc<Self> {
        Rc::new(Self {
            budget,
            running: Cell::new(false),
            deadline: Cell::new(None),
            spent: Cell::new(false),
            ticks: Cell::new(0),
            nested: Cell::new(0),
        })
    }

    pub fn start(&self) {
        self.spent.set(false);
        self.running.set(true);
    }

    /// Ends the measured call; says whether its budget was spent.
    pub fn stop(&self) -> bool {
        self.running.set(false);
        self.deadline.set(None);
        self.spent.replace(false)
    }

    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    pub fn timeout(&self) -> mlua::Error {
        mlua::Error::external(Timeout(self.budget))
    }

    /// Work of the host that no rule should be charged for, such as compiling a pattern once.
    pub fn uncounted<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = thread_time();
        let result = work();
        if let Some(deadline) = self.deadline.get() {
            self.deadline.set(Some(deadline + thread_time().saturating_sub(before)));
        }
        result
    }

    pub fn check(&self) -> mlua::Result<()> {
        if self.spent.get() {
            return Err(self.timeout());
        }
        if !self.running.get() {
            return Ok(());
        }
        let now = thread_time();
        match self.deadline.get() {
            None => self.deadline.set(Some(now + self.budget)),
            Some(deadline) if now > deadline => {
                self.spent.set(true);
                return Err(self.timeout());
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// For small steps: looks at the clock at every 256th.
    pub fn tick(&self) -> mlua::Result<()> {
        let ticks = self.ticks.get().wrapping_add(1);
        self.ticks.set(ticks);
        if ticks & 0xff == 0 { self.check() } else { Ok(()) }
    }

    /// Runs a call from a library function back into Lua.
    pub fn nest<T>(&self, call: impl FnOnce() -> mlua::Result<T>) -> mlua::Result<T> {
        let nested = self.nested.get();
        if nested >= MAX_NESTED {
            return Err(mlua::Error::runtime(format!("stack overflow: over {MAX_NESTED} nested callbacks")));
        }
        self.nested.set(nested + 1);
        let result = call();
        self.nested.set(nested);
        result
    }

    pub fn check_size(&self, bytes: usize) -> mlua::Result<()> {
        self.tick()?;
        if bytes <= MAX_STRING {
            return Ok(());
        }
        Err(mlua::Error::runtime(format!("a string of {bytes} bytes is over the limit of {} MiB", MAX_STRING >> 20)))
    }
}

/// Processor time of this thread: unlike the time of day, it stands still while a busy machine runs others.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Whether an error is, or was caused by, a spent budget.
pub(super) fn is_timeout(error: &mlua::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<Timeout>().is_some())
}
