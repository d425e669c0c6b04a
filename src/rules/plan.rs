//! Which of the proposed commands become set-up, gates and narrow checks. Pure.

use std::collections::BTreeSet;

use mlua::Value;

use super::host::SourceLayer;
use super::registry::Rule;
use crate::model::command::{ProjectCommand, ProjectCommands};

/// Rank of a task runner's target (`make test`), which stands for the whole folder.
const TASK_RUNNER: i64 = 20;
/// Rank of the failing CI job's own steps.
const CI: i64 = 10;

/// How much a command checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    Files,
    Package,
    Workspace,
}

/// A command as a rule proposed it.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub kind: String,
    pub run: Vec<String>,
    pub scope: Scope,
    pub rank: Option<i64>,
    pub cwd: Option<String>,
}

/// Reads the list that a rule returned; `nil` is an empty one.
///
/// # Errors
/// What was expected instead, in words.
pub(super) fn steps(answer: &Value) -> Result<Vec<Step>, String> {
    let list = match answer {
        Value::Nil => return Ok(Vec::new()),
        Value::Table(list) => list,
        _ => return Err("a list of steps".to_owned()),
    };
    list.sequence_values::<mlua::Table>()
        .map(|step| step.map_err(|_| "a list of steps".to_owned()).and_then(|step| read(&step)))
        .collect()
}

fn read(step: &mlua::Table) -> Result<Step, String> {
    let wrong = |field: &str, what: &str| format!("a step whose '{field}' is {what}");
    for pair in step.pairs::<String, Value>() {
        let (field, _) = pair.map_err(|error| error.to_string())?;
        if !["kind", "run", "scope", "rank", "cwd", "why"].contains(&field.as_str()) {
            return Err(format!("a step without the unknown field '{field}'"));
        }
    }
    let kind: String = step.raw_get("kind").map_err(|_| wrong("kind", "a string"))?;
    if !["setup", "test", "lint", "types"].contains(&kind.as_str()) {
        return Err(wrong("kind", "setup, test, lint or types"));
    }
    let run: Vec<String> = step.raw_get("run").map_err(|_| wrong("run", "a list of words"))?;
    if run.is_empty() || run.iter().any(|word| word.contains('\0')) {
        return Err(wrong("run", "a list of words"));
    }
    let scope = match step.raw_get::<Option<String>>("scope").map_err(|_| wrong("scope", "a string"))?.as_deref() {
        Some("files") => Scope::Files,
        None | Some("package") => Scope::Package,
        Some("workspace") => Scope::Workspace,
        Some(_) => return Err(wrong("scope", "files, package or workspace")),
    };
    let cwd: Option<String> = step.raw_get("cwd").map_err(|_| wrong("cwd", "a folder"))?;
    if cwd.as_deref().is_some_and(|cwd| cwd.starts_with('/') || cwd.split('/').any(|part| part == "..")) {
        return Err(wrong("cwd", "a folder inside the checkout"));
    }
    let rank = step.raw_get("rank").map_err(|_| wrong("rank", "a whole number"))?;
    Ok(Step { kind, run, scope, rank, cwd })
}

/// A step, and where it came from.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub kind: String,
    command: ProjectCommand,
    scope: Scope,
    rank: i64,
    /// The folder that the rule was asked about.
    folder: String,
    manifest: String,
    rule: String,
    layer: SourceLayer,
}

impl Plan {
    pub fn new(step: Step, rule: &Rule, (folder, manifest): (&str, &str), rank: i64) -> Self {
        let cwd = step.cwd.as_deref().unwrap_or(folder).trim_matches('/').to_owned();
        let cwd = cwd.strip_prefix("./").map_or(cwd.clone(), str::to_owned);
        Self {
            kind: step.kind,
            command: ProjectCommand { argv: step.run, cwd: if cwd == "." { String::new() } else { cwd } },
            scope: step.scope,
            rank: step.rank.unwrap_or(rank),
            folder: folder.to_owned(),
            manifest: manifest.to_owned(),
            rule: rule.id(),
            layer: rule.layer,
        }
    }

    fn same_question(&self, other: &Plan) -> bool {
        self.kind == other.kind && self.folder == other.folder
    }

    /// A nearer layer's rule settles a folder's question. So does a task runner, but for checks of single files.
    /// Steps of the failing CI job are always run as well.
    fn is_beaten_by(&self, other: &Plan) -> bool {
        if self.rank == CI || other.rank == CI || !self.same_question(other) {
            return false;
        }
        let runner = other.rank <= TASK_RUNNER && self.rank > other.rank && self.scope != Scope::Files;
        other.layer < self.layer || other.layer == self.layer && runner && other.scope != Scope::Files
    }

    /// The same rule checks more for the same question.
    fn is_part_of(&self, other: &Plan) -> bool {
        self.rule == other.rule && self.same_question(other) && other.scope > self.scope
    }
}

/// Sorts proposals into the parts of [`ProjectCommands`]; the paths are the manifests that those came from.
pub(super) fn select(plans: &[Plan], touched: bool) -> (ProjectCommands, Vec<String>) {
    let mut standing: Vec<&Plan> =
        plans.iter().filter(|plan| !plans.iter().any(|other| plan.is_beaten_by(other))).collect();
    standing.sort_by_key(|plan| plan.rank);
    let full = |kinds: &[&str]| {
        let gates = standing.iter().filter(|plan| kinds.contains(&plan.kind.as_str()) && plan.scope != Scope::Files);
        distinct(gates.filter(|plan| !standing.iter().any(|other| plan.is_part_of(other))))
    };
    let (setup, test, lint) = (full(&["setup"]), full(&["test"]), full(&["lint", "types"]));
    let narrow = if touched { narrow(&standing) } else { Vec::new() };
    let used = [&setup, &test, &lint, &narrow];
    let counted: Vec<&&Plan> =
        standing.iter().filter(|plan| used.iter().any(|list| list.contains(&plan.command))).collect();
    let rules: BTreeSet<&str> = counted.iter().map(|plan| plan.rule.as_str()).collect();
    let manifests: BTreeSet<&str> = counted.iter().map(|plan| plan.manifest.as_str()).collect();
    let rule = rules.into_iter().collect::<Vec<_>>().join(", ");
    let manifests = manifests.into_iter().map(str::to_owned).collect();
    (ProjectCommands { setup, test, lint, narrow, rule }, manifests)
}

/// For each question, the proposals of the smallest scope; a linter that knows nothing narrower than the whole
/// workspace is left to the gates.
fn narrow(standing: &[&Plan]) -> Vec<ProjectCommand> {
    let checks = standing.iter().filter(|plan| plan.kind != "setup" && plan.rank != CI);
    let smallest = checks.filter(|plan| {
        let narrower = standing.iter().any(|other| other.same_question(plan) && other.scope < plan.scope);
        !narrower && (plan.kind == "test" || plan.scope != Scope::Workspace)
    });
    distinct(smallest)
}

fn distinct<'a>(plans: impl Iterator<Item = &'a &'a Plan>) -> Vec<ProjectCommand> {
    let mut seen = BTreeSet::new();
    plans
        .filter(|plan| seen.insert((plan.command.cwd.clone(), plan.command.argv.clone())))
        .map(|plan| plan.command.clone())
        .collect()
}
