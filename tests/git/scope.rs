//! Changed paths against the union of git's three commands.

use std::collections::BTreeSet;
use std::path::Path;

use git_prfix::git::{ChangeKind, changed_paths};

use super::fixture::{Fixture, git_bytes, git_in, write};
use super::messy;

/// `git diff HEAD`, `git diff --cached` and `git ls-files --others`, as paths.
fn union(root: &Path) -> BTreeSet<Vec<u8>> {
    [
        &["diff", "HEAD", "--name-only", "--no-renames", "-z"][..],
        &["diff", "--cached", "--name-only", "--no-renames", "-z"],
        &["ls-files", "--others", "--exclude-standard", "-z"],
    ]
    .iter()
    .flat_map(|args| git_bytes(root, args).split(|b| *b == 0).map(<[u8]>::to_vec).collect::<Vec<_>>())
    .filter(|path| !path.is_empty())
    .collect()
}

fn ours(root: &Path) -> BTreeSet<Vec<u8>> {
    changed_paths(root).unwrap().into_iter().map(|change| change.path.into()).collect()
}

fn kind(root: &Path, path: &str) -> Option<ChangeKind> {
    changed_paths(root).unwrap().into_iter().find(|change| change.path == path).map(|change| change.kind)
}

#[test]
fn a_messy_work_tree_is_listed_as_by_gits_three_commands() {
    let f = messy::committed();
    assert_eq!(changed_paths(&f.repo).unwrap(), []);
    messy::make_mess(&f.repo);
    assert_eq!(ours(&f.repo), union(&f.repo));
    assert!(ours(&f.repo).len() > 5 * messy::ODD.len());
    // Half of it staged, and then changed again.
    f.git(&["add", "change", "new", "remove"]);
    for name in messy::ODD {
        write(&f.repo, Path::new("new").join(messy::odd(name)), "again\n");
        write(&f.repo, Path::new("remove").join(messy::odd(name)), "back\n");
    }
    assert_eq!(ours(&f.repo), union(&f.repo));
    // Nothing shown by default hides nothing here.
    f.git(&["config", "status.showUntrackedFiles", "no"]);
    f.git(&["config", "status.renames", "copies"]);
    assert_eq!(ours(&f.repo), union(&f.repo));
}

#[test]
fn each_change_has_its_kind() {
    let f = messy::committed();
    messy::make_mess(&f.repo);
    f.write("staged", "x");
    f.git(&["add", "staged"]);
    f.git(&["rm", "-q", "--cached", "a.txt"]);
    f.write("promised", "x");
    f.git(&["add", "-N", "promised"]);
    let kinds = ["change/with space", "remove/with space", "retype/with space", "new/with space", "nested/", "staged"]
        .map(|path| kind(&f.repo, path).unwrap());
    use ChangeKind::{Added, Deleted, Modified, TypeChanged, Untracked};
    assert_eq!(kinds, [Modified, Deleted, TypeChanged, Untracked, Untracked, Added]);
    assert_eq!(kind(&f.repo, "a.txt"), Some(Modified));
    assert_eq!(kind(&f.repo, "promised"), Some(Added));
    assert_eq!(kind(&f.repo, "chmod/with space"), Some(Modified));
    assert_eq!(kind(&f.repo, "file.auto"), None);
}

fn with_submodule() -> Fixture {
    let f = Fixture::new();
    let library = Fixture::new();
    let url = library.repo.display().to_string();
    f.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "lib"]);
    f.identify(&f.repo.join("lib"));
    git_in(&f.repo.join("lib"), &["config", "core.hooksPath", "/nowhere"]);
    f.git(&["commit", "-q", "-m", "submodule"]);
    f
}

#[test]
fn a_moved_or_dirty_submodule_counts_whatever_ignore_says() {
    let f = with_submodule();
    let lib = f.repo.join("lib");
    write(&lib, "untracked", "x");
    assert_eq!(ours(&f.repo), union(&f.repo));
    assert_eq!(kind(&f.repo, "lib"), None);
    write(&lib, "a.txt", "dirty and longer\n");
    assert_eq!(ours(&f.repo), union(&f.repo));
    assert_eq!(kind(&f.repo, "lib"), Some(ChangeKind::Submodule));
    git_in(&lib, &["commit", "-q", "-a", "-m", "moved"]);
    assert_eq!(ours(&f.repo), union(&f.repo));
    f.git(&["config", "submodule.lib.ignore", "all"]);
    f.git(&["config", "diff.ignoreSubmodules", "all"]);
    assert_eq!(kind(&f.repo, "lib"), Some(ChangeKind::Submodule));
    f.git(&["add", "lib"]);
    assert_eq!(kind(&f.repo, "lib"), Some(ChangeKind::Submodule));
}

