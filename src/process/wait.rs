//! Waiting for a child, and ending it with everything that it started.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::Ended;

/// How long a child may take to end after SIGINT, and after SIGTERM, before it is killed.
const AFTER_INT: Duration = Duration::from_secs(2);
const AFTER_TERM: Duration = Duration::from_secs(1);

/// When waiting is over.
pub(super) struct Limits {
    pub(super) started: Instant,
    pub(super) timeout: Duration,
    /// Goes on although the program was asked to stop.
    pub(super) through_interrupts: bool,
}

impl Limits {
    fn passed(&self) -> Option<Ended> {
        if !self.through_interrupts && super::interrupted() {
            return Some(Ended::Interrupted);
        }
        (self.started.elapsed() >= self.timeout).then_some(Ended::TimedOut)
    }
}

/// A started child, with what is needed to end it.
pub(super) trait Supervised {
    /// Waits a little while for the child's end.
    fn poll(&mut self, pause: Duration) -> std::io::Result<Option<ExitStatus>>;
    /// Sends a signal to the child's process group.
    fn signal(&self, signal: Signal);
    /// Ends what the child left behind. Nothing of it runs afterwards.
    fn sweep(&mut self) -> std::io::Result<()>;
}

/// Waits for the child's end or for a limit, and leaves nothing running in either case.
pub(super) fn wait(child: &mut dyn Supervised, limits: &Limits) -> std::io::Result<Ended> {
    let mut pause = Duration::from_millis(1);
    let ended = loop {
        if let Some(status) = child.poll(pause)? {
            break status.code().map_or_else(|| Ended::Signaled(status.signal().unwrap_or(0)), Ended::Exited);
        }
        if let Some(ended) = limits.passed() {
            ask_to_end(child)?;
            break ended;
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    child.sweep()?;
    Ok(ended)
}

/// Some agents clean up after SIGINT and leave their tools running after SIGTERM, so SIGINT comes first.
fn ask_to_end(child: &mut dyn Supervised) -> std::io::Result<()> {
    for (signal, grace) in [(Signal::INT, AFTER_INT), (Signal::TERM, AFTER_TERM)] {
        child.signal(signal);
        let asked = Instant::now();
        while asked.elapsed() < grace {
            if child.poll(Duration::from_millis(20))?.is_some() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A child that leads a session of its own, without a supervisor.
pub(super) struct Session<'a> {
    pub(super) child: &'a mut Child,
    /// Helpers that outlive a child that ended by itself (a credential cache, a shared connection) stay.
    pub(super) leave_helpers: bool,
}

impl Supervised for Session<'_> {
    fn poll(&mut self, pause: Duration) -> std::io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_none() {
            nap(pause);
        }
        Ok(status)
    }

    fn signal(&self, signal: Signal) {
        signal_group(self.child.id(), signal);
    }

    fn sweep(&mut self) -> std::io::Result<()> {
        if !self.leave_helpers || self.child.try_wait()?.is_none() {
            self.signal(Signal::KILL);
        }
        self.child.wait().map(drop)
    }
}

pub(super) fn signal_group(leader: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn nap(duration: Duration) {
    std::thread::sleep(duration);
}

#[cfg(target_os = "linux")]
pub(super) use linux::Tree;

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{Error, ErrorKind};
    use std::os::fd::OwnedFd;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ExitStatus};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::Signal;

    use super::super::supervisor::{ENDED, MESSAGE, STARTED};
    use super::super::tree;
    use super::{Supervised, nap, signal_group};

    /// What cannot be killed (it runs as somebody else) is left after this.
    const PATIENCE: Duration = Duration::from_secs(5);

    /// A child under a supervisor.
    pub(in super::super) struct Tree<'a> {
        /// The supervisor; the child's own id comes with its first message.
        supervisor: &'a mut Child,
        reports: OwnedFd,
        mark: &'a str,
        child: Option<u32>,
        status: Option<ExitStatus>,
        /// The supervisor said that nothing is left.
        empty: bool,
    }

    impl<'a> Tree<'a> {
        pub(in super::super) fn new(supervisor: &'a mut Child, reports: OwnedFd, mark: &'a str) -> Self {
            Self { supervisor, reports, mark, child: None, status: None, empty: false }
        }

        fn read_report(&mut self) -> std::io::Result<()> {
            let mut message = [0; MESSAGE];
            match rustix::io::read(&self.reports, &mut message) {
                Ok(MESSAGE) => {}
                Err(rustix::io::Errno::INTR) => return Ok(()),
                // Somebody killed the supervisor, and with it the child.
                Ok(_) => {
                    self.status.get_or_insert(ExitStatus::from_raw(libc::SIGKILL));
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
            let number =
                |at: usize| i32::from_ne_bytes([message[at], message[at + 1], message[at + 2], message[at + 3]]);
            match message[0] {
                STARTED => self.child = u32::try_from(number(1)).ok(),
                ENDED => {
                    self.status = Some(ExitStatus::from_raw(number(1)));
                    self.empty = number(5) == 0;
                }
                _ => return Err(Error::from(ErrorKind::InvalidData)),
            }
            Ok(())
        }
    }

    impl Supervised for Tree<'_> {
        fn poll(&mut self, pause: Duration) -> std::io::Result<Option<ExitStatus>> {
            if self.status.is_some() {
                return Ok(self.status);
            }
            let timeout = Timespec::try_from(pause).map_err(|_| Error::from(ErrorKind::InvalidInput))?;
            match poll(&mut [PollFd::new(&self.reports, PollFlags::IN)], Some(&timeout)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => self.read_report()?,
                Err(error) => return Err(error.into()),
            }
            Ok(self.status)
        }

        fn signal(&self, signal: Signal) {
            if let Some(child) = self.child {
                signal_group(child, signal);
            }
        }

        fn sweep(&mut self) -> std::io::Result<()> {
            let root = self.supervisor.id();
            let started = Instant::now();
            // The supervisor ends by itself once it has nothing left to wait for.
            while !self.empty && self.supervisor.try_wait()?.is_none() {
                if started.elapsed() > PATIENCE {
                    tracing::warn!(target: "prfix::process", left = ?tree::descendants(root), "cannot be ended");
                    self.supervisor.kill()?;
                    break;
                }
                tree::kill_all(|| tree::descendants(root));
                nap(Duration::from_millis(2));
            }
            let lost = self.supervisor.wait()?.code() != Some(0);
            while lost && !tree::kill_all(|| tree::marked(self.mark)) && started.elapsed() < PATIENCE {
                nap(Duration::from_millis(2));
            }
            Ok(())
        }
    }
}
