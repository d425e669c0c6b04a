//! `rules test`: runs `.prfix/tests/*.lua` against the loaded rules.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlua::{Error, Function, Lua, LuaSerdeExt, Result, Scope, Table, Value};

use super::diagnose::at_place;
use super::explain::{AuthorInput, CommentInput, FIELDS};
use super::host::{Decision, RuleError, Rules, Source};
use super::interface::caller;
use super::nearest::did_you_mean;
use super::registry::Place;
use super::show::show;
use super::view::{FailingJob, PrView, Snapshot};

/// One `test("…", function(t) … end)`.
#[derive(Debug)]
pub struct TestResult {
    pub file: String,
    pub name: String,
    pub took: Duration,
    pub failure: Option<RuleError>,
}

struct Declared {
    name: String,
    place: Place,
    function: Function,
}

impl Rules {
    /// Runs every test of the files.
    ///
    /// # Errors
    /// When a file does not parse, or fails before its tests run.
    pub fn run_tests(&self, files: &[Source]) -> std::result::Result<Vec<TestResult>, RuleError> {
        let mut results = Vec::new();
        for file in files {
            for test in self.declared(file)? {
                results.push(self.run_test(&file.name, &test));
            }
        }
        Ok(results)
    }

    fn declared(&self, file: &Source) -> std::result::Result<Vec<Declared>, RuleError> {
        let engine = &self.asker.engine;
        let tests: Rc<RefCell<Vec<Declared>>> = Rc::default();
        let declare = |environment: &Table| {
            let tests = Rc::clone(&tests);
            let test = move |lua: &Lua, (name, function): (String, Function)| {
                tests.borrow_mut().push(Declared { name, place: caller(lua), function });
                Ok(())
            };
            environment.raw_set("test", engine.lua.create_function(test)?)
        };
        engine.run_file(file, Some(&declare))?;
        let tests = std::mem::take(&mut *tests.borrow_mut());
        Ok(tests)
    }

    fn run_test(&self, file: &str, test: &Declared) -> TestResult {
        let engine = &self.asker.engine;
        let earlier = self.asker.take_warnings();
        let started = Instant::now();
        let result =
            engine.enter(|| engine.lua.scope(|scope| test.function.call::<()>(self.tools(&engine.lua, scope)?)));
        let took = started.elapsed();
        let broken = self.asker.take_warnings();
        earlier.into_iter().for_each(|warning| self.asker.warn_text(warning));
        let failure = match result {
            Err(error) => {
                let mut failure = engine.diagnose(&error);
                failure.message = format!("test failed: {}", test.name);
                Some(failure)
            }
            Ok(()) => broken.first().map(|warning| {
                let title = format!("test failed: {}", test.name);
                let message = format!("a rule failed: {warning}");
                engine.with_sources(|sources| at_place(title, &message, Some(test.place.clone()), sources, false))
            }),
        };
        TestResult { file: file.to_owned(), name: test.name.clone(), took, failure }
    }

