//! Files and trees of commits, straight from the object store: nothing is checked out or filtered.

use std::collections::BTreeMap;

use gix::objs::tree::EntryKind;

use super::{GitError, Repository};

impl Repository {
    /// Regular files (not links) below the folder `prefix` in the tree of a commit, keyed by their
    /// path from the root. An empty prefix means all of them.
    ///
    /// # Errors
    /// When the commit or one of the blobs is missing.
    pub fn files_at(&self, commit: &str, prefix: &str) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        let repo = self.local();
        let prefix = prefix.trim_end_matches('/');
        let Some(tree) = subtree(&repo, commit, prefix)? else { return Ok(BTreeMap::new()) };
        let mut files = BTreeMap::new();
        for (path, id) in regular_files(&tree, commit)? {
            let blob = repo.find_blob(id).map_err(|error| unreadable(commit, &error))?;
            let path = if prefix.is_empty() { path } else { format!("{prefix}/{path}") };
            files.insert(path, blob.detach().data);
        }
        Ok(files)
    }

    /// All paths of regular files in the tree of a commit, with their blob ids.
    ///
    /// # Errors
    /// When the commit or a tree is missing.
    pub fn paths_at(&self, commit: &str) -> Result<BTreeMap<String, String>, GitError> {
        let repo = self.local();
        let Some(tree) = subtree(&repo, commit, "")? else { return Ok(BTreeMap::new()) };
        let files = regular_files(&tree, commit)?;
        Ok(files.into_iter().map(|(path, id)| (path, id.to_string())).collect())
    }

    /// One file of a commit, raw; `None` when there is no regular file of that name.
    ///
    /// # Errors
    /// When the commit or the blob is missing.
    pub fn file_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let repo = self.local();
        let tree = tree_of(&repo, commit)?;
        let entry = tree.lookup_entry(path.split('/')).map_err(|error| unreadable(commit, &error))?;
        let Some(entry) = entry.filter(|entry| is_regular(entry.mode().kind())) else { return Ok(None) };
        let blob = repo.find_blob(entry.object_id()).map_err(|error| unreadable(commit, &error))?;
        Ok(Some(blob.detach().data))
    }

    /// Whether a commit has anything (file, link, folder, submodule) at a path.
    ///
    /// # Errors
    /// When the commit is missing.
    pub fn has_path_at(&self, commit: &str, path: &str) -> Result<bool, GitError> {
        let repo = self.local();
        let tree = tree_of(&repo, commit)?;
        Ok(tree.lookup_entry(path.split('/')).map_err(|error| unreadable(commit, &error))?.is_some())
    }

    /// Tree id of a commit.
    ///
    /// # Errors
    /// When the commit is missing.
    pub fn tree_of(&self, commit: &str) -> Result<String, GitError> {
        Ok(tree_of(&self.local(), commit)?.id.to_string())
    }

    /// Parents of a commit, in order.
    ///
    /// # Errors
    /// When the commit is missing.
    pub fn commit_parents(&self, commit: &str) -> Result<Vec<String>, GitError> {
        let repo = self.local();
        let commit = find_commit(&repo, commit)?;
        Ok(commit.parent_ids().map(|id| id.to_string()).collect())
    }

    /// The commit with this tree and first parent among `tip` and its first parents, at most 100
    /// deep: a resumed run recognises the commit that it made before it died.
    pub fn find_commit(&self, tip: &str, tree: &str, parent: &str) -> Option<String> {
        let repo = self.local();
        let (wanted_tree, wanted_parent) = (parse(tree)?, parse(parent));
        let mut next = parse(tip)?;
        for _ in 0..100 {
            let commit = repo.find_commit(next).ok()?;
            let first = commit.parent_ids().next().map(gix::Id::detach)?;
            if Some(first) == wanted_parent && commit.tree_id().ok()?.detach() == wanted_tree {
                return Some(next.to_string());
            }
            next = first;
        }
        None
    }
}

fn parse(oid: &str) -> Option<gix::ObjectId> {
    gix::ObjectId::from_hex(oid.as_bytes()).ok()
}

pub(super) fn find_commit<'r>(repo: &'r gix::Repository, commit: &str) -> Result<gix::Commit<'r>, GitError> {
    let id = parse(commit).ok_or_else(|| GitError::failed(&format!("reading `{commit}`"), "not an object id"))?;
    repo.find_commit(id).map_err(|error| unreadable(commit, &error))
}

pub(super) fn tree_of<'r>(repo: &'r gix::Repository, commit: &str) -> Result<gix::Tree<'r>, GitError> {
    find_commit(repo, commit)?.tree().map_err(|error| unreadable(commit, &error))
}

fn unreadable(commit: &str, error: &gix::Error) -> GitError {
    GitError::failed(&format!("reading commit `{commit}`"), error)
}

fn is_regular(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable)
}

/// The tree at `prefix`; `None` when there is no folder of that name.
fn subtree<'r>(repo: &'r gix::Repository, commit: &str, prefix: &str) -> Result<Option<gix::Tree<'r>>, GitError> {
    let root = tree_of(repo, commit)?;
    if prefix.is_empty() {
        return Ok(Some(root));
    }
    let entry = root.lookup_entry(prefix.split('/')).map_err(|error| unreadable(commit, &error))?;
    let Some(entry) = entry.filter(|entry| entry.mode().is_tree()) else { return Ok(None) };
    repo.find_tree(entry.object_id()).map(Some).map_err(|error| unreadable(commit, &error))
}

fn regular_files(tree: &gix::Tree<'_>, commit: &str) -> Result<Vec<(String, gix::ObjectId)>, GitError> {
    let entries = tree.traverse().breadthfirst.files().map_err(|error| unreadable(commit, &error))?;
    let regular = entries.into_iter().filter(|entry| is_regular(entry.mode.kind()));
    Ok(regular.map(|entry| (entry.filepath.to_string(), entry.oid)).collect())
}
