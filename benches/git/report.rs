//! The table, and the page that keeps it.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::cases::Case;

/// What `--write` leaves as it is: explanations below this line are written by hand.
const NOTES: &str = "## Notes";

pub fn table(cases: &[Case]) -> String {
    let mut text = String::from("| what | git | ours | ratio | goal | reached |\n|---|---|---|---|---|---|\n");
    for case in cases {
        let ratio = case.ours.as_secs_f64() / case.git.as_secs_f64();
        let goal = case.goal.map_or_else(|| "–".to_owned(), |goal| format!("{goal:.2}"));
        let reached = match case.goal {
            None => "–",
            Some(goal) if ratio <= goal => "yes",
            Some(_) => "no",
        };
        let (git, ours) = (ms(case.git), ms(case.ours));
        let _ = writeln!(text, "| {} | {git} | {ours} | {ratio:.2} | {goal} | {reached} |", case.title);
    }
    text
}

fn ms(duration: Duration) -> String {
    let ms = duration.as_secs_f64() * 1e3;
    if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}

pub fn write(path: &Path, table: &str) -> std::io::Result<()> {
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let notes = before.find(NOTES).map_or_else(|| format!("{NOTES}\n"), |at| before[at..].to_owned());
    let head = "# The native git layer against git\n\nMedians, alternating in one run, warm cache \
                (`cargo bench --bench git -- --write`).";
    std::fs::write(path, format!("{head}\n\n{}\n{table}\n{notes}", machine()))
}

fn machine() -> String {
    let git =
        Command::new("git").arg("--version").output().map(|out| String::from_utf8_lossy(&out.stdout).into_owned());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = memory.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let git = git.unwrap_or_default();
    format!("Machine: {cores} cores, {} GB memory, {}.\n", kilobytes >> 20, git.trim())
}
