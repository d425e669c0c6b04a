//! Staging of exact paths, equal to `git add -- <path>` and `git rm --cached -- <path>`.
//!
//! The index is read and written under its lock. gitoxide keeps its tree cache as it was, so every
//! folder above a changed path is marked as unknown there; otherwise a commit would repeat old trees.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage, Stat};

use super::config::open_worktree;
use super::{GitError, attributes, child};

/// Puts the present state of each path (content, mode, deletion) into the index. Nothing else moves.
/// A deletion that is staged already stays so.
///
/// # Errors
/// When a path is in none of HEAD, index and work tree, or git itself refuses; the index is as it was
/// then.
pub fn stage(worktree: &Path, paths: &[BString]) -> Result<(), GitError> {
    if paths.is_empty() {
        return Ok(());
    }
    match native(worktree, paths) {
        Ok(()) => Ok(()),
        Err(Failure::Refused(error)) => Err(error),
        Err(Failure::Unfit(why)) => {
            tracing::debug!(target: "prfix::git", why, "staging is done by git itself");
            by_git(worktree, paths)
        }
    }
}

fn by_git(worktree: &Path, paths: &[BString]) -> Result<(), GitError> {
    let is_there = |path: &&BString| {
        let path = path.to_path().ok();
        path.is_some_and(|path| worktree.join(path).symlink_metadata().is_ok() && !is_beyond_link(worktree, path))
    };
    let (there, gone): (Vec<&BString>, Vec<&BString>) = paths.iter().partition(is_there);
    let commands = [(&["add", "--sparse"][..], there), (&["rm", "--quiet", "--cached", "--ignore-unmatch"], gone)];
    for (command, paths) in commands.into_iter().filter(|(_, paths)| !paths.is_empty()) {
        let run = child::plumbing(worktree).arg("--literal-pathspecs").args(command);
        let run = run.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
        child::succeed(run.stdin(gix::bstr::join("\0", paths)), "staging")?;
    }
    Ok(())
}

/// Why nothing was staged natively.
enum Failure {
    /// Git could do it.
    Unfit(String),
    /// Nobody should.
    Refused(GitError),
}

impl From<gix::Error> for Failure {
    fn from(error: gix::Error) -> Self {
        Self::Unfit(error.to_string())
    }
}

fn native(worktree: &Path, paths: &[BString]) -> Result<(), Failure> {
    let unfit = |why: &str| Err(Failure::Unfit(why.to_owned()));
    let (repo, config) = open_worktree(worktree).map_err(Failure::Refused)?;
    if config.flag("core.symlinks") == Some(false) {
        return unfit("links are text files");
    }
    if attributes::of_paths_encode(&repo, worktree, paths) {
        return unfit("files have another encoding");
    }
    let patience = gix::lock::acquire::Fail::AfterDurationWithBackoff(Duration::from_secs(2));
    let lock = gix::lock::File::acquire_to_update_resource(repo.index_path(), patience, None, 0)?;
    let mut index = repo.open_index()?;
    if index.is_sparse() {
        return unfit("the index is sparse");
    }
    let mut staging = Staging::new(&repo, &index)?;
    for path in paths {
        staging.look_at(&index, path)?;
    }
    let Staging { updates, .. } = staging;
    settle_racy(&mut index, worktree);
    apply(&mut index, &updates);
    let skip_hash = config.flag("index.skiphash").unwrap_or(false);
    write(&index, lock, skip_hash).map_err(Failure::Refused)
}

fn write(index: &gix::index::File, lock: gix::lock::File, skip_hash: bool) -> Result<(), GitError> {
    let failed = |error: String| GitError::failed("writing the index", error);
    let mut out = std::io::BufWriter::with_capacity(64 << 10, lock);
    let options = gix::index::write::Options { extensions: Default::default(), skip_hash };
    index.write_to(&mut out, options).map_err(|error| failed(error.to_string()))?;
    out.flush().map_err(|error| failed(error.to_string()))?;
    let lock = out.into_inner().map_err(|error| failed(error.to_string()))?;
    lock.commit().map(drop).map_err(|error| failed(error.to_string()))
}

