//! A quiet day of ten pull requests under one watch: memory, requests and rate-limit points.
//!
//! The simulated GitHub runs in this process; the watch is a child with a clock of its own, in which sleeping takes no
//! time. `cargo bench --bench watch`; `PRFIX_BENCH_PROGRAM` names another build of the program.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the doors are the program's")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use support::{Check, Pr, TestBench};

const PULL_REQUESTS: u64 = 10;
/// One every two minutes for a day.
const POLLS: usize = 720;

fn main() {
    let bench = TestBench::new();
    let all: Vec<Pr> = (1..=PULL_REQUESTS)
        .map(|number| bench.open_pr_number(number, &format!("feature-{number}"), "ann").check(Check::passed("unit")))
        .collect();
    (1..=PULL_REQUESTS).for_each(|number| confirm(&bench, number));
    let (pid, idle) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new((0, 0))));
    let (of, resident) = (Arc::clone(&pid), Arc::clone(&idle));
    bench.github.on("Gate").nth(POLLS - 1).before(move || {
        let pid = of.load(Ordering::SeqCst);
        *resident.lock().expect("a lock") = (kib(pid, "RssAnon:"), kib(pid, "VmRSS:"));
    });
    let (of, peak) = (Arc::clone(&pid), Arc::new(Mutex::new((0, String::new()))));
    let last = Arc::clone(&peak);
    bench.github.on("Gate").nth(POLLS).before(move || {
        let pid = of.load(Ordering::SeqCst);
        *last.lock().expect("a lock") = (kib(pid, "VmHWM:"), cpu(pid));
        all.iter().for_each(Pr::merge);
    });
    let output = watch(&bench, &pid);
    let (peak, cpu) = peak.lock().expect("a lock").clone();
    let (gates, requests) = (bench.github.count("Gate"), bench.github.requests().len());
    println!("{PULL_REQUESTS} pull requests, a day, a look every 2 min: {POLLS} polls expected");
    let (private, resident) = *idle.lock().expect("a lock");
    println!("  private memory after it     {:>8.1} MB", private as f64 / 1024.0);
    println!("  with the program's own file {:>8.1} MB", resident as f64 / 1024.0);
    println!("  peak (with the first looks) {:>8.1} MB", peak as f64 / 1024.0);
    println!("  processor time              {cpu:>8}");
    println!("  gate requests               {gates:>8}");
    println!("  other requests              {:>8}  (first and last looks)", requests - gates);
    println!("  rate-limit points           {:>8}", bench.github.get("RATE", "used"));
    println!("  lines said                  {:>8}", output.lines().count());
    if gates > POLLS + 1 {
        println!("more than one request a poll");
        std::process::exit(1);
    }
}

/// The watch; its end comes with the last poll. Returns what it said.
fn watch(bench: &TestBench, pid: &AtomicU32) -> String {
    let numbers = (1..=PULL_REQUESTS).map(|number| number.to_string());
    let built = env!("CARGO_BIN_EXE_git-prfix").to_owned();
    let child = Command::new(std::env::var("PRFIX_BENCH_PROGRAM").unwrap_or(built))
        .arg("watch")
        .args(numbers)
        .current_dir(bench.clone_dir())
        .env_clear()
        .envs(bench.environment())
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    pid.store(child.id(), Ordering::SeqCst);
    let output = child.wait_with_output().expect("a child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn confirm(bench: &TestBench, number: u64) {
    let dir = bench.journal_dir().join(format!("pr-{number}"));
    std::fs::create_dir_all(&dir).expect("a folder");
    let record = json!({
        "schema": "git-prfix.watch/1", "number": number,
        "repo": {"host": "github.com", "owner": "octo", "name": "demo"}, "node_id": format!("PR_{number}"),
        "title": "", "head_branch": "", "push_target": "octo/demo", "head": "",
        "options": {"every": 2, "reply": true, "instructions": null}, "confirmed": "2026-01-01T00:00:00Z",
        "pushed": [], "max_pushes": 10, "started_at": "2026-01-01T00:00:00Z", "memory": {}, "needs_human": [],
    });
    std::fs::write(dir.join("watch.json"), record.to_string()).expect("a file");
}

/// A line of `/proc/<pid>/status`, in KiB; 0 where there is none.
fn kib(pid: u32, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let found = status.lines().find_map(|text| text.strip_prefix(line)).unwrap_or_default();
    found.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// User and system time so far.
fn cpu(pid: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    format!("{:.1} s", (ticks(11) + ticks(12)) as f64 / 100.0)
}
