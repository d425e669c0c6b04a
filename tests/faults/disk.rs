//! The fault matrix of the disk: it is full, read-only, or holds something that cannot be read.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::crash::{UNDISTURBED, did_the_same_work};
use super::ending::{Ending, runs};
use super::invariants;
use super::scene::Scene;
use crate::support::run::Finished;

/// A small disk in the place of a folder, with what the folder had. It goes when it is dropped.
struct Disk(PathBuf);

impl Disk {
    /// `None`, said loudly, where nothing may be mounted.
    fn on(folder: &Path, options: &str) -> Option<Self> {
        let kept = folder.with_extension("kept");
        std::fs::create_dir_all(folder).unwrap();
        let mounted = mount(&["-t", "tmpfs", "-o", "size=64m", "prfix-test"], folder);
        if !mounted {
            eprintln!("skipped: this user may mount no tmpfs, so that no disk can be full or read-only");
            return None;
        }
        assert!(run("umount", &[folder]));
        std::fs::rename(folder, &kept).unwrap();
        std::fs::create_dir(folder).unwrap();
        assert!(mount(&["-t", "tmpfs", "-o", "size=64m", "prfix-test"], folder));
        let disk = Self(folder.to_owned());
        assert!(run("cp", &[Path::new("-a"), &kept.join("."), folder]));
        disk.remount(options);
        Some(disk)
    }

    fn remount(&self, options: &str) {
        remount(&self.0, options);
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: something of a failed test may still be in it.
        run("umount", &[Path::new("-l"), &self.0]);
    }
}

fn mount(options: &[&str], folder: &Path) -> bool {
    let options = options.iter().map(Path::new);
    run("mount", &options.chain([folder]).collect::<Vec<_>>())
}

fn remount(folder: &Path, options: &str) {
    assert!(mount(&["-o", &format!("remount,{options}")], folder), "{options}");
}

