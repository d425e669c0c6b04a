//! The crash matrix: a run that dies at any of its instants, and is gone on with, ends like one that nothing
//! disturbed.
//!
//! `PRFIX_ABORT_AT` counts the moments before and after each effect and each record; `SIGKILL` comes before and after
//! GitHub has acted on each request. Every point is tried; the shards are for the cores.

use std::sync::LazyLock;

use super::ending::{Ending, calls};
use super::scene::Scene;

/// The undisturbed run.
pub struct Undisturbed {
    pub ending: Ending,
    /// Agent calls.
    pub calls: Vec<String>,
    /// What was written to GitHub.
    pub writes: Vec<(String, String)>,
    /// Names of its requests, each with its number among those of the name, from 1.
    pub requests: Vec<(String, usize)>,
}

pub static UNDISTURBED: LazyLock<Undisturbed> = LazyLock::new(|| {
    let scene = Scene::new();
    scene.run().succeeds();
    let names = scene.bench.github.names();
    let nth = |at: usize| names[..=at].iter().filter(|name| **name == names[at]).count();
    let requests = (0..names.len()).map(|at| (names[at].clone(), nth(at))).collect();
    Undisturbed { ending: Ending::of(&scene), calls: calls(&scene), writes: scene.bench.github.writes(), requests }
});

/// Expects everything to be as if nothing had happened in between.
pub fn ended_like_the_undisturbed_run(scene: &Scene, what: &str) {
    let ending = Ending::of(scene);
    assert!(ending == UNDISTURBED.ending, "{what}: {}", ending.differs_from(&UNDISTURBED.ending));
    assert_eq!(calls(scene), UNDISTURBED.calls, "{what}: agents were paid for something else");
    assert_eq!(scene.bench.github.writes(), UNDISTURBED.writes, "{what}: something was written twice");
}

/// As [`ended_like_the_undisturbed_run`]; but the report may warn of what went wrong on the way.
pub fn did_the_same_work(scene: &Scene, what: &str) {
    let (ending, expected) = (Ending::of(scene).without_warnings(), UNDISTURBED.ending.without_warnings());
    assert!(ending == expected, "{what}: {}", ending.differs_from(&expected));
    assert_eq!(calls(scene), UNDISTURBED.calls, "{what}: agents were paid for something else");
}

fn go_on(scene: &Scene, what: &str) {
    let second = scene.run().run();
    assert_eq!(second.status.code(), Some(0), "{what}: {second}");
    ended_like_the_undisturbed_run(scene, what);
}

const SHARDS: usize = 4;

fn dies_at_each_step(shard: usize) {
    for step in (1 + shard..).step_by(SHARDS) {
        let scene = Scene::new();
        let first = scene.run().env("PRFIX_ABORT_AT", &step.to_string()).run();
        if first.status.code().is_some() {
            assert!(step > 75, "the run has only {step} steps: {first}");
            return;
        }
        go_on(&scene, &format!("killed at step {step}"));
    }
}

#[test]
fn a_run_that_dies_at_any_step_ends_like_an_undisturbed_one_1() {
    dies_at_each_step(0);
}

#[test]
fn a_run_that_dies_at_any_step_ends_like_an_undisturbed_one_2() {
    dies_at_each_step(1);
}

#[test]
fn a_run_that_dies_at_any_step_ends_like_an_undisturbed_one_3() {
    dies_at_each_step(2);
}

#[test]
fn a_run_that_dies_at_any_step_ends_like_an_undisturbed_one_4() {
    dies_at_each_step(3);
}

#[test]
fn a_run_that_is_killed_before_github_acts_ends_like_an_undisturbed_one() {
    for (name, nth) in &UNDISTURBED.requests {
        let scene = Scene::new();
        scene.run().dies_before(name, *nth);
        go_on(&scene, &format!("killed before {name} {nth}"));
    }
}

#[test]
fn a_run_that_is_killed_after_github_acted_ends_like_an_undisturbed_one() {
    for (name, nth) in &UNDISTURBED.requests {
        let scene = Scene::new();
        scene.run().dies_after(name, *nth);
        go_on(&scene, &format!("killed after {name} {nth}"));
    }
}
