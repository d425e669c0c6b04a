//! Loading rules and asking them.

use std::path::Path;
use std::time::Duration;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

use super::view::{CommentView, FailingJob, PrView, Snapshot};
use crate::model::agent::{AdapterInput, Invocation};
use crate::model::command::ProjectCommands;
use crate::model::spec::Hint;

/// A rule file or a rule that failed, with the place in its source.
#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
#[diagnostic(code(prfix::rules::failed))]
pub struct RuleError {
    pub message: String,
    #[source_code]
    pub source_code: Option<NamedSource<String>>,
    #[label("{label}")]
    pub span: Option<SourceSpan>,
    pub label: String,
    #[help]
    pub help: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceLayer {
    Repository,
    User,
    Builtin,
}

/// A rule file.
#[derive(Debug, Clone)]
pub struct Source {
    pub layer: SourceLayer,
    /// Repository-relative or absolute path, for messages.
    pub name: String,
    pub text: String,
}

/// One rule that was asked.
#[derive(Debug, Clone)]
pub struct Step {
    /// `kind/name`.
    pub rule: String,
    pub at: String,
    pub outcome: String,
    pub took: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Keep {
        rule: Option<String>,
        why: String,
    },
    Drop {
        rule: String,
        why: String,
    },
    /// The author has no say.
    Untrusted {
        rule: String,
        why: String,
    },
}

pub struct Rules {}

impl Rules {
    /// Loads the built-in rules and then `sources`.
    pub fn load(sources: &[Source]) -> Result<Self, RuleError> {
        todo!()
    }
    /// Rule files of the user (`$XDG_CONFIG_HOME/git-prfix/rules/*.lua`).
    pub fn user_sources(config_dir: &Path) -> Result<Vec<Source>, RuleError> {
        todo!()
    }
    /// Trust first, then noise. Failing noise rules keep, failing trust rules distrust; both are
    /// listed in [`Rules::take_warnings`].
    pub fn decide(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> (Decision, Vec<Step>) {
        todo!()
    }
    /// Whether the author may steer a run (W35), apart from noise.
    pub fn trusted(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> bool {
        todo!()
    }
    /// What can be said of an item without an agent.
    pub fn triage(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> Option<Hint> {
        todo!()
    }
    pub fn commands(&self, files: &Snapshot, touched: &[String], failing: &[FailingJob]) -> ProjectCommands {
        todo!()
    }
    /// The protection that covers a path: `ci`, `tests`, `prfix`, or a rule's own class, with the rule's name.
    pub fn protection(&self, path: &str) -> Option<(String, String)> {
        todo!()
    }
    /// Globs of protected paths, for the brief.
    pub fn protected_globs(&self) -> Vec<String> {
        todo!()
    }
    /// Names of files at the root that agents would obey (`.claude`, …), to be set aside.
    pub fn agent_files(&self) -> Vec<String> {
        todo!()
    }
    /// Names of the adapters, in order of preference, with the program each needs.
    pub fn agents(&self) -> Vec<(String, String)> {
        todo!()
    }
    pub fn invocation(&self, agent: &str, input: &AdapterInput) -> Result<Invocation, RuleError> {
        todo!()
    }
    /// Additional paragraphs for a prompt of the given role.
    pub fn prompt_additions(&self, role: &str) -> Vec<String> {
        todo!()
    }
    /// Renders `commit` or `reply` or `summary` from its context; `None` when the rule has no opinion or fails.
    pub fn text(&self, name: &str, context: &serde_json::Value) -> Option<String> {
        todo!()
    }
    /// What went wrong inside rules since the last call.
    pub fn take_warnings(&self) -> Vec<String> {
        todo!()
    }
}
