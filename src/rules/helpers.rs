//! Helper functions of `prfix`: patterns, globs, text, tables.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use mlua::{
    BorrowedStr, Error, Lua, LuaSerdeExt, MultiValue, Result, Table, UserData, UserDataMethods, Value, Variadic,
};
use regex::{Regex, RegexBuilder};

use super::host::SourceLayer;
use super::interface::Shared;
use super::limits::Limits;
use super::prose;
use super::shell;

/// Bytes of a pattern's text, and of its compiled form.
const MAX_PATTERN: usize = 64 << 10;
const MAX_COMPILED: usize = 8 << 20;
/// Bytes of states that a search may keep; with less, long lists of phrases would build them over and over.
const MAX_STATES: usize = 32 << 20;

pub(super) fn install(lua: &Lua, table: &Table, registry: &Shared, limits: &Rc<Limits>) -> Result<()> {
    let (guard, shared) = (Rc::clone(limits), Rc::clone(registry));
    let re = move |_: &Lua, pattern: String| {
        // Tests use every built-in pattern; to parse them at each start would take longer than all the rest.
        let known = shared.borrow().loading == Some(SourceLayer::Builtin);
        Re::new(pattern, &guard, known)
    };
    table.raw_set("re", lua.create_function(re)?)?;
    table.raw_set("globs", lua.create_function(|_, globs: Vec<String>| Globs::new(globs))?)?;
    let matches = |_: &Lua, (pattern, path): (String, BorrowedStr)| Ok(glob(&pattern)?.is_match(&*path));
    table.raw_set("glob", lua.create_function(matches)?)?;
    let last = RefCell::new((String::new(), String::new()));
    let prose = move |lua: &Lua, text: BorrowedStr| {
        // Several rules in a row ask for the same comment.
        let mut last = last.borrow_mut();
        if last.0 != *text {
            *last = (text.to_owned(), prose::prose(&text));
        }
        lua.create_string(&last.1)
    };
    table.raw_set("prose", lua.create_function(prose)?)?;
    table.raw_set("clauses", lua.create_function(|_, text: BorrowedStr| Ok(prose::clauses(&text)))?)?;
    table.raw_set("shell_lines", lua.create_function(|_, text: BorrowedStr| Ok(shell::simple_commands(&text)))?)?;
    table.raw_set("merge", lua.create_function(merge)?)?;
    table.raw_set("cat", lua.create_function(|_, lists: Variadic<Vec<Value>>| Ok(lists.concat()))?)?;
    table.raw_set("uniq", lua.create_function(|_, list: Vec<String>| Ok(uniq(list)))?)?;
    table.raw_set("flat", lua.create_function(|_, values: Variadic<Value>| Ok(flat(&values)))?)?;
    table.raw_set("json", lua.create_function(json)?)
}

/// A glob whose `*` stays within a folder. Compiled ones are kept.
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher> {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, GlobMatcher>> = RefCell::default();
    }
    COMPILED.with(|compiled| {
        if let Some(matcher) = compiled.borrow().get(pattern) {
            return Ok(matcher.clone());
        }
        let matcher = parse_glob(pattern)?.compile_matcher();
        let mut compiled = compiled.borrow_mut();
        if compiled.len() > 4096 {
            compiled.clear();
        }
        compiled.insert(pattern.to_owned(), matcher.clone());
        Ok(matcher)
    })
}

fn parse_glob(pattern: &str) -> Result<globset::Glob> {
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| Error::runtime(error.to_string()))
}

/// A regular expression in the syntax of Rust's `regex`, which takes linear time. Checked at once, compiled when it
/// is first used: compiling all at the start would take longer than everything else.
struct Re {
    pattern: String,
    compiled: OnceCell<Regex>,
    limits: Rc<Limits>,
}

