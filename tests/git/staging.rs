//! Staging against `git add`, entry by entry.

use std::path::Path;

use git_prfix::git::{changed_paths, stage};
use gix::bstr::BString;

use super::fixture::{Fixture, git_bytes, git_in, try_git, write};
use super::messy;

fn entries(root: &Path) -> Vec<Vec<u8>> {
    git_bytes(root, &["ls-files", "--stage", "-z"]).split(|b| *b == 0).map(<[u8]>::to_vec).collect()
}

fn paths(names: &[&str]) -> Vec<BString> {
    names.iter().map(|name| BString::from(*name)).collect()
}

/// Nothing is left after staging and committing, and the objects are sound.
fn is_settled(root: &Path) {
    assert_eq!(git_in(root, &["diff", "HEAD", "--name-only"]), "");
    let fsck = try_git(root, &["fsck", "--strict", "--no-dangling"]);
    assert!(fsck.status.success(), "{}", String::from_utf8_lossy(&fsck.stderr));
}

#[test]
fn a_messy_work_tree_is_staged_as_by_git_add() {
    let (ours, theirs) = (messy::committed(), messy::committed());
    for f in [&ours, &theirs] {
        messy::make_mess(&f.repo);
        std::fs::remove_dir_all(f.repo.join("nested")).unwrap();
    }
    let changed: Vec<_> = changed_paths(&ours.repo).unwrap().into_iter().map(|change| change.path).collect();
    stage(&ours.repo, &changed).unwrap();
    theirs.git(&["add", "-A"]);
    assert_eq!(entries(&ours.repo), entries(&theirs.repo));
    assert_eq!(ours.git(&["write-tree"]), theirs.git(&["write-tree"]));
    ours.git(&["commit", "-q", "-m", "staged"]);
    assert_eq!(changed_paths(&ours.repo).unwrap(), []);
    is_settled(&ours.repo);
}

#[test]
fn only_the_named_paths_move() {
    let f = messy::committed();
    messy::make_mess(&f.repo);
    f.write("stray.env", "SECRET=1");
    let before = entries(&f.repo);
    stage(&f.repo, &paths(&["change/new\nline", "remove/*glob[a]?", "new/-dash"])).unwrap();
    let staged = git_bytes(&f.repo, &["diff", "--cached", "--name-status", "--no-renames", "-z"]);
    let expected = b"M\0change/new\nline\0A\0new/-dash\0D\0remove/*glob[a]?\0";
    assert_eq!(staged, expected, "{}", String::from_utf8_lossy(&staged));
    assert_eq!(entries(&f.repo).len(), before.len());
}

#[test]
fn the_cached_trees_above_a_change_are_not_repeated() {
    let f = messy::committed();
    // A commit and a read-tree leave every folder's tree cached.
    f.git(&["read-tree", "HEAD"]);
    f.write("keep/deep/er/and/deeper", "other\n");
    std::fs::remove_file(f.repo.join("folder/becomes/file")).unwrap();
    stage(&f.repo, &paths(&["keep/deep/er/and/deeper", "folder/becomes/file"])).unwrap();
    let tree = f.git(&["write-tree"]);
    f.git(&["read-tree", "HEAD"]);
    f.git(&["add", "-A"]);
    assert_eq!(tree, f.git(&["write-tree"]));
}

#[test]
fn a_conflict_and_a_promise_are_settled() {
    let f = Fixture::new();
    f.git(&["checkout", "-q", "-b", "other"]);
    f.commit("a.txt", "theirs\n", "theirs");
    f.git(&["checkout", "-q", "main"]);
    f.commit("a.txt", "ours\n", "ours");
    assert!(!try_git(&f.repo, &["merge", "other"]).status.success());
    f.write("a.txt", "both\n");
    f.write("promised", "x");
    f.git(&["add", "-N", "promised"]);
    stage(&f.repo, &paths(&["a.txt", "promised"])).unwrap();
    assert_eq!(f.git(&["diff", "--name-only"]), "");
    assert_eq!(f.git(&["show", ":a.txt"]), "both");
    assert_eq!(f.git(&["show", ":promised"]), "x");
    f.git(&["commit", "-q", "-m", "merged"]);
    is_settled(&f.repo);
}

#[test]
fn a_change_in_the_second_of_the_index_is_still_seen_afterwards() {
    let f = Fixture::new();
    f.commit("b", "one\n", "b");
    f.write("a.txt", "b\n");
    f.write("b", "two\n");
    // Staging `b` writes a younger index; the same-sized change of `a.txt` must stay visible.
    stage(&f.repo, &paths(&["b"])).unwrap();
    assert_eq!(f.git(&["diff", "--name-only"]), "a.txt");
}

#[test]
fn modes_follow_the_configuration() {
    let f = Fixture::new();
    f.write("tool", "x");
    f.git(&["add", "--chmod=+x", "tool"]);
    f.git(&["commit", "-q", "-m", "tool"]);
    f.git(&["config", "core.fileMode", "false"]);
    f.write("tool", "y");
    f.write("new", "z");
    stage(&f.repo, &paths(&["tool", "new"])).unwrap();
    let modes = f.git(&["ls-files", "--format=%(objectmode) %(path)"]);
    assert_eq!(modes, "100644 a.txt\n100644 new\n100755 tool");
}

