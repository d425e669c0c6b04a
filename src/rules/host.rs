//! Loading rules and asking them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use miette::{Diagnostic, NamedSource, SourceSpan};
use mlua::Table;
use thiserror::Error;

use super::ask::Asker;
use super::engine::Engine;
use super::pictures::Pictures;
use super::protect::Protection;
use super::syntax::{self, SyntaxCheck};
use super::texts::{PushVerdict, Retrigger};
use super::view::{CommentView, FailingJob, PrView, Snapshot};
use super::{adapters, decide, infer, limits, protect, sources, texts, triage};
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
    pub source_code: Option<Arc<NamedSource<String>>>,
    #[label("{label}")]
    pub span: Option<SourceSpan>,
    pub label: String,
    #[help]
    pub help: Option<String>,
}

/// Where a rule file comes from, nearest first: the order in which rules are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceLayer {
    Repository,
    User,
    Builtin,
}

impl SourceLayer {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Repository => "repository",
            Self::User => "user",
            Self::Builtin => "built-in",
        }
    }
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

/// All rules that count here, ready to be asked. Used from one thread.
pub struct Rules {
    pub(super) asker: Asker,
    pictures: Pictures,
    protection: Protection,
}

impl Rules {
    /// Loads the built-in rules and then `sources`.
    ///
    /// # Errors
    /// When a file does not parse, fails while it is loaded, or declares a rule that could not be used.
    pub fn load(sources: &[Source]) -> Result<Self, RuleError> {
        let engine = Engine::new(limits::BUDGET).map_err(|error| without_place(&error))?;
        let pictures = Pictures::new(&engine.lua).map_err(|error| without_place(&error))?;
        engine.load_builtin()?;
        let mut sources: Vec<&Source> = sources.iter().collect();
        // Farther layers first, so that a nearer one finds what it replaces; files of a layer by name.
        sources.sort_by(|a, b| b.layer.cmp(&a.layer).then_with(|| a.name.cmp(&b.name)));
        sources.into_iter().try_for_each(|source| engine.load(source))?;
        let asker = Asker::new(engine);
        protect::check(&asker)?;
        syntax::check(&asker)?;
        Ok(Self { asker, pictures, protection: Protection::default() })
    }

    /// Rule files of the user (`$XDG_CONFIG_HOME/git-prfix/rules/*.lua`).
    ///
    /// # Errors
    /// When a file that is there cannot be read.
    pub fn user_sources(config_dir: &Path) -> Result<Vec<Source>, RuleError> {
        sources::user(config_dir)
    }

