//! Protected paths, and files that an agent would obey. Plain data: no rule is called.

use std::cell::OnceCell;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::ask::Asker;
use super::host::RuleError;

/// One glob, its class, and the rule that declared it.
struct Entry {
    glob: String,
    class: String,
    rule: String,
}

/// The union of all `protect` rules, compiled when first asked.
#[derive(Default)]
pub(super) struct Protection {
    compiled: OnceCell<(Vec<Entry>, GlobSet)>,
}

impl Protection {
    /// Class and rule of the first protection that covers the path. Every class but `tests` goes before `tests`.
    pub fn of(&self, asker: &Asker, path: &str) -> Option<(String, String)> {
        let (entries, globs) = self.compiled.get_or_init(|| compile(asker));
        let mut hits: Vec<&Entry> = globs.matches(path).into_iter().map(|at| &entries[at]).collect();
        hits.sort_by_key(|entry| entry.class == "tests");
        hits.first().map(|entry| (entry.class.clone(), entry.rule.clone()))
    }

    pub fn globs(&self, asker: &Asker) -> Vec<String> {
        let (entries, _) = self.compiled.get_or_init(|| compile(asker));
        entries.iter().filter(|entry| entry.class != "tests").map(|entry| entry.glob.clone()).collect()
    }
}

fn compile(asker: &Asker) -> (Vec<Entry>, GlobSet) {
    let mut entries = Vec::new();
    let mut builder = GlobSetBuilder::new();
    for rule in asker.rules("protect").iter() {
        let class = rule.table.raw_get::<Option<String>>("class").ok().flatten().unwrap_or_else(|| rule.name.clone());
        for glob in rule.table.raw_get::<Vec<String>>("globs").unwrap_or_default() {
            // `check` refused files with globs that do not parse.
            if let Ok(parsed) = parse(&glob, &class) {
                builder.add(parsed);
                entries.push(Entry { glob, class: class.clone(), rule: rule.id() });
            }
        }
    }
    (entries, builder.build().unwrap_or_default())
}

/// File systems may ignore case, so a protection does; names of tests depend on it (`AuditIT.java`, `Audit.java`).
fn parse(glob: &str, class: &str) -> Result<globset::Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).case_insensitive(class != "tests").build()
}

/// Refuses `protect` and `aside` rules whose data could not be used: a protection must not vanish silently.
///
/// # Errors
/// Names the rule and what is wrong with it.
pub(super) fn check(asker: &Asker) -> Result<(), RuleError> {
    for rule in asker.rules("protect").iter() {
        let globs = rule.table.raw_get::<Vec<String>>("globs");
        let bad = match &globs {
            Err(_) => Some("field 'globs' must be a list of strings".to_owned()),
            Ok(globs) => globs.iter().find_map(|glob| parse(glob, "").err().map(|error| error.to_string())),
        };
        if let Some(message) = bad {
            return Err(asker.engine.blame(&mlua::Error::runtime(message), rule));
        }
    }
    for rule in asker.rules("aside").iter() {
        if rule.table.raw_get::<Vec<String>>("paths").is_err() {
            let error = mlua::Error::runtime("field 'paths' must be a list of strings");
            return Err(asker.engine.blame(&error, rule));
        }
    }
    Ok(())
}

/// Names at the root of a checkout that agents would obey.
pub(super) fn agent_files(asker: &Asker) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for rule in asker.rules("aside").iter() {
        for path in rule.table.raw_get::<Vec<String>>("paths").unwrap_or_default() {
            if !names.contains(&path) {
                names.push(path);
            }
        }
    }
    names
}
