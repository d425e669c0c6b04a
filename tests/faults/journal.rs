//! What a resumed run takes from its journal, and what it refuses to.

use std::io::Write;
use std::path::PathBuf;

use super::crash::ended_like_the_undisturbed_run;
use super::ending::runs;
use super::invariants;
use super::scene::Scene;

/// A run that was killed before its first reply, and its journal.
fn killed() -> (Scene, PathBuf) {
    let scene = Scene::new();
    scene.run().dies_before("Reply", 1);
    let journal = runs(&scene.bench).remove(0).join("journal.jsonl");
    (scene, journal)
}

fn append(journal: &PathBuf, bytes: &[u8]) {
    std::fs::OpenOptions::new().append(true).open(journal).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_run_with_an_event_of_a_newer_version_can_be_read_and_is_never_continued() {
    let lines = [
        "{\"v\":1,\"at\":\"2026-01-02T03:04:05Z\",\"event\":\"teleported\",\"to\":3}\n",
        "{\"v\":2,\"at\":\"2026-01-02T03:04:05Z\",\"event\":\"specified\",\"items\":4}\n",
        "{\"v\":1,\"at\":\"2026-01-02T03:04:05Z\",\"event\":\"did\",\"step\":{\"effect\":\"sing\"},\"url\":null}\n",
        "not even a document\n",
    ];
    for line in lines {
        let (scene, journal) = killed();
        append(&journal, line.as_bytes());
        let before = std::fs::read(&journal).unwrap();
        let id = journal.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        for args in [&["7", "--json"][..], &["--resume", &id, "--json"]] {
            let refused = scene
                .bench
                .prfix(args)
                .fails_with(3)
                .says("was written by another version of git-prfix")
                .says("--fresh");
            invariants::hold(&scene, &refused, line);
        }
        scene.bench.prfix(["runs"]).succeeds().says("of another version");
        assert_eq!(std::fs::read(&journal).unwrap(), before, "a journal that is not understood was written to");
        assert!(scene.bench.github.writes().is_empty());
    }
}

#[test]
fn a_torn_last_line_is_dropped_and_the_run_goes_on() {
    for torn in
        [&b"{"[..], b"{\"v\":1,\"at\":\"2026-01-02T03:04:05Z\",\"event\":\"warned\",\"text\":\"\xe2\x80", b"\0\0\0\0"]
    {
        let (scene, journal) = killed();
        append(&journal, torn);
        scene.run().succeeds();
        ended_like_the_undisturbed_run(&scene, &format!("torn: {torn:?}"));
    }
}

#[test]
fn fresh_starts_over_and_keeps_the_worktree_of_the_run_that_it_leaves() {
    let scene = Scene::new();
    // Before the push: the work is in the worktree alone.
    scene.run().dies_before("Now", 1);
    let before = scene.bench.git(&["worktree", "list"]);
    let kept = before.lines().nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let fresh = scene.bench.prfix(["7", "--json", "--fresh"]).succeeds();
    invariants::hold(&scene, &fresh, "--fresh");
    assert_eq!(scene.bench.agent.calls_of("fix").len(), 2);
    assert!(PathBuf::from(&kept).join("src/a.rs").exists(), "{kept}");
    let states = scene.bench.prfix(["runs", "--json"]).succeeds().json();
    assert_eq!((&states[0]["reason"], &states[1]["reason"]), (&"pushed".into(), &"interrupted".into()), "{states:#}");
}
