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
    /// How long the child may take to end after SIGINT; default: [`AFTER_INT`].
    pub(super) grace: Option<Duration>,
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
    /// Ends what the child left behind and names it. Nothing of it runs afterwards.
    fn sweep(&mut self) -> std::io::Result<Vec<String>>;
}

/// Waits for the child's end or for a limit, and leaves nothing running in either case. Also says what a child that
/// ended by itself had left running.
pub(super) fn wait(child: &mut dyn Supervised, limits: &Limits) -> std::io::Result<(Ended, Vec<String>)> {
    let mut pause = Duration::from_millis(1);
    let ended = loop {
        if let Some(status) = child.poll(pause)? {
            break status.code().map_or_else(|| Ended::Signaled(status.signal().unwrap_or(0)), Ended::Exited);
        }
        if let Some(ended) = limits.passed() {
            ask_to_end(child, limits.grace.unwrap_or(AFTER_INT))?;
            break ended;
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let left = child.sweep()?;
    let by_itself = matches!(ended, Ended::Exited(_) | Ended::Signaled(_));
    Ok((ended, if by_itself { left } else { Vec::new() }))
}

/// Some agents clean up after SIGINT and leave their tools running after SIGTERM, so SIGINT comes first.
fn ask_to_end(child: &mut dyn Supervised, after_int: Duration) -> std::io::Result<()> {
    for (signal, grace) in [(Signal::INT, after_int), (Signal::TERM, AFTER_TERM)] {
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
    leave_helpers: bool,
    end: End,
}

impl<'a> Session<'a> {
    pub(super) fn new(child: &'a mut Child, leave_helpers: bool) -> Self {
        let end = End::of(child);
        Self { child, leave_helpers, end }
    }
}

impl Supervised for Session<'_> {
    fn poll(&mut self, pause: Duration) -> std::io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            return Ok(status);
        }
        self.end.wait(pause);
        self.child.try_wait()
    }

    fn signal(&self, signal: Signal) {
        signal_group(self.child.id(), signal);
    }

    fn sweep(&mut self) -> std::io::Result<Vec<String>> {
        if !self.leave_helpers || self.child.try_wait()?.is_none() {
            self.signal(Signal::KILL);
        }
        self.child.wait().map(|_| Vec::new())
    }
}

/// The end of a process as something to wait for. A short git command ends within milliseconds, and a run starts
/// many: where the kernel tells (pidfd_open(2)), none of them is waited for longer than it lives.
struct End {
    #[cfg(target_os = "linux")]
    process: Option<std::os::fd::OwnedFd>,
}

impl End {
    #[cfg(target_os = "linux")]
    fn of(child: &Child) -> Self {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let open = |pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok();
        Self { process: pid.and_then(open) }
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_: &Child) -> Self {
        Self {}
    }

    /// Returns when the process ended, and at the latest after `pause`.
    fn wait(&self, pause: Duration) {
        #[cfg(target_os = "linux")]
        if let Some(process) = &self.process
            && let Ok(pause) = rustix::event::Timespec::try_from(pause)
        {
            let _ = linux::readable(process, &pause);
            return;
        }
        nap(pause);
    }
}

pub(super) fn signal_group(leader: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

/// Sleeps for real, whatever the clock says: for waiting on processes.
#[expect(clippy::disallowed_methods, reason = "this is the door")]
pub fn nap(duration: Duration) {
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

    /// Whether there is something to read within the time; a signal ends the waiting.
    pub(super) fn readable(file: &OwnedFd, pause: &Timespec) -> std::io::Result<bool> {
        match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(pause)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

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
            if readable(&self.reports, &timeout)? {
                self.read_report()?;
            }
            Ok(self.status)
        }

        fn signal(&self, signal: Signal) {
            if let Some(child) = self.child {
                signal_group(child, signal);
            }
        }

        fn sweep(&mut self) -> std::io::Result<Vec<String>> {
            let root = self.supervisor.id();
            let left = if self.empty { Vec::new() } else { tree::names(&tree::descendants(root)) };
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
            Ok(left)
        }
    }
}
