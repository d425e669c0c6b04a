//! Attributes whose effect gitoxide lacks or writes differently from git.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gix::bstr::{BString, ByteSlice};

/// UTF-16 files would be written as UTF-8.
const ENCODING: &str = "working-tree-encoding";
/// `$Id$` would be expanded without a space.
const IDENT: &str = "ident";

/// An attributes file that matters to a checkout.
pub(super) fn change_checkout(attributes: &[u8]) -> bool {
    attributes.find(ENCODING).is_some() || attributes.find(IDENT).is_some()
}

/// Files outside the tree: the system's, the user's, and `info/attributes`.
pub(super) fn outside_tree(repo: &gix::Repository) -> Vec<PathBuf> {
    let mut files = repo.attribute_global_paths().unwrap_or_default();
    files.push(repo.common_dir().join("info/attributes"));
    files
}

/// Some attributes file that is in force for these paths speaks of encodings.
pub(super) fn of_paths_encode(repo: &gix::Repository, worktree: &Path, paths: &[BString]) -> bool {
    let mut files: BTreeSet<PathBuf> = outside_tree(repo).into_iter().collect();
    for path in paths.iter().filter_map(|path| path.to_path().ok()) {
        files.extend(path.ancestors().skip(1).map(|folder| worktree.join(folder).join(".gitattributes")));
    }
    files.iter().any(|file| read(file).find(ENCODING).is_some())
}

pub(super) fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_default()
}
