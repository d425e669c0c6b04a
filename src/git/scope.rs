//! What changed in a worktree: the union of `diff HEAD`, staged and untracked-not-ignored (A32).
//!
//! One native pass; where gitoxide gives up (a sparse index, refs that it cannot read, an encoding
//! that it lacks), git's own commands with every setting fixed.

use std::collections::BTreeMap;
use std::path::Path;

use gix::bstr::{BString, ByteSlice};
use gix::status::{Item, Submodule, UntrackedFiles, index_worktree, plumbing, tree_index};

use super::config::open_worktree;
use super::{GitError, child};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    TypeChanged,
    Untracked,
    /// A gitlink that moved.
    Submodule,
}

/// One changed path, relative to the root of the worktree, with `/`. A nested repository that is
/// untracked ends with one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    pub path: BString,
    pub kind: ChangeKind,
}

/// Sorted by path; renames count as a deletion and an addition. A submodule counts when its commit
/// or its tracked files changed, whatever `ignore` settings say.
///
/// # Errors
/// When neither gitoxide nor git can tell.
pub fn changed_paths(worktree: &Path) -> Result<Vec<Change>, GitError> {
    let paths = native(worktree).or_else(|error| {
        tracing::debug!(target: "prfix::git", %error, "the scope is listed by git itself");
        by_git(worktree)
    })?;
    Ok(paths.into_iter().map(|(path, sides)| Change { path, kind: sides.kind() }).collect())
}

/// What each comparison said about a path.
#[derive(Debug, Clone, Copy, Default)]
struct Sides {
    /// HEAD against the index.
    staged: Option<ChangeKind>,
    /// The index against the work tree.
    unstaged: Option<ChangeKind>,
}

impl Sides {
    fn kind(self) -> ChangeKind {
        use ChangeKind::{Added, Deleted, Modified, Submodule, TypeChanged, Untracked};
        match (self.staged, self.unstaged) {
            (Some(one), None) | (None, Some(one)) => one,
            (_, Some(Deleted)) => Deleted,
            // Untracked since it left the index, but HEAD has it.
            (Some(Deleted), Some(Untracked)) => Modified,
            (Some(Submodule), _) | (_, Some(Submodule)) => Submodule,
            (Some(Added), _) => Added,
            (Some(TypeChanged), _) | (_, Some(TypeChanged)) => TypeChanged,
            _ => Modified,
        }
    }
}

type Found = BTreeMap<BString, Sides>;

fn native(worktree: &Path) -> Result<Found, GitError> {
    let failed = |error: gix::Error| GitError::failed("listing changes", error);
    let (repo, config) = open_worktree(worktree)?;
    if config.get("extensions.refstorage").is_some_and(|kind| kind != "files") {
        return Err(GitError::failed("listing changes", "the refs are not files"));
    }
    let walk = repo.dirwalk_options().map_err(failed)?.empty_patterns_match_prefix(false);
    let items = repo
        .status(gix::progress::Discard)
        .map_err(failed)?
        // `status.showUntrackedFiles=no` takes the directory walk away.
        .index_worktree_options_mut(|options| options.dirwalk_options = Some(walk))
        .untracked_files(UntrackedFiles::Files)
        .tree_index_track_renames(tree_index::TrackRenames::Disabled)
        .index_worktree_rewrites(None)
        .index_worktree_submodules(Submodule::Given {
            ignore: gix::submodule::config::Ignore::Untracked,
            check_dirty: false,
        })
        .into_iter(None)
        .map_err(failed)?;
    let mut found = Found::new();
    let mut rehash = Rehash::new(&repo);
    for item in items {
        match item.map_err(failed)? {
            Item::TreeIndex(change) => {
                let (path, kind) = staged(&change);
                found.entry(path).or_default().staged = Some(kind);
            }
            Item::IndexWorktree(item) => {
                if let Some((path, kind)) = unstaged(item, &mut rehash)? {
                    found.entry(path).or_default().unstaged = Some(kind);
                }
            }
        }
    }
    unnamed_links(&repo, &mut found)?;
    Ok(found)
}

