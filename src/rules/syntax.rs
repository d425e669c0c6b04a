//! Rules that tell how a file of a language is checked for errors of syntax. Plain data: no rule is called.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::ask::Asker;
use super::host::RuleError;
use crate::model::syntax::Format;

/// How one language or format is checked.
#[derive(Debug, Clone)]
pub enum Reader {
    /// Words, with a file behind them.
    Program(Vec<String>),
    /// The program itself.
    Own(Format),
}

/// One language's check.
#[derive(Debug, Clone)]
pub struct SyntaxCheck {
    /// `kind/name`
    pub rule: String,
    pub reader: Reader,
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
    let reader = match rule.table.raw_get::<mlua::Value>("parse") {
        Ok(mlua::Value::Nil) => Reader::Program(list("argv")?),
        Ok(parse) if rule.table.raw_get::<mlua::Value>("argv").is_ok_and(|argv| argv.is_nil()) => {
            let named = parse.to_string().ok().and_then(|name| Format::named(&name));
            Reader::Own(named.ok_or("field 'parse' must be \"json\", \"toml\" or \"yaml\"")?)
        }
        _ => return Err("either 'argv' or 'parse', not both".to_owned()),
    };
    Ok(SyntaxCheck { rule: rule.id(), reader, globs })
}
