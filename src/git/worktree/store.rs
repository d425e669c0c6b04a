//! Names, places and metadata of managed worktrees.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::Metadata;
use crate::git::GitError;
use crate::model::text;

/// A process id says nothing about its owner any more after this long: since it was said that it lives, where that is
/// said every ten minutes (a machine may sleep over holidays), else since the worktree was made.
const SEEN_TRUSTED_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
const PID_TRUSTED_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A name for a folder and a branch: lower case, `[a-z0-9._-]`, at most 80 characters, no edge of
/// punctuation, and nothing that git refuses in a ref. `None` when nothing is left.
pub fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for c in text.to_lowercase().chars() {
        let c = if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let repeats = matches!((slug.chars().last(), c), (Some('-'), '-') | (Some('.'), '.'));
        if !repeats {
            slug.push(c);
        }
    }
    let edges = |c: char| "._-".contains(c);
    let slug: String = slug.trim_matches(edges).chars().take(80).collect();
    let slug = slug.trim_matches(edges);
    let slug = slug.strip_suffix(".lock").map_or_else(|| slug.to_owned(), |rest| format!("{rest}-lock"));
    (!slug.is_empty()).then_some(slug)
}

/// The folder of one repository below the root.
#[derive(Clone)]
pub(super) struct Store {
    folder: PathBuf,
}

impl Store {
    pub(super) fn new(root: &Path, common_dir: &Path) -> Self {
        let named = if common_dir.ends_with(".git") { common_dir.parent() } else { Some(common_dir) };
        let name = named.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = name.and_then(|name| slug(&name)).unwrap_or_else(|| "repository".to_owned());
        let digest = text::digest(&common_dir.to_string_lossy());
        Self { folder: real(root).join(format!("{name}-{}", &digest[..8])) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn checkout(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn meta(&self, file: &str) -> PathBuf {
        self.folder.join(".meta").join(file)
    }

    /// Makes the folder. A link in its place would lead somewhere else, and is refused.
    pub(super) fn prepare(&self) -> Result<(), GitError> {
        let what = format!("using `{}`", self.folder.display());
        if self.is_redirected() {
            return Err(GitError::failed(&what, "it is a symbolic link; set `prfix.worktreeRoot` to a real folder"));
        }
        fs::create_dir_all(self.meta("")).map_err(|error| GitError::failed(&what, error))
    }

    /// The root or the folder is a symbolic link.
    pub(super) fn is_redirected(&self) -> bool {
        [Some(self.folder.as_path()), self.folder.parent()].into_iter().flatten().any(Path::is_symlink)
    }

    /// One process at a time decides about names and registers; the lock ends with its holder.
    pub(super) fn lock(&self) -> Result<File, GitError> {
        let path = self.meta("lock");
        let lock = || -> io::Result<File> {
            let file = File::options().create(true).append(true).open(&path)?;
            rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
            Ok(file)
        };
        lock().map_err(|error| GitError::failed(&format!("locking `{}`", path.display()), error))
    }

    pub(super) fn read(&self, name: &str) -> Option<Metadata> {
        serde_json::from_slice(&fs::read(self.meta(&format!("{name}.json"))).ok()?).ok()
    }

    pub(super) fn write(&self, name: &str, metadata: &Metadata) -> Result<(), GitError> {
        let path = self.meta(&format!("{name}.json"));
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(self.meta(""))?;
            file.write_all(&serde_json::to_vec_pretty(metadata)?)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| GitError::failed(&format!("writing `{}`", path.display()), error))
    }

    pub(super) fn forget(&self, name: &str) {
        let _ = fs::remove_file(self.meta(&format!("{name}.json")));
    }

    /// Notes that a branch of this name is ours, also after its worktree is gone.
    pub(super) fn claim_branch(&self, name: &str) -> Result<(), GitError> {
        let path = self.meta(&format!("{name}.branch"));
        fs::write(&path, "").map_err(|error| GitError::failed(&format!("writing `{}`", path.display()), error))
    }

    pub(super) fn claimed_branch(&self, name: &str) -> bool {
        self.meta(&format!("{name}.branch")).is_file()
    }

    /// Counts automatic sweeps; returns how many there were before.
    pub(super) fn count_sweep(&self) -> u32 {
        let path = self.meta("sweeps");
        let before = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let _ = fs::write(&path, format!("{}\n", before + 1));
        before
    }

    /// Names that have a checkout or metadata.
    pub(super) fn names(&self) -> Vec<String> {
        let list = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
        let text = |entry: fs::DirEntry| entry.file_name().to_str().map(str::to_owned);
        let checkouts = list(&self.folder).filter_map(text).filter(|name| !name.starts_with('.'));
        let known = list(&self.meta("")).filter_map(text);
        let known = known.filter_map(|name| name.strip_suffix(".json").map(str::to_owned));
        let mut names: Vec<String> = checkouts.chain(known).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The root as git registers what lies in it: links above it resolved, itself left as it is.
fn real(root: &Path) -> PathBuf {
    let (Some(above), Some(name)) = (root.parent(), root.file_name()) else { return root.to_owned() };
    match above.canonicalize() {
        Ok(above) => above.join(name),
        Err(_) if above == root => root.to_owned(),
        Err(_) => real(above).join(name),
    }
}

impl Metadata {
    /// The owning process still runs. An old process id is no proof, since ids are used again.
    pub fn owner_is_alive(&self, now: Timestamp) -> bool {
        let within = |since: Timestamp, limit| now.duration_since(since) < limit;
        let trusted = match (self.seen(), self.created()) {
            (Some(seen), _) => within(seen, SEEN_TRUSTED_FOR),
            (None, Some(created)) => within(created, PID_TRUSTED_FOR),
            (None, None) => true,
        };
        trusted && is_running(self.pid)
    }

    pub(super) fn seen(&self) -> Option<Timestamp> {
        self.seen_at.as_deref().and_then(|at| at.parse().ok())
    }

    pub(super) fn created(&self) -> Option<Timestamp> {
        self.created_at.parse().ok()
    }
}

fn is_running(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    // Not permitted to signal it means that it is there.
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_safe_as_a_folder_and_as_a_branch() {
        for (text, expected) in [
            ("pr7-fix", "pr7-fix"),
            ("../../etc/passwd", "etc-passwd"),
            ("-rf /", "rf"),
            ("Ünïcode Name", "n-code-name"),
            ("a..b//c", "a.b-c"),
            ("x.lock", "x-lock"),
            (".git", "git"),
            ("a\n$(touch x)", "a-touch-x"),
        ] {
            assert_eq!(slug(text).as_deref(), Some(expected), "{text:?}");
        }
        assert_eq!(slug(&"x".repeat(200)).unwrap().len(), 80);
        assert_eq!((slug("../.."), slug("")), (None, None));
    }

    #[test]
    fn an_old_process_id_proves_nothing() {
        let metadata = |created: &str| Metadata {
            owner: "run".into(),
            pid: std::process::id(),
            created_at: created.into(),
            seen_at: None,
            base_oid: String::new(),
            base_branch: String::new(),
            pr: None,
            repo: String::new(),
        };
        let now: Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
        assert!(metadata("2026-11-30T00:00:00Z").owner_is_alive(now));
        assert!(!metadata("2026-10-01T00:00:00Z").owner_is_alive(now));
    }
}
