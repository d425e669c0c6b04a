//! Where things lie, and writing them so that a reader never sees half a file.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use miette::Diagnostic;
use thiserror::Error;

use super::replay::{Replay, replay};
use super::watch::WatchFile;

#[derive(Debug, Error, Diagnostic)]
pub enum StateError {
    #[error("`{}` could not be {doing}: {source}", path.display())]
    #[diagnostic(
        code(prfix::state::io),
        help("check the rights and the free space of that folder, then run the same command again")
    )]
    Io { path: PathBuf, doing: &'static str, source: std::io::Error },
    #[error("another run works on pull request #{pr}: process {pid}, since {since}")]
    #[diagnostic(code(prfix::state::locked), help("wait for it, or end that process; its lock ends with it"))]
    Locked { pr: u64, pid: u32, since: String },
    #[error("another fix loop works in this repository: process {pid}, since {since}")]
    #[diagnostic(code(prfix::state::locked_loop), help("wait for it, or end that process; its lock ends with it"))]
    LoopRuns { pid: u32, since: String },
    #[error("the journal of run `{run}` was written by another version of git-prfix, or is damaged")]
    #[diagnostic(
        code(prfix::state::newer),
        help("update git-prfix, or start over with `--fresh`; the run's worktree and record stay as they are")
    )]
    Newer { run: String },
    #[error("`{file}` of run `{run}` was written by another version of git-prfix, or is damaged")]
    #[diagnostic(
        code(prfix::state::unreadable),
        help("update git-prfix, or start over with `--fresh`; the run's worktree and record stay as they are")
    )]
    Unreadable { run: String, file: &'static str },
    #[error("pull request #{pr} is watched by another process: {pid}, since {since}")]
    #[diagnostic(
        code(prfix::state::watched),
        help("`git prfix stop {pr}` ends that watch, `git prfix watch {pr} --take-over` goes on with it here")
    )]
    Watched { pr: u64, pid: u32, since: String },
    #[error("`{}` is no record of a watch that this version can go on with: {why}", path.display())]
    #[diagnostic(
        code(prfix::state::watch_unreadable),
        help(
            "update git-prfix when a newer one wrote it, else `git prfix stop {pr}` removes it; `git prfix watch {pr} --adopt` then goes on from the replies on the pull request"
        )
    )]
    WatchUnreadable { path: PathBuf, pr: u64, why: String },
    #[error("there is no run `{run}`")]
    #[diagnostic(code(prfix::state::no_run), help("`git prfix runs` lists the runs of this repository"))]
    NoRun { run: String },
}

impl StateError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }
}

const STAMP: &str = "%Y%m%dT%H%M%SZ";
const SECOND: jiff::SignedDuration = jiff::SignedDuration::from_secs(1);
/// A clock that was set back by more is not followed.
const LATEST: jiff::SignedDuration = jiff::SignedDuration::from_secs(3600);

