//! The scripted agent: a real child process (`agent.sh`) that does what a test wrote down for a role, an
//! item and a round, and records each call.
//!
//! Unless told otherwise, probes answer `valid`, and the fix makes the given edits and declares them in a
//! manifest that fits: each file mapped to all items of the brief, an invariant with line and text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

pub struct Agent {
    dir: PathBuf,
    plans: Mutex<BTreeMap<String, Steps>>,
}

/// A call that was recorded.
#[derive(Debug, Clone)]
pub struct AgentCall {
    /// `probe`, `fix` or `verify`.
    pub role: String,
    /// 0 unless it is a probe.
    pub item: u32,
    pub round: u32,
    pub cwd: PathBuf,
    pub env: BTreeMap<String, String>,
    pub prompt: String,
    pub brief: Value,
}

#[derive(Debug, Clone, Default)]
struct Steps {
    lines: Vec<String>,
    /// Path → text that the file then has, where known.
    touched: BTreeMap<String, Option<String>>,
    hidden: BTreeSet<String>,
    causes: BTreeMap<String, Value>,
    invariants: BTreeMap<String, Value>,
    reasons: BTreeMap<&'static str, Map<String, Value>>,
    /// It prints an answer of its own.
    answered: bool,
}

impl Agent {
    pub(super) fn new(dir: &Path) -> Self {
        for folder in ["calls", "steps", "data"] {
            std::fs::create_dir_all(dir.join(folder)).expect("a folder");
        }
        std::fs::write(dir.join("agent.sh"), include_str!("agent.sh")).expect("a file");
        let agent = Self { dir: dir.to_owned(), plans: Mutex::default() };
        agent.named("probe").verdict("valid", "read the code at the line");
        agent.named("verify").holds(true, "read the file");
        agent
    }

    /// For `prfix.agentCommand`.
    pub fn command(&self) -> String {
        format!("sh {0}/agent.sh {0}", self.dir.display())
    }

    /// An edit of every fix round that has no script of its own.
    pub fn fixes(&self, path: &str, old: &str, new: &str) -> Plan<'_> {
        self.fix().replace(path, old, new)
    }

    /// The fix, in every round without a script of its own.
    pub fn fix(&self) -> Plan<'_> {
        self.named("fix")
    }

    /// The fix from now on: what it was told before is forgotten.
    pub fn fix_anew(&self) -> Plan<'_> {
        self.fresh("fix")
    }

    /// The fix in one round, from 1.
    pub fn fix_round(&self, round: u32) -> Plan<'_> {
        self.named(&format!("fix--{round}"))
    }

    /// The probe of one item.
    pub fn probe(&self, item: u32) -> Plan<'_> {
        self.named(&format!("probe-{item}"))
    }

    /// All probes that have no script of their own; scripting it anew replaces the default.
    pub fn probes(&self) -> Plan<'_> {
        self.fresh("probe")
    }

    /// The read-only check of a claim.
    pub fn verify(&self) -> Plan<'_> {
        self.fresh("verify")
    }

    /// A probe's verdict on one item.
    pub fn verdict(&self, item: u32, verdict: &str, reasoning: &str) {
        self.probe(item).verdict(verdict, reasoning);
    }

    fn fresh(&self, name: &str) -> Plan<'_> {
        self.plans.lock().unwrap().remove(name);
        self.named(name)
    }

    fn named(&self, name: &str) -> Plan<'_> {
        Plan { agent: self, name: name.to_owned() }
    }

    /// All recorded calls, in the order in which they started.
    pub fn calls(&self) -> Vec<AgentCall> {
        (1..)
            .map(|n| self.dir.join("calls").join(n.to_string()))
            .take_while(|dir| dir.exists())
            .map(|dir| read(&dir))
            .collect()
    }

    /// The recorded calls of a role.
    pub fn calls_of(&self, role: &str) -> Vec<AgentCall> {
        self.calls().into_iter().filter(|call| call.role == role).collect()
    }

    fn keep(&self, text: &str) -> String {
        let dir = self.dir.join("data");
        let file = dir.join(std::fs::read_dir(&dir).expect("a folder").count().to_string());
        std::fs::write(&file, text).expect("a file");
        quoted(&file.to_string_lossy())
    }
}