impl Re {
    fn new(pattern: String, limits: &Rc<Limits>, known: bool) -> Result<Self> {
        if pattern.len() > MAX_PATTERN {
            return Err(Error::runtime(format!("prfix.re: the pattern is over {MAX_PATTERN} bytes")));
        }
        if !known {
            regex_syntax::Parser::new().parse(&pattern).map_err(|error| Error::runtime(error.to_string()))?;
        }
        Ok(Self { pattern, compiled: OnceCell::new(), limits: Rc::clone(limits) })
    }

    fn get(&self) -> Result<&Regex> {
        if let Some(regex) = self.compiled.get() {
            return Ok(regex);
        }
        let regex = self
            .limits
            .uncounted(|| RegexBuilder::new(&self.pattern).size_limit(MAX_COMPILED).dfa_size_limit(MAX_STATES).build())
            .map_err(|error| Error::runtime(format!("prfix.re: {error}")))?;
        Ok(self.compiled.get_or_init(|| regex))
    }
}

impl UserData for Re {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("test", |_, re, text: BorrowedStr| Ok(re.get()?.is_match(&text)));
        methods.add_method("match", |lua, re, text: BorrowedStr| {
            let Some(captures) = re.get()?.captures(&text) else {
                return Ok(MultiValue::from_vec(vec![Value::Nil]));
            };
            // Without groups, the whole match; as string.match does.
            let first = usize::from(captures.len() > 1);
            let values = (first..captures.len()).map(|group| match captures.get(group) {
                Some(found) => lua.create_string(found.as_str()).map(Value::String),
                None => Ok(Value::Nil),
            });
            values.collect::<Result<Vec<_>>>().map(MultiValue::from_vec)
        });
    }
}

/// Several globs as one matcher.
struct Globs {
    globs: Vec<String>,
    compiled: OnceCell<GlobSet>,
}

impl Globs {
    fn new(globs: Vec<String>) -> Result<Self> {
        globs.iter().try_for_each(|pattern| parse_glob(pattern).map(drop))?;
        Ok(Self { globs, compiled: OnceCell::new() })
    }

    fn get(&self) -> Result<&GlobSet> {
        if let Some(set) = self.compiled.get() {
            return Ok(set);
        }
        let mut builder = GlobSetBuilder::new();
        for pattern in &self.globs {
            builder.add(parse_glob(pattern)?);
        }
        let set = builder.build().map_err(|error| Error::runtime(error.to_string()))?;
        Ok(self.compiled.get_or_init(|| set))
    }
}

impl UserData for Globs {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("match", |_, globs, path: BorrowedStr| {
            Ok(globs.get()?.matches(&*path).first().map(|at| globs.globs[*at].clone()))
        });
    }
}

/// One table with the entries of all; later ones win, `nil` is skipped.
fn merge(lua: &Lua, tables: Variadic<Option<Table>>) -> Result<Table> {
    let merged = lua.create_table()?;
    for table in tables.iter().flatten() {
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair?;
            merged.raw_set(key, value)?;
        }
    }
    Ok(merged)
}

/// The strings without repetitions, in order.
fn uniq(mut list: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    list.retain(|text| seen.insert(text.clone()));
    list
}

/// Every string inside the values, one a line.
fn flat(values: &[Value]) -> String {
    fn collect(value: &Value, depth: u32, lines: &mut String) {
        match value {
            Value::String(text) => {
                lines.push_str(&text.to_string_lossy());
                lines.push('\n');
            }
            Value::Table(table) if depth > 0 => {
                table.pairs::<Value, Value>().flatten().for_each(|(_, value)| collect(&value, depth - 1, lines));
            }
            _ => {}
        }
    }
    let mut lines = String::new();
    values.iter().for_each(|value| collect(value, 16, &mut lines));
    lines
}

/// A value as JSON text.
fn json(lua: &Lua, value: Value) -> Result<String> {
    let value: serde_json::Value = lua.from_value(value)?;
    serde_json::to_string(&value).map_err(Error::external)
}
