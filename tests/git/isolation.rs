//! The operator's repository before and after the life of a worktree: the same, but for what is told.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::fixture::{Fixture, git_in};
use super::messy;
use super::worktree::{acquire, commit_in, manager};

/// Content and time of every file; links as they are.
fn everything(root: &Path) -> BTreeMap<PathBuf, (i64, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let (path, metadata) = (entry.path(), entry.path().symlink_metadata().unwrap());
            if metadata.is_dir() {
                folders.push(path);
                continue;
            }
            let content = std::fs::read(&path).unwrap_or_default();
            found.insert(path.strip_prefix(root).unwrap().into(), (metadata.mtime(), metadata.mtime_nsec(), content));
        }
    }
    found
}

#[test]
fn the_operators_repository_is_untouched_but_for_a_branch() {
    let f = messy::committed();
    messy::make_mess(&f.repo);
    f.git(&["add", "change"]);
    f.git(&["stash", "push", "-q", "--", "a.txt", "chmod"]);
    let before = everything(&f.repo);

    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    manager.keep(&worktree, "look").unwrap();
    manager.release(&worktree).unwrap();
    git_prfix::git::changed_paths(&worktree.path).unwrap();
    let fix = commit_in(&worktree.path, "fix");
    manager.restore(&worktree, &fix).unwrap();
    manager.remove(&worktree, Some(&fix), false).unwrap();

    let after = everything(&f.repo);
    let changed: Vec<_> = before.iter().filter(|(path, file)| after.get(*path) != Some(file)).collect();
    assert_eq!(changed, []);
    let added = after.keys().filter(|path| !before.contains_key(*path) && !path.starts_with(".git/objects"));
    let added: Vec<_> = added.map(|path| path.display().to_string()).collect();
    assert_eq!(added, [".git/logs/refs/heads/pr7-fix", ".git/refs/heads/pr7-fix"]);
    assert_eq!(git_in(&f.repo, &["fsck", "--no-dangling"]), "");
}