/// The new state of a path.
struct Present {
    id: gix::ObjectId,
    mode: Mode,
    stat: Stat,
}

struct Staging<'r> {
    repo: &'r gix::Repository,
    pipeline: gix::filter::Pipeline<'r>,
    /// `core.fileMode`: the executable bit on disk means something.
    modes: bool,
    /// `None`: the path is gone.
    updates: BTreeMap<BString, Option<Present>>,
}

impl<'r> Staging<'r> {
    fn new(repo: &'r gix::Repository, index: &gix::index::File) -> Result<Self, gix::Error> {
        use gix::worktree::stack::state::attributes::Source;
        let attributes = repo.attributes_only(index, Source::WorktreeThenIdMapping)?.detach();
        let pipeline = gix::filter::Pipeline::new(repo, attributes)?;
        let modes = repo.config_snapshot().boolean("core.fileMode").unwrap_or(true);
        Ok(Self { repo, pipeline, modes, updates: BTreeMap::new() })
    }

    fn look_at(&mut self, index: &gix::index::File, path: &BString) -> Result<(), Failure> {
        let path: BString = path.trim_end_with(|c| c == '/').into();
        let known = index.entry_range(path.as_ref());
        let unwatched = Flags::ASSUME_VALID | Flags::SKIP_WORKTREE;
        if known.clone().is_some_and(|range| range.into_iter().any(|at| index.entry(at).flags.intersects(unwatched))) {
            // Git takes such a file for unchanged, whatever is on disk.
            return Ok(());
        }
        let present = self.present(index, path.as_ref())?;
        if present.is_none() && known.is_none() && !self.is_in_head(&path) {
            let why = format!("`{path}` did not match any file");
            return Err(Failure::Refused(GitError::failed("staging", why)));
        }
        self.updates.insert(path, present);
        Ok(())
    }

    fn is_in_head(&self, path: &BString) -> bool {
        let (root, object) = (self.repo.workdir().unwrap_or(Path::new("")), [b"HEAD:", path.as_slice()].concat());
        let object = object.to_os_str().map(ToOwned::to_owned).unwrap_or_default();
        child::plumbing(root).args(["cat-file", "-e"]).arg(object).run().is_ok_and(|output| output.success())
    }

    fn present(&mut self, index: &gix::index::File, path: &BStr) -> Result<Option<Present>, gix::Error> {
        let root = self.repo.workdir().unwrap_or(Path::new(""));
        let relative = path.to_path().map_err(gix::Error::from_error)?;
        let on_disk = root.join(relative);
        let Ok(metadata) = gix::index::fs::Metadata::from_path_no_follow(&on_disk) else { return Ok(None) };
        let plain_folder = metadata.is_dir() && !on_disk.join(".git").exists();
        if plain_folder || is_beyond_link(root, relative) {
            return Ok(None);
        }
        // Before the content is read, so that a later change is noticed.
        let stat = Stat::from_fs(&metadata).map_err(gix::Error::from_error)?;
        let Some((id, kind, _)) = self.pipeline.worktree_file_to_object(path, index)? else { return Ok(None) };
        let mode = self.mode(index, path, kind);
        Ok(Some(Present { id, mode, stat }))
    }

    fn mode(&self, index: &gix::index::File, path: &BStr, kind: gix::objs::tree::EntryKind) -> Mode {
        use gix::objs::tree::EntryKind;
        let before = || index.entry_by_path(path).map(|entry| entry.mode);
        match kind {
            EntryKind::Link => Mode::SYMLINK,
            EntryKind::Commit => Mode::COMMIT,
            _ if !self.modes => before().filter(|mode| *mode == Mode::FILE_EXECUTABLE).unwrap_or(Mode::FILE),
            EntryKind::BlobExecutable => Mode::FILE_EXECUTABLE,
            _ => Mode::FILE,
        }
    }
}

