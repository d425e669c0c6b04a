//! The fault matrix of GitHub: every request of a run fails in every way, and then the run is gone on with.

use std::sync::Mutex;

use super::crash::{UNDISTURBED, ended_like_the_undisturbed_run};
use super::invariants;
use super::scene::Scene;
use crate::support::Fault;
use crate::support::run::Finished;

/// What GitHub does to a request, and how often in a row: once is mended by a repetition where one is allowed, three
/// times by none.
const KINDS: &[&str] = &[
    "dropped before GitHub acted",
    "dropped after GitHub acted",
    "unreachable",
    "timed out",
    "401",
    "403",
    "404",
    "410",
    "422",
    "429",
    "500",
    "502",
    "down",
    "errors",
    "cut off",
    "half a document",
];

fn fault(kind: &str) -> (Fault, usize) {
    match kind {
        "dropped before GitHub acted" => (Fault::DropBefore, 1),
        "dropped after GitHub acted" => (Fault::DropAfter, 1),
        "unreachable" => (Fault::DropBefore, 3),
        "timed out" => (Fault::Hang, 1),
        "429" => (Fault::status(429).header("retry-after", 30), 1),
        "down" => (Fault::status(500), 3),
        "errors" => (Fault::errors("SERVICE_UNAVAILABLE", "Something went wrong while executing your query."), 1),
        "cut off" => (Fault::Cut, 1),
        "half a document" => (Fault::HalfJson, 1),
        status => (Fault::status(status.parse().expect("a status")), 1),
    }
}

/// Runs until the run is done; a person who is told to run it again does so.
pub fn run_until_done(scene: &Scene, what: &str) -> Finished {
    for _ in 0..4 {
        let finished = scene.run().env("PRFIX_HTTP_TIMEOUT", "1").run();
        invariants::hold(scene, &finished, what);
        if finished.status.code() == Some(0) {
            return finished;
        }
    }
    panic!("{what}: it does not come to an end");
}

/// What is lost is said, and nothing else is lost: a log or the checks of another commit that cannot be read, a thread
/// that is gone, a resolution that we may not make.
fn is_said(name: &str, kind: &str) -> bool {
    let reading = name.ends_with("/logs") || name.ends_with("/annotations") || name == "CommitChecks";
    reading || (name == "ThreadNow" && matches!(kind, "404" | "410")) || (name == "Resolve" && kind == "403")
}

fn one_fault((name, nth): &(String, usize), kind: &str) {
    let what = format!("{name} {nth}: {kind}");
    let scene = Scene::new();
    let (fault, times) = fault(kind);
    scene.bench.github.on(name).nth(*nth).times(times).fail(fault);
    let last = run_until_done(&scene, &what);
    // A fault that comes three times may meet fewer requests.
    scene.bench.github.take_problems();
    let warned = last.json()["warnings"].as_array().is_some_and(|warnings| warnings.len() > 1);
    if !(is_said(name, kind) && warned) {
        ended_like_the_undisturbed_run(&scene, &what);
    }
}

/// A shard of the matrix, worked off by two threads.
fn faults(shard: usize) {
    let all = UNDISTURBED.requests.iter().flat_map(|request| KINDS.iter().map(move |kind| (request, *kind)));
    let cases = Mutex::new(all.enumerate().filter(|(n, _)| n % SHARDS == shard));
    let next = || cases.lock().unwrap().next();
    while let Some((_, (request, kind))) = next() {
        let r = std::panic::catch_unwind(|| one_fault(request, kind));
        if r.is_err() {
            println!("BAD {request:?} {kind}")
        }
    }
}

const SHARDS: usize = 4;

#[test]
fn each_request_fails_in_each_way_1() {
    faults(0);
}

#[test]
fn each_request_fails_in_each_way_2() {
    faults(1);
}

#[test]
fn each_request_fails_in_each_way_3() {
    faults(2);
}

#[test]
fn each_request_fails_in_each_way_4() {
    faults(3);
}
