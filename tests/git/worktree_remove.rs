//! What a worktree holds decides about its removal; the list and the sweep say why.

use git_prfix::git::{Listed, Manager, Refusal, State};
use jiff::Timestamp;

use super::fixture::{Fixture, write};
use super::worktree::{DEAD, acquire, commit_in, manager, metadata};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Two hours after [`metadata`] says that a worktree was made.
fn later() -> Timestamp {
    at("2026-12-01T02:00:00Z")
}

fn listed<'l>(list: &'l [Listed], name: &str) -> &'l Listed {
    list.iter().find(|listed| listed.name == name).unwrap()
}

fn state(manager: &Manager<'_>, name: &str, now: Timestamp) -> State {
    listed(&manager.list(now).unwrap(), name).state
}

#[test]
fn removal_is_refused_for_whatever_would_be_lost() {
    let f = Fixture::new();
    f.commit(".gitignore", "*.log\n.env*\nnode_modules/\n", "ignore");
    let repo = f.open();
    let manager = manager(&f, &repo);
    let holds = |slug: &str, change: &dyn Fn(&std::path::Path)| {
        let worktree = acquire(&manager, &f, slug);
        change(&worktree.path);
        match manager.remove(&worktree, None, false) {
            Ok(()) => None,
            Err(Refusal::HoldsWork { what, .. }) => Some(what.join("; ")),
            Err(other) => panic!("{other}"),
        }
    };
    let dirty = holds("dirty", &|root| write(root, "a.txt", "changed")).unwrap();
    assert!(dirty.contains("a.txt"), "{dirty}");
    assert!(holds("untracked", &|root| write(root, "new", "x")).is_some());
    let secret = holds("secret", &|root| write(root, "app/.env.local", "KEY=1")).unwrap();
    assert!(secret.contains(".env.local"), "{secret}");
    let ahead = holds("ahead", &|root| drop(commit_in(root, "b"))).unwrap();
    assert!(ahead.contains("commits"), "{ahead}");
    assert_eq!(
        holds("rebuildable", &|root| {
            write(root, "debug.log", "x");
            write(root, "node_modules/x/cert.pem", "x");
        }),
        None
    );
}

#[test]
fn a_secret_that_was_copied_from_the_operator_is_no_work() {
    let f = Fixture::new();
    f.commit(".gitignore", ".env\n", "ignore");
    f.write(".env", "KEY=1");
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "copied");
    write(&worktree.path, ".env", "KEY=2");
    assert!(matches!(manager.remove(&worktree, None, false), Err(Refusal::HoldsWork { .. })));
    write(&worktree.path, ".env", "KEY=1");
    manager.remove(&worktree, None, false).unwrap();
}

#[test]
fn pushed_commits_are_no_obstacle_and_the_branch_stays() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    let fix = commit_in(&worktree.path, "fix");
    assert!(matches!(manager.remove(&worktree, Some(&f.head()), false), Err(Refusal::HoldsWork { .. })));
    manager.remove(&worktree, Some(&fix), false).unwrap();
    assert_eq!(f.git(&["rev-parse", "pr7-fix"]), fix);
    assert_eq!(f.git(&["worktree", "list"]).lines().count(), 1);
    assert!(!worktree.path.exists() && manager.metadata(&worktree).is_none());
}

#[test]
fn a_lock_beats_force_and_force_beats_work() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    write(&worktree.path, "work", "x");
    manager.keep(&worktree, "gates failed").unwrap();
    let refusal = manager.remove(&worktree, None, true).unwrap_err();
    assert!(matches!(&refusal, Refusal::Locked { reason, .. } if reason == "gates failed"), "{refusal}");
    manager.release(&worktree).unwrap();
    manager.release(&worktree).unwrap();
    manager.remove(&worktree, None, true).unwrap();
    assert!(!worktree.path.exists());
}

#[test]
fn a_managed_worktree_is_found_by_its_path() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    assert_eq!(manager.at(&worktree.path).unwrap(), Some(worktree.clone()));
    assert_eq!(manager.at(&worktree.path.join("..").join("pr7-fix")).unwrap(), Some(worktree));
    assert_eq!((manager.at(&f.repo).unwrap(), manager.at(&f.path("none")).unwrap()), (None, None));
}

#[test]
fn foreign_and_main_worktrees_are_never_removed() {
    let f = Fixture::new();
    f.git(&["worktree", "add", "-q", "../side"]);
    let repo = f.open();
    let manager = manager(&f, &repo);
    let ours = acquire(&manager, &f, "ours");
    // A sibling whose name begins like our folder.
    let folder = ours.path.parent().unwrap();
    let sibling = folder.with_file_name(format!("{}-x", folder.file_name().unwrap().to_str().unwrap()));
    f.git(&["worktree", "add", "-q", sibling.join("tree").to_str().unwrap()]);
    for path in [f.repo.clone(), f.path("side"), sibling.join("tree"), folder.join("../ours"), folder.join("none")] {
        let worktree = git_prfix::git::Worktree { path: path.clone(), ..ours.clone() };
        let result = manager.remove(&worktree, None, true);
        assert!(matches!(result, Err(Refusal::Foreign { .. })), "{path:?}: {result:?}");
    }
    assert_eq!(f.git(&["worktree", "list"]).lines().count(), 4);
}

#[test]
fn a_checkout_that_points_elsewhere_is_not_ours() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    std::fs::write(worktree.path.join(".git"), format!("gitdir: {}\n", f.repo.join(".git").display())).unwrap();
    assert!(matches!(manager.remove(&worktree, None, true), Err(Refusal::Foreign { .. })));
    assert!(worktree.path.join("a.txt").exists());
}

