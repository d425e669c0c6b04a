//! How a run ended, in a form that two runs can be compared by.

use std::path::Path;

use serde_json::Value;

use super::scene::Scene;
use crate::support::TestBench;
use crate::support::git::git;

/// What is on the pull request, in the report and left on the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// Tree, parents and message of every commit of the branch.
    commits: String,
    /// Our replies and whether it is resolved, by thread.
    threads: Vec<(Vec<String>, bool)>,
    conversation: Vec<(String, String)>,
    report: Value,
    leftovers: Vec<String>,
}

impl Ending {
    pub fn of(scene: &Scene) -> Self {
        let Scene { bench, pr, .. } = scene;
        let threads = (0..pr.threads().len()).map(|n| (pr.replies_in(n), pr.is_resolved(n)));
        Self {
            commits: git(&bench.hub(), &["log", "--format=%T %P%n%B", "main..feature"]),
            threads: threads.collect(),
            conversation: pr.conversation(),
            report: report(bench),
            leftovers: leftovers(bench),
        }
    }
}

impl Ending {
    pub fn without_warnings(&self) -> Self {
        let mut ending = self.clone();
        ending.report["warnings"] = Value::Null;
        ending
    }

    /// The lines of both that are not the same.
    pub fn differs_from(&self, expected: &Self) -> String {
        let (ours, theirs) = (format!("{self:#?}"), format!("{expected:#?}"));
        let only = |a: &str, b: &str, sign| {
            let lines = a.lines().filter(|line| !b.lines().any(|other| other == *line));
            lines.map(|line| format!("{sign} {}\n", line.trim())).collect::<String>()
        };
        format!("\n{}{}", only(&theirs, &ours, '-'), only(&ours, &theirs, '+'))
    }
}

/// The calls of agents that were paid for.
pub fn calls(scene: &Scene) -> Vec<String> {
    let calls = scene.bench.agent.calls().into_iter();
    let mut calls: Vec<String> = calls.map(|call| format!("{} {}", call.role, call.item)).collect();
    calls.sort();
    calls
}

/// The report of the run that ended with work done, without what no two runs share.
fn report(bench: &TestBench) -> Value {
    let reports = runs(bench).into_iter().filter_map(|dir| {
        let text = std::fs::read_to_string(dir.join("report.json")).ok()?;
        let root = bench.root().to_string_lossy().into_owned();
        let id = dir.file_name()?.to_str()?.to_owned();
        let mut report: Value = serde_json::from_str(&text.replace(&root, "<root>").replace(&id, "<run>")).ok()?;
        report["usage"] = Value::Null;
        // A run that is signalled from inside has no sandbox, which is said.
        report["warnings"]
            .as_array_mut()?
            .retain(|text| !text.as_str().is_some_and(|t| t.contains("without a sandbox")));
        // The folder above has a digest of the bench's place in its name.
        let worktree = report["worktree"]["path"].as_str()?.rsplit('/').next()?.to_owned();
        report["worktree"]["path"] = worktree.into();
        for gate in report["gates"].as_array_mut()? {
            gate["seconds"] = Value::Null;
        }
        Some(report)
    });
    let done = reports.filter(|report| report["outcome"] == "done" && report["reason"] != "nothing-to-do");
    let mut done: Vec<Value> = done.collect();
    assert_eq!(done.len(), 1, "{done:#?}");
    done.remove(0)
}

/// The runs' folders.
pub fn runs(bench: &TestBench) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(bench.journal_dir().join("runs")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Worktrees, private refs, locks, processes, temporary files.
pub fn leftovers(bench: &TestBench) -> Vec<String> {
    let mut found = Vec::new();
    let worktrees = bench.git(&["worktree", "list", "--porcelain"]);
    found.extend(worktrees.lines().filter(|line| line.starts_with("worktree ")).skip(1).map(str::to_owned));
    found.extend(bench.git(&["for-each-ref", "--format=%(refname)", "refs/prfix"]).lines().map(str::to_owned));
    let is_lock = |path: &Path| path.extension().is_some_and(|end| end == "lock");
    found.extend(files(&bench.clone_dir().join(".git"), &is_lock));
    let branch = |path: &Path| path.extension().is_some_and(|end| end == "branch");
    found.extend(files(&bench.state_dir().join("worktrees"), &|path| {
        !branch(path) && !path.file_name().is_some_and(|name| name == "lock" || name == "sweeps")
    }));
    found.extend(files(&bench.root().join("tmp"), &|_| true));
    found.extend(processes(bench.root()));
    let root = bench.root().to_string_lossy().into_owned();
    found.iter().map(|line| line.replace(&root, "<root>")).collect()
}

fn files(dir: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(files(&path, wanted));
        } else if wanted(&path) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Command lines of what still runs with the bench's folder in its environment.
fn processes(root: &Path) -> Vec<String> {
    let root = root.to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
        if String::from_utf8_lossy(&read("environ")).contains(&root) {
            found.push(String::from_utf8_lossy(&read("cmdline")).replace('\0', " "));
        }
    }
    found
}
