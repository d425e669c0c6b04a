//! What is wrong with a setting, shown where it stands.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

use super::Key;

/// What stands in a source, as a person wrote it there.
type Written = Arc<NamedSource<String>>;

#[derive(Debug, Error, Diagnostic)]
pub enum SettingsError {
    #[error("there is no setting `{key}` (in {source_name})")]
    #[diagnostic(code(prfix::settings::unknown_key), help("{help}"))]
    UnknownKey {
        key: String,
        source_name: String,
        help: String,
        #[source_code]
        written: Written,
        #[label("no such setting")]
        at: SourceSpan,
    },
    #[error("`{value}` is no value for `{key}` (in {source_name}): {why}")]
    #[diagnostic(
        code(prfix::settings::bad_value),
        help(
            "`man git-prfix-config` lists the settings and their values; `git config --show-origin --get-all prfix.{key}` says where git has it from"
        )
    )]
    BadValue {
        key: String,
        value: String,
        source_name: String,
        why: String,
        #[source_code]
        written: Written,
        #[label("this value")]
        at: SourceSpan,
    },
    #[error("`.prfix/config.toml` cannot be read: {why}")]
    #[diagnostic(code(prfix::settings::team_file), help("mend the file on the default branch; it is read from there"))]
    TeamFile { why: String },
}

pub(super) fn unknown_key(key: &str, source: &str, help: String) -> SettingsError {
    let (before, _) = around(key, source);
    let text = format!("{before}{key}");
    let at = SourceSpan::from(before.len()..text.len());
    SettingsError::UnknownKey {
        key: key.to_owned(),
        source_name: source.to_owned(),
        help,
        written: Arc::new(NamedSource::new(source, text)),
        at,
    }
}

pub(super) fn bad_value(key: &str, value: &str, source: &str, why: &str) -> SettingsError {
    let known = Key::find(key).copied();
    let spelled = known.map_or_else(|| key.to_owned(), |key| spelling(key, source));
    let (before, between) = around(key, source);
    let head = format!("{before}{spelled}{between}");
    let at = SourceSpan::from(head.len()..head.len() + value.len());
    SettingsError::BadValue {
        key: key.to_owned(),
        value: value.to_owned(),
        source_name: source.to_owned(),
        why: why.to_owned(),
        written: Arc::new(NamedSource::new(source, format!("{head}{value}"))),
        at,
    }
}

/// A key as this source has it.
fn spelling(key: Key, source: &str) -> String {
    match source {
        "the command line" => key.flag(),
        "the environment" => key.variable(),
        ".prfix/config.toml" => key.file(),
        _ => key.name.to_owned(),
    }
}

/// What a source writes before a key, and between key and value.
fn around(key: &str, source: &str) -> (&'static str, &'static str) {
    match source {
        "the command line" => ("--", " "),
        "the environment" => ("", "="),
        "git's configuration" if !key.contains('.') => ("prfix.", " = "),
        _ => ("", " = "),
    }
}
