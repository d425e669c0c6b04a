//! The test of a repository for what gitoxide's checkout lacks or writes differently from git.

use crate::git::{Repository, attributes, objects};

/// Why git itself has to check out `commit`; `None` when the native way gives the same.
pub(super) fn needs_git(repo: &Repository, commit: &str) -> Option<&'static str> {
    let config = &repo.config;
    let is_set = |key: &str| config.get(key).is_some();
    let partial = || config.subsections("remote", "promisor").next().is_some();
    if repo.uses_reftable() {
        Some("the refs are stored as reftable")
    } else if is_set("extensions.partialclone") || partial() {
        Some("objects of a partial clone are fetched on demand")
    } else if config.flag("core.sparsecheckout") == Some(true) {
        Some("the checkout is sparse")
    } else if config.get("core.sharedrepository").is_some_and(|mode| !matches!(mode, "umask" | "false" | "0")) {
        Some("core.sharedRepository sets permissions")
    } else if config.flag("core.filemode") == Some(false) || config.flag("core.symlinks") == Some(false) {
        Some("the file system lacks modes or links")
    } else if has_different_attributes(repo, commit) {
        Some("attributes ask for an encoding or for `ident`")
    } else {
        None
    }
}

fn has_different_attributes(repo: &Repository, commit: &str) -> bool {
    let local = repo.local();
    if attributes::outside_tree(&local).iter().any(|path| attributes::change_checkout(&attributes::read(path))) {
        return true;
    }
    // When the trees cannot be read, git finds the words for it.
    objects::tree_of(&local, commit).map_or(true, |tree| in_tree(&local, &tree).unwrap_or(true))
}

/// Looks through the trees only: no blob but `.gitattributes` is read.
fn in_tree(repo: &gix::Repository, tree: &gix::Tree<'_>) -> Result<bool, gix::Error> {
    let mut folders = vec![tree.id];
    while let Some(id) = folders.pop() {
        let tree = repo.find_tree(id)?;
        for entry in tree.iter() {
            let entry = entry?;
            if entry.mode().is_tree() {
                folders.push(entry.object_id());
            } else if entry.filename() == ".gitattributes" && attributes::change_checkout(&entry.object()?.data) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