/// Leaves room for so many KiB more.
fn shrink(folder: &Path, free: u64) {
    let output = Command::new("df").args(["--output=used", "-k"]).arg(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let used: u64 = text.lines().nth(1).and_then(|line| line.trim().parse().ok()).unwrap();
    // No size at all would mean no limit.
    remount(folder, &format!("size={}k", (used + free).max(4)));
}

fn run(program: &str, args: &[&Path]) -> bool {
    let output = Command::new(program).args(args).output();
    output.is_ok_and(|output| output.status.success())
}

/// Goes on once there is room. What could not be kept of an agent's work may have been asked for again.
fn ends(scene: &Scene, first: &Finished, what: &str) {
    if first.status.code() != Some(0) {
        let second = scene.run().run();
        invariants::hold(scene, &second, what);
        assert_eq!(second.status.code(), Some(0), "{what}: {second}");
    }
    let (ending, expected) = (Ending::of(scene).without_warnings(), UNDISTURBED.ending.without_warnings());
    assert!(ending == expected, "{what}: {}", ending.differs_from(&expected));
}

/// Runs with a disk that has less and less room for what the run writes there; when it is full the run must end in
/// order, and go on once there is room.
fn fills_up(folder: impl Fn(&Scene) -> PathBuf, steps: &[u64]) -> usize {
    let mut failed = 0;
    for free in steps {
        let scene = Scene::new();
        let folder = folder(&scene);
        let Some(disk) = Disk::on(&folder, "size=64m") else { return steps.len() };
        shrink(&folder, *free);
        let what = format!("{free} KiB free in {}", folder.display());
        let first = scene.run().run();
        invariants::hold(&scene, &first, &what);
        failed += usize::from(first.status.code() != Some(0));
        disk.remount("size=64m");
        ends(&scene, &first, &what);
    }
    failed
}

#[test]
fn the_disk_of_the_repository_is_full() {
    let failed =
        fills_up(|scene| scene.bench.clone_dir().join(".git"), &[0, 8, 24, 48, 80, 120, 160, 200, 250, 300, 350, 400]);
    assert!(failed > 8, "only {failed} runs met a full disk");
}

#[test]
fn the_disk_of_the_worktrees_is_full() {
    let failed = fills_up(|scene| scene.bench.state_dir(), &[0, 4, 8, 12, 16, 20, 28, 36]);
    assert!(failed > 2, "only {failed} runs met a full disk");
}

#[test]
fn the_disk_of_temporary_files_is_full() {
    // Little is written there, and nothing that is needed.
    fills_up(|scene| scene.bench.root().join("tmp"), &[0, 8]);
}

#[test]
fn the_state_folder_is_full_from_any_request_on() {
    for (name, nth) in &UNDISTURBED.requests {
        let what = format!("full from {name} {nth} on");
        let scene = Scene::new();
        let Some(disk) = Disk::on(&scene.bench.journal_dir(), "size=64m") else { return };
        let folder = disk.0.clone();
        scene.bench.github.on(name).nth(*nth).before(move || shrink(&folder, 0));
        let first = scene.run().run();
        invariants::hold(&scene, &first, &what);
        disk.remount("size=64m");
        ends(&scene, &first, &what);
    }
}

#[test]
fn a_read_only_state_folder_is_said_and_nothing_is_done() {
    let scene = Scene::new();
    let Some(disk) = Disk::on(&scene.bench.journal_dir(), "ro") else { return };
    let first = scene.run().fails_with(1).says("Read-only file system").says("check the rights");
    invariants::hold(&scene, &first, "read-only");
    assert!(scene.bench.github.writes().is_empty() && scene.bench.agent.calls().is_empty());
    disk.remount("rw");
    ends(&scene, &first, "read-only");
}

#[test]
fn a_file_in_the_place_of_the_state_folder_is_named_and_nothing_is_done() {
    for place in ["", "/runs", "/pr-7", "/pr-7/lock/x", "/pr-7/state.json/x"] {
        let scene = Scene::new();
        let path = PathBuf::from(format!("{}{place}", scene.bench.journal_dir().display()));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "in the way").unwrap();
        let first = scene.run().run();
        assert_eq!(first.status.code(), Some(1), "{place}: {first}");
        assert!(first.stderr.contains("check the rights"), "{first}");
        invariants::hold(&scene, &first, place);
        assert!(scene.bench.github.writes().is_empty(), "{place}");
        let blocking = if place.ends_with("/x") { path.parent().unwrap().to_owned() } else { path };
        let _ = std::fs::remove_file(&blocking);
        let _ = std::fs::remove_dir_all(&blocking);
        scene.run().succeeds();
        did_the_same_work(&scene, place);
    }
}

/// What the run can make again is made again; what it cannot is named, and nothing is done on the strength of it.
#[test]
fn a_file_of_the_run_that_cannot_be_read_is_made_again_or_named() {
    let of_pr = "../../pr-7/state.json";
    let files = ["spec.json", "probes/probe-1-1/brief.json", "probes/probe-1-1/answer.json", "report.json", of_pr];
    for file in files {
        for garbage in [&b"\xff\xfe\0 torn"[..], b"", b"{\"half\": "] {
            let what = format!("{file} holds {garbage:?}");
            let scene = Scene::new();
            scene.run().dies_before("Reply", 1);
            let file = runs(&scene.bench).remove(0).join(file);
            let kept = std::fs::read(&file).unwrap_or_default();
            std::fs::write(&file, garbage).unwrap();
            let second = scene.run().run();
            invariants::hold(&scene, &second, &what);
            let named = [(of_pr, 1, "could not be read"), ("spec.json", 3, "or is damaged")];
            if let Some((_, exit, said)) = named.iter().find(|(name, ..)| what.starts_with(name)) {
                assert_eq!(second.status.code(), Some(*exit), "{what}: {second}");
                assert!(second.stdout.contains(said), "{what}: {second}");
                std::fs::write(&file, kept).unwrap();
            }
            ends(&scene, &second, &what);
        }
    }
}