fn read(dir: &Path) -> AgentCall {
    let text = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    let facts = text("facts");
    let mut facts = facts.lines();
    let mut next = || facts.next().unwrap_or_default().to_owned();
    AgentCall {
        role: next(),
        item: next().parse().unwrap_or(0),
        round: next().parse().unwrap_or(0),
        cwd: next().into(),
        env: text("env").lines().filter_map(|line| line.split_once('=')).map(|(n, v)| (n.into(), v.into())).collect(),
        prompt: text("prompt"),
        brief: serde_json::from_str(&text("brief")).unwrap_or_default(),
    }
}

fn quoted(word: &str) -> String {
    shlex::try_quote(word).expect("no NUL").into_owned()
}

/// What the agent does in one kind of call, step by step.
pub struct Plan<'a> {
    agent: &'a Agent,
    name: String,
}

impl Plan<'_> {
    fn change(self, change: impl FnOnce(&mut Steps)) -> Self {
        let script = {
            let mut plans = self.agent.plans.lock().unwrap();
            let steps = plans.entry(self.name.clone()).or_default();
            change(steps);
            self.script(steps)
        };
        std::fs::write(self.agent.dir.join("steps").join(&self.name), script).expect("a file");
        self
    }

    /// Replaces the first occurrence of a text in a file.
    pub fn replace(self, path: &str, old: &str, new: &str) -> Self {
        let line = format!("replace {} {} {}", quoted(path), self.agent.keep(old), self.agent.keep(new));
        self.change(|steps| {
            steps.lines.push(line);
            steps.touched.insert(path.into(), Some(new.into()));
        })
    }

    /// Writes a whole file.
    pub fn write(self, path: &str, contents: &str) -> Self {
        let line = format!("put {} {}", quoted(path), self.agent.keep(contents));
        self.change(|steps| {
            steps.lines.push(line);
            steps.touched.insert(path.into(), Some(contents.into()));
        })
    }

    pub fn delete(self, path: &str) -> Self {
        self.change(|steps| {
            steps.lines.push(format!("rm -rf -- {}", quoted(path)));
            steps.touched.insert(path.into(), None);
        })
    }

    pub fn rename(self, from: &str, to: &str) -> Self {
        self.change(|steps| {
            steps.lines.push(format!("mkdir -p \"$(dirname {0})\"; mv -- {1} {0}", quoted(to), quoted(from)));
            steps.touched.insert(from.into(), None);
            steps.touched.insert(to.into(), None);
        })
    }

    /// Any line of shell, for what no good agent does: `git commit`, `git push`, `sleep 1000 &`.
    pub fn sh(self, line: &str) -> Self {
        self.change(|steps| steps.lines.push(line.into()))
    }

    /// Prints this in place of a fitting answer.
    pub fn prints(self, text: &str) -> Self {
        let line = format!("cat {}", self.agent.keep(text));
        self.change(|steps| {
            steps.lines.push(line);
            steps.answered = true;
        })
    }

    /// Answers this JSON document.
    pub fn answers(self, answer: &Value) -> Self {
        self.prints(&answer.to_string())
    }

    pub fn exits(self, status: i32) -> Self {
        self.change(|steps| {
            steps.lines.push(format!("exit {status}"));
            steps.answered = true;
        })
    }

    /// The word on all claims of a verifying call.
    pub fn holds(self, holds: bool, why: &str) -> Self {
        let line = format!("claims {holds} {}", quoted(&json!(why).to_string()));
        self.change(|steps| {
            steps.lines.push(line);
            steps.answered = true;
        })
    }

    /// A probe's answer; the item is the one that was asked about.
    pub fn verdict(self, verdict: &str, reasoning: &str) -> Self {
        let fix = (verdict == "valid").then(|| json!({"path": "src/a.rs", "location": "line 3", "change": "as asked"}));
        let answer = json!({"item_id": "@item@", "verdict": verdict, "reasoning": reasoning, "proposed_fix": fix, "risk": "low"});
        let line = format!("sed \"s/\\\"@item@\\\"/$item/\" {}", self.agent.keep(&answer.to_string()));
        self.change(|steps| {
            steps.lines.push(line);
            steps.answered = true;
        })
    }
}

