//! The fault matrix of git: each fetch, look-up, commit and push of a run fails, hangs or is killed.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::crash::did_the_same_work;
use super::invariants;
use super::scene::Scene;

/// A real process in front of the user's git.
pub struct Wrapped {
    pub scene: Scene,
    dir: PathBuf,
}

impl Wrapped {
    pub fn new() -> Self {
        let mut scene = Scene::new();
        let dir = scene.bench.root().join("git");
        std::fs::create_dir(&dir).unwrap();
        std::fs::write(dir.join("wrapper.sh"), include_str!("wrapper.sh")).unwrap();
        let real = which::which("git").unwrap();
        let (wrapper, here) = (dir.join("wrapper.sh"), dir.display());
        let script = format!("#!/bin/sh\nexec sh {} {} {here} \"$@\"\n", wrapper.display(), real.display());
        std::fs::write(dir.join("git"), script).unwrap();
        std::fs::set_permissions(dir.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!("{here}:{}", std::env::var("PATH").unwrap_or_default());
        scene.bench.env("PATH", &path);
        Self { scene, dir }
    }

    /// What happens to the nth call of a command, from 1.
    pub fn fault(&self, command: &str, nth: usize, kind: &str) {
        std::fs::write(self.dir.join("fault"), format!("{command} {nth} {kind}\n")).unwrap();
    }

    fn calls(&self) -> Vec<String> {
        std::fs::read_to_string(self.dir.join("calls")).unwrap().lines().map(str::to_owned).collect()
    }
}

fn each(what: &str) -> Vec<Wrapped> {
    let undisturbed = Wrapped::new();
    undisturbed.scene.run().succeeds();
    let (calls, mut all) = (undisturbed.calls(), Vec::new());
    for command in ["fetch", "ls-remote", "commit", "push"] {
        let count = calls.iter().filter(|call| *call == command).count();
        assert!(count > 0, "{command}: {calls:?}");
        for nth in 1..=count {
            all.push(one(command, nth, what));
        }
    }
    all
}

fn one(command: &str, nth: usize, kind: &str) -> Wrapped {
    let what = format!("git {command} {nth} {kind}");
    let wrapped = Wrapped::new();
    wrapped.fault(command, nth, kind);
    let scene = &wrapped.scene;
    let mut last = None;
    for _ in 0..3 {
        let run = scene.run().env("PRFIX_FETCH_TIMEOUT", "2").env("PRFIX_HOOK_TIMEOUT", "2");
        let finished = run.run();
        if finished.status.code().is_some() {
            invariants::hold(scene, &finished, &what);
        }
        let done = finished.status.code() == Some(0);
        last = Some(finished);
        if done {
            break;
        }
    }
    let last = last.unwrap();
    assert_eq!(last.status.code(), Some(0), "{what}: {last}");
    did_the_same_work(scene, &what);
    wrapped
}

#[test]
fn each_command_of_git_fails() {
    each("fails");
}

#[test]
fn the_answer_of_each_command_of_git_is_lost() {
    each("answer-lost");
}

#[test]
fn each_command_of_git_hangs_before_it_does_anything() {
    each("hangs");
}

#[test]
fn each_command_of_git_hangs_when_it_is_done() {
    each("hangs-after");
}

#[test]
fn each_command_of_git_is_killed_and_leaves_its_lock() {
    each("killed");
}

#[test]
fn a_commit_and_a_push_that_took_before_the_program_died_are_found_and_not_made_again() {
    for wrapped in each("dies-after") {
        let count = |command: &str| wrapped.calls().iter().filter(|call| *call == command).count();
        assert_eq!((count("commit"), count("push")), (1, 1), "{:?}", wrapped.calls());
    }
}
