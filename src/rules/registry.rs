//! The rules that files declared: kinds, names, layers, and which of them count.

use mlua::{Function, Table, Value};

use super::host::SourceLayer;
use super::nearest::did_you_mean;

/// A kind of rule: `prfix.<name> { … }` declares one.
pub(super) struct Kind {
    pub name: &'static str,
    /// The field that holds the rule's function; `None` for rules that are plain data.
    pub function: Option<&'static str>,
    pub fields: &'static [&'static str],
    /// Fields without which the rule means nothing.
    pub required: &'static [&'static str],
}

const COMMON: &[&str] = &["name", "why", "order"];

const fn kind(
    name: &'static str,
    function: Option<&'static str>,
    fields: &'static [&'static str],
    required: &'static [&'static str],
) -> Kind {
    Kind { name, function, fields, required }
}

pub(super) const KINDS: &[Kind] = &[
    kind("noise", Some("drop"), &[], &["drop"]),
    kind("trust", Some("level"), &[], &["level"]),
    kind("triage", Some("judge"), &[], &["judge"]),
    kind("commands", Some("commands"), &["manifests", "rank", "at_root"], &["commands", "manifests"]),
    kind("protect", None, &["class", "globs"], &["globs"]),
    kind("syntax", None, &["globs", "argv", "parse"], &["globs"]),
    kind("aside", None, &["paths"], &["paths"]),
    kind("agent", Some("invoke"), &["needs"], &["invoke", "needs"]),
    kind("prompt", Some("add"), &["roles"], &["add"]),
    kind("text", Some("render"), &[], &["render"]),
    kind("retrigger", Some("reviewers"), &[], &["reviewers"]),
    kind("guard", Some("allow"), &[], &["allow"]),
];

impl Kind {
    fn knows(&self, field: &str) -> bool {
        self.all_fields().any(|known| known == field)
    }

    pub fn all_fields(&self) -> impl Iterator<Item = &'static str> {
        COMMON.iter().chain(self.fields).copied().chain(self.function)
    }
}

/// A file and a line in it, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub file: String,
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A declared rule.
pub(super) struct Rule {
    /// `kind/name`
    id: String,
    pub kind: &'static str,
    pub name: String,
    pub why: String,
    pub layer: SourceLayer,
    pub place: Place,
    pub order: i64,
    pub table: Table,
    pub function: Option<Function>,
    /// The rule of a lower layer that this one stands in for.
    pub replaces: Option<(SourceLayer, Place)>,
}

impl Rule {
    /// `kind/name`
    pub fn id(&self) -> String {
        self.id.clone()
    }
}

/// A rule of a lower layer that `prfix.off` removed.
#[derive(Debug, Clone)]
pub(super) struct Removed {
    pub id: String,
    pub was: (SourceLayer, Place),
    pub by: Place,
}

/// All rules that count, in the order of their declaration.
#[derive(Default)]
pub(super) struct Registry {
    pub rules: Vec<std::rc::Rc<Rule>>,
    pub removed: Vec<Removed>,
    /// The layer of the file being loaded.
    pub loading: Option<SourceLayer>,
    /// The file being loaded has named the version of the interface that it was written for.
    pub versioned: bool,
}

