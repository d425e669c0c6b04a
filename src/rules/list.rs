//! `rules list` and the lint of `rules check`.

use super::host::{Rules, SourceLayer};
use super::nearest::did_you_mean;
use super::registry::Rule;

/// A rule as `rules list` shows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RuleInfo {
    /// `kind/name`
    pub rule: String,
    /// `repository`, `user`, `built-in`
    pub layer: &'static str,
    /// `file:line`
    pub at: String,
    pub why: String,
    /// `layer file:line` of the rule that this one stands in for.
    pub replaces: Option<String>,
    /// Where `prfix.off` removed it.
    pub off: Option<String>,
}

/// Texts that are asked for.
const TEXTS: &[&str] = &["commit", "reply", "summary"];
const ROLES: &[&str] = &["probe", "fix", "verify"];

impl Rules {
    /// All rules by kind, in the order in which they are asked; then those that were switched off.
    pub fn list(&self) -> Vec<RuleInfo> {
        let mut list: Vec<RuleInfo> = super::registry::KINDS
            .iter()
            .flat_map(|kind| self.asker.rules(kind.name).iter().map(|rule| info(rule)).collect::<Vec<_>>())
            .collect();
        let registry = self.asker.engine.registry.borrow();
        list.extend(registry.removed.iter().map(|removed| RuleInfo {
            rule: removed.id.clone(),
            layer: removed.was.0.as_str(),
            at: removed.was.1.to_string(),
            why: String::new(),
            replaces: None,
            off: Some(removed.by.to_string()),
        }));
        list
    }

    /// What loads, but is probably not meant: rules that nobody asks, and rules that are hidden by others.
    pub fn lint(&self) -> Vec<String> {
        let registry = self.asker.engine.registry.borrow();
        let own = registry.rules.iter().filter(|rule| rule.layer != SourceLayer::Builtin);
        let mut notes: Vec<String> = own.flat_map(|rule| about(rule)).collect();
        notes.extend(registry.removed.iter().map(|removed| {
            format!("{}: {} of the {} rules is switched off", removed.by, removed.id, removed.was.0.as_str())
        }));
        notes
    }
}

fn info(rule: &Rule) -> RuleInfo {
    RuleInfo {
        rule: rule.id(),
        layer: rule.layer.as_str(),
        at: rule.place.to_string(),
        why: rule.why.clone(),
        replaces: rule.replaces.as_ref().map(|(layer, place)| format!("{} {place}", layer.as_str())),
        off: None,
    }
}

fn about(rule: &Rule) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |text: String| notes.push(format!("{}: {text}", rule.place));
    if let Some((layer, place)) = &rule.replaces {
        note(format!("{} replaces the {} rule at {place}", rule.id(), layer.as_str()));
    }
    if rule.why.is_empty() && rule.kind != "text" {
        note(format!("{} has no `why`: reports can't say why it decided", rule.id()));
    }
    if rule.kind == "text" && !TEXTS.contains(&rule.name.as_str()) {
        let hint = did_you_mean(&rule.name, TEXTS.iter().copied());
        note(format!("nobody asks for text/{}{hint}", rule.name));
    }
    if rule.kind == "agent" && rule.name == "command" {
        note("the adapter `command` is built in and can't be replaced".to_owned());
    }
    for role in rule.table.raw_get::<Option<Vec<String>>>("roles").ok().flatten().unwrap_or_default() {
        if !ROLES.contains(&role.as_str()) {
            let hint = did_you_mean(&role, ROLES.iter().copied());
            note(format!("{} names the unknown role '{role}'{hint}", rule.id()));
        }
    }
    notes
}