/// Gitlinks that no `.gitmodules` names are no submodules to gitoxide; to git they are, and so is one that moved.
fn unnamed_links(repo: &gix::Repository, found: &mut Found) -> Result<(), GitError> {
    let failed = |error: gix::Error| GitError::failed("listing changes", error);
    let index = repo.index_or_empty().map_err(failed)?;
    let root = repo.workdir().unwrap_or(Path::new(""));
    for entry in index.entries().iter().filter(|entry| entry.mode == gix::index::entry::Mode::COMMIT) {
        let path = entry.path(&index);
        let Ok(relative) = path.to_path() else { continue };
        // What is not checked out has not moved.
        let head = gix::open_opts(root.join(relative), gix::open::Options::isolated())
            .ok()
            .and_then(|inner| inner.head_id().ok().map(gix::Id::detach));
        if head.is_some_and(|head| head != entry.id) {
            found.entry(path.to_owned()).or_default().unstaged = Some(ChangeKind::Submodule);
        }
    }
    Ok(())
}

fn staged(change: &gix::diff::index::Change) -> (BString, ChangeKind) {
    use gix::diff::index::ChangeRef;
    use gix::index::entry::Mode;
    let (path, _, mode, _) = change.fields();
    let kind = match change {
        ChangeRef::Addition { .. } | ChangeRef::Rewrite { .. } => ChangeKind::Added,
        ChangeRef::Deletion { .. } => ChangeKind::Deleted,
        ChangeRef::Modification { previous_entry_mode, .. } if file_type(*previous_entry_mode) != file_type(mode) => {
            ChangeKind::TypeChanged
        }
        ChangeRef::Modification { .. } => ChangeKind::Modified,
    };
    let is_link = mode == Mode::COMMIT && kind != ChangeKind::TypeChanged && kind != ChangeKind::Deleted;
    (path.to_owned(), if is_link { ChangeKind::Submodule } else { kind })
}

/// The mode without permissions.
fn file_type(mode: gix::index::entry::Mode) -> u32 {
    mode.bits() & 0o170_000
}

fn unstaged(item: index_worktree::Item, rehash: &mut Rehash<'_>) -> Result<Option<(BString, ChangeKind)>, GitError> {
    use plumbing::index_as_worktree::{Change, EntryStatus};
    let (entry, path, status) = match item {
        index_worktree::Item::DirectoryContents { entry, .. } => {
            let mut path = entry.rela_path;
            if entry.disk_kind == Some(gix::dir::entry::Kind::Repository) {
                path.push(b'/');
            }
            return Ok(Some((path, ChangeKind::Untracked)));
        }
        index_worktree::Item::Modification { entry, rela_path, status, .. } => (entry, rela_path, status),
        index_worktree::Item::Rewrite { .. } => return Err(GitError::failed("listing changes", "an unasked rename")),
    };
    let kind = match status {
        EntryStatus::NeedsUpdate(_) => return Ok(None),
        EntryStatus::IntentToAdd => ChangeKind::Added,
        EntryStatus::Conflict { .. } => ChangeKind::Modified,
        EntryStatus::Change(Change::Removed) => ChangeKind::Deleted,
        EntryStatus::Change(Change::Type { .. }) => ChangeKind::TypeChanged,
        EntryStatus::Change(Change::SubmoduleModification(_)) => ChangeKind::Submodule,
        EntryStatus::Change(Change::Modification { executable_bit_changed, content_change, .. }) => {
            let only_content = content_change.is_some() && !executable_bit_changed;
            if only_content && rehash.is_unchanged(&entry, &path)? {
                return Ok(None);
            }
            ChangeKind::Modified
        }
    };
    Ok(Some((path, kind)))
}

/// A file whose size differs may still be the same to git once filters have run.
struct Rehash<'r> {
    repo: &'r gix::Repository,
    pipeline: Option<(gix::filter::Pipeline<'r>, gix::worktree::Index)>,
}

