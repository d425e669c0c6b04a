//! Acquisition of managed worktrees: names, reuse, leftovers, and what git sees afterwards.

use std::path::Path;

use git_prfix::git::{Manager, Metadata, Repository, Worktree};

use super::fixture::{Fixture, git_in, hook, try_git, write};

/// A process id that no process has.
pub const DEAD: u32 = 0x3fff_fff0;

pub fn metadata(owner: &str, pid: u32) -> Metadata {
    Metadata {
        owner: owner.into(),
        pid,
        created_at: "2026-12-01T00:00:00Z".into(),
        seen_at: None,
        base_oid: String::new(),
        base_branch: "main".into(),
        pr: Some(7),
        repo: "github.com/octo/demo".into(),
    }
}

pub fn manager<'r>(f: &Fixture, repo: &'r Repository) -> Manager<'r> {
    Manager::new(repo, f.path("state"))
}

/// As of a run that has died since.
pub fn acquire(manager: &Manager<'_>, f: &Fixture, slug: &str) -> Worktree {
    let meta = Metadata { base_oid: f.head(), ..metadata("run", DEAD) };
    manager.acquire(slug, &f.head(), &meta).unwrap()
}

fn name(worktree: &Worktree) -> &str {
    worktree.path.file_name().unwrap().to_str().unwrap()
}

pub fn commit_in(worktree: &Path, file: &str) -> String {
    write(worktree, file, file);
    git_in(worktree, &["add", file]);
    git_in(worktree, &["commit", "-q", "-m", file]);
    git_in(worktree, &["rev-parse", "HEAD"])
}

#[test]
fn a_worktree_is_to_git_as_if_git_had_made_it() {
    let f = Fixture::new();
    f.git(&["config", "worktree.useRelativePaths", "true"]);
    let config = std::fs::read(f.repo.join(".git/config")).unwrap();
    let repo = f.open();
    let worktree = acquire(&manager(&f, &repo), &f, "PR7 fix");
    assert_eq!((worktree.branch.as_str(), worktree.base), ("pr7-fix", f.head()));
    assert_eq!(git_in(&worktree.path, &["status", "--porcelain=v2", "--branch"]).lines().count(), 2);
    let list = f.git(&["worktree", "list", "--porcelain"]);
    let entry = format!("worktree {}\nHEAD {}\nbranch refs/heads/pr7-fix", worktree.path.display(), f.head());
    assert!(list.ends_with(&entry), "{list}");
    assert_eq!(git_in(&worktree.path, &["fsck", "--no-dangling"]), "");
    assert_eq!(std::fs::read(f.repo.join(".git/config")).unwrap(), config);
    f.git(&["worktree", "prune"]);
    commit_in(&worktree.path, "new");
    f.git(&["worktree", "remove", worktree.path.to_str().unwrap()]);
    assert_eq!(f.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn the_reflogs_are_those_of_git() {
    let f = Fixture::new();
    let repo = f.open();
    let ours = acquire(&manager(&f, &repo), &f, "ours");
    let theirs = f.path("theirs");
    f.git(&["worktree", "add", "-q", "-b", "theirs", theirs.to_str().unwrap(), &f.head()]);
    let log = |branch: &str| f.git(&["reflog", "show", "--format=%gs %gn", branch]);
    assert_eq!(log("ours"), log("theirs").replace("theirs", "ours"));
    assert_eq!(git_in(&ours.path, &["rev-parse", "HEAD@{0}"]), f.head());
}

#[test]
fn slugs_cannot_leave_the_root_and_options_are_no_bases() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let meta = metadata("run", DEAD);
    let worktree = manager.acquire("../../Evil -x/..", "main", &meta).unwrap();
    assert!(worktree.path.starts_with(f.path("state")) && name(&worktree) == "evil-x", "{worktree:?}");
    assert_eq!(worktree.base, f.head());
    for (slug, base) in [("..", "main"), ("ok", "--help"), ("ok", "no-such"), ("ok", "main:a.txt")] {
        assert!(manager.acquire(slug, base, &meta).is_err(), "{slug} {base}");
    }
    assert!(!manager.root().join("ok").exists());
    assert_eq!(f.git(&["for-each-ref", "--format=%(refname:short)"]), "evil-x\nmain");
}

#[test]
fn a_clean_worktree_is_used_again_and_moves_to_the_base() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let first = acquire(&manager, &f, "pr7-fix");
    let pushed = commit_in(&first.path, "fix");
    f.git(&["merge", "-q", "--ff-only", &pushed]);
    f.commit("later", "x", "later");
    let second = acquire(&manager, &f, "pr7-fix");
    assert_eq!((&second.path, git_in(&second.path, &["rev-parse", "HEAD"])), (&first.path, f.head()));
    assert_eq!(git_in(&second.path, &["symbolic-ref", "HEAD"]), "refs/heads/pr7-fix");
    assert!(second.path.join("later").exists());
}

