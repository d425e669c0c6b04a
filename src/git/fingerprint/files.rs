//! Small files and folders, kept as they are. Links are never followed, neither to read nor to write.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::Tampering;
use crate::git::GitError;

/// A bigger file is compared by size and time, and cannot be put back.
const BIGGEST_KEPT: u64 = 4 << 20;

/// What is kept.
pub(super) struct Root {
    pub(super) path: PathBuf,
    /// Files below it that are somebody else's concern.
    pub(super) except: BTreeSet<PathBuf>,
}

impl Root {
    pub(super) fn whole(path: PathBuf) -> Self {
        Self { path, except: BTreeSet::new() }
    }
}

#[derive(Clone, PartialEq, Eq)]
enum Node {
    File {
        bytes: Vec<u8>,
        mode: u32,
    },
    Big {
        size: u64,
        mtime: (i64, i64),
        inode: u64,
    },
    Link(PathBuf),
    Folder,
    /// A socket, a pipe, or something that cannot be read.
    Other,
}

/// Keeps the bytes that a path held, and says where.
type Save<'s> = &'s dyn Fn(&Path, &[u8]) -> Result<PathBuf, GitError>;

/// One root with everything below it.
pub(super) struct Snapshot {
    root: Root,
    nodes: BTreeMap<PathBuf, Node>,
}

impl Snapshot {
    pub(super) fn take(root: Root) -> Self {
        let nodes = read(&root);
        Self { root, nodes }
    }

    /// Puts every difference back. Paths are named relative to `near`, the common directory.
    pub(super) fn restore(&self, near: &Path) -> Result<Vec<Tampering>, GitError> {
        self.put_all_back(near, None)
    }

    /// The same for files that the operator may have edited meanwhile: what they became is saved first.
    pub(super) fn restore_and_save(&self, near: &Path, save: Save<'_>) -> Result<Vec<Tampering>, GitError> {
        self.put_all_back(near, Some(save))
    }

    fn put_all_back(&self, near: &Path, save: Option<Save<'_>>) -> Result<Vec<Tampering>, GitError> {
        let now = read(&self.root);
        let paths: BTreeSet<&PathBuf> = self.nodes.keys().chain(now.keys()).collect();
        let mut found = Vec::new();
        for path in paths {
            let (before, after) = (self.nodes.get(path), now.get(path));
            if before == after {
                continue;
            }
            let mut what = format!("`{}` was {}", named(path, near), verb(before, after));
            if let (Some(save), Some(Node::File { bytes, .. })) = (save, after) {
                what = format!("{what}; what it became is in `{}`", save(path, bytes)?.display());
            }
            let undone = put_back(path, before)
                .map_err(|error| GitError::failed(&format!("putting `{}` back", path.display()), error))?;
            found.push(Tampering { what, undone });
        }
        Ok(found)
    }
}

fn verb(before: Option<&Node>, after: Option<&Node>) -> &'static str {
    match (before, after) {
        (None, _) => "added",
        (_, None) => "removed",
        (Some(Node::File { bytes: a, .. }), Some(Node::File { bytes: b, .. })) if a == b => "given another mode",
        (Some(Node::File { .. } | Node::Big { .. }), Some(Node::File { .. } | Node::Big { .. })) => "edited",
        _ => "replaced",
    }
}

/// `.git/hooks/pre-push` for what lies in the common directory, else the whole path.
pub(super) fn named(path: &Path, near: &Path) -> String {
    match path.strip_prefix(near) {
        Ok(inside) => format!(".git/{}", inside.display()),
        Err(_) => path.display().to_string(),
    }
}

fn read(root: &Root) -> BTreeMap<PathBuf, Node> {
    let mut nodes = BTreeMap::new();
    let mut queue = vec![root.path.clone()];
    while let Some(path) = queue.pop() {
        if root.except.contains(&path) {
            continue;
        }
        let Some(node) = look(&path) else { continue };
        if node == Node::Folder {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            queue.extend(entries.map(|entry| entry.path()));
        }
        nodes.insert(path, node);
    }
    nodes
}

fn look(path: &Path) -> Option<Node> {
    let metadata = path.symlink_metadata().ok()?;
    let node = if metadata.is_dir() {
        Some(Node::Folder)
    } else if metadata.is_symlink() {
        fs::read_link(path).ok().map(Node::Link)
    } else if metadata.is_file() && metadata.len() > BIGGEST_KEPT {
        let mtime = (metadata.mtime(), metadata.mtime_nsec());
        Some(Node::Big { size: metadata.len(), mtime, inode: metadata.ino() })
    } else if metadata.is_file() {
        fs::read(path).ok().map(|bytes| Node::File { bytes, mode: metadata.mode() & 0o7777 })
    } else {
        None
    };
    Some(node.unwrap_or(Node::Other))
}

/// Whether it is as it was again.
fn put_back(path: &Path, before: Option<&Node>) -> io::Result<bool> {
    if matches!(before, Some(Node::Big { .. } | Node::Other)) {
        return Ok(false);
    }
    if before != Some(&Node::Folder) || !path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        remove(path)?;
    }
    if before.is_some()
        && let Some(folder) = path.parent()
    {
        fs::create_dir_all(folder)?;
    }
    match before {
        Some(Node::Folder) => fs::create_dir_all(path)?,
        Some(Node::Link(target)) => symlink(target, path)?,
        Some(Node::File { bytes, mode }) => write(path, bytes, *mode)?,
        _ => {}
    }
    Ok(true)
}

/// Removes whatever is there, a link and not what it leads to.
fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Atomic, and in place of a link rather than through it.
pub(super) fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    file.persist(path)?;
    Ok(())
}