/// One of the folders above is a link: what lies behind it is not part of this work tree.
fn is_beyond_link(root: &Path, relative: &Path) -> bool {
    let above = relative.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
    above.into_iter().any(|path| root.join(path).is_symlink())
}

fn apply(index: &mut gix::index::File, updates: &BTreeMap<BString, Option<Present>>) {
    let gone = replaced(index, updates);
    if !gone.is_empty() {
        index.remove_entries(|at, _, _| gone.contains(&at));
    }
    for path in updates.keys() {
        invalidate(index, path.as_ref());
    }
    let mut added = Vec::new();
    for (path, present) in updates {
        let Some(present) = present else { continue };
        match index.entry_mut_by_path_and_stage(path.as_ref(), Stage::Unconflicted) {
            Some(entry) => {
                (entry.id, entry.mode, entry.stat, entry.flags) =
                    (present.id, present.mode, present.stat, Flags::empty());
            }
            None => added.push((path, present)),
        }
    }
    // Look-ups need the order, so that new ones come last.
    for (path, new) in &added {
        index.dangerously_push_entry(new.stat, new.id, Flags::empty(), new.mode, path.as_bstr());
    }
    if !added.is_empty() {
        index.sort_entries();
    }
}

/// Positions of entries that go: deleted paths, conflict stages, and files in the way of folders or
/// folders in the way of files.
fn replaced(index: &gix::index::File, updates: &BTreeMap<BString, Option<Present>>) -> HashSet<usize> {
    let mut gone = HashSet::new();
    for (path, present) in updates {
        let range = index.entry_range(path.as_ref()).unwrap_or_default();
        gone.extend(range.filter(|at| present.is_none() || index.entry(*at).stage() != Stage::Unconflicted));
        if present.is_none() {
            continue;
        }
        let mut folder = path.clone();
        folder.push(b'/');
        gone.extend(index.prefixed_entries_range(folder.as_ref()).unwrap_or_default());
        for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            gone.extend(index.entry_range(path[..at].as_bstr()).unwrap_or_default());
        }
    }
    gone
}

/// Marks the cached trees above a path as unknown, as git does on every change of an entry.
fn invalidate(index: &mut gix::index::File, path: &BStr) {
    let Some(mut tree) = index.tree_mut() else { return };
    let mut parts = path.split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        tree.num_entries = None;
        if parts.peek().is_none() {
            // A file stands where a folder was.
            tree.children.retain(|child| child.name.as_slice() != part);
            return;
        }
        match tree.children.iter_mut().find(|child| child.name.as_slice() == part) {
            Some(child) => tree = child,
            None => return,
        }
    }
}

/// A new index is younger than entries that the old one could not vouch for: those whose file was
/// written in the same second as it. Git looks at seconds only, so that a later change in that second
/// would go unseen. One that is not surely unchanged loses its size, which makes git compare content.
fn settle_racy(index: &mut gix::index::File, worktree: &Path) {
    let (seconds, nanos) = (index.timestamp().unix_seconds(), index.timestamp().nanoseconds());
    for (entry, path) in index.entries_mut_with_paths() {
        let mtime = entry.stat.mtime;
        if i64::from(mtime.secs) < seconds {
            continue;
        }
        let written_after = i64::from(mtime.secs) > seconds || mtime.nsecs >= nanos;
        let unchanged = !written_after
            && path.to_path().ok().and_then(|path| stat_of(&worktree.join(path))).is_some_and(|now| now == entry.stat);
        if !unchanged {
            entry.stat.size = 0;
        }
    }
}

fn stat_of(path: &Path) -> Option<Stat> {
    Stat::from_fs(&gix::index::fs::Metadata::from_path_no_follow(path).ok()?).ok()
}
