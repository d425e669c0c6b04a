//! From the files of a checkout to the commands that set it up and prove a change.
//!
//! A `commands` rule names its manifests. The touched files are grouped by the nearest folder that holds one, and
//! the rule is asked once for each folder. It answers with steps; which of them become gates is decided here.

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::Value;

use super::ask::Asker;
use super::folder::Folder;
use super::host::RuleError;
use super::plan::{self, Plan};
use super::registry::Rule;
use super::view::{FailingJob, Snapshot};
use crate::model::command::ProjectCommands;

/// Folders that one rule is asked about.
const MAX_FOLDERS: usize = 32;
/// Folders that are looked at when nothing is touched and the root has no manifest.
const MAX_NESTED: usize = 8;

pub(super) fn commands(
    asker: &Asker,
    snapshot: &Snapshot,
    touched: &[String],
    failing: &[FailingJob],
) -> (ProjectCommands, Vec<String>) {
    let question = Question { asker, snapshot, failing };
    let mut plans = question.ask(|manifests, at_root| {
        if touched.is_empty() {
            groups(snapshot, &[String::new()], manifests, true)
        } else {
            groups(snapshot, touched, manifests, at_root)
        }
    });
    if !plans.iter().any(|plan| plan.kind == "test") && !touched.is_empty() {
        plans.extend(question.ask(|manifests, _| groups(snapshot, &[String::new()], manifests, true)));
    }
    if !plans.iter().any(|plan| plan.kind == "test") {
        plans.extend(
            question.ask(|manifests, at_root| if at_root { Groups::new() } else { nested(snapshot, manifests) }),
        );
    }
    plan::select(&plans, !touched.is_empty())
}

/// Folder (empty: the root) → its manifest and the touched files that it governs.
type Groups = BTreeMap<String, (String, Vec<String>)>;

fn groups(snapshot: &Snapshot, touched: &[String], manifests: &[String], at_root: bool) -> Groups {
    let mut groups = Groups::new();
    for file in touched {
        let mut folder = if at_root { "" } else { parent(file) };
        loop {
            if let Some(manifest) = find(snapshot, folder, manifests) {
                let entry = groups.entry(folder.to_owned()).or_insert_with(|| (manifest, Vec::new()));
                if !file.is_empty() {
                    entry.1.push(file.clone());
                }
                break;
            }
            if folder.is_empty() {
                break;
            }
            folder = parent(folder);
        }
    }
    groups
}

/// The manifests nearest to the root, for a repository that has none there.
fn nested(snapshot: &Snapshot, manifests: &[String]) -> Groups {
    let mut folders: Vec<&str> = snapshot
        .files
        .keys()
        .map(|path| (parent(path), path.rsplit('/').next().unwrap_or(path)))
        .filter(|(folder, name)| !folder.is_empty() && depth(folder) <= 3 && is_manifest(name, manifests))
        .map(|(folder, _)| folder)
        .collect();
    folders.sort_by_key(|folder| depth(folder));
    folders.dedup();
    let top = folders.first().map_or(0, |folder| depth(folder));
    folders.retain(|folder| depth(folder) == top);
    folders
        .into_iter()
        .take(MAX_NESTED)
        .filter_map(|folder| Some((folder.to_owned(), (find(snapshot, folder, manifests)?, Vec::new()))))
        .collect()
}

fn is_manifest(name: &str, manifests: &[String]) -> bool {
    manifests.iter().any(|manifest| super::helpers::glob(manifest).is_ok_and(|glob| glob.is_match(name)))
}

fn depth(folder: &str) -> usize {
    folder.matches('/').count() + 1
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn find(snapshot: &Snapshot, folder: &str, manifests: &[String]) -> Option<String> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    manifests.iter().find_map(|manifest| {
        let path = format!("{prefix}{manifest}");
        if !manifest.contains('*') {
            return snapshot.exists(&path).then_some(path);
        }
        let matcher = super::helpers::glob(manifest).ok()?;
        let within = snapshot.files.range(prefix.clone()..).take_while(|(file, _)| file.starts_with(&prefix));
        within.map(|(file, _)| file).find(|file| matcher.is_match(&file[prefix.len()..])).cloned()
    })
}

/// One inference under way.
struct Question<'a> {
    asker: &'a Asker,
    snapshot: &'a Snapshot,
    failing: &'a [FailingJob],
}

impl Question<'_> {
    /// Asks every rule about its folders. A failing rule is skipped with a warning.
    fn ask(&self, group: impl Fn(&[String], bool) -> Groups) -> Vec<Plan> {
        let mut plans = Vec::new();
        for rule in self.asker.rules("commands").iter() {
            let settings = Settings::of(rule);
            let groups = match settings {
                Ok(ref settings) => group(&settings.manifests, settings.at_root),
                Err(ref error) => {
                    self.asker.warn(&self.asker.engine.blame(error, rule));
                    continue;
                }
            };
            let rank = settings.map_or(40, |settings| settings.rank);
            for (folder, (manifest, files)) in groups.into_iter().take(MAX_FOLDERS) {
                match self.folder(rule, &folder, &manifest, &files) {
                    Ok(steps) => {
                        plans.extend(steps.into_iter().map(|step| Plan::new(step, rule, (&folder, &manifest), rank)))
                    }
                    Err(error) => self.asker.warn(&error),
                }
            }
        }
        plans
    }

    fn folder(
        &self,
        rule: &Rc<Rule>,
        folder: &str,
        manifest: &str,
        files: &[String],
    ) -> Result<Vec<plan::Step>, Box<RuleError>> {
        let Some(function) = &rule.function else { return Ok(Vec::new()) };
        let engine = &self.asker.engine;
        let place = Folder { snapshot: self.snapshot, folder, manifest, files, failing: self.failing };
        let answer = engine
            .enter(|| engine.lua.scope(|scope| function.call::<Value>(place.table(&engine.lua, scope)?)))
            .map_err(|error| Box::new(engine.blame(&error, rule)))?;
        plan::steps(&answer).map_err(|expected| self.asker.misfit(rule, &answer, &expected))
    }
}

struct Settings {
    manifests: Vec<String>,
    at_root: bool,
    rank: i64,
}

impl Settings {
    fn of(rule: &Rule) -> mlua::Result<Self> {
        Ok(Self {
            manifests: rule.table.raw_get("manifests")?,
            at_root: rule.table.raw_get::<Option<bool>>("at_root")?.unwrap_or(false),
            rank: rule.table.raw_get::<Option<i64>>("rank")?.unwrap_or(40),
        })
    }
}
