//! The checkout in repositories of every kind, against the one that `git worktree add` writes.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::fixture::{Fixture, LIMIT, git_in, hook};
use super::messy;
use super::worktree::{acquire, manager};

/// Every file and link with content and mode.
fn files(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let relative = path.strip_prefix(root).unwrap().to_owned();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                let target = std::fs::read_link(&path).unwrap();
                found.insert(relative, (0, target.as_os_str().as_bytes().to_vec()));
            } else if entry.file_name() != ".git" {
                let mode = entry.metadata().unwrap().permissions().mode();
                found.insert(relative, (mode, std::fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// Both ways give the same files, index and status; returns the files.
fn is_as_by_git(f: &Fixture) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let repo = f.open();
    let ours = acquire(&manager(f, &repo), f, "ours").path;
    let theirs = f.path("theirs");
    f.git(&["worktree", "add", "-q", "-b", "theirs", theirs.to_str().unwrap()]);
    assert_eq!(files(&ours), files(&theirs));
    let index = |root: &Path| git_in(root, &["ls-files", "--stage", "-v"]);
    assert_eq!(index(&ours), index(&theirs));
    assert_eq!(git_in(&ours, &["status", "--porcelain=v2"]), "");
    assert_eq!(git_in(&ours, &["fsck", "--no-dangling"]), "");
    files(&ours)
}

#[test]
fn odd_names_modes_links_line_ends_and_filters() {
    let f = messy::committed();
    f.write("tool", "#!/bin/sh\n");
    f.git(&["add", "--chmod=+x", "tool"]);
    f.git(&["commit", "-q", "-m", "tool"]);
    let files = is_as_by_git(&f);
    assert_eq!(files[Path::new("file.crlf")].1, b"one\r\ntwo\r\n");
    assert_eq!(files[Path::new("file.up")].1, b"shout\n");
    assert!(files.len() > 4 * messy::ODD.len());
}

#[test]
fn encodings_and_ident_are_left_to_git() {
    let f = Fixture::new();
    f.write("deep/.gitattributes", "*.u16 text working-tree-encoding=UTF-16LE\n*.id ident\n");
    f.write("deep/t.u16", "a\0\n\0");
    f.write("deep/x.id", "$Id$\n");
    f.git(&["add", "."]);
    f.git(&["commit", "-q", "-m", "encodings"]);
    let files = is_as_by_git(&f);
    assert_eq!(files[Path::new("deep/t.u16")].1, b"a\0\n\0");
    assert!(files[Path::new("deep/x.id")].1.starts_with(b"$Id: "));
}

#[test]
fn autocrlf_of_the_operator_holds() {
    let f = Fixture::new();
    f.git(&["config", "core.autocrlf", "true"]);
    assert_eq!(is_as_by_git(&f)[Path::new("a.txt")].1, b"a\r\n");
}

#[test]
fn a_failing_required_filter_leaves_nothing_behind() {
    let f = Fixture::new();
    f.write(".gitattributes", "*.lfs filter=broken\n");
    f.write("x.lfs", "pointer\n");
    f.git(&["add", "."]);
    f.git(&["commit", "-q", "-m", "filter"]);
    f.git(&["config", "filter.broken.smudge", "false"]);
    f.git(&["config", "filter.broken.required", "true"]);
    let repo = f.open();
    let meta = super::worktree::metadata("run", super::worktree::DEAD);
    assert!(manager(&f, &repo).acquire("pr7-fix", "main", &meta).is_err());
    assert_eq!(f.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(f.git(&["for-each-ref", "--format=%(refname:short)"]), "main");
}

#[test]
fn sha256_reftable_and_bare_repositories() {
    is_as_by_git(&Fixture::with_init(&["--object-format=sha256"]));
    is_as_by_git(&Fixture::with_init(&["--ref-format=reftable"]));
    let f = Fixture::new();
    let bare = f.with_origin();
    let repo = f.open_at(&bare);
    let worktree = acquire(&manager(&f, &repo), &f, "pr7-fix");
    assert_eq!(git_in(&worktree.path, &["status", "--porcelain"]), "");
}

#[test]
fn worktree_configuration_and_sparse_checkouts() {
    let f = Fixture::new();
    f.write("in/file", "x");
    f.write("out/file", "x");
    f.git(&["add", "."]);
    f.git(&["commit", "-q", "-m", "two"]);
    f.git(&["config", "extensions.worktreeConfig", "true"]);
    f.git(&["config", "--worktree", "core.autocrlf", "true"]);
    assert_eq!(is_as_by_git(&f)[Path::new("a.txt")].1, b"a\r\n");

    let f = Fixture::new();
    f.write("in/file", "x");
    f.write("out/file", "x");
    f.git(&["add", "."]);
    f.git(&["commit", "-q", "-m", "two"]);
    f.git(&["sparse-checkout", "set", "in"]);
    let files = is_as_by_git(&f);
    assert!(files.contains_key(Path::new("in/file")) && !files.contains_key(Path::new("out/file")));
}

#[test]
fn shared_modes_are_left_to_git() {
    let f = Fixture::new();
    f.git(&["config", "core.sharedRepository", "group"]);
    is_as_by_git(&f);
}

#[test]
fn shallow_and_partial_clones() {
    let f = Fixture::new();
    f.commit("b", "x", "second");
    f.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", f.repo.display());
    for (name, how) in [("shallow", "--depth=1"), ("partial", "--filter=blob:none")] {
        let clone = f.path(name);
        git_in(f.tmp.path(), &["clone", "-q", "--no-checkout", how, &url, clone.to_str().unwrap()]);
        f.identify(&clone);
        let repo = f.open_at(&clone);
        let worktree = acquire(&manager(&f, &repo), &f, "pr7-fix");
        assert_eq!(git_in(&worktree.path, &["status", "--porcelain"]), "", "{name}");
        assert_eq!(std::fs::read_to_string(worktree.path.join("b")).unwrap(), "x", "{name}");
    }
}

#[test]
fn submodules_are_registered_and_not_populated() {
    let f = Fixture::new();
    let library = Fixture::new();
    let url = library.repo.display().to_string();
    f.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "lib"]);
    f.git(&["commit", "-q", "-m", "submodule"]);
    is_as_by_git(&f);
}

#[test]
fn submodules_come_from_where_the_operator_has_them() {
    let f = Fixture::new();
    let library = Fixture::new();
    let url = library.repo.display().to_string();
    for name in ["lib", "other"] {
        f.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, name]);
    }
    f.git(&["commit", "-q", "-m", "submodules"]);
    f.git(&["submodule", "--quiet", "deinit", "--force", "other"]);
    f.git(&["config", "protocol.file.allow", "always"]);
    // The pull request points somewhere else.
    f.git(&["config", "--file", ".gitmodules", "submodule.lib.url", "/no/such/place"]);
    f.git(&["commit", "-q", "-a", "-m", "elsewhere"]);
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    assert_eq!(manager.populate_submodules(&worktree, LIMIT).unwrap(), ["lib"]);
    assert!(worktree.path.join("lib/a.txt").exists() && !worktree.path.join("other/a.txt").exists());
    assert_eq!(git_in(&worktree.path, &["status", "--porcelain"]), "");
    manager.remove(&worktree, None, false).unwrap();
    assert_eq!(f.git(&["submodule", "status", "lib"]).chars().next(), Some(' '));
    assert!(f.repo.join("lib/a.txt").exists());
}

