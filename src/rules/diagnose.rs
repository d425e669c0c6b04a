//! From an error of the Lua machine to one with file, line, the guilty word and advice.

use std::collections::BTreeMap;
use std::sync::Arc;

use miette::NamedSource;
use mlua::Error;

use super::advice::advice;
use super::host::RuleError;
use super::registry::{Place, Rule};

/// Text of every loaded file, by the name that Lua knows it by.
pub(super) type Sources = BTreeMap<String, String>;

/// What happened, and how Lua got there.
struct Cause {
    message: String,
    traceback: String,
    syntax: bool,
}

/// Builds the error a person sees. `rule` is the rule that was asked, when the file had loaded already.
pub(super) fn diagnose(error: &Error, sources: &Sources, rule: Option<&Rule>) -> RuleError {
    let cause = innermost(error);
    let (place, message) =
        locate(&cause.message, sources).map(|(place, rest)| (Some(place), rest.to_owned())).unwrap_or_else(|| {
            let place = first_frame(&cause.traceback, sources).or_else(|| rule.map(|rule| rule.place.clone()));
            (place, cause.message.clone())
        });
    let title = match rule {
        Some(rule) => format!("rule {} failed: {message}", rule.id()),
        None if cause.syntax => "this rule file does not parse".to_owned(),
        None => "this rule file failed to load".to_owned(),
    };
    at_place(title, &message, place, sources, cause.syntax)
}

/// An error at a known place of a loaded file.
pub(super) fn at_place(
    title: String,
    message: &str,
    place: Option<Place>,
    sources: &Sources,
    syntax: bool,
) -> RuleError {
    let found = place.and_then(|place| sources.get(&place.file).map(|text| (place, text)));
    let Some((place, text)) = found else {
        let help = advice(message, syntax, "");
        return RuleError { message: title, source_code: None, span: None, label: message.to_owned(), help };
    };
    let start: usize = text.split_inclusive('\n').take(place.line.saturating_sub(1)).map(str::len).sum();
    // An error at the end of the file is shown at its last words: there is nothing to mark behind them.
    let start = match text[..start].trim_end() {
        before if text[start..].trim().is_empty() => before.rfind('\n').map_or(0, |at| at + 1),
        _ => start,
    };
    let line = text[start..].lines().next().unwrap_or("");
    let (from, length) = guilty_word(line, message).unwrap_or_else(|| {
        let indent = line.len() - line.trim_start().len();
        (indent, line.trim().len())
    });
    RuleError {
        message: title,
        source_code: Some(Arc::new(NamedSource::new(&place.file, text.clone()).with_language("Lua"))),
        span: Some((start + from, length.max(1).min(text.len() - start - from)).into()),
        label: message.to_owned(),
        help: advice(message, syntax, line),
    }
}

/// One line for a warning: `file:line: message`.
pub(super) fn warning(error: &RuleError) -> String {
    match (&error.source_code, &error.span) {
        (Some(source), Some(span)) => {
            let line = source.inner()[..span.offset()].matches('\n').count() + 1;
            format!("{}:{line}: {}", source.name(), error.message)
        }
        _ => error.message.clone(),
    }
}

fn innermost(error: &Error) -> Cause {
    let plain = |message: String| Cause { message, traceback: String::new(), syntax: false };
    match error {
        Error::SyntaxError { message, .. } => Cause { syntax: true, ..plain(message.clone()) },
        Error::RuntimeError(text) => match text.split_once("\nstack traceback:\n") {
            Some((message, traceback)) => Cause { traceback: traceback.to_owned(), ..plain(message.to_owned()) },
            None => plain(text.clone()),
        },
        Error::MemoryError(_) => plain("the rule used more memory than it may".to_owned()),
        Error::CallbackError { traceback, cause } => {
            let inner = innermost(cause);
            let traceback = if inner.traceback.is_empty() { traceback.clone() } else { inner.traceback };
            Cause { traceback, ..inner }
        }
        Error::WithContext { context, cause } => {
            let inner = innermost(cause);
            Cause { message: format!("{context}: {}", inner.message), ..inner }
        }
        Error::BadArgument { to, pos, cause, .. } => {
            let to = to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
            plain(format!("bad argument #{pos}{to}: {}", innermost(cause).message))
        }
        Error::ExternalError(external) => plain(external.to_string()),
        other => plain(other.to_string()),
    }
}

/// Splits `name:line: message`. Only names of loaded files count, so that a message which itself holds something
/// like `a:1:` is not taken for a place.
fn locate<'a>(message: &'a str, sources: &Sources) -> Option<(Place, &'a str)> {
    message.match_indices(':').find_map(|(colon, _)| {
        let file = sources.keys().find(|name| message[..colon].ends_with(name.as_str()))?;
        let rest = &message[colon + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let line = rest[..digits].parse().ok()?;
        let text = rest[digits..].strip_prefix(':')?;
        Some((Place { file: file.clone(), line }, text.trim_start()))
    })
}

fn first_frame(traceback: &str, sources: &Sources) -> Option<Place> {
    traceback.lines().find_map(|line| locate(&format!("{}:", line.trim()), sources).map(|(place, _)| place))
}

/// Lua gives no column; the word that the message quotes is looked for in the line.
fn guilty_word(line: &str, message: &str) -> Option<(usize, usize)> {
    const BEFORE: &[&str] = &[
        "near '",
        "global '",
        "unknown field '",
        "field '",
        "method '",
        "local '",
        "upvalue '",
        "constant '",
        "undefined name '",
        "no rule '",
    ];
    let quoted = BEFORE.iter().find_map(|before| {
        let rest = message.split_once(before)?.1;
        rest.split_once('\'').map(|(word, _)| word)
    });
    let word = quoted.filter(|word| !word.is_empty() && *word != "<eof>").or_else(|| {
        let at = message.find("prfix.")?;
        let end = message[at..].find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_');
        Some(&message[at..at + end.unwrap_or(message.len() - at)])
    })?;
    line.find(word).map(|at| (at, word.len()))
}
