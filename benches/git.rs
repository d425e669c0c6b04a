//! The native git layer against git itself, alternating in one run on generated repositories.
//!
//! `cargo bench --bench git` prints medians and ratios; `-- --write` also writes `benches/RESULTS.md`,
//! `-- --quick` uses small repositories and few rounds. Ours is a call in a running process, as a run
//! makes it; git's is a process, which is what the call replaces.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a program of its own")]

#[path = "git/cases.rs"]
mod cases;
#[path = "git/generate.rs"]
mod generate;
#[path = "git/report.rs"]
mod report;

use std::path::{Path, PathBuf};

use cases::Case;

/// How big and how often.
struct Plan {
    small: u32,
    large: u32,
    commits: u32,
    rounds: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| words.iter().any(|word| word == name);
    let plan = if asked("--quick") {
        Plan { small: 500, large: 2_000, commits: 2_000, rounds: 3 }
    } else {
        Plan { small: 5_000, large: 80_000, commits: 50_000, rounds: 9 }
    };
    let results = run(&plan);
    let table = report::table(&results);
    println!("{table}");
    if asked("--write") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/RESULTS.md");
        report::write(&path, &table).expect("benches/RESULTS.md can be written");
    }
}

fn run(plan: &Plan) -> Vec<Case> {
    let memory = folder("/dev/shm");
    let disk = folder(env!("CARGO_TARGET_TMPDIR"));
    let mut results = Vec::new();
    for (place, name, files, goal) in [
        (&memory, "memory", plan.small, Some(0.40)),
        (&memory, "memory", plan.large, Some(0.33)),
        (&disk, "disk", plan.small, Some(0.60)),
    ] {
        let repo = generate::tree(place.path(), files);
        let title = format!("worktree creation, {files} files, {name}");
        results.push(cases::creation(&title, &repo, plan.rounds, goal));
        if name == "memory" {
            let goal = (files == plan.large).then_some(0.80);
            results.extend(cases::scope(&repo, files, plan.rounds, goal));
            results.push(cases::staging(&repo, files, plan.rounds));
        }
        std::fs::remove_dir_all(&repo).expect("the repository is ours");
    }
    let history = generate::history(memory.path(), plan.commits);
    results.extend(cases::ancestry(&history, "no commit-graph", plan.rounds));
    generate::commit_graph(&history.repo);
    results.extend(cases::ancestry(&history, "commit-graph", plan.rounds));
    results.push(cases::hook(&history, plan.rounds));
    results
}

fn folder(preferred: &str) -> tempfile::TempDir {
    let preferred = PathBuf::from(preferred);
    let made = if preferred.is_dir() { tempfile::tempdir_in(preferred) } else { tempfile::tempdir() };
    made.expect("a temporary folder")
}