#[test]
fn a_submodule_is_a_repository_like_any_other() {
    let f = Fixture::new();
    let library = Fixture::new();
    let url = library.repo.display().to_string();
    f.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "lib"]);
    let lib = f.repo.join("lib");
    for (key, value) in [("user.name", "Ada"), ("user.email", "a@b")] {
        git_in(&lib, &["config", key, value]);
    }
    let repo = f.open_at(&lib);
    assert_eq!(repo.work_dir(), Some(lib.as_path()));
    let head = git_in(&lib, &["rev-parse", "HEAD"]);
    let meta = super::worktree::metadata("run", super::worktree::DEAD);
    let worktree = manager(&f, &repo).acquire("pr7-fix", &head, &meta).unwrap();
    super::worktree::commit_in(&worktree.path, "fix");
    assert_eq!(git_in(&worktree.path, &["status", "--porcelain"]), "");
    assert_eq!(git_in(&lib, &["status", "--porcelain"]), "");
}

#[test]
fn git_falls_back_even_when_its_hook_fails() {
    let f = Fixture::with_init(&["--ref-format=reftable"]);
    hook(&f.repo.join(".git/hooks"), "post-checkout", "exit 1");
    let repo = f.open();
    let worktree = acquire(&manager(&f, &repo), &f, "pr7-fix");
    assert_eq!(git_in(&worktree.path, &["status", "--porcelain"]), "");
    let detached = manager(&f, &repo)
        .acquire_detached("base", &f.head(), &super::worktree::metadata("run", super::worktree::DEAD))
        .unwrap();
    assert_eq!(git_in(&detached.path, &["rev-parse", "HEAD"]), f.head());
}
