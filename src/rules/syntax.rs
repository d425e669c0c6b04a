//! Rules that tell how a file of a language is checked for errors of syntax. Plain data: no rule is called.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::ask::Asker;
use super::host::RuleError;

/// One language's check: `argv` with a file behind it.
#[derive(Debug, Clone)]
pub struct SyntaxCheck {
    /// `kind/name`
    pub rule: String,
    pub argv: Vec<String>,
    globs: GlobSet,
}

impl SyntaxCheck {
    pub fn is_for(&self, path: &str) -> bool {
        self.globs.is_match(path)
    }
}

/// Refuses rules whose data could not be used.
///
/// # Errors
/// Names the rule and what is wrong with it.
pub(super) fn check(asker: &Asker) -> Result<(), RuleError> {
    for rule in asker.rules("syntax").iter() {
        if let Err(message) = read(rule) {
            return Err(asker.engine.blame(&mlua::Error::runtime(message), rule));
        }
    }
    Ok(())
}

pub(super) fn all(asker: &Asker) -> Vec<SyntaxCheck> {
    asker.rules("syntax").iter().filter_map(|rule| read(rule).ok()).collect()
}

fn read(rule: &super::registry::Rule) -> Result<SyntaxCheck, String> {
    let list = |field: &str| -> Result<Vec<String>, String> {
        let list = rule.table.raw_get::<Vec<String>>(field).ok().filter(|list| !list.is_empty());
        list.ok_or_else(|| format!("field '{field}' must be a list of strings"))
    };
    let mut globs = GlobSetBuilder::new();
    for glob in list("globs")? {
        globs.add(GlobBuilder::new(&glob).literal_separator(true).build().map_err(|error| error.to_string())?);
    }
    let globs = globs.build().map_err(|error| error.to_string())?;
    Ok(SyntaxCheck { rule: rule.id(), argv: list("argv")?, globs })
}
