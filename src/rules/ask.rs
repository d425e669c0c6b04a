//! Asking the rules of one kind, nearest layer first, until one has an opinion.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlua::{IntoLuaMulti, Value};

use super::diagnose;
use super::engine::Engine;
use super::host::{RuleError, Step};
use super::registry::Rule;
use super::show;

/// What came of asking.
pub(super) enum Answer {
    Nobody,
    Opinion(Rc<Rule>, Value),
    /// A rule failed; what that means depends on its kind.
    Failed(Rc<Rule>, Box<RuleError>),
}

/// The rules in the order of asking, and what went wrong so far.
pub(super) struct Asker {
    pub engine: Engine,
    ordered: RefCell<HashMap<&'static str, Rc<[Rc<Rule>]>>>,
    warnings: RefCell<Vec<String>>,
}

impl Asker {
    pub fn new(engine: Engine) -> Self {
        Self { engine, ordered: RefCell::default(), warnings: RefCell::default() }
    }

    pub fn rules(&self, kind: &'static str) -> Rc<[Rc<Rule>]> {
        let mut ordered = self.ordered.borrow_mut();
        Rc::clone(ordered.entry(kind).or_insert_with(|| self.engine.registry.borrow().ordered(kind).into()))
    }

    /// Asks until a rule answers anything but `nil`; writes down each that was asked when `steps` is given.
    pub fn ask(
        &self,
        kind: &'static str,
        arguments: impl IntoLuaMulti + Clone,
        mut steps: Option<&mut Vec<Step>>,
    ) -> Answer {
        for rule in self.rules(kind).iter() {
            let started = steps.is_some().then(Instant::now);
            let result = self.call(rule, arguments.clone());
            if let Some(steps) = steps.as_deref_mut() {
                let outcome = match &result {
                    Ok(value) => show::outcome(value, &rule.why),
                    Err(error) => format!("failed: {}", error.label),
                };
                steps.push(step(rule, outcome, started.map(|at| at.elapsed()).unwrap_or_default()));
            }
            match result {
                Ok(Value::Nil) => {}
                Ok(value) => return Answer::Opinion(Rc::clone(rule), value),
                Err(error) => {
                    self.warn(&error);
                    return Answer::Failed(Rc::clone(rule), error);
                }
            }
        }
        Answer::Nobody
    }

    /// Calls one rule.
    pub fn call(&self, rule: &Rule, arguments: impl IntoLuaMulti) -> Result<Value, Box<RuleError>> {
        let Some(function) = &rule.function else { return Ok(Value::Nil) };
        self.engine
            .enter(|| function.call::<Value>(arguments))
            .map_err(|error| Box::new(self.engine.blame(&error, rule)))
    }

    /// A rule answered something that its kind cannot mean.
    pub fn misfit(&self, rule: &Rule, value: &Value, expected: &str) -> Box<RuleError> {
        let message = format!("the rule returned {}, expected {expected}", show::show(value));
        Box::new(self.engine.blame(&mlua::Error::runtime(message), rule))
    }

    pub fn warn(&self, error: &RuleError) {
        self.warn_text(diagnose::warning(error));
    }

    /// Each warning is kept once: a broken rule fails for every comment.
    pub fn warn_text(&self, text: String) {
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&text) && warnings.len() < 100 {
            warnings.push(text);
        }
    }

    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }
}

fn step(rule: &Rule, outcome: String, took: Duration) -> Step {
    Step { rule: rule.id(), at: rule.place.to_string(), outcome, took }
}

/// The rule's own `why`, unless the answer is a reason.
pub(super) fn reason(rule: &Rule, value: &Value) -> String {
    match value {
        Value::String(text) if !text.as_bytes().is_empty() => text.to_string_lossy(),
        _ if rule.why.is_empty() => rule.name.clone(),
        _ => rule.why.clone(),
    }
}
