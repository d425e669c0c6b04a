//! What is measured, ours and git's in turn.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use git_prfix::env::Env;
use git_prfix::git::{self, Ancestry, Manager, Metadata, Repository, guard};
use gix::bstr::BString;

use super::generate::{self, History};

/// Medians of one comparison.
pub struct Case {
    pub title: String,
    pub git: Duration,
    pub ours: Duration,
    /// Wanted ratio of ours to git's.
    pub goal: Option<f64>,
}

/// Runs both in turn, after one unmeasured round; `reset` comes before every single measurement.
fn compare(rounds: usize, reset: impl Fn(), git: impl Fn(usize), ours: impl Fn(usize)) -> (Duration, Duration) {
    let time = |work: &dyn Fn(usize), round: usize| {
        reset();
        let started = Instant::now();
        work(round);
        started.elapsed()
    };
    let mut times: Vec<(Duration, Duration)> = (0..=rounds).map(|n| (time(&git, n), time(&ours, n))).collect();
    times.remove(0);
    let median = |mut one: Vec<Duration>| {
        one.sort();
        one[one.len() / 2]
    };
    (median(times.iter().map(|t| t.0).collect()), median(times.iter().map(|t| t.1).collect()))
}

fn run_git(dir: &Path, args: &[&str]) -> bool {
    Command::new("git").args(args).current_dir(dir).output().expect("git runs").status.success()
}

fn open(path: &Path) -> Repository {
    Repository::discover(path, &Env::from_process()).expect("a repository")
}

pub fn creation(title: &str, repo: &Path, rounds: usize, goal: Option<f64>) -> Case {
    let opened = open(repo);
    let beside = repo.with_extension("worktrees");
    let manager = Manager::new(&opened, beside.join("ours"));
    let head = generate::git(repo, &["rev-parse", "HEAD"]);
    let meta = Metadata {
        owner: "bench".into(),
        pid: std::process::id(),
        created_at: "2026-12-01T00:00:00Z".into(),
        seen_at: None,
        base_oid: head.clone(),
        base_branch: "main".into(),
        pr: None,
        repo: "bench".into(),
    };
    // Only one worktree is there at a time: the last one goes before the next is measured.
    let reset = || {
        let _ = std::fs::remove_dir_all(&beside);
        let _ = std::fs::remove_dir_all(repo.join(".git/worktrees"));
        std::fs::create_dir_all(&beside).expect("a folder");
    };
    let target = beside.join("git");
    let target = target.to_str().expect("a plain path");
    let git = |n: usize| assert!(run_git(repo, &["worktree", "add", "-q", "-b", &format!("git-{n}"), target, &head]));
    let ours = |n: usize| drop(manager.acquire(&format!("ours-{n}"), &head, &meta).expect("a worktree"));
    let (git, ours) = compare(rounds, reset, git, ours);
    reset();
    Case { title: title.into(), git, ours, goal }
}

const UNION: [&[&str]; 3] = [
    &["diff", "HEAD", "--name-only", "--no-renames", "-z"],
    &["diff", "--cached", "--name-only", "--no-renames", "-z"],
    &["ls-files", "--others", "--exclude-standard", "-z"],
];

pub fn scope(repo: &Path, files: u32, rounds: usize, goal: Option<f64>) -> Vec<Case> {
    let measure = |title: String, expected: usize| {
        let git = |_| assert!(UNION.iter().all(|args| run_git(repo, args)));
        let ours = |_| assert_eq!(git::changed_paths(repo).expect("a list").len(), expected);
        let (git, ours) = compare(rounds, || {}, git, ours);
        Case { title, git, ours, goal }
    };
    generate::git(repo, &["status", "-s"]);
    let clean = measure(format!("scope, {files} files, clean"), 0);
    let paths = change(repo, files);
    vec![clean, measure(format!("scope, {files} files, {} changes", paths.len()), paths.len())]
}

/// Changes 200 files all over the tree.
fn change(repo: &Path, files: u32) -> Vec<BString> {
    let paths = (0..200).map(|n| {
        let n = n * (files / 200);
        let path = format!("src/{}/{}/file{n}.rs", n / 1600, n / 40);
        std::fs::write(repo.join(&path), format!("changed {n}\n")).expect("a file");
        BString::from(path)
    });
    paths.collect()
}

pub fn staging(repo: &Path, files: u32, rounds: usize) -> Case {
    let paths = change(repo, files);
    let index = repo.join(".git/index");
    let before = std::fs::read(&index).expect("an index");
    let reset = || std::fs::write(&index, &before).expect("an index");
    let mut words = vec!["add", "--"];
    let named: Vec<String> = paths.iter().map(ToString::to_string).collect();
    words.extend(named.iter().map(String::as_str));
    let git = |_| assert!(run_git(repo, &words));
    let ours = |_| git::stage(repo, &paths).expect("staged");
    let (git, ours) = compare(rounds, reset, git, ours);
    Case { title: format!("staging {} paths, {files} files", paths.len()), git, ours, goal: Some(0.20) }
}

pub fn ancestry(history: &History, with: &str, rounds: usize) -> Vec<Case> {
    let opened = open(&history.repo);
    let asked = [
        ("near", &history.near, &history.tip, Ancestry::Yes),
        ("deep", &history.deep, &history.tip, Ancestry::Yes),
        ("diverged", &history.tip, &history.aside, Ancestry::No),
    ];
    asked
        .iter()
        .map(|(name, ancestor, descendant, expected)| {
            let args = ["merge-base", "--is-ancestor", ancestor, descendant];
            let git = |_| assert_eq!(run_git(&history.repo, &args), *expected == Ancestry::Yes);
            let ours = |_| assert_eq!(opened.ancestry(ancestor, descendant), *expected);
            let (git, ours) = compare(rounds, || {}, git, ours);
            Case { title: format!("fast-forward, {name}, {with}"), git, ours, goal: Some(1.0) }
        })
        .collect()
}

/// Everything that a pre-push hook has to find out, the repository included. Git's side is the two
/// commands that a hook written in shell would need.
pub fn hook(history: &History, rounds: usize) -> Case {
    let line = format!("HEAD {} refs/heads/feature {}\n", history.tip, history.near);
    let ours = |_| {
        let repo = open(&history.repo);
        let update = guard::parse_updates(&line).expect("a line of git").remove(0);
        let facts = guard::Facts {
            managed_head: Some("feature"),
            watched: true,
            fast_forward: repo.ancestry(&update.remote_oid, &update.local_oid),
            foreign_commits: &[],
        };
        assert_eq!(guard::decide(&update, &facts), Ok(()));
    };
    let git = |_| {
        assert!(run_git(&history.repo, &["rev-parse", "--git-dir"]));
        assert!(run_git(&history.repo, &["merge-base", "--is-ancestor", &history.near, &history.tip]));
    };
    let (git, ours) = compare(rounds, || {}, git, ours);
    Case { title: "hook answer (goal: under 30 ms)".into(), git, ours, goal: None }
}
