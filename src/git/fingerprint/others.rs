//! Worktrees that are not ours: the operator's, and others. They are never written to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Place, Tampering};
use crate::git::{GitError, worktree};

/// What one of them looked like.
struct Other {
    head: Vec<u8>,
    /// Length of HEAD's reflog.
    log: u64,
    /// The whole index, for the operator's own worktrees.
    index: Option<Vec<u8>>,
    stamp: Option<(u64, std::time::SystemTime)>,
}

pub(super) struct Others {
    /// By git directory.
    worktrees: BTreeMap<PathBuf, Other>,
    shallow: Option<Vec<u8>>,
}

impl Others {
    pub(super) fn take(place: &Place<'_>) -> Result<Self, GitError> {
        let own = [place.repo.common_dir(), place.repo.git_dir()];
        let dirs = git_dirs(place)?.into_iter().map(|dir| {
            let other = Other::read(&dir, own.contains(&dir.as_path()));
            (dir, other)
        });
        Ok(Self { worktrees: dirs.collect(), shallow: fs::read(place.repo.common_dir().join("shallow")).ok() })
    }

    /// Names differences; whether somebody else works in the repository.
    pub(super) fn compare(&self, place: &Place<'_>, found: &mut Vec<Tampering>) -> Result<bool, GitError> {
        let mut somebody_works = false;
        let now = git_dirs(place)?;
        for dir in now.iter().filter(|dir| !self.worktrees.contains_key(*dir)) {
            somebody_works = true;
            found.push(Tampering::left(format!("a worktree was registered as `{}`", name(dir))));
        }
        for (dir, before) in &self.worktrees {
            if !now.contains(dir) {
                found.push(Tampering::left(format!("the worktree `{}` is not registered any more", name(dir))));
                continue;
            }
            let after = Other::read(dir, before.index.is_some());
            somebody_works |= before.head != after.head || before.log != after.log || before.stamp != after.stamp;
            if before.head != after.head {
                found.push(Tampering::left(format!("HEAD of the worktree `{}` was switched", name(dir))));
            }
            if before.index != after.index && entries(place, before) != entries(place, &after) {
                found.push(Tampering::left(format!("the index of the worktree `{}` was changed", name(dir))));
            }
        }
        if fs::read(place.repo.common_dir().join("shallow")).ok() != self.shallow {
            found.push(Tampering::left("`.git/shallow` was changed"));
        }
        Ok(somebody_works)
    }
}

impl Other {
    fn read(git_dir: &Path, with_index: bool) -> Self {
        let index = git_dir.join("index");
        let stamp = index.metadata().ok().and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
        Self {
            head: fs::read(git_dir.join("HEAD")).unwrap_or_default(),
            log: git_dir.join("logs/HEAD").metadata().map_or(0, |metadata| metadata.len()),
            index: if with_index { fs::read(index).ok() } else { None },
            stamp,
        }
    }
}

/// What an index says, without the times of files, which every `git status` renews.
fn entries(place: &Place<'_>, other: &Other) -> Option<Vec<(Vec<u8>, u32, gix::ObjectId, u32)>> {
    let file = tempfile::NamedTempFile::new().ok()?;
    fs::write(file.path(), other.index.as_ref()?).ok()?;
    let kind = place.repo.local().object_hash();
    let index = gix::index::File::at(file.path(), kind, true, Default::default()).ok()?;
    let entry =
        |entry: &gix::index::Entry| (entry.path(&index).to_vec(), entry.mode.bits(), entry.id, entry.stage_raw());
    Some(index.entries().iter().map(entry).collect())
}

/// Git directories of all worktrees but ours and those of other runs beside it.
fn git_dirs(place: &Place<'_>) -> Result<Vec<PathBuf>, GitError> {
    let beside = place.worktree.path.parent();
    let linked = worktree::registered(place.repo)?.into_iter();
    let linked = linked.filter(|(path, _)| path.parent() != beside).map(|(_, git_dir)| git_dir);
    Ok(std::iter::once(place.repo.common_dir().to_owned()).chain(linked).collect())
}

fn name(git_dir: &Path) -> String {
    let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if git_dir.ends_with(".git") { git_dir.parent().map(last).unwrap_or_default() } else { last(git_dir) }
}