#[test]
fn a_link_inside_is_removed_and_its_target_stays() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    write(f.tmp.path(), "outside/keep", "x");
    std::os::unix::fs::symlink(f.path("outside"), worktree.path.join("link")).unwrap();
    manager.remove(&worktree, None, true).unwrap();
    assert!(f.path("outside/keep").exists());
}

#[test]
fn the_list_says_what_each_one_is() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let make = |name: &str| acquire(&manager, &f, name);
    manager.keep(&make("locked"), "look at it").unwrap();
    manager.acquire("active", "main", &metadata("live", std::process::id())).unwrap();
    make("dead");
    write(&make("dirty").path, "work", "x");
    commit_in(&make("ahead").path, "fix");
    let orphan = make("orphan");
    std::fs::remove_dir_all(f.repo.join(".git/worktrees/orphan")).unwrap();
    let husk = make("husk");
    std::fs::remove_dir_all(f.repo.join(".git/worktrees/husk")).unwrap();
    std::fs::remove_file(husk.path.join("a.txt")).unwrap();
    write(&husk.path, "node_modules/x/index.js", "x");
    std::fs::remove_dir_all(make("gone").path).unwrap();
    let nobody = make("nobody");
    f.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    std::fs::remove_file(nobody.path.parent().unwrap().join(".meta/nobody.json")).unwrap();

    let now = later();
    let states = ["locked", "active", "dead", "dirty", "ahead", "orphan", "husk", "gone"];
    let states = states.map(|name| state(&manager, name, now));
    use State::{Active, DeadOwner, HoldsWork, Locked, OrphanedDir, OrphanedDirPreserved, OrphanedRegistration};
    let expected =
        [Locked, Active, DeadOwner, HoldsWork, HoldsWork, OrphanedDirPreserved, OrphanedDir, OrphanedRegistration];
    assert_eq!(states, expected);
    // Without metadata, the age is that of the folder.
    let long_after = Timestamp::now().checked_add(jiff::SignedDuration::from_hours(2)).unwrap();
    assert_eq!(state(&manager, "nobody", long_after), State::Empty);
    assert_eq!(state(&manager, "dead", at("2026-12-01T00:30:00Z")), State::Fresh);
    let old = at("2027-01-15T00:00:00Z");
    assert_eq!((state(&manager, "ahead", old), state(&manager, "dirty", old)), (State::StaleClean, State::StaleDirty));
    let dead = manager.list(now).unwrap();
    let dead = listed(&dead, "dead");
    assert_eq!(
        (dead.pr, dead.owner.as_deref(), dead.owner_alive, dead.age_seconds),
        (Some(7), Some("run"), false, Some(7200))
    );
    assert!(dead.bytes > 0 && orphan.path.exists());
}

#[test]
fn cleaning_shows_first_and_then_takes_only_what_is_safe() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let dead = acquire(&manager, &f, "dead");
    let kept = acquire(&manager, &f, "kept");
    commit_in(&kept.path, "fix");
    let gone = acquire(&manager, &f, "gone");
    std::fs::remove_dir_all(&gone.path).unwrap();

    let shown = manager.clean(later(), true).unwrap();
    assert!(dead.path.exists() && shown.iter().all(|listed| !listed.removed));
    let done = manager.clean(later(), false).unwrap();
    let removed: Vec<_> = done.iter().filter(|listed| listed.removed).map(|listed| listed.name.as_str()).collect();
    assert_eq!(removed, ["dead", "gone"]);
    assert!(!dead.path.exists() && kept.path.exists());
    // A branch with nothing of its own goes with its worktree, one with a commit stays.
    assert_eq!(f.git(&["for-each-ref", "--format=%(refname:short)"]), "kept\nmain");
    assert_eq!(f.git(&["worktree", "list"]).lines().count(), 2);
}

#[test]
fn commits_on_a_remote_tracking_branch_are_pushed() {
    let f = Fixture::new();
    let bare = f.with_origin();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "pr7-fix");
    let fix = commit_in(&worktree.path, "fix");
    assert_eq!(state(&manager, "pr7-fix", later()), State::HoldsWork);
    f.git(&["push", "-q", bare.to_str().unwrap(), &format!("{fix}:refs/heads/feature")]);
    f.git(&["fetch", "-q", "origin"]);
    assert_eq!(state(&manager, "pr7-fix", later()), State::DeadOwner);
}

#[test]
fn the_first_three_automatic_sweeps_only_report() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let dead = acquire(&manager, &f, "dead");
    for _ in 0..3 {
        manager.sweep(later()).unwrap();
        assert!(dead.path.exists());
    }
    manager.sweep(later()).unwrap();
    assert!(!dead.path.exists());
}

#[test]
fn a_root_that_is_a_link_is_skipped() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let dead = acquire(&manager, &f, "dead");
    std::fs::rename(f.path("state"), f.path("moved")).unwrap();
    std::os::unix::fs::symlink(f.path("moved"), f.path("state")).unwrap();
    assert_eq!(manager.clean(later(), false).unwrap().len(), 0);
    assert!(dead.path.exists());
}

#[test]
fn a_worktree_that_a_process_works_in_is_active() {
    let f = Fixture::new();
    let repo = f.open();
    let manager = manager(&f, &repo);
    let worktree = acquire(&manager, &f, "busy");
    let mut child = std::process::Command::new("sh");
    let child = child.args(["-c", "echo ready; exec cat"]).current_dir(&worktree.path);
    let child = child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    let while_running = state(&manager, "busy", later());
    drop(child.stdin.take());
    child.wait().unwrap();
    assert_eq!((while_running, state(&manager, "busy", later())), (State::Active, State::DeadOwner));
    assert_eq!(DEAD, manager.metadata(&worktree).unwrap().pid);
}
