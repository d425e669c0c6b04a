//! A whole harvest with its failing logs, against the calls that a script would make with `gh`.
//!
//! The simulated GitHub runs in this process and answers each request after a fixed latency; every
//! contender is a child process, started and awaited like a user's. `cargo bench --bench harvest`.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the doors are the program's")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use git_prfix::clock::SystemClock;
use git_prfix::env::Env;
use git_prfix::github::{Client, choose};
use git_prfix::model::repo::RepoId;
use support::{Check, TestBench, Thread};

const LATENCY: Duration = Duration::from_millis(50);
const ROUNDS: usize = 5;
/// Tells the child which transport to harvest through.
const CHILD: &str = "PRFIX_BENCH_TRANSPORT";

/// What one contender took: the median of its rounds.
struct Taken {
    wall: Duration,
    requests: usize,
    json_bytes: u64,
    log_bytes: u64,
    /// Peak memory of our own child, in KiB.
    peak: Option<u64>,
}

fn main() -> ExitCode {
    if let Ok(transport) = std::env::var(CHILD) {
        return harvest(&transport);
    }
    println!("{LATENCY:?} a request, median of {ROUNDS} rounds\n");
    ordinary();
    monster();
    ExitCode::SUCCESS
}

/// The child: one harvest, its failing logs, and the peak memory on standard output.
fn harvest(transport: &str) -> ExitCode {
    let run = || -> Result<(), Box<dyn std::error::Error>> {
        let transport = choose(&Env::from_process(), "github.com", Some(transport))?;
        let client = Client::new(transport, RepoId::new("github.com", "octo", "demo"), Arc::new(SystemClock));
        let mut found = client.harvest(7)?;
        client.read_failures(&mut found.checks)?;
        let logs = found.checks.list.iter().filter(|check| check.log.is_some()).count();
        eprintln!("{} threads, {} checks, {logs} logs", found.threads.len(), found.checks.list.len());
        Ok(())
    };
    if let Err(error) = run() {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    println!("{}", peak.trim().trim_end_matches(" kB"));
    ExitCode::SUCCESS
}

/// 12 threads, 6 reviews, 10 comments, 20 checks of which 2 fail with a log of 1 MB.
fn ordinary() {
    let bench = TestBench::new();
    let mut pr = bench.open_pr("feature");
    for n in 0..12 {
        pr = pr.with(Thread::at("src/a.rs:3").says(&format!("finding {n}")).reply("ann", "which one?"));
    }
    for n in 0..6 {
        pr = pr.review("rita", "COMMENTED", &format!("review {n}"));
    }
    for n in 0..10 {
        pr = pr.comment("rita", &format!("comment {n}"));
    }
    for n in 0..18 {
        pr = pr.check(Check::passed(&format!("check {n}")));
    }
    for name in ["build", "test"] {
        pr = pr.check(Check::failed(name).huge_log(1_000_000, "error: it does not work"));
    }
    compare("ordinary: 12 threads, 6 reviews, 10 comments, 20 checks, 2 logs of 1 MB", &bench);
}

/// 400 threads with 2,000 comments, 300 checks of which 2 fail with a log of 500 MB.
fn monster() {
    let bench = TestBench::new();
    let mut pr = bench.open_pr("feature");
    for n in 0..400 {
        let thread = Thread::at("src/a.rs:3").says(&format!("finding {n}"));
        pr = pr.with((1..5).fold(thread, |thread, reply| thread.reply("ann", &format!("reply {reply}"))));
    }
    for n in 0..298 {
        pr = pr.check(Check::passed(&format!("check {n}")));
    }
    for name in ["build", "test"] {
        pr = pr.check(Check::failed(name).huge_log(500 << 20, "error: it does not work"));
    }
    compare("monster: 400 threads, 2,000 comments, 300 checks, 2 logs of 500 MB", &bench);
}

fn compare(title: &str, bench: &TestBench) {
    bench.github.latency(LATENCY);
    println!("{title}");
    println!("  {:<24}{:>10}{:>10}{:>12}{:>12}{:>12}", "", "wall", "requests", "JSON KiB", "logs KiB", "peak MiB");
    let http = measured(bench, || program(bench, "http"));
    print("git prfix harvest, http", &http);
    print("its client alone, http", &measured(bench, || client_alone(bench, "http")));
    if support::has_gh() {
        print("git prfix harvest, gh", &measured(bench, || program(bench, "gh")));
        print("its client alone, gh", &measured(bench, || client_alone(bench, "gh")));
        let script = measured(bench, || script(bench));
        print("script with gh", &script);
        println!("  http takes {:.2} of the script's time", http.wall.as_secs_f64() / script.wall.as_secs_f64());
    }
    println!();
}

fn print(name: &str, taken: &Taken) {
    let peak = taken.peak.map_or_else(|| "-".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0));
    let (wall, json, logs) = (taken.wall.as_millis(), taken.json_bytes / 1024, taken.log_bytes / 1024);
    println!("  {name:<24}{:>10}{:>10}{json:>12}{logs:>12}{peak:>12}", format!("{wall} ms"), taken.requests);
}

