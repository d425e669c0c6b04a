//! The process between us and a child (Linux).
//!
//! Between fork and exec the new process makes itself a subreaper and forks once more: the second
//! process becomes the child, the first stays as its supervisor. Whatever the child's descendants
//! orphan is adopted by the supervisor and not by init, so the tree below it is always complete. It
//! ends by itself when nothing is left in it.
//!
//! The supervisor is a copy of a program with threads, of which only one exists in it: everything
//! here must be async-signal-safe (signal-safety(7)); nothing may allocate, lock or panic.

use std::io::{self, Error};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;

/// What a supervisor says: the child's id first, then how it ended.
pub(super) struct Reports {
    read: OwnedFd,
    write: OwnedFd,
}

/// One message: a kind, and two numbers.
pub(super) const MESSAGE: usize = 9;
pub(super) const STARTED: u8 = b'S';
pub(super) const ENDED: u8 = b'E';

impl Reports {
    pub(super) fn new() -> io::Result<Self> {
        let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        Ok(Self { read, write })
    }

    /// Lets the command be run under a supervisor. Must come before any other hook: those are for the child alone.
    pub(super) fn attach(&self, command: &mut std::process::Command) {
        let write = self.write.as_raw_fd();
        let owner = std::process::id();
        // SAFETY: `split` does only async-signal-safe work.
        unsafe { command.pre_exec(move || split(write, owner)) };
    }

    /// The end to read from, after the command was spawned.
    pub(super) fn into_reader(self) -> OwnedFd {
        self.read
    }
}

/// Returns in the child only.
fn split(write: RawFd, owner: u32) -> io::Result<()> {
    // SAFETY: plain system calls on our own process; fork in a child with a single thread.
    unsafe {
        // A terminal's signals, and the terminal itself, are for us and not for the child.
        check(libc::setsid())?;
        check(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1))?;
        libc::signal(libc::SIGTERM, take_along as extern "C" fn(libc::c_int) as libc::sighandler_t);
        end_with_parent(owner.cast_signed(), libc::SIGTERM)?;
        let supervisor = libc::getpid();
        let child = check(libc::fork())?;
        if child == 0 {
            libc::signal(libc::SIGTERM, libc::SIG_DFL);
            check(libc::setsid())?;
            end_with_parent(supervisor, libc::SIGKILL)?;
            return Ok(());
        }
        stay(child, write)
    }
}

/// Signals this process when its parent dies; when that just happened, ends it.
unsafe fn end_with_parent(parent: libc::pid_t, signal: libc::c_int) -> io::Result<()> {
    // SAFETY: as in `split`.
    unsafe {
        check(libc::prctl(libc::PR_SET_PDEATHSIG, signal))?;
        if libc::getppid() != parent {
            libc::_exit(127);
        }
    }
    Ok(())
}

/// The life of the supervisor: reaps, reports the child's end, and leaves when nothing is left.
unsafe fn stay(child: libc::pid_t, write: RawFd) -> ! {
    // SAFETY: as in `split`; the descriptors belong to this process alone.
    unsafe {
        // The child's pipes must not stay open here, nor the one by which spawning learns of the exec.
        libc::dup2(write, 0);
        if libc::syscall(libc::SYS_close_range, 1, u32::MAX, 0) != 0 {
            for fd in 1..4096 {
                libc::close(fd);
            }
        }
        report(STARTED, child, 0);
        loop {
            let mut status = 0;
            match libc::waitpid(-1, &raw mut status, 0) {
                -1 if *libc::__errno_location() == libc::EINTR => {}
                -1 => libc::_exit(0),
                ended if ended == child => report(ENDED, status, i32::from(reap_ended())),
                _ => {}
            }
        }
    }
}

/// Our program was killed: nothing of the child may go on. What a killed child leaves becomes a child of the
/// supervisor, so killing children until there are none reaches everything.
extern "C" fn take_along(_: libc::c_int) {
    // SAFETY: as in `split`; a handler may do what is async-signal-safe.
    unsafe {
        let mut list = [0_u8; 4096];
        loop {
            let file = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY);
            let length = libc::read(file, list.as_mut_ptr().cast(), list.len());
            libc::close(file);
            let Some(length @ 1..) = usize::try_from(length).ok() else { libc::_exit(1) };
            // A number that was cut off at the end of the buffer is left for the next time.
            let mut pid: libc::pid_t = 0;
            for byte in list.iter().take(length) {
                if byte.is_ascii_digit() {
                    pid = pid.wrapping_mul(10).wrapping_add(libc::pid_t::from(*byte - b'0'));
                } else if pid > 0 {
                    libc::kill(pid, libc::SIGKILL);
                    pid = 0;
                }
            }
            libc::waitpid(-1, std::ptr::null_mut(), 0);
        }
    }
}

/// Collects what has ended already, and says whether something still runs.
unsafe fn reap_ended() -> bool {
    loop {
        // SAFETY: as in `split`.
        match unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } {
            0 => return true,
            -1 => return false,
            _ => {}
        }
    }
}

unsafe fn report(kind: u8, first: i32, second: i32) {
    let mut message = [kind; MESSAGE];
    message[1..5].copy_from_slice(&first.to_ne_bytes());
    message[5..].copy_from_slice(&second.to_ne_bytes());
    // SAFETY: the buffer outlives the call. A reader that is gone is no fault: nobody waits for the message.
    unsafe { libc::write(0, message.as_ptr().cast(), MESSAGE) };
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result == -1 { Err(Error::last_os_error()) } else { Ok(result) }
}