/// The program's folder below the git common directory.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    pub fn new(common_dir: &Path) -> Self {
        Self { root: common_dir.join("prfix") }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Folder of one pull request, made when missing.
    pub fn pr_dir(&self, pr: u64) -> Result<PathBuf, StateError> {
        let dir = self.root.join(format!("pr-{pr}"));
        fs::create_dir_all(&dir).map_err(StateError::io(&dir, "created"))?;
        Ok(dir)
    }

    /// A new run's folder: `pr<n>-<UTC time>-<4 hex digits>`.
    pub fn new_run(&self, pr: u64, now: Timestamp) -> Result<RunDir, StateError> {
        // Names sort by time; two runs of one second would not.
        let newest = self.runs().first().and_then(|run| run.id.split('-').nth(1).map(str::to_owned));
        let mut at = now;
        let mut stamp = at.strftime(STAMP).to_string();
        while newest.as_ref().is_some_and(|newest| stamp <= *newest) && at < now + LATEST {
            at += SECOND;
            stamp = at.strftime(STAMP).to_string();
        }
        self.create(&format!("pr{pr}-{stamp}"), now)
    }

    /// The folder of a fix loop: `loop-<UTC time>-<4 hex digits>`. It is about no pull request and not among the runs.
    pub fn new_loop(&self, now: Timestamp) -> Result<RunDir, StateError> {
        self.create(&format!("loop-{}", now.strftime(STAMP)), now)
    }

    fn create(&self, stem: &str, now: Timestamp) -> Result<RunDir, StateError> {
        let runs = self.root.join("runs");
        fs::create_dir_all(&runs).map_err(StateError::io(&runs, "created"))?;
        for salt in 0..=u16::MAX {
            let noise = crate::model::text::digest(&format!("{stem} {now} {} {salt}", std::process::id()));
            let id = format!("{stem}-{}", &noise[..4]);
            let dir = runs.join(&id);
            match fs::create_dir(&dir) {
                Ok(()) => return Ok(RunDir { id, dir }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StateError::io(&dir, "created")(error)),
            }
        }
        Err(StateError::io(&runs, "extended")(std::io::ErrorKind::AlreadyExists.into()))
    }

    /// The folders of fix loops, newest first.
    pub fn loops(&self) -> Vec<RunDir> {
        let entries = fs::read_dir(self.root.join("runs")).into_iter().flatten().filter_map(Result::ok);
        let named =
            entries.filter_map(|entry| Some(RunDir { id: entry.file_name().into_string().ok()?, dir: entry.path() }));
        let mut loops: Vec<RunDir> = named.filter(|run| run.id.starts_with("loop-")).collect();
        loops.sort_by(|a, b| b.id.cmp(&a.id));
        loops
    }

    /// An existing run.
    pub fn run(&self, id: &str) -> Result<RunDir, StateError> {
        let plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let dir = self.root.join("runs").join(id);
        if !plain || id.is_empty() || !dir.is_dir() {
            return Err(StateError::NoRun { run: id.to_owned() });
        }
        Ok(RunDir { id: id.to_owned(), dir })
    }

    /// All runs, newest first. Names sort by time within one pull request; across, the time part decides.
    pub fn runs(&self) -> Vec<RunDir> {
        let Ok(entries) = fs::read_dir(self.root.join("runs")) else { return Vec::new() };
        let mut runs: Vec<RunDir> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| Some(RunDir { id: entry.file_name().into_string().ok()?, dir: entry.path() }))
            .filter(|run| run.pr().is_some())
            .collect();
        runs.sort_by_key(|run| std::cmp::Reverse(run.sort_key()));
        runs
    }

    /// The newest run of a pull request that has begun and not ended. However many there are, one journal is read.
    pub fn unfinished(&self, pr: u64) -> Result<Option<(RunDir, Replay)>, StateError> {
        let Some(run) = self.runs().into_iter().find(|run| run.pr() == Some(pr)) else { return Ok(None) };
        let past = replay(&run.journal())?;
        Ok(past.is_unfinished().then_some((run, past)))
    }

    /// As [`Store::unfinished`], of all pull requests, newest first; what cannot be read is left out. One journal a
    /// pull request is read.
    pub fn all_unfinished(&self) -> impl Iterator<Item = RunDir> {
        let mut seen = BTreeSet::new();
        let newest = self.runs().into_iter().filter(move |run| seen.insert(run.pr()));
        newest.filter(|run| replay(&run.journal()).is_ok_and(|past| past.is_unfinished()))
    }

    /// Removes the oldest loops beyond `keep`.
    pub fn prune_loops(&self, keep: usize) {
        for run in self.loops().into_iter().skip(keep).filter(|run| run.dir.join("ended").exists()) {
            // One that cannot be removed now is tried again by the next loop.
            let _ = fs::remove_dir_all(&run.dir);
        }
    }

    /// Removes the oldest runs beyond `keep` (the one that has just ended stays in any case), unless there is
    /// something to go on with: a run that has not ended, one whose worktree is there, one that cannot be read.
    pub fn prune(&self, keep: usize) {
        for run in self.runs().into_iter().skip(keep.max(1)) {
            if self.is_over(&run) {
                // A run that cannot be removed now is tried again by the next one.
                let _ = fs::remove_dir_all(&run.dir);
            }
        }
    }
}