#[test]
fn work_locks_and_living_owners_lead_to_another_name() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let dirty = acquire(&manager, &f, "pr7-fix");
    write(&dirty.path, "work", "x");
    let ahead = acquire(&manager, &f, "pr7-fix");
    commit_in(&ahead.path, "fix");
    let locked = acquire(&manager, &f, "pr7-fix");
    manager.keep(&locked, "for\nlater").unwrap();
    let alive = manager.acquire("pr7-fix", "main", &metadata("other", std::process::id())).unwrap();
    let last = acquire(&manager, &f, "pr7-fix");
    let names = [&dirty, &ahead, &locked, &alive, &last].map(name);
    assert_eq!(names, ["pr7-fix", "pr7-fix-2", "pr7-fix-3", "pr7-fix-4", "pr7-fix-5"]);
    assert_eq!(manager.metadata(&alive).unwrap().owner, "other");
    assert!(f.git(&["worktree", "list", "--porcelain"]).contains("locked for later"));
}

#[test]
fn a_branch_of_the_user_is_never_moved() {
    let f = Fixture::new();
    let old = f.head();
    f.git(&["branch", "pr7-fix"]);
    f.commit("b", "x", "later");
    let repo = f.open();
    let worktree = acquire(&manager(&f, &repo), &f, "pr7-fix");
    assert_eq!(worktree.branch, "pr7-fix-2");
    assert_eq!(f.git(&["rev-parse", "pr7-fix"]), old);
}

#[test]
fn our_branch_moves_when_the_base_contains_it_and_stays_when_not() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let first = acquire(&manager, &f, "pr7-fix");
    let fix = commit_in(&first.path, "fix");
    manager.remove(&first, Some(&fix), false).unwrap();
    assert_eq!(f.git(&["rev-parse", "pr7-fix"]), fix);
    // Not contained: the commit is kept on its branch.
    let second = acquire(&manager, &f, "pr7-fix");
    assert_eq!(second.branch, "pr7-fix-2");
    manager.remove(&second, None, false).unwrap();
    f.git(&["merge", "-q", "--ff-only", &fix]);
    let third = acquire(&manager, &f, "pr7-fix");
    assert_eq!((third.branch.as_str(), git_in(&third.path, &["rev-parse", "HEAD"])), ("pr7-fix", fix));
}

#[test]
fn leftovers_of_a_killed_run_are_recovered() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    // Killed while the checkout was written.
    let half = acquire(&manager, &f, "half");
    std::fs::remove_file(half.path.join("a.txt")).unwrap();
    std::fs::write(f.repo.join(".git/worktrees/half/locked"), "initializing\n").unwrap();
    // The folder was deleted by hand.
    let missing = acquire(&manager, &f, "missing");
    std::fs::remove_dir_all(&missing.path).unwrap();
    // The registration was pruned while the folder stayed.
    let orphan = acquire(&manager, &f, "orphan");
    write(&orphan.path, "work", "x");
    std::fs::remove_dir_all(f.repo.join(".git/worktrees/orphan")).unwrap();
    // The folder was deleted, but somebody locked it.
    let away = acquire(&manager, &f, "away");
    manager.keep(&away, "on another disk").unwrap();
    std::fs::remove_dir_all(&away.path).unwrap();

    for (slug, expected) in [("half", "half"), ("missing", "missing"), ("orphan", "orphan-2"), ("away", "away-2")] {
        let worktree = acquire(&manager, &f, slug);
        assert_eq!(name(&worktree), expected);
        assert_eq!(git_in(&worktree.path, &["status", "--porcelain"]), "");
    }
    assert!(orphan.path.join("work").exists());
    assert!(f.repo.join(".git/worktrees/away/locked").exists());
}

#[test]
fn a_link_or_a_foreign_folder_in_the_way_is_left_alone() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let first = acquire(&manager, &f, "first");
    let folder = first.path.parent().unwrap();
    write(f.tmp.path(), "elsewhere/keep", "x");
    std::os::unix::fs::symlink(f.path("elsewhere"), folder.join("linked")).unwrap();
    write(folder, "foreign/file", "x");
    assert_eq!(name(&acquire(&manager, &f, "linked")), "linked-2");
    assert_eq!(name(&acquire(&manager, &f, "foreign")), "foreign-2");
    assert!(f.path("elsewhere/keep").exists() && folder.join("foreign/file").exists());
}