    /// Trust first, then noise. Failing noise rules keep, failing trust rules distrust; both are
    /// listed in [`Rules::take_warnings`]. Noise is dropped whoever wrote it.
    pub fn decide(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> Decision {
        self.decision(comment, pr, None)
    }

    /// [`Rules::decide`], and every rule that was asked on the way.
    pub fn decide_in_steps(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> (Decision, Vec<Step>) {
        let mut steps = Vec::new();
        (self.decision(comment, pr, Some(&mut steps)), steps)
    }

    fn decision(&self, comment: &CommentView<'_>, pr: &PrView<'_>, steps: Option<&mut Vec<Step>>) -> Decision {
        match self.tables(comment, pr) {
            Ok((table, author, pr)) => decide::decide(&self.asker, comment, (&table, &author, &pr), steps),
            Err(error) => {
                self.asker.warn(&without_place(&error));
                let why = "the comment could not be shown to the rules".to_owned();
                Decision::Untrusted { rule: "trust/default".to_owned(), why }
            }
        }
    }

    /// Whether the author may steer a run (W35), apart from noise.
    pub fn trusted(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> bool {
        self.tables(comment, pr)
            .is_ok_and(|(table, author, pr)| decide::trusted(&self.asker, comment, (&table, &author, &pr)))
    }

    /// What can be said of an item without an agent.
    pub fn triage(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> Option<Hint> {
        let (table, _, pr) = self.tables(comment, pr).ok()?;
        triage::triage(&self.asker, &table, &pr)
    }

    /// The triage rules that were asked about a comment.
    pub(super) fn triage_steps(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Ok((table, _, pr)) = self.tables(comment, pr) {
            self.asker.ask("triage", (&table, &pr), Some(&mut steps));
        }
        steps
    }

    /// How to set up and check a checkout. `touched` are paths inside it; without any, the root's commands count.
    pub fn commands(&self, files: &Snapshot, touched: &[String], failing: &[FailingJob]) -> ProjectCommands {
        infer::commands(&self.asker, files, touched, failing).0
    }

    /// The manifests (or folders, such as `.github/workflows`) that [`Rules::commands`] took its answer from. Where
    /// one of them differs from the default branch, whoever changed it chose the command.
    pub fn command_sources(&self, files: &Snapshot, touched: &[String], failing: &[FailingJob]) -> Vec<String> {
        infer::commands(&self.asker, files, touched, failing).1
    }

    /// The protection that covers a path: `ci`, `tests`, `prfix`, or a rule's own class, with the rule's name.
    pub fn protection(&self, path: &str) -> Option<(String, String)> {
        self.protection.of(&self.asker, path)
    }

    /// Globs of protected paths, for the brief; without those of tests, which may be edited but not weakened.
    pub fn protected_globs(&self) -> Vec<String> {
        self.protection.globs(&self.asker)
    }

    /// How files are checked for errors of syntax; the first check for a file counts.
    pub fn syntax(&self) -> Vec<SyntaxCheck> {
        syntax::all(&self.asker)
    }

    /// Names of files at the root that agents would obey (`.claude`, …), to be set aside.
    pub fn agent_files(&self) -> Vec<String> {
        protect::agent_files(&self.asker)
    }

    /// Names of the adapters, in order of preference, with the program each needs.
    pub fn agents(&self) -> Vec<(String, String)> {
        adapters::names(&self.asker)
    }

    /// How to call an agent's CLI.
    ///
    /// # Errors
    /// When there is no such adapter, or its rule fails.
    pub fn invocation(&self, agent: &str, input: &AdapterInput) -> Result<Invocation, RuleError> {
        adapters::invocation(&self.asker, agent, input)
    }

    /// Additional paragraphs for a prompt of the given role.
    pub fn prompt_additions(&self, role: &str) -> Vec<String> {
        texts::prompt_additions(&self.asker, role)
    }

    /// Renders `commit` or `reply` or `summary` from its context; `None` when the rule has no opinion or fails.
    pub fn text(&self, name: &str, context: &serde_json::Value) -> Option<String> {
        texts::render(&self.asker, name, context)
    }

    /// Reviewers to be asked again after a push. The context holds `reviewers` (logins that reviewed the pull
    /// request), `head` and `number`.
    pub fn retrigger(&self, context: &serde_json::Value) -> Vec<Retrigger> {
        texts::retrigger(&self.asker, context)
    }

    /// Whether the guard rules allow a push. The context holds `remote`, `url`, and `refs`, a list of `{ local_ref,
    /// local_oid, remote_ref, remote_oid, force, delete }`. A guard rule that fails denies.
    pub fn guard(&self, push: &serde_json::Value) -> PushVerdict {
        texts::guard(&self.asker, push)
    }

    /// What went wrong inside rules since the last call.
    pub fn take_warnings(&self) -> Vec<String> {
        self.asker.take_warnings()
    }

    /// The comment, its author and the pull request as rules see them.
    fn tables(&self, comment: &CommentView<'_>, pr: &PrView<'_>) -> mlua::Result<(Table, Table, Table)> {
        let lua = &self.asker.engine.lua;
        Ok((self.pictures.comment(lua, comment)?, self.pictures.author(lua, comment)?, self.pictures.pr(lua, pr)?))
    }
}

/// An error of the machine itself.
fn without_place(error: &mlua::Error) -> RuleError {
    RuleError { message: error.to_string(), source_code: None, span: None, label: String::new(), help: None }
}