#[test]
fn what_gitoxide_cannot_read_is_listed_by_git() {
    let (reftable, native) = (messy::committed_in(&["--ref-format=reftable"]), messy::committed());
    for f in [&reftable, &native] {
        messy::make_mess(&f.repo);
        f.git(&["add", "change", "new", "remove"]);
        write(&f.repo, "new/-dash", "again\n");
        write(&f.repo, "remove/-dash", "back\n");
    }
    assert_eq!(ours(&reftable.repo), union(&reftable.repo));
    // Kinds and all.
    assert_eq!(changed_paths(&reftable.repo).unwrap(), changed_paths(&native.repo).unwrap());

    let f = Fixture::new();
    f.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16LE\n");
    f.write("t.u16", "a\0\n\0");
    f.git(&["add", "."]);
    f.git(&["commit", "-q", "-m", "utf-16"]);
    f.write("t.u16", "b\0b\0\n\0");
    assert_eq!(ours(&f.repo), union(&f.repo));

    let sparse = Fixture::new();
    sparse.write("in/file", "x");
    sparse.write("out/file", "x");
    sparse.git(&["add", "."]);
    sparse.git(&["commit", "-q", "-m", "two"]);
    sparse.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    sparse.write("in/file", "changed");
    assert_eq!(ours(&sparse.repo), union(&sparse.repo));
    assert_eq!(ours(&sparse.repo).len(), 1);
}

#[test]
fn a_conflict_is_a_change() {
    let f = Fixture::new();
    f.git(&["checkout", "-q", "-b", "other"]);
    f.commit("a.txt", "theirs\n", "theirs");
    f.git(&["checkout", "-q", "main"]);
    f.commit("a.txt", "ours\n", "ours");
    assert!(!super::fixture::try_git(&f.repo, &["merge", "other"]).status.success());
    assert_eq!(ours(&f.repo), union(&f.repo));
    assert_eq!(kind(&f.repo, "a.txt"), Some(ChangeKind::Modified));
}

#[test]
fn a_sha256_repository_is_listed_too() {
    let f = Fixture::with_init(&["--object-format=sha256"]);
    f.write("a.txt", "changed, and longer\n");
    f.write("b", "new");
    f.git(&["add", "b"]);
    assert_eq!(ours(&f.repo), union(&f.repo));
}

/// A small generator, so that a failure names the seed that repeats it.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[test]
fn random_trees_are_listed_and_staged_as_by_git() {
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let f = Fixture::new();
        let name = |dice: &mut Dice| {
            let depth = 1 + dice.roll(3);
            (0..depth).map(|_| format!("{}", (b'a' + dice.roll(4) as u8) as char)).collect::<Vec<_>>().join("/")
        };
        let scramble = |dice: &mut Dice| {
            for _ in 0..20 {
                let path = f.repo.join("t").join(name(dice));
                match dice.roll(4) {
                    0 if path.is_dir() => std::fs::remove_dir_all(&path).unwrap(),
                    0 => drop(std::fs::remove_file(&path)),
                    _ if path.is_dir() => {}
                    _ => {
                        let mut above = path.parent().unwrap().to_owned();
                        while !above.is_dir() {
                            if above.exists() {
                                std::fs::remove_file(&above).unwrap();
                            }
                            above = above.parent().unwrap().to_owned();
                        }
                        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                        std::fs::write(&path, format!("{}", dice.roll(100))).unwrap();
                    }
                }
            }
        };
        scramble(&mut dice);
        f.git(&["add", "-A"]);
        f.git(&["commit", "-q", "--allow-empty", "-m", "tree"]);
        scramble(&mut dice);
        if dice.roll(2) == 0 {
            f.git(&["add", "-A"]);
            scramble(&mut dice);
        }
        assert_eq!(ours(&f.repo), union(&f.repo), "seed {seed}");
        let changes: Vec<_> = changed_paths(&f.repo).unwrap().into_iter().map(|change| change.path).collect();
        git_prfix::git::stage(&f.repo, &changes).unwrap();
        let staged = f.git(&["write-tree"]);
        f.git(&["read-tree", "HEAD"]);
        f.git(&["add", "-A"]);
        assert_eq!(staged, f.git(&["write-tree"]), "seed {seed}");
    }
}
