//! Everything about the operator's repository at one moment: what a run must leave byte for byte.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files with mode, time and contents.
pub struct Snapshot {
    root: PathBuf,
    entries: BTreeMap<String, Entry>,
}

#[derive(PartialEq, Eq)]
struct Entry {
    mode: u32,
    /// Seconds and nanoseconds; not of folders, whose time changes with any new file.
    modified: Option<(i64, i64)>,
    contents: Vec<u8>,
}

/// What a run may write inside the repository's `.git`, by the outer contract.
fn is_ours(path: &str) -> bool {
    let Some(path) = path.strip_prefix(".git/") else { return false };
    let fix_branch = |path: &str| path.strip_prefix("pr").is_some_and(|rest| rest.contains("-fix"));
    ["prfix", "objects", "worktrees", "refs/prfix", "logs/refs/prfix"]
        .iter()
        .any(|folder| path == *folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        || ["refs/heads/", "logs/refs/heads/"].iter().any(|heads| path.strip_prefix(heads).is_some_and(fix_branch))
}

impl Snapshot {
    pub(super) fn take(root: &Path) -> Self {
        let mut entries = BTreeMap::new();
        read(root, root, &mut entries);
        Self { root: root.to_owned(), entries }
    }

    /// Paths that were added, removed or changed since, without those that the program may write.
    pub fn changes(&self) -> Vec<String> {
        let now = Self::take(&self.root);
        let mut changes = Vec::new();
        for (path, entry) in &now.entries {
            match self.entries.get(path) {
                None => changes.push(format!("added {path}")),
                Some(before) if before != entry => changes.push(difference(path, before, entry)),
                Some(_) => {}
            }
        }
        let gone = self.entries.keys().filter(|path| !now.entries.contains_key(*path));
        changes.extend(gone.map(|path| format!("removed {path}")));
        changes
    }

    /// Files, index, refs, reflogs, configuration, stash and hooks are as they were.
    #[track_caller]
    pub fn assert_untouched(&self) {
        let changes = self.changes();
        assert!(changes.is_empty(), "the operator's repository was touched:\n- {}", changes.join("\n- "));
    }
}

fn difference(path: &str, before: &Entry, now: &Entry) -> String {
    match (before.contents == now.contents, before.mode == now.mode) {
        (false, _) => format!("changed {path}"),
        (_, false) => format!("changed the mode of {path}"),
        _ => format!("rewrote {path} with the same contents"),
    }
}

fn read(root: &Path, dir: &Path, entries: &mut BTreeMap<String, Entry>) {
    for item in std::fs::read_dir(dir).expect("a folder") {
        let path = item.expect("an entry").path();
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        if is_ours(&name) {
            continue;
        }
        let about = path.symlink_metadata().expect("an entry");
        let folder = about.is_dir();
        let contents = if folder {
            Vec::new()
        } else if about.is_symlink() {
            path.read_link().expect("a link").to_string_lossy().into_owned().into_bytes()
        } else {
            std::fs::read(&path).expect("a readable file")
        };
        let modified = (!folder).then(|| (about.mtime(), about.mtime_nsec()));
        // Empty folders of refs come and go with the refs below them.
        if !(folder && (name.starts_with(".git/refs") || name.starts_with(".git/logs"))) {
            entries.insert(name, Entry { mode: about.mode(), modified, contents });
        }
        if folder {
            read(root, &path, entries);
        }
    }
}