/// What the manifest says, where it shall not simply fit.
impl Plan<'_> {
    /// The file was touched for these items.
    pub fn for_items(self, path: &str, items: &[u32]) -> Self {
        self.change(|steps| drop(steps.causes.insert(path.into(), json!(items))))
    }

    /// The file's entry in `spec_item_map`, as it stands.
    pub fn cause(self, path: &str, cause: &Value) -> Self {
        self.change(|steps| drop(steps.causes.insert(path.into(), cause.clone())))
    }

    /// The manifest does not mention a file that was touched.
    pub fn hides(self, path: &str) -> Self {
        self.change(|steps| {
            steps.hidden.insert(path.into());
        })
    }

    /// The manifest names a file that is not touched by a scripted edit.
    pub fn claims(self, path: &str) -> Self {
        self.change(|steps| drop(steps.touched.insert(path.into(), None)))
    }

    /// The file's entry in `invariant_per_file`, as it stands.
    pub fn invariant(self, path: &str, invariant: &Value) -> Self {
        self.change(|steps| drop(steps.invariants.insert(path.into(), invariant.clone())))
    }

    pub fn out_of_scope(self, item: u32, reason: &str) -> Self {
        self.reason("out_of_scope", item, reason)
    }

    pub fn declines(self, item: u32, reason: &str) -> Self {
        self.reason("declined", item, reason)
    }

    pub fn needs_human(self, item: u32, question: &str) -> Self {
        self.reason("needs_human", item, question)
    }

    fn reason(self, list: &'static str, item: u32, reason: &str) -> Self {
        self.change(|steps| drop(steps.reasons.entry(list).or_default().insert(item.to_string(), json!(reason))))
    }

    fn script(&self, steps: &Steps) -> String {
        let mut script = steps.lines.join("\n") + "\n";
        if !steps.answered && self.name.starts_with("fix") {
            script.push_str(&self.manifest(steps));
        }
        script
    }

    /// The shell lines that complete and print the manifest.
    fn manifest(&self, steps: &Steps) -> String {
        let (mut script, mut files, mut map, mut invariants) = (String::new(), Vec::new(), Map::new(), Map::new());
        for (path, text) in steps.touched.iter().filter(|(path, _)| !steps.hidden.contains(*path)) {
            files.push(path.clone());
            map.insert(path.clone(), steps.causes.get(path).cloned().unwrap_or_else(|| json!(["@items@"])));
            if let Some(first) = text.as_deref().and_then(|text| text.lines().next()) {
                let name = files.len();
                let claim =
                    json!({"claim": "the change is in place", "line": format!("@line{name}@"), "contains": first});
                invariants.insert(path.clone(), claim);
                script.push_str(&format!("line {name} {} {}\n", quoted(path), self.agent.keep(first)));
            }
        }
        invariants.extend(steps.invariants.clone());
        let mut manifest = json!({"touched_files": files, "spec_item_map": map, "invariant_per_file": invariants,
            "summary": "Made the scripted edits."});
        for list in ["out_of_scope", "declined", "needs_human"] {
            manifest[list] = Value::Object(steps.reasons.get(list).cloned().unwrap_or_default());
        }
        let others: Vec<&str> = steps.reasons.values().flat_map(Map::keys).map(String::as_str).collect();
        script.push_str(&format!(
            "manifest {} {}\n",
            self.agent.keep(&manifest.to_string()),
            quoted(&others.join(" "))
        ));
        script
    }
}