#[test]
fn a_path_behind_a_link_is_a_deletion() {
    let f = Fixture::new();
    f.commit("folder/file", "x\n", "file");
    std::fs::remove_dir_all(f.repo.join("folder")).unwrap();
    write(f.tmp.path(), "outside/file", "not ours\n");
    std::os::unix::fs::symlink("../outside", f.repo.join("folder")).unwrap();
    stage(&f.repo, &paths(&["folder/file", "folder"])).unwrap();
    let staged = f.git(&["ls-files", "--format=%(objectmode) %(path)"]);
    assert_eq!(staged, "100644 a.txt\n120000 folder");
}

#[test]
fn a_path_that_is_nowhere_is_refused_and_nothing_moves() {
    let f = Fixture::new();
    f.write("a.txt", "changed\n");
    let error = stage(&f.repo, &paths(&["a.txt", "no/such"])).unwrap_err().to_string();
    assert!(error.contains("no/such"), "{error}");
    assert_eq!(f.git(&["diff", "--cached", "--name-only"]), "");
    assert!(!f.repo.join(".git/index.lock").exists());
}

#[test]
fn a_held_lock_is_respected() {
    let f = Fixture::new();
    f.write("a.txt", "changed\n");
    std::fs::write(f.repo.join(".git/index.lock"), "").unwrap();
    assert!(stage(&f.repo, &paths(&["a.txt"])).is_err());
    std::fs::remove_file(f.repo.join(".git/index.lock")).unwrap();
    stage(&f.repo, &paths(&["a.txt"])).unwrap();
    assert_eq!(f.git(&["diff", "--cached", "--name-only"]), "a.txt");
}

#[test]
fn a_safecrlf_refusal_is_gits_refusal() {
    let f = Fixture::new();
    f.git(&["config", "core.autocrlf", "input"]);
    f.git(&["config", "core.safecrlf", "true"]);
    f.write("dos", "one\r\ntwo\r\n");
    assert!(!try_git(&f.repo, &["add", "dos"]).status.success());
    assert!(stage(&f.repo, &paths(&["dos"])).is_err());
}

#[test]
fn submodules_and_other_kinds_of_index_are_staged_as_by_git() {
    type Setup = fn(&Fixture);
    let setups: &[(&str, &[&str], Setup)] = &[
        ("sha256", &["--object-format=sha256"], |_| {}),
        ("split index", &[], |f| drop(f.git(&["update-index", "--split-index"]))),
        ("version 4", &[], |f| drop(f.git(&["update-index", "--index-version=4"]))),
        ("untracked cache", &[], |f| drop(f.git(&["update-index", "--untracked-cache"]))),
        ("skip hash", &[], |f| drop(f.git(&["config", "index.skipHash", "true"]))),
        ("reftable", &["--ref-format=reftable"], |_| {}),
        ("utf-16", &[], |f| f.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16LE\n")),
        ("nested", &[], |f| {
            git_in(&f.repo, &["clone", "-q", ".", "nested"]);
        }),
    ];
    for (name, init, setup) in setups {
        let (ours, theirs) = (Fixture::with_init(init), Fixture::with_init(init));
        for f in [&ours, &theirs] {
            setup(f);
            f.write("a.txt", "changed\n");
            f.write("t.u16", "a\0\n\0");
        }
        if *name == "nested" {
            // The same commit on both sides.
            std::fs::remove_dir_all(theirs.repo.join("nested")).unwrap();
            git_in(&theirs.repo, &["clone", "-q", ours.repo.to_str().unwrap(), "nested"]);
        }
        let changed: Vec<_> = changed_paths(&ours.repo).unwrap().into_iter().map(|change| change.path).collect();
        stage(&ours.repo, &changed).unwrap();
        theirs.git(&["add", "-A"]);
        assert_eq!(entries(&ours.repo), entries(&theirs.repo), "{name}");
        assert_eq!(ours.git(&["status", "--porcelain"]), theirs.git(&["status", "--porcelain"]), "{name}");
    }
}

#[test]
fn special_entries_are_staged_as_by_git() {
    type Setup = fn(&Fixture);
    let setups: &[(&str, Setup)] = &[
        ("assume unchanged", |f| drop(f.git(&["update-index", "--assume-unchanged", "a.txt"]))),
        ("skip worktree", |f| drop(f.git(&["update-index", "--skip-worktree", "a.txt"]))),
        ("autocrlf", |f| drop(f.git(&["config", "core.autocrlf", "true"]))),
    ];
    for (name, setup) in setups {
        let (ours, theirs) = (Fixture::new(), Fixture::new());
        for f in [&ours, &theirs] {
            setup(f);
            f.write("a.txt", "one\r\ntwo\r\n");
        }
        stage(&ours.repo, &paths(&["a.txt"])).unwrap();
        theirs.git(&["add", "--sparse", "a.txt"]);
        assert_eq!(ours.git(&["ls-files", "-s", "-v"]), theirs.git(&["ls-files", "-s", "-v"]), "{name}");
    }
}
