//! Comments and pull requests as Lua tables.
//!
//! One table a comment is shared by all rules that look at it, authors are shared among comments, and keys are
//! interned: building tables would otherwise cost more than asking the rules.

use std::cell::RefCell;
use std::collections::HashMap;

use mlua::{Lua, LuaString, Result, Table, Value};

use super::view::{CommentView, PrView};

macro_rules! keys {
    ($($name:ident),* $(,)?) => {
        struct Keys { $($name: LuaString),* }
        impl Keys {
            fn new(lua: &Lua) -> Result<Self> {
                Ok(Self { $($name: lua.create_string(stringify!($name))?),* })
            }
        }
    };
}
keys!(
    id,
    kind,
    author,
    body,
    path,
    line,
    outdated,
    resolved,
    minimized,
    review_state,
    own,
    suggestion,
    login,
    bot,
    association
);

/// Authors kept at once; a pull request has far fewer.
const MAX_AUTHORS: usize = 1024;

pub(super) struct Pictures {
    keys: Keys,
    /// By login, association and whether it is a bot.
    authors: RefCell<HashMap<(String, String, bool), Table>>,
    pr: RefCell<Option<(String, Table)>>,
}

impl Pictures {
    pub fn new(lua: &Lua) -> Result<Self> {
        Ok(Self { keys: Keys::new(lua)?, authors: RefCell::default(), pr: RefCell::default() })
    }

    pub fn comment(&self, lua: &Lua, view: &CommentView<'_>) -> Result<Table> {
        let keys = &self.keys;
        let table = lua.create_table_with_capacity(0, 12)?;
        table.raw_set(&keys.id, view.id)?;
        table.raw_set(&keys.kind, view.kind)?;
        table.raw_set(&keys.author, self.author(lua, view)?)?;
        table.raw_set(&keys.body, view.body)?;
        table.raw_set(&keys.outdated, view.outdated)?;
        table.raw_set(&keys.resolved, view.resolved)?;
        table.raw_set(&keys.own, view.own)?;
        table.raw_set(&keys.suggestion, view.body.contains("```suggestion"))?;
        if let Some(path) = view.path {
            table.raw_set(&keys.path, path)?;
        }
        if let Some(line) = view.line {
            table.raw_set(&keys.line, line)?;
        }
        if let Some(reason) = view.minimized {
            table.raw_set(&keys.minimized, reason)?;
        }
        if let Some(state) = view.review_state {
            table.raw_set(&keys.review_state, state)?;
        }
        Ok(table)
    }

    /// A deleted account has an empty login, no association, and is no bot.
    pub fn author(&self, lua: &Lua, view: &CommentView<'_>) -> Result<Table> {
        let (login, association, bot) =
            if view.ghost { ("", "NONE", false) } else { (view.login, view.association, view.bot) };
        let key = (login.to_owned(), association.to_owned(), bot);
        if let Some(known) = self.authors.borrow().get(&key) {
            return Ok(known.clone());
        }
        let table = lua.create_table_with_capacity(0, 3)?;
        table.raw_set(&self.keys.login, login)?;
        table.raw_set(&self.keys.bot, bot)?;
        table.raw_set(&self.keys.association, association)?;
        let mut authors = self.authors.borrow_mut();
        if authors.len() >= MAX_AUTHORS {
            authors.clear();
        }
        authors.insert(key, table.clone());
        Ok(table)
    }

    pub fn pr(&self, lua: &Lua, view: &PrView<'_>) -> Result<Table> {
        let key = format!("{}\n{:?}\n{}\n{}\n{}", view.number, view.author, view.base, view.head, view.title);
        if let Some((known, table)) = &*self.pr.borrow()
            && *known == key
        {
            return Ok(table.clone());
        }
        let table = lua.create_table_with_capacity(0, 6)?;
        table.raw_set("number", view.number)?;
        table.raw_set(
            "author",
            view.author.map_or(Ok(Value::Nil), |login| lua.create_string(login).map(Value::String))?,
        )?;
        table.raw_set("title", view.title)?;
        table.raw_set("base", view.base)?;
        table.raw_set("head", view.head)?;
        table.raw_set("draft", view.draft)?;
        *self.pr.borrow_mut() = Some((key, table.clone()));
        Ok(table)
    }
}
