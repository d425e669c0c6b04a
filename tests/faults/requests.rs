//! The fault matrix of GitHub: every request of a run fails in every way, and then the run is gone on with.

use super::crash::{UNDISTURBED, did_the_same_work};
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
    let mut tries = (0..4).map(|_| {
        let finished = scene.run().env("PRFIX_HTTP_TIMEOUT", "1").run();
        invariants::hold(scene, &finished, what);
        finished
    });
    let mut last = tries.next().expect("a try");
    while last.status.code() != Some(0) {
        last = tries.next().unwrap_or_else(|| panic!("{what}: it does not come to an end: {last}"));
    }
    last
}

/// A thread that GitHub says is gone is not answered, and one that we may not resolve stays open. The report says so.
fn leaves_a_thread(name: &str, kind: &str) -> bool {
    matches!((name, kind), ("ThreadNow" | "Reply" | "Resolve", "404" | "410") | ("Resolve", "403"))
}

/// One request of a run, and how it fails.
type Case<'a> = (&'a str, usize, &'a str);

fn run_with(cases: &[Case<'_>]) {
    let what = format!("{cases:?}");
    let scene = Scene::new();
    for (name, nth, kind) in cases {
        let (fault, times) = fault(kind);
        scene.bench.github.on(name).nth(*nth).times(times).fail(fault);
    }
    let last = run_until_done(&scene, &what);
    // The second of two may not come about any more.
    scene.bench.github.take_problems();
    let warned = last.json()["warnings"].as_array().is_some_and(|warnings| warnings.len() > 1);
    if !(warned && cases.iter().any(|(name, _, kind)| leaves_a_thread(name, kind))) {
        did_the_same_work(&scene, &what);
    }
}

fn all() -> Vec<Case<'static>> {
    let requests = UNDISTURBED.requests.iter();
    requests.flat_map(|(name, nth)| KINDS.iter().map(move |kind| (name.as_str(), *nth, *kind))).collect()
}

/// A quarter of the matrix, in which each request fails in four ways and each way strikes a quarter of the requests;
/// with `PRFIX_TEST_MATRIX=all` all of it.
fn chosen() -> Vec<Case<'static>> {
    let whole = std::env::var("PRFIX_TEST_MATRIX").is_ok_and(|which| which == "all");
    let cases = all().into_iter().enumerate();
    cases
        .filter(|(at, _)| whole || (at / KINDS.len() + at % KINDS.len()).is_multiple_of(4))
        .map(|(_, case)| case)
        .collect()
}

fn faults(shard: usize) {
    for case in chosen().into_iter().skip(shard).step_by(SHARDS) {
        run_with(&[case]);
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

const PAIRS: usize = 12;

/// Two faults in one run, by chance: `PRFIX_TEST_SEED` gives other pairs, and a failure names the one it was.
#[test]
fn two_requests_fail_in_one_run() {
    let seed = std::env::var("PRFIX_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    println!("PRFIX_TEST_SEED={seed}");
    let mut chance = Chance(seed);
    let all = all();
    for _ in 0..PAIRS {
        let pair = [all[chance.below(all.len())], all[chance.below(all.len())]];
        run_with(&pair);
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): good enough to choose, and the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).expect("a small number")
    }
}

#[test]
fn a_head_that_lags_after_the_push_is_waited_for_and_nothing_is_done_twice() {
    for requests in [1, 2, 4, 6, 7, 9, 20] {
        let what = format!("the head lags for {requests} requests");
        let scene = Scene::new();
        let pr = scene.pr.clone().lag_head(requests);
        run_until_done(&scene, &what);
        assert_eq!((pr.replies(), pr.unresolved()), (2, 0), "{what}");
        did_the_same_work(&scene, &what);
    }
}