impl Store {
    fn is_over(&self, run: &RunDir) -> bool {
        let Ok(past) = replay(&run.journal()) else { return false };
        let worktree = past.worktree.is_some_and(|(path, ..)| path.exists());
        // A folder without a beginning may be a run that begins right now.
        let begins = || run.pr().is_some_and(|pr| WatchFile::new(self, pr).run_in_progress().is_some());
        let over = past.finished.is_some() || (!past.started && !begins());
        over && !past.newer && !worktree
    }
}

/// One run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    pub id: String,
    pub dir: PathBuf,
}

impl RunDir {
    pub fn journal(&self) -> PathBuf {
        self.dir.join("journal.jsonl")
    }

    /// The pull request, from the name.
    pub fn pr(&self) -> Option<u64> {
        self.id.strip_prefix("pr")?.split('-').next()?.parse().ok()
    }

    /// Whether the run began before this time (RFC 3339, in UTC as GitHub gives it), to the second.
    pub fn began_before(&self, time: &str) -> bool {
        let compact: String = time.chars().filter(|c| !matches!(c, '-' | ':')).collect();
        self.id.split('-').nth(1).is_some_and(|began| began <= compact.as_str())
    }

    /// The run was started by a watch.
    pub fn is_round(&self) -> bool {
        self.dir.join("round").exists()
    }

    fn sort_key(&self) -> (String, String) {
        (self.id.split('-').nth(1).unwrap_or_default().to_owned(), self.id.clone())
    }

    /// A folder inside the run's, made when missing.
    pub fn subdir(&self, name: &str) -> Result<PathBuf, StateError> {
        let dir = self.dir.join(name);
        fs::create_dir_all(&dir).map_err(StateError::io(&dir, "created"))?;
        Ok(dir)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, StateError> {
        let path = self.dir.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(StateError::io(parent, "created"))?;
        }
        write_atomic(&path, bytes)?;
        Ok(path)
    }

    pub fn write_json(&self, name: &str, value: &impl serde::Serialize) -> Result<PathBuf, StateError> {
        let mut text = serde_json::to_vec_pretty(value)
            .map_err(|error| StateError::io(&self.dir.join(name), "written")(error.into()))?;
        text.push(b'\n');
        self.write(name, &text)
    }

    pub fn read_json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(&fs::read(self.dir.join(name)).ok()?).ok()
    }
}

/// Writes a file whole or not at all, and makes it last.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), StateError> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        fs::File::open(dir)?.sync_all()
    };
    write().map_err(StateError::io(path, "written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_listed_newest_first_whatever_their_pull_request() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let late: Timestamp = "2026-11-30T23:45:01Z".parse().unwrap();
        let early: Timestamp = "2026-11-29T00:00:00Z".parse().unwrap();
        let b = store.new_run(9, early).unwrap();
        let a = store.new_run(123, late).unwrap();
        assert!(a.id.starts_with("pr123-20261130T234501Z-"), "{}", a.id);
        assert_eq!(store.runs(), vec![a.clone(), b]);
        assert_eq!(store.run(&a.id).unwrap().pr(), Some(123));
        assert!(store.run("../x").is_err());
    }

    #[test]
    fn two_runs_of_the_same_second_still_sort_by_time() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let now: Timestamp = "2026-11-30T23:45:01Z".parse().unwrap();
        let made: Vec<RunDir> = (0..5).map(|_| store.new_run(1, now).unwrap()).collect();
        assert!(store.runs().into_iter().eq(made.into_iter().rev()));
    }
}
