//! Who works in a worktree is told from who worked in it once, however long either takes (A20).

use std::sync::Arc;
use std::time::Duration;

use git_prfix::clock::{Clock, FixedClock};
use git_prfix::git::{Manager, Metadata, State, Worktree};

use super::fixture::Fixture;
use super::worktree::{DEAD, manager, metadata};

const MADE: &str = "2026-12-01T00:00:00Z";
const DAY: Duration = Duration::from_secs(24 * 3600);

fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock::at(MADE.parse().unwrap()))
}

fn state(manager: &Manager<'_>, clock: &FixedClock) -> (State, bool) {
    let listed = manager.list(clock.now()).unwrap();
    assert_eq!(listed.len(), 1);
    (listed[0].state, listed[0].owner_alive)
}

fn seen(manager: &Manager<'_>, worktree: &Worktree) -> Option<String> {
    manager.metadata(worktree).unwrap().seen_at
}

#[test]
fn an_owner_that_lives_says_so_every_ten_minutes_and_is_never_taken_for_dead() {
    let f = Fixture::new();
    let repo = f.open();
    let (manager, clock) = (manager(&f, &repo), clock());
    let mine = metadata("run", std::process::id());
    let worktree = manager.acquire("pr7-fix", "main", &mine).unwrap();
    let lease = manager.lease("run", Arc::clone(&clock) as Arc<dyn Clock>);
    lease.refresh();
    assert_eq!(seen(&manager, &worktree).as_deref(), Some(MADE));

    clock.sleep(Duration::from_secs(599));
    lease.refresh();
    assert_eq!(seen(&manager, &worktree).as_deref(), Some(MADE), "not before ten minutes are over");
    clock.sleep(Duration::from_secs(1));
    lease.refresh();
    assert_eq!(seen(&manager, &worktree).as_deref(), Some("2026-12-01T00:10:00Z"));

    for _ in 0..60 {
        clock.sleep(DAY);
        lease.refresh();
        assert_eq!(state(&manager, &clock), (State::Active, true));
    }
}

#[test]
fn an_owner_that_says_nothing_any_more_is_dead_though_its_process_id_lives() {
    let f = Fixture::new();
    let repo = f.open();
    let (manager, clock) = (manager(&f, &repo), clock());
    let mine = Metadata { base_oid: f.head(), ..metadata("run", std::process::id()) };
    manager.acquire("pr7-fix", "main", &mine).unwrap();
    manager.lease("run", Arc::clone(&clock) as Arc<dyn Clock>).refresh();
    clock.sleep(6 * DAY);
    assert_eq!(state(&manager, &clock), (State::Active, true));
    clock.sleep(2 * DAY);
    assert_eq!(state(&manager, &clock), (State::DeadOwner, false));
    assert!(manager.clean(clock.now(), false).unwrap()[0].removed);
}

#[test]
fn only_ones_own_worktrees_are_renewed_and_a_removed_one_does_not_come_back() {
    let f = Fixture::new();
    let repo = f.open();
    let (manager, clock) = (manager(&f, &repo), clock());
    let other = manager.acquire("other", "main", &metadata("another run", std::process::id())).unwrap();
    let dead = manager.acquire("dead", "main", &metadata("run", DEAD)).unwrap();
    let gone = manager.acquire("gone", "main", &metadata("run", std::process::id())).unwrap();
    std::fs::remove_dir_all(&gone.path).unwrap();
    manager.lease("run", Arc::clone(&clock) as Arc<dyn Clock>).refresh();
    assert_eq!([&other, &dead, &gone].map(|worktree| seen(&manager, worktree)), [None, None, None]);
}

#[test]
fn a_run_that_is_gone_on_with_takes_its_worktree_over() {
    let f = Fixture::new();
    let repo = f.open();
    let (manager, clock) = (manager(&f, &repo), clock());
    let before = Metadata { base_oid: f.head(), ..metadata("run", DEAD) };
    let worktree = manager.acquire("pr7-fix", "main", &before).unwrap();
    assert!(!state(&manager, &clock).1);
    let later = Metadata { created_at: "2026-12-01T05:00:00Z".into(), ..metadata("run", std::process::id()) };
    manager.take_over(&worktree, &later).unwrap();
    assert!(state(&manager, &clock).1);
    let after = manager.metadata(&worktree).unwrap();
    assert_eq!((after.created_at.as_str(), &after.base_oid), (MADE, &before.base_oid), "its age is what it was");
}
