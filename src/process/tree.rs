//! The processes of a run, found through /proc (Linux).

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::{Pid, Signal, kill_process};

/// The variable that marks the processes of one run, for when its supervisor was killed.
pub(super) const MARKER: &str = "PRFIX_CHILD";

/// Everything below a supervisor.
pub(super) fn descendants(root: u32) -> BTreeSet<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for pid in processes() {
        if let Some(parent) = parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut next = vec![root];
    while let Some(pid) = next.pop() {
        for child in children.get(&pid).into_iter().flatten() {
            if found.insert(*child) {
                next.push(*child);
            }
        }
    }
    found
}

/// What these processes call themselves, each name once. They choose it: it is text from outside.
pub(super) fn names(pids: &BTreeSet<u32>) -> Vec<String> {
    let name = |pid: &u32| std::fs::read(format!("/proc/{pid}/comm")).ok();
    let names: BTreeSet<String> = pids
        .iter()
        .filter_map(name)
        .map(|name| String::from_utf8_lossy(&name).trim_end().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.into_iter().collect()
}

/// Everything that was started with this mark and has not cleared its environment since.
pub(super) fn marked(mark: &str) -> BTreeSet<u32> {
    let wanted = format!("{MARKER}={mark}");
    processes()
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
        })
        .collect()
}

/// A process whose working directory lies in `folder`, ours left out.
pub fn working_in(folder: &std::path::Path) -> Option<u32> {
    let inside = |pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    processes().filter(|pid| *pid != std::process::id()).find(inside)
}

/// Stops all that `find` finds until nothing new turns up, so that nothing can fork away, then kills it.
pub(super) fn kill_all(find: impl Fn() -> BTreeSet<u32>) -> bool {
    let mut stopped = BTreeSet::new();
    // What is stopped starts nothing, so this ends; the bound is for what cannot be stopped.
    for _ in 0..100 {
        let found = find();
        let new: Vec<_> = found.difference(&stopped).copied().collect();
        if new.is_empty() {
            break;
        }
        new.iter().for_each(|pid| signal(*pid, Signal::STOP));
        stopped.extend(new);
    }
    let left = find();
    left.iter().for_each(|pid| signal(*pid, Signal::KILL));
    left.is_empty()
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The parent of a process that is no zombie (proc_pid_stat(5)): the name in parentheses may hold anything.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(parent)
}
