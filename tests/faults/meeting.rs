//! Runs that meet, and locks that dead ones leave.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command};

use super::crash::{did_the_same_work, ended_like_the_undisturbed_run};
use super::ending::leftovers;
use super::gits::Wrapped;
use super::invariants;
use super::scene::Scene;
use crate::support::{Fault, TestBench};

/// Two named pipes: at the first the fix agent says that it works, at the second it waits to be let on.
struct Gate(PathBuf);

impl Gate {
    fn new(scene: &Scene) -> Self {
        let gate = Self(scene.bench.home().join(".cache/scripted-agent"));
        for pipe in ["reached", "let-on"] {
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            let pipe = gate.0.join(pipe);
            rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        }
        let line = format!("echo > {0}/reached; cat {0}/let-on >/dev/null", gate.0.display());
        drop(Scene::scripted(scene.bench.agent.fix_round(1).sh(&line)));
        gate
    }

    fn reached(&self) {
        std::fs::File::open(self.0.join("reached")).unwrap().read_to_end(&mut Vec::new()).unwrap();
    }

    fn let_on(&self) {
        std::fs::write(self.0.join("let-on"), "on").unwrap();
    }
}

#[test]
fn a_second_run_says_who_holds_the_pull_request_and_since_when_and_leaves_it_alone() {
    let scene = Scene::new();
    let gate = Gate::new(&scene);
    std::thread::scope(|threads| {
        let first = threads.spawn(|| scene.run().run());
        gate.reached();
        let lock = std::fs::read_to_string(scene.bench.journal_dir().join("pr-7/lock")).unwrap();
        let held: serde_json::Value = serde_json::from_str(&lock).unwrap();
        let said =
            format!("another run works on pull request #7: process {}, since {}", held["pid"], "2026-01-02T03:04:05Z");
        for args in [&["7"][..], &["7", "--fresh"], &["--resume"], &["sweep", "7"]] {
            let second = scene.bench.prfix(args).fails_with(3).says(&said).says("its lock ends with it");
            assert!(second.stderr.contains("prfix::state::locked"), "{second}");
        }
        gate.let_on();
        let first = first.join().unwrap();
        assert_eq!(first.status.code(), Some(0), "{first}");
    });
    ended_like_the_undisturbed_run(&scene, "met by others");
}

#[test]
fn the_lock_of_a_killed_run_is_nobodys_whatever_stands_in_it() {
    let scene = Scene::new();
    scene.run().dies_before("Reply", 1);
    let lock = scene.bench.journal_dir().join("pr-7/lock");
    // A process that lives has the number of the dead one now.
    std::fs::write(&lock, format!("{{\"pid\": {}, \"since\": \"2026-01-02T03:04:05Z\"}}", std::process::id())).unwrap();
    scene.run().succeeds();
    ended_like_the_undisturbed_run(&scene, "after a dead run");
}

#[test]
fn of_runs_that_start_together_one_works_and_nothing_is_done_twice() {
    let scene = Scene::new();
    let ends: Vec<_> = std::thread::scope(|threads| {
        let runs: Vec<_> = (0..3).map(|_| threads.spawn(|| scene.run().run())).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    for end in &ends {
        invariants::hold(&scene, end, "together");
        assert!(matches!(end.status.code(), Some(0 | 3)), "{end}");
    }
    assert!(ends.iter().any(|end| end.status.code() == Some(0)));
    ended_like_the_undisturbed_run(&scene, "together");
}

#[test]
fn runs_of_two_pull_requests_do_not_disturb_one_another() {
    let bench = TestBench::new();
    let open = |number, branch: &str| bench.open_pr_number(number, branch, "ann").thread("src/a.rs:3", "off by one");
    let prs = [open(7, "feature"), open(8, "other")];
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    std::thread::scope(|threads| {
        let runs = ["7", "8"].map(|number| {
            threads.spawn({
                let bench = &bench;
                move || bench.prfix([number, "--json"]).succeeds()
            })
        });
        runs.into_iter().for_each(|run| drop(run.join().unwrap()));
    });
    for pr in &prs {
        assert_eq!((pr.replies(), pr.unresolved()), (1, 0), "#{}", pr.number);
    }
    assert_eq!(leftovers(&bench), [""; 0]);
}

/// A run whose git was killed in its commit, and the locks that are left.
fn killed_with_locks() -> (Wrapped, PathBuf, Vec<PathBuf>) {
    let wrapped = Wrapped::new();
    wrapped.fault("commit", 1, "killed");
    let scene = &wrapped.scene;
    scene.run().fails_with(3);
    let list = scene.bench.git(&["worktree", "list", "--porcelain"]);
    let worktree = PathBuf::from(list.lines().filter_map(|line| line.strip_prefix("worktree ")).nth(1).unwrap());
    let common = scene.bench.clone_dir().join(".git");
    let locks = ["worktrees/pr7-fix/index.lock", "worktrees/pr7-fix/HEAD.lock", "refs/heads/pr7-fix.lock"];
    let mut locks: Vec<PathBuf> = locks.iter().map(|lock| common.join(lock)).collect();
    std::fs::create_dir_all(common.join("refs/prfix/pr-7")).unwrap();
    locks.push(common.join("refs/prfix/pr-7/head.lock"));
    locks.iter().for_each(|lock| std::fs::write(lock, "").unwrap());
    (wrapped, worktree, locks)
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn locks_of_a_dead_git_are_taken_away_and_those_of_a_living_process_respected() {
    let (wrapped, worktree, locks) = killed_with_locks();
    let scene = &wrapped.scene;
    let person = Running(Command::new("sleep").arg("1000").current_dir(&worktree).spawn().unwrap());
    let refused = scene.run().fails_with(1).says(&format!("process {} works there", person.0.id()));
    invariants::hold(scene, &refused, "a person works in the worktree");
    assert!(locks[0].exists(), "the lock of a living process was taken away");
    drop(person);
    scene.run().succeeds();
    did_the_same_work(scene, "locks were left");
    assert!(locks.iter().all(|lock| !lock.exists()), "{locks:?}");
}

#[test]
fn locks_in_the_operators_own_checkout_are_never_touched() {
    let scene = Scene::new();
    let lock = scene.bench.clone_dir().join(".git/index.lock");
    std::fs::write(&lock, "").unwrap();
    scene.bench.github.on("Reply").fail(Fault::KillBefore);
    scene.run().run();
    scene.run().succeeds();
    assert!(lock.exists());
    std::fs::remove_file(lock).unwrap();
    ended_like_the_undisturbed_run(&scene, "a lock of the operator's");
}
