//! Trust and noise: what is to be done about a comment, before anybody looks into it.

use std::rc::Rc;

use mlua::{Table, Value};

use super::ask::{Answer, Asker, reason};
use super::host::{Decision, Step};
use super::registry::Rule;
use super::view::CommentView;

/// How far an author's word goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// Everything that they write counts.
    All,
    /// Review threads and review bodies; their conversation comments only when a noise rule says "keep".
    Reviews,
    /// They have no say.
    None,
}

/// A level, and who said so.
pub(super) struct Trust {
    pub level: Level,
    pub rule: String,
    pub why: String,
}

/// What the noise rules make of a comment.
enum Noise {
    Silent,
    Keep(Rc<Rule>, String),
    Drop(Rc<Rule>, String),
    Failed(Rc<Rule>, String),
}

/// Asks the trust rules. A deleted account is never asked about: no rule about authors may match it.
pub(super) fn trust(asker: &Asker, author: &Table, pr: &Table, ghost: bool, steps: Option<&mut Vec<Step>>) -> Trust {
    if ghost {
        return none("trust/ghost".to_owned(), "the account was deleted".to_owned());
    }
    match asker.ask("trust", (author, pr), steps) {
        Answer::Nobody => none("trust/default".to_owned(), "no rule trusts the author".to_owned()),
        Answer::Failed(rule, error) => none(rule.id(), format!("the trust rule failed: {}", error.label)),
        Answer::Opinion(rule, value) => {
            let level = match value.as_string().map(|text| text.to_string_lossy()).as_deref() {
                Some("all") => Level::All,
                Some("reviews") => Level::Reviews,
                Some("none") => Level::None,
                _ => {
                    asker.warn(&asker.misfit(&rule, &value, "\"all\", \"reviews\" or \"none\""));
                    Level::None
                }
            };
            Trust { level, rule: rule.id(), why: rule.why.clone() }
        }
    }
}

fn none(rule: String, why: String) -> Trust {
    Trust { level: Level::None, rule, why }
}

/// Noise is dropped whoever wrote it; of the rest, what comes from somebody without a say is untrusted.
pub(super) fn decide(
    asker: &Asker,
    view: &CommentView<'_>,
    (comment, author, pr): (&Table, &Table, &Table),
    mut steps: Option<&mut Vec<Step>>,
) -> Decision {
    let trust = trust(asker, author, pr, view.ghost, steps.as_deref_mut());
    let noise = noise(asker, comment, pr, steps);
    match (noise, in_scope(trust.level, view.kind)) {
        (Noise::Drop(rule, why), _) => Decision::Drop { rule: rule.id(), why },
        (Noise::Keep(rule, why), scope) if scope || trust.level == Level::Reviews => {
            Decision::Keep { rule: Some(rule.id()), why }
        }
        (Noise::Failed(rule, why), true) => Decision::Keep { rule: Some(rule.id()), why },
        (Noise::Silent, true) => Decision::Keep { rule: None, why: "nothing says that it is noise".to_owned() },
        (_, _) => Decision::Untrusted { rule: trust.rule, why: trust.why },
    }
}

/// Whether the author may steer a run with this comment.
pub(super) fn trusted(asker: &Asker, view: &CommentView<'_>, (comment, author, pr): (&Table, &Table, &Table)) -> bool {
    let level = trust(asker, author, pr, view.ghost, None).level;
    in_scope(level, view.kind) || level == Level::Reviews && matches!(noise(asker, comment, pr, None), Noise::Keep(..))
}

fn in_scope(level: Level, kind: &str) -> bool {
    match level {
        Level::All => true,
        Level::Reviews => kind != "comment",
        Level::None => false,
    }
}

fn noise(asker: &Asker, comment: &Table, pr: &Table, steps: Option<&mut Vec<Step>>) -> Noise {
    match asker.ask("noise", (comment, pr), steps) {
        Answer::Nobody => Noise::Silent,
        Answer::Failed(rule, error) => {
            let why = format!("the noise rule failed, so it drops nothing: {}", error.label);
            Noise::Failed(rule, why)
        }
        Answer::Opinion(rule, Value::Boolean(false)) => {
            let why = reason(&rule, &Value::Nil);
            Noise::Keep(rule, why)
        }
        Answer::Opinion(rule, value @ (Value::Boolean(true) | Value::String(_))) => {
            let why = reason(&rule, &value);
            Noise::Drop(rule, why)
        }
        Answer::Opinion(rule, value) => {
            let error = asker.misfit(&rule, &value, "a reason, true, false or nil");
            asker.warn(&error);
            Noise::Failed(rule, error.label.clone())
        }
    }
}