impl Registry {
    /// Takes in a declaration.
    ///
    /// # Errors
    /// In a rule author's words: an unknown or missing field, a wrong type, a name taken in the same layer.
    pub fn declare(&mut self, kind: &'static Kind, table: &Table, place: Place) -> Result<(), String> {
        let layer = self.loading.ok_or("rules can only be declared while their file is loaded")?;
        check_fields(kind, table)?;
        let name = text_field(kind, table, "name")?.filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| format!("prfix.{}: a rule needs a name", kind.name))?;
        let function = match kind.function {
            Some(field) => function_field(kind, &name, table, field)?,
            None => None,
        };
        let replaces = self.replace(kind.name, &name, layer)?;
        self.rules.push(std::rc::Rc::new(Rule {
            id: format!("{}/{name}", kind.name),
            kind: kind.name,
            why: text_field(kind, table, "why")?.unwrap_or_default(),
            order: order_field(kind, table)?,
            name,
            layer,
            place,
            table: table.clone(),
            function,
            replaces,
        }));
        Ok(())
    }

    fn replace(&mut self, kind: &str, name: &str, layer: SourceLayer) -> Result<Option<(SourceLayer, Place)>, String> {
        let Some(at) = self.rules.iter().position(|rule| rule.kind == kind && rule.name == name) else {
            return Ok(None);
        };
        if self.rules[at].layer == layer {
            let place = &self.rules[at].place;
            return Err(format!("{kind}/{name} is already declared at {place}; a name stands once in a layer"));
        }
        let old = self.rules.remove(at);
        Ok(Some((old.layer, old.place.clone())))
    }

    /// Removes the rules of lower layers whose id the pattern matches.
    ///
    /// # Errors
    /// When there is none; names the nearest id.
    pub fn switch_off(&mut self, pattern: &str, by: &Place) -> Result<(), String> {
        let layer = self.loading.ok_or("prfix.off works only while its file is loaded")?;
        let matcher = globset::Glob::new(pattern).map_err(|error| error.to_string())?.compile_matcher();
        let before = self.rules.len();
        let removed = &mut self.removed;
        self.rules.retain(|rule| {
            let hit = rule.layer > layer && matcher.is_match(rule.id());
            if hit {
                removed.push(Removed { id: rule.id(), was: (rule.layer, rule.place.clone()), by: by.clone() });
            }
            !hit
        });
        if self.rules.len() < before {
            return Ok(());
        }
        let ids: Vec<String> = self.rules.iter().map(|rule| rule.id()).collect();
        let hint = did_you_mean(pattern, ids.iter().map(String::as_str));
        Err(format!("prfix.off: no rule '{pattern}' in the layers below{hint}"))
    }

    /// The rules of a kind in the order in which they are asked.
    pub fn ordered(&self, kind: &str) -> Vec<std::rc::Rc<Rule>> {
        let mut rules: Vec<_> = self.rules.iter().filter(|rule| rule.kind == kind).cloned().collect();
        // Declaration order settles the rest: the sort is stable, and files are loaded by name.
        rules.sort_by_key(|rule| (rule.layer, rule.order));
        rules
    }
}

fn check_fields(kind: &Kind, table: &Table) -> Result<(), String> {
    for pair in table.pairs::<Value, Value>() {
        let (key, _) = pair.map_err(|error| error.to_string())?;
        let key = key.to_string().unwrap_or_default();
        if !kind.knows(&key) {
            let hint = did_you_mean(&key, kind.all_fields());
            return Err(format!("prfix.{}: unknown field '{key}'{hint}", kind.name));
        }
    }
    let missing = kind.required.iter().find(|field| matches!(table.raw_get::<Value>(**field), Ok(Value::Nil) | Err(_)));
    match missing {
        Some(field) => Err(format!("prfix.{}: field '{field}' is missing", kind.name)),
        None => Ok(()),
    }
}

fn text_field(kind: &Kind, table: &Table, field: &str) -> Result<Option<String>, String> {
    match table.raw_get::<Value>(field) {
        Ok(Value::Nil) => Ok(None),
        Ok(Value::String(text)) => Ok(Some(text.to_string_lossy())),
        _ => Err(format!("prfix.{}: field '{field}' must be a string", kind.name)),
    }
}

fn order_field(kind: &Kind, table: &Table) -> Result<i64, String> {
    match table.raw_get::<Value>("order") {
        Ok(Value::Nil) => Ok(500),
        Ok(Value::Integer(order)) => Ok(order),
        _ => Err(format!("prfix.{}: field 'order' must be a whole number", kind.name)),
    }
}

fn function_field(kind: &Kind, name: &str, table: &Table, field: &str) -> Result<Option<Function>, String> {
    match table.raw_get::<Value>(field) {
        Ok(Value::Function(function)) => Ok(Some(function)),
        _ => Err(format!("prfix.{} '{name}': field '{field}' must be a function", kind.name)),
    }
}
