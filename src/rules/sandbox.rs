//! A Lua 5.4 virtual machine for files that nobody has reviewed: pure functions, and limits that hold.
//!
//! Every restriction here answers an attack under `tests/rules/attacks/`. There are no files, processes, network,
//! bytecode, debug library, metatables or coroutines; the pattern functions are our own, because Lua's run in C,
//! where no limit reaches them.

use std::rc::Rc;

use mlua::{HookTriggers, Lua, LuaOptions, LuaString, MultiValue, Result, StdLib, Table, Value, VmState};

use super::limits::{Limits, MAX_COUNT, MAX_MEMORY, MAX_STRING};
use super::patterns;

const PRELUDE: &str = include_str!("prelude.lua");

/// Globals that no rule sees.
const REMOVED: &[&str] = &[
    "load",
    "loadstring",
    "loadfile",
    "dofile",
    "require",
    "module",
    "package",
    "collectgarbage",
    "print",
    "warn",
    "io",
    "os",
    "debug",
    "coroutine",
];

/// Instructions between two looks at the clock.
const HOOK_EVERY: u32 = 1000;

pub(super) fn machine(limits: &Rc<Limits>) -> Result<Lua> {
    let lua = Lua::new_with(StdLib::STRING | StdLib::TABLE | StdLib::MATH | StdLib::UTF8, LuaOptions::new())?;
    let globals = lua.globals();
    let string: Table = globals.raw_get("string")?;
    string.raw_remove("dump")?;
    patterns::install(&lua, &string, limits)?;
    run_prelude(&lua, limits)?;
    for name in REMOVED {
        globals.raw_set(*name, Value::Nil)?;
    }
    lock_string_methods(&lua, &string)?;
    lua.set_memory_limit(MAX_MEMORY)?;
    watch(&lua, limits, HOOK_EVERY)?;
    Ok(lua)
}

fn run_prelude(lua: &Lua, limits: &Rc<Limits>) -> Result<()> {
    let guard = Rc::clone(limits);
    let check = lua.create_function(move |_, results: MultiValue| {
        if guard.is_spent() {
            guard.check()?;
        }
        Ok(results)
    })?;
    let guard = Rc::clone(limits);
    let check_size = lua.create_function(move |_, bytes: f64| {
        // Sizes beyond the limit only have to stay beyond it.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the limit's range")]
        guard.check_size(bytes.clamp(0.0, 2.0 * MAX_STRING as f64) as usize)
    })?;
    lua.load(PRELUDE).set_name("=prelude").call((lua.globals(), check, check_size, MAX_COUNT))
}

/// `("x"):upper()` looks its method up in a private copy that no script can reach.
fn lock_string_methods(lua: &Lua, string: &Table) -> Result<()> {
    let metatable = lua.create_table()?;
    metatable.raw_set("__index", copy(lua, string)?)?;
    metatable.raw_set("__metatable", false)?;
    lua.set_type_metatable::<LuaString>(Some(metatable));
    Ok(())
}

/// The hook is global, since one of a thread does not reach its coroutines. Once the budget is spent, it fires at
/// every instruction until [`rearm`] is called.
fn watch(lua: &Lua, limits: &Rc<Limits>, every: u32) -> Result<()> {
    let limits = Rc::clone(limits);
    lua.set_global_hook(HookTriggers::new().every_nth_instruction(every), move |lua, _| match limits.check() {
        Ok(()) => Ok(VmState::Continue),
        Err(error) => {
            if every != 1 {
                watch(lua, &limits, 1)?;
            }
            Err(error)
        }
    })
}

/// Makes the machine usable again after a spent budget.
pub(super) fn rearm(lua: &Lua, limits: &Rc<Limits>) -> Result<()> {
    watch(lua, limits, HOOK_EVERY)
}

/// A fresh environment: copies of the libraries, so that no file can change another's.
pub(super) fn environment(lua: &Lua) -> Result<Table> {
    let environment = lua.create_table()?;
    for pair in lua.globals().pairs::<Value, Value>() {
        let (key, value) = pair?;
        let value = match value {
            Value::Table(table) if table == lua.globals() => continue,
            Value::Table(table) => Value::Table(copy(lua, &table)?),
            other => other,
        };
        environment.raw_set(key, value)?;
    }
    Ok(environment)
}

fn copy(lua: &Lua, table: &Table) -> Result<Table> {
    let copy = lua.create_table()?;
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        copy.raw_set(key, value)?;
    }
    Ok(copy)
}