impl<'r> Rehash<'r> {
    fn new(repo: &'r gix::Repository) -> Self {
        Self { repo, pipeline: None }
    }

    fn is_unchanged(&mut self, entry: &gix::index::Entry, path: &BString) -> Result<bool, GitError> {
        let is_file = matches!(entry.mode, gix::index::entry::Mode::FILE | gix::index::entry::Mode::FILE_EXECUTABLE);
        Ok(is_file && self.id_of(path).map_err(|error| GitError::failed("listing changes", error))? == entry.id)
    }

    fn id_of(&mut self, path: &BString) -> Result<gix::ObjectId, gix::Error> {
        use std::io::Read;
        let repo = self.repo;
        let (pipeline, index) = match &mut self.pipeline {
            Some(built) => built,
            none => {
                use gix::worktree::stack::state::attributes::Source;
                let index = repo.index()?;
                let attributes = repo.attributes_only(&index, Source::WorktreeThenIdMapping)?.detach();
                none.insert((gix::filter::Pipeline::new(repo, attributes)?, index))
            }
        };
        let io = |error: std::io::Error| gix::Error::from_error(error);
        let relative = path.to_path().map_err(gix::Error::from_error)?;
        let root = repo.workdir().unwrap_or(Path::new(""));
        let file = std::fs::File::open(root.join(relative)).map_err(io)?;
        let mut content = Vec::new();
        pipeline.convert_to_git(file, relative, index)?.read_to_end(&mut content).map_err(io)?;
        gix::objs::compute_hash(repo.object_hash(), gix::objs::Kind::Blob, &content)
    }
}

/// The same from git's own commands. Not `git status`, which also names files whose content is the
/// same once filters have run.
fn by_git(worktree: &Path) -> Result<Found, GitError> {
    let list = |args: &[&str]| {
        let run =
            child::plumbing(worktree).args(["--no-optional-locks", "-c", "diff.autoRefreshIndex=true"]).args(args);
        let output = child::succeed(run, "listing changes")?;
        if output.truncated {
            Err(GitError::failed("listing changes", "the list is too long"))
        } else {
            Ok(output.stdout)
        }
    };
    let diff = ["diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=untracked"];
    let mut found = Found::new();
    for (path, kind) in raw(&list(&[&diff[..], &["--cached"]].concat())?)? {
        found.entry(path).or_default().staged = Some(kind);
    }
    for (path, kind) in raw(&list(&diff)?)? {
        found.entry(path).or_default().unstaged = Some(kind);
    }
    let untracked = list(&["ls-files", "-z", "--others", "--exclude-standard"])?;
    for path in untracked.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        found.entry(path.into()).or_default().unstaged = Some(ChangeKind::Untracked);
    }
    Ok(found)
}

/// Reads `:<mode> <mode> <oid> <oid> <letter>`, NUL, path, NUL (git-diff(1), raw output format).
fn raw(output: &[u8]) -> Result<Vec<(BString, ChangeKind)>, GitError> {
    let mut fields = output.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut found = Vec::new();
    while let (Some(what), Some(path)) = (fields.next(), fields.next()) {
        let kind = raw_kind(what)
            .ok_or_else(|| GitError::failed("listing changes", format!("git diff said `{}`", what.as_bstr())))?;
        found.push((path.into(), kind));
    }
    Ok(found)
}

fn raw_kind(what: &[u8]) -> Option<ChangeKind> {
    let fields: Vec<&[u8]> = what.strip_prefix(b":")?.split(|byte| *byte == b' ').collect();
    let [_, mode, _, _, letter] = fields.try_into().ok()?;
    Some(match letter {
        b"D" => ChangeKind::Deleted,
        b"T" => ChangeKind::TypeChanged,
        _ if mode == b"160000" => ChangeKind::Submodule,
        b"A" => ChangeKind::Added,
        _ => ChangeKind::Modified,
    })
}