fn measured(bench: &TestBench, run: impl Fn() -> Option<u64>) -> Taken {
    let mut rounds: Vec<Taken> = (0..ROUNDS)
        .map(|_| {
            let github = &bench.github;
            let requests = || github.requests().len() + github.log_requests();
            let before = (requests(), github.bytes(), github.log_bytes());
            let started = Instant::now();
            let peak = run();
            Taken {
                wall: started.elapsed(),
                requests: requests() - before.0,
                json_bytes: github.bytes() - before.1,
                log_bytes: github.log_bytes() - before.2,
                peak,
            }
        })
        .collect();
    rounds.sort_by_key(|taken| taken.wall);
    rounds.swap_remove(ROUNDS / 2)
}

/// A child in the operator's environment.
fn child(bench: &TestBench, program: &std::ffi::OsStr) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(bench.clone_dir())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", bench.home())
        .env("GH_CONFIG_DIR", bench.home().join(".config/gh"))
        .env("GH_TOKEN", "test-token")
        .env("GITHUB_API_URL", bench.github.url())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("DO_NOT_TRACK", "1");
    command
}

/// The program as a user runs it.
fn program(bench: &TestBench, transport: &str) -> Option<u64> {
    let mut program = child(bench, env!("CARGO_BIN_EXE_git-prfix").as_ref());
    let output = program.args(["harvest", "7", "--json"]).env("PRFIX_TRANSPORT", transport).output().expect("a child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    None
}

/// The client without the program around it, which tells its peak memory.
fn client_alone(bench: &TestBench, transport: &str) -> Option<u64> {
    let program = std::env::current_exe().expect("this program");
    let output = child(bench, program.as_os_str()).env(CHILD, transport).output().expect("a child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

/// One call after the other, as scripts do. `gh` exits with failures because checks fail.
fn script(bench: &TestBench) -> Option<u64> {
    let gh = |args: &[&str]| child(bench, "gh".as_ref()).args(args).output().expect("gh").stdout;
    gh(&["api", "repos/octo/demo/pulls/7/comments?per_page=100", "--paginate"]);
    gh(&["pr", "view", "7", "-R", "octo/demo", "--json", "reviews,comments"]);
    gh(&["pr", "checks", "7", "-R", "octo/demo"]);
    let runs = gh(&["api", "repos/octo/demo/actions/runs", "-q", ".workflow_runs[].id"]);
    let run = String::from_utf8_lossy(&runs).lines().next().unwrap_or_default().to_owned();
    gh(&["run", "view", &run, "-R", "octo/demo", "--log-failed"]);
    // The simulated archive holds the failing steps' ends alone: the script is spared most of that download.
    // What `gh` selects is not ours to judge.
    bench.github.take_problems();
    None
}
