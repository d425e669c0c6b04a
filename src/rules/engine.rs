//! The machine with its rules: loading files into it, and entering it within limits.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use mlua::{Error, Lua, Result, Table};

use super::builtin;
use super::diagnose::{Sources, diagnose};
use super::host::{RuleError, Source, SourceLayer};
use super::interface;
use super::limits::{self, Limits};
use super::registry::Registry;
use super::sandbox;

/// Version of the interface that rule files name in their first statement.
pub(super) const API: i64 = 1;

/// Adds to the environment of a file.
type Extend<'a> = dyn Fn(&Table) -> Result<()> + 'a;

pub(super) struct Engine {
    pub lua: Lua,
    pub registry: Rc<RefCell<Registry>>,
    limits: Rc<Limits>,
    sources: RefCell<Sources>,
    /// Calls into Lua under way; a rule may call back into the host.
    depth: Cell<u32>,
    interface: Table,
    /// The environment of the built-in files. They are ours and change nothing in it, so that one is enough: to make
    /// one for each would lengthen the start by a sixth.
    builtin: Table,
}

impl Engine {
    /// An empty machine. Its own parts never fail but for want of memory.
    pub fn new(budget: Duration) -> Result<Self> {
        let limits = Limits::new(budget);
        let lua = sandbox::machine(&limits)?;
        let registry = Rc::default();
        let interface = interface::table(&lua, &registry, &limits)?;
        let builtin = interface::environment(&lua, &interface, &registry)?;
        Ok(Self { lua, registry, limits, sources: RefCell::default(), depth: Cell::new(0), interface, builtin })
    }

    pub fn load_builtin(&self) -> std::result::Result<(), RuleError> {
        // Nearly all that is made here stays: there is nothing to collect.
        self.lua.gc_stop();
        let loaded = builtin::SCRIPTS.iter().try_for_each(|(name, text)| {
            self.load(&Source { layer: SourceLayer::Builtin, name: (*name).to_owned(), text: (*text).to_owned() })
        });
        self.lua.gc_restart();
        loaded
    }

    /// Runs a rule file, which declares its rules.
    ///
    /// # Errors
    /// When it does not parse, fails, or was written for another version of the interface.
    pub fn load(&self, source: &Source) -> std::result::Result<(), RuleError> {
        {
            let mut registry = self.registry.borrow_mut();
            registry.loading = Some(source.layer);
            registry.versioned = false;
        }
        let result = self.run_file(source, None);
        let versioned = {
            let mut registry = self.registry.borrow_mut();
            registry.loading = None;
            registry.versioned
        };
        result?;
        if versioned {
            return Ok(());
        }
        let message = format!("{}:1: the first statement must be `prfix.api = {API}`", source.name);
        Err(self.diagnose(&Error::runtime(message)))
    }

    /// Runs a file in an environment of its own; `extend` may add to that.
    pub fn run_file(&self, source: &Source, extend: Option<&Extend<'_>>) -> std::result::Result<(), RuleError> {
        self.sources.borrow_mut().insert(source.name.clone(), source.text.clone());
        self.enter(|| {
            let environment = match source.layer {
                SourceLayer::Builtin => self.builtin.clone(),
                _ => interface::environment(&self.lua, &self.interface, &self.registry)?,
            };
            if let Some(extend) = extend {
                extend(&environment)?;
            }
            self.lua
                .load(source.text.as_str())
                .set_name(format!("@{}", source.name))
                .set_mode(mlua::chunk::ChunkMode::Text)
                .set_environment(environment)
                .exec()
        })
        .map_err(|error| self.diagnose(&error))
    }

    /// Every way into Lua. The budget runs from the outermost call, and a spent one wins over whatever came back.
    pub fn enter<T>(&self, call: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.depth.get() > 0 {
            return call();
        }
        self.limits.start();
        self.depth.set(1);
        let result = call();
        self.depth.set(0);
        if !self.limits.stop() {
            return result;
        }
        sandbox::rearm(&self.lua, &self.limits)?;
        Err(result.err().filter(limits::is_timeout).unwrap_or_else(|| self.limits.timeout()))
    }

    /// The error of a file, or of a test in it.
    pub fn diagnose(&self, error: &Error) -> RuleError {
        diagnose(error, &self.sources.borrow(), None)
    }

    /// The error of a rule that was asked.
    pub fn blame(&self, error: &Error, rule: &super::registry::Rule) -> RuleError {
        diagnose(error, &self.sources.borrow(), Some(rule))
    }

    pub fn with_sources<T>(&self, read: impl FnOnce(&Sources) -> T) -> T {
        read(&self.sources.borrow())
    }
}
