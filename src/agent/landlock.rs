//! Landlock rules (landlock(7)): writing is allowed by list, reading is allowed everywhere but in a list.
//!
//! Landlock knows no exceptions to a rule. So that something is hidden, each folder on the way to it gets no rule,
//! and everything else in these folders gets one. Only the reading of files is restricted: folders can be listed.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, Scope,
};
use rustix::fs::{Mode, OFlags};

/// What children need of devices, whatever else they may write.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/pts", "/dev/shm"];

/// The rights whose use is denied unless a rule allows it. Device ioctls and sockets are left alone.
const WRITES: ABI = ABI::V4;

/// Landlock's version in the running kernel.
pub fn version() -> Result<u32, String> {
    const ASK_VERSION: libc::c_ulong = 1;
    // SAFETY: with this flag the call takes no attributes and only returns a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, ASK_VERSION) };
    match u32::try_from(version) {
        Ok(version @ 1..) => Ok(version),
        _ if io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP) => {
            Err("Landlock is switched off in this kernel".into())
        }
        _ => Err("this kernel has no Landlock".into()),
    }
}

/// The rules, ready to be entered in a child. Rights that the kernel doesn't know are left out.
pub fn ruleset(writable: &[PathBuf], hidden: &[PathBuf]) -> io::Result<OwnedFd> {
    let hidden = real_paths(hidden);
    let writes = AccessFs::from_write(WRITES);
    let reads: BitFlags<AccessFs> = if hidden.is_empty() { BitFlags::EMPTY } else { AccessFs::ReadFile.into() };
    let mut rules = Ruleset::default()
        .handle_access(writes | reads)
        .and_then(|rules| rules.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .map_err(other)?;
    for path in DEVICES.iter().map(PathBuf::from).chain(writable.iter().cloned()) {
        if let Ok(path) = path.canonicalize() {
            // A rule for a folder holds for all below it: what is hidden in there must get none for reading.
            let holds_hidden = hidden.iter().any(|hidden| hidden.starts_with(&path));
            rules = allow(rules, &path, if holds_hidden { writes } else { writes | reads })?;
        }
    }
    if !hidden.is_empty() {
        rules = allow_all_but(rules, Path::new("/"), &hidden)?;
    }
    Option::<OwnedFd>::from(rules).ok_or_else(|| io::Error::other("the kernel gave no ruleset"))
}

/// Capabilities of root that lead around the rules (capabilities(7)), such as reading the memory of any process.
/// MKNOD, SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, SYS_BOOT, PERFMON, BPF, CHECKPOINT_RESTORE.
const POWERS: &[libc::c_ulong] = &[27, 16, 17, 19, 21, 22, 38, 39, 40];

/// Enters the sandbox for good; async-signal-safe.
pub fn enter(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain system calls on our own process.
    let failed = unsafe {
        for power in POWERS {
            // Refused to everybody but root, who alone has them.
            libc::prctl(libc::PR_CAPBSET_DROP, *power, 0, 0, 0);
        }
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) != 0
    };
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Both the names and what they stand for, when they are links.
fn real_paths(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut real: Vec<_> = paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    real.sort();
    real.dedup();
    real
}

/// Allows reading everything below `dir` that is not hidden.
fn allow_all_but(mut rules: RulesetCreated, dir: &Path, hidden: &[PathBuf]) -> io::Result<RulesetCreated> {
    // A folder that can't be listed can't be read by the child either.
    let Ok(entries) = fs::read_dir(dir) else { return Ok(rules) };
    for entry in entries.flatten() {
        let path = entry.path();
        // What a link points to has its own place in the tree.
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) || hidden.contains(&path) {
            continue;
        }
        rules = if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            allow_all_but(rules, &path, hidden)?
        } else {
            allow(rules, &path, AccessFs::ReadFile.into())?
        };
    }
    Ok(rules)
}

fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    // What can't be opened (it is gone, or somebody else's) can't be opened by the child either.
    let Ok(file) = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty()) else {
        return Ok(rules);
    };
    let is_dir = rustix::fs::fstat(&file).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
    let access = if is_dir { access } else { access & AccessFs::from_file(WRITES) };
    rules.add_rule(PathBeneath::new(file, access)).map_err(other)
}

fn other(error: RulesetError) -> io::Error {
    io::Error::other(error.to_string())
}
