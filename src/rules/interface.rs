//! The global `prfix` of a rule file: what can be declared, and the few helpers.

use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Error, Lua, Result, Table, Value};

use super::engine::API;
use super::helpers;
use super::limits::Limits;
use super::nearest::did_you_mean;
use super::registry::{KINDS, Place, Registry};
use super::sandbox;

/// The rules of one machine, shared with the functions that declare them.
pub(super) type Shared = Rc<RefCell<Registry>>;

/// All functions of `prfix`, built once; [`environment`] gives each file a copy.
pub(super) fn table(lua: &Lua, registry: &Shared, limits: &Rc<Limits>) -> Result<Table> {
    let table = lua.create_table()?;
    for kind in KINDS {
        let registry = Rc::clone(registry);
        let declare = lua.create_function(move |lua, declaration: Table| {
            registry.borrow_mut().declare(kind, &declaration, caller(lua)).map_err(Error::runtime)
        })?;
        table.raw_set(kind.name, declare)?;
    }
    let shared = Rc::clone(registry);
    let off = move |lua: &Lua, id: String| shared.borrow_mut().switch_off(&id, &caller(lua)).map_err(Error::runtime);
    table.raw_set("off", lua.create_function(off)?)?;
    let shared = Rc::clone(registry);
    table.raw_set("base", lua.create_function(move |_, id: String| base(&shared.borrow(), &id))?)?;
    let shared = Rc::clone(registry);
    table.raw_set("protected", lua.create_function(move |_, path: String| protected(&shared.borrow(), &path))?)?;
    helpers::install(lua, &table, registry, limits)?;
    Ok(table)
}

/// Where the Lua code stands that called the running function.
pub(super) fn caller(lua: &Lua) -> Place {
    lua.inspect_stack(1, |frame| {
        let source = frame.source();
        let name = source.source.as_deref().and_then(|name| name.strip_prefix('@')).unwrap_or_default().to_owned();
        Place { file: name, line: frame.current_line().unwrap_or(0) }
    })
    .unwrap_or(Place { file: String::new(), line: 0 })
}

/// `prfix.base "noise/social"`: the rule as a lower layer declared it, to be wrapped by its replacement.
fn base(registry: &Registry, id: &str) -> Result<Table> {
    let rule = registry.rules.iter().rfind(|rule| rule.id() == id);
    rule.map(|rule| rule.table.clone()).ok_or_else(|| {
        let ids: Vec<String> = registry.rules.iter().map(|rule| rule.id()).collect();
        let hint = did_you_mean(id, ids.iter().map(String::as_str));
        Error::runtime(format!("prfix.base: no rule '{id}'{hint}"))
    })
}

/// The glob that protects a path.
fn protected(registry: &Registry, path: &str) -> Result<Option<String>> {
    for rule in registry.rules.iter().filter(|rule| rule.kind == "protect") {
        for glob in rule.table.raw_get::<Vec<String>>("globs")? {
            if helpers::glob(&glob)?.is_match(path) {
                return Ok(Some(glob));
            }
        }
    }
    Ok(None)
}

/// The environment of one file. A misspelt or leaked global is an error at its line.
pub(super) fn environment(lua: &Lua, interface: &Table, registry: &Shared) -> Result<Table> {
    let environment = sandbox::environment(lua)?;
    environment.raw_set("prfix", own_copy(lua, interface, registry)?)?;
    let strict = lua.create_table()?;
    strict.raw_set(
        "__index",
        lua.create_function(|_, (environment, name): (Table, String)| -> Result<Value> {
            let known = names(&environment);
            let hint = did_you_mean(&name, known.iter().map(String::as_str));
            Err(Error::runtime(format!("undefined name '{name}'{hint}")))
        })?,
    )?;
    strict.raw_set(
        "__newindex",
        lua.create_function(|_, (_, name, _): (Table, String, Value)| -> Result<()> {
            Err(Error::runtime(format!("global '{name}' assigned; write `local {name} = …`")))
        })?,
    )?;
    environment.set_metatable(Some(strict))?;
    Ok(environment)
}

fn own_copy(lua: &Lua, interface: &Table, registry: &Shared) -> Result<Table> {
    let copy = lua.create_table()?;
    for pair in interface.pairs::<Value, Value>() {
        let (key, value) = pair?;
        copy.raw_set(key, value)?;
    }
    let strict = lua.create_table()?;
    strict.raw_set(
        "__index",
        lua.create_function(|_, (prfix, name): (Table, String)| -> Result<Value> {
            let known = names(&prfix);
            let hint = did_you_mean(&name, known.iter().map(String::as_str));
            Err(Error::runtime(format!("prfix.{name} does not exist in version {API} of the interface{hint}")))
        })?,
    )?;
    let registry = Rc::clone(registry);
    strict.raw_set(
        "__newindex",
        lua.create_function(move |_, (_, name, value): (Table, String, Value)| {
            if name != "api" {
                return Err(Error::runtime(format!("prfix.{name} can't be assigned")));
            }
            accept_version(&value)?;
            registry.borrow_mut().versioned = true;
            Ok(())
        })?,
    )?;
    copy.set_metatable(Some(strict))?;
    Ok(copy)
}

fn accept_version(value: &Value) -> Result<()> {
    match value.as_integer() {
        Some(1..=API) => Ok(()),
        Some(version) => Err(Error::runtime(format!(
            "this file wants version {version} of the interface, this git-prfix has {API}: update git-prfix"
        ))),
        None => Err(Error::runtime("prfix.api must be a whole number")),
    }
}

fn names(table: &Table) -> Vec<String> {
    table.pairs::<String, Value>().flatten().map(|(name, _)| name).collect()
}