    /// The table `t` of a test.
    fn tools<'scope, 'env: 'scope>(&'env self, lua: &Lua, scope: &'scope Scope<'scope, 'env>) -> Result<Table> {
        let t = lua.create_table()?;
        let decided = move |lua: &Lua, comment: Value| self.decided(lua, comment);
        t.raw_set(
            "dropped",
            scope.create_function(move |lua, (comment, by): (Value, Option<String>)| match decided(lua, comment)? {
                Decision::Drop { rule, .. } => same_rule(by.as_deref(), &rule, "dropped"),
                other => Err(Error::runtime(format!("expected the comment to be dropped; it was {}", words(&other)))),
            })?,
        )?;
        t.raw_set(
            "kept",
            scope.create_function(move |lua, comment: Value| match decided(lua, comment)? {
                Decision::Keep { .. } => Ok(()),
                other => Err(Error::runtime(format!("expected the comment to be kept; it was {}", words(&other)))),
            })?,
        )?;
        t.raw_set(
            "untrusted",
            scope.create_function(move |lua, comment: Value| match decided(lua, comment)? {
                Decision::Untrusted { .. } => Ok(()),
                other => Err(Error::runtime(format!("expected no trust; the comment was {}", words(&other)))),
            })?,
        )?;
        t.raw_set("hint", scope.create_function(move |lua, comment: Value| self.hint(lua, comment))?)?;
        t.raw_set("commands", scope.create_function(move |lua, arguments| self.test_commands(lua, arguments))?)?;
        t.raw_set(
            "protected",
            scope.create_function(move |_, path: String| Ok(self.protection(&path).map(|(class, _)| class)))?,
        )?;
        t.raw_set(
            "text",
            scope.create_function(move |lua, (name, context): (String, Value)| {
                Ok(self.text(&name, &lua.from_value::<serde_json::Value>(context)?))
            })?,
        )?;
        t.raw_set("eq", lua.create_function(|_, (got, expected): (Value, Value)| equal(&got, &expected))?)?;
        t.raw_set("ok", lua.create_function(|_, (value, message): (Value, Option<String>)| truthy(&value, message))?)?;
        Ok(t)
    }

    fn decided(&self, lua: &Lua, comment: Value) -> Result<Decision> {
        let input = comment_of(lua, comment)?;
        Ok(input.with_view(|view| self.decide(view, &PrView { author: Some("author"), ..PrView::unknown() })))
    }

    fn hint(&self, lua: &Lua, comment: Value) -> Result<Option<Table>> {
        let input = comment_of(lua, comment)?;
        let pr = PrView { author: Some("author"), ..PrView::unknown() };
        let Some(hint) = input.with_view(|view| self.triage(view, &pr)) else { return Ok(None) };
        let table = lua.create_table()?;
        table.raw_set("rule", hint.rule)?;
        table.raw_set("verdict", hint.verdict.map(|verdict| verdict.as_str()))?;
        table
            .raw_set("risk", hint.risk.and_then(|risk| serde_json::to_value(risk).ok()?.as_str().map(str::to_owned)))?;
        table.raw_set("priority", hint.priority.as_str())?;
        table.raw_set("merge", hint.merge)?;
        table.raw_set("needs_human", hint.needs_human)?;
        table.raw_set("why", hint.why)?;
        Ok(Some(table))
    }

    fn test_commands(
        &self,
        lua: &Lua,
        (files, touched, failing): (Table, Option<Vec<String>>, Option<Vec<Table>>),
    ) -> Result<Table> {
        let mut snapshot = Snapshot::default();
        for pair in files.pairs::<String, mlua::LuaString>() {
            let (path, text) = pair?;
            snapshot.files.insert(path, text.as_bytes().to_vec());
        }
        let jobs: Vec<FailingJob> = failing.unwrap_or_default().iter().map(job).collect::<Result<_>>()?;
        let commands = self.commands(&snapshot, &touched.unwrap_or_default(), &jobs);
        let table = lua.create_table()?;
        let parts = [
            ("setup", &commands.setup),
            ("test", &commands.test),
            ("lint", &commands.lint),
            ("narrow", &commands.narrow),
        ];
        for (name, list) in parts {
            table.raw_set(name, list.iter().map(ToString::to_string).collect::<Vec<_>>())?;
        }
        Ok(table)
    }
}

fn job(table: &Table) -> Result<FailingJob> {
    Ok(FailingJob { name: table.raw_get("name")?, workflow: table.raw_get("workflow")?, step: table.raw_get("step")? })
}

/// A comment from a test: a text alone, or a table; the author may be a login. Who is not said is a member.
fn comment_of(lua: &Lua, value: Value) -> Result<CommentInput> {
    let table = match value {
        Value::String(body) => {
            let table = lua.create_table()?;
            table.raw_set("body", body)?;
            table
        }
        Value::Table(table) => table,
        other => return Err(Error::runtime(format!("a comment is a text or a table, not {}", other.type_name()))),
    };
    for pair in table.pairs::<String, Value>() {
        let (field, _) = pair?;
        if !FIELDS.contains(&field.as_str()) {
            let hint = did_you_mean(&field, FIELDS.iter().copied());
            return Err(Error::runtime(format!("a comment has no field '{field}'{hint}")));
        }
    }
    let author = match table.raw_get::<Value>("author")? {
        Value::Nil => Some(member("someone")),
        Value::Boolean(false) => None,
        Value::String(login) => Some(member(&login.to_string_lossy())),
        table => Some(lua.from_value::<AuthorInput>(table)?),
    };
    let plain = lua.create_table()?;
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair?;
        plain.raw_set(key, value)?;
    }
    plain.raw_set("author", Value::Nil)?;
    let mut input: CommentInput = lua.from_value(Value::Table(plain))?;
    input.author = author;
    Ok(input)
}

fn member(login: &str) -> AuthorInput {
    AuthorInput { login: login.to_owned(), kind: None, association: Some("MEMBER".to_owned()) }
}

fn same_rule(expected: Option<&str>, rule: &str, what: &str) -> Result<()> {
    match expected {
        Some(expected) if expected != rule => {
            Err(Error::runtime(format!("the comment was {what} by {rule}, expected {expected}")))
        }
        _ => Ok(()),
    }
}

fn words(decision: &Decision) -> String {
    match decision {
        Decision::Keep { rule, why } => match rule {
            Some(rule) => format!("kept by {rule}: {why}"),
            None => "kept: no rule had an opinion".to_owned(),
        },
        Decision::Drop { rule, why } => format!("dropped by {rule}: {why}"),
        Decision::Untrusted { rule, why } => format!("untrusted by {rule}: {why}"),
    }
}

fn equal(got: &Value, expected: &Value) -> Result<()> {
    let (got, expected) = (show(got), show(expected));
    if got == expected {
        return Ok(());
    }
    Err(Error::runtime(format!("not equal\n     got {got}\nexpected {expected}")))
}

fn truthy(value: &Value, message: Option<String>) -> Result<()> {
    match value {
        Value::Nil | Value::Boolean(false) => {
            Err(Error::runtime(message.unwrap_or_else(|| format!("expected something true, got {}", show(value)))))
        }
        _ => Ok(()),
    }
}