#[test]
fn a_root_that_is_a_link_is_refused() {
    let f = Fixture::new();
    std::fs::create_dir(f.path("real")).unwrap();
    std::os::unix::fs::symlink(f.path("real"), f.path("state")).unwrap();
    let repo = f.open();
    let error = manager(&f, &repo).acquire("x", "main", &metadata("run", DEAD)).unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
    assert_eq!(std::fs::read_dir(f.path("real")).unwrap().count(), 0);
}

#[test]
fn many_at_once_all_succeed() {
    let f = Fixture::new();
    let head = f.head();
    let paths: std::collections::BTreeSet<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|n| {
                let (f, head) = (&f, &head);
                scope.spawn(move || {
                    let repo = f.open();
                    let meta = metadata(&format!("run-{n}"), std::process::id());
                    manager(f, &repo).acquire("same", head, &meta).unwrap().path
                })
            })
            .collect();
        // Git itself stumbles over worktrees that are half registered, its own included.
        let by_git = |n: u32| {
            let path = format!("../git-{n}");
            let add = || try_git(&f.repo, &["worktree", "add", "-q", "--detach", &path]).status.success();
            (0..100).any(|_| add())
        };
        assert!((0..3).all(by_git));
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(paths.len(), 8);
    assert_eq!(f.git(&["worktree", "list"]).lines().count(), 12);
}

#[test]
fn a_detached_worktree_has_no_branch() {
    let f = Fixture::new();
    let repo = f.open();
    let worktree = manager(&f, &repo).acquire_detached("pr7-base", &f.head(), &metadata("run", DEAD)).unwrap();
    assert_eq!(worktree.branch, "");
    assert_eq!(git_in(&worktree.path, &["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD");
    assert_eq!(f.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

#[test]
fn the_post_checkout_hook_runs_once_as_git_runs_it() {
    let f = Fixture::new();
    let record = f.path("record");
    let script = format!("pwd >> {0}; echo \"$@\" >> {0}; env | grep -c '^GIT_DIR=' >> {0}; exit 1", record.display());
    let hooks = f.path("my-hooks");
    hook(&hooks, "post-checkout", &script);
    f.git(&["config", "core.hooksPath", hooks.to_str().unwrap()]);
    let repo = f.open();
    let worktree = acquire(&manager(&f, &repo), &f, "hooked");
    let recorded = std::fs::read_to_string(&record).unwrap();
    let expected = format!("{}\n{} {} 1\n", worktree.path.display(), "0".repeat(40), f.head());
    assert!(recorded.starts_with(&expected), "{recorded}");
    assert_eq!(recorded.lines().count(), 3);
}

#[test]
fn restore_discards_everything_and_returns_to_the_branch() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    let root = &worktree.path;
    f.git(&["branch", "other"]);
    git_in(root, &["checkout", "-q", "other"]);
    commit_in(root, "stray");
    write(root, "untracked/x", "x");
    write(root, "a.txt", "changed");
    git_in(root, &["init", "-q", "nested"]);
    write(root, "nested/x", "x");
    std::fs::write(f.repo.join(".git/worktrees/pr7-fix/index.lock"), "").unwrap();
    manager.restore(&worktree, &worktree.base).unwrap();
    assert_eq!(git_in(root, &["status", "--porcelain=v2", "--branch"]).lines().count(), 2);
    assert_eq!(git_in(root, &["symbolic-ref", "HEAD"]), "refs/heads/pr7-fix");
    assert_eq!(git_in(root, &["rev-parse", "HEAD"]), worktree.base);
    assert!(!root.join("nested").exists() && !root.join("untracked").exists());
}

#[test]
fn started_from_a_linked_worktree_it_serves_the_same_repository() {
    let f = Fixture::new();
    f.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let (main, side) = (f.open(), f.open_at(&f.path("side")));
    let first = acquire(&manager(&f, &side), &f, "pr7-fix");
    assert_eq!(acquire(&manager(&f, &main), &f, "pr7-fix").path, first.path);
    assert!(f.repo.join(".git/worktrees/pr7-fix").is_dir());
}

#[test]
fn a_link_above_the_root_changes_nothing() {
    let f = Fixture::new();
    std::fs::create_dir(f.path("real-home")).unwrap();
    std::os::unix::fs::symlink(f.path("real-home"), f.path("link")).unwrap();
    let repo = f.open();
    let manager = Manager::new(&repo, f.path("link/not/yet"));
    let first = acquire(&manager, &f, "pr7-fix");
    assert_eq!(acquire(&manager, &f, "pr7-fix"), first);
    manager.remove(&first, None, false).unwrap();
}
