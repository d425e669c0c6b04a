//! `rules explain --comments`: what the rules make of comments that stand in a file, one JSON object a line.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::host::{Decision, Rules, Step};
use super::view::{CommentView, PrView};

/// A comment as a file, or a rule test, describes it.
#[derive(Debug, Clone, Deserialize)]
pub struct CommentInput {
    #[serde(default)]
    pub id: serde_json::Value,
    /// `thread`, `review` or `comment`.
    #[serde(default = "thread")]
    pub kind: String,
    /// `null` for a deleted account.
    pub author: Option<AuthorInput>,
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pub review_state: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub line: Option<u64>,
    #[serde(default)]
    pub outdated: bool,
    #[serde(default)]
    pub resolved: bool,
    /// GitHub's reason when the comment is hidden.
    #[serde(default)]
    pub minimized: Option<String>,
    /// Written by us.
    #[serde(default)]
    pub own: bool,
}

/// Fields of [`CommentInput`], for messages about misspelt ones.
pub(super) const FIELDS: &[&str] =
    &["id", "kind", "author", "body", "review_state", "path", "line", "outdated", "resolved", "minimized", "own"];

fn thread() -> String {
    "thread".to_owned()
}

#[derive(Debug, Clone, Deserialize)]
pub struct AuthorInput {
    pub login: String,
    /// `User` or `Bot`.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// `OWNER`, `MEMBER`, …; `NONE` when missing.
    #[serde(default)]
    pub association: Option<String>,
}

impl CommentInput {
    /// The id as text; numbers are taken too.
    pub fn id_text(&self) -> String {
        match &self.id {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Null => String::new(),
            other => other.to_string(),
        }
    }

    /// What the rules see. REST's `[bot]` suffix is cut off, and `ghost` is GitHub's name for deleted accounts.
    pub fn with_view<T>(&self, see: impl FnOnce(&CommentView<'_>) -> T) -> T {
        let id = self.id_text();
        let author = self.author.as_ref().filter(|author| !author.login.eq_ignore_ascii_case("ghost"));
        let login = author.map_or("", |author| author.login.as_str());
        let bare = login.strip_suffix("[bot]").unwrap_or(login);
        let kind = author.and_then(|author| author.kind.as_deref()).unwrap_or("User");
        see(&CommentView {
            id: &id,
            kind: &self.kind,
            login: bare,
            bot: bare != login || kind.eq_ignore_ascii_case("bot"),
            association: author.and_then(|author| author.association.as_deref()).unwrap_or("NONE"),
            ghost: author.is_none(),
            body: self.body.as_deref().unwrap_or(""),
            path: self.path.as_deref(),
            line: self.line,
            outdated: self.outdated,
            resolved: self.resolved,
            minimized: self.minimized.as_deref(),
            review_state: self.review_state.as_deref(),
            own: self.own,
        })
    }
}

/// A line that is no comment.
#[derive(Debug, Error, miette::Diagnostic)]
#[error("line {line} is no comment: {reason}")]
#[diagnostic(
    code(prfix::rules::comments),
    help("each line is an object with id, kind (thread, review, comment), author {{login, type, association}}, body")
)]
pub struct BadComment {
    /// From 1.
    pub line: usize,
    pub reason: String,
}

/// The decision about one comment; serialises to the line that `rules explain --json` prints.
#[derive(Debug, Clone, Serialize)]
pub struct Explained {
    pub id: String,
    /// `keep`, `drop` or `untrusted`.
    pub decision: &'static str,
    /// `kind/name`, or `default` when no rule had an opinion.
    pub rule: String,
    pub why: String,
    /// Every rule that was asked.
    #[serde(skip)]
    pub steps: Vec<Step>,
}

impl Explained {
    /// A comment whose words are no longer its author's. The rules are not asked.
    pub fn edited(id: String) -> Self {
        let (rule, why) = ("trust/editor".to_owned(), "it was edited by somebody who has no say".to_owned());
        Self { id, decision: "untrusted", rule, why, steps: Vec::new() }
    }

    /// The outer form of a decision.
    fn new(id: String, decision: Decision, steps: Vec<Step>) -> Self {
        let (decision, rule, why) = match decision {
            Decision::Keep { rule, why } => ("keep", rule.unwrap_or_else(|| "default".to_owned()), why),
            Decision::Drop { rule, why } => ("drop", rule, why),
            Decision::Untrusted { rule, why } => ("untrusted", rule, why),
        };
        Self { id, decision, rule, why, steps }
    }
}

impl Rules {
    /// Decides about every line of a JSON-lines file; blank lines are skipped.
    ///
    /// # Errors
    /// For each line that is no comment.
    pub fn explain(&self, lines: &str, pr: &PrView<'_>) -> Vec<Result<Explained, BadComment>> {
        lines
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, line)| {
                let input = parse(line).map_err(|reason| BadComment { line: at + 1, reason })?;
                Ok(input.with_view(|view| self.explain_one(view, pr)))
            })
            .collect()
    }

    /// Decides about one comment, with every rule that was asked: of what is kept, triage is asked too.
    pub fn explain_one(&self, view: &CommentView<'_>, pr: &PrView<'_>) -> Explained {
        let (decision, mut steps) = self.decide_in_steps(view, pr);
        if matches!(decision, Decision::Keep { .. }) {
            steps.extend(self.triage_steps(view, pr));
        }
        Explained::new(view.id.to_owned(), decision, steps)
    }
}

fn parse(line: &str) -> Result<CommentInput, String> {
    let value: serde_json::Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if let Some(missing) = ["kind", "author", "body"].into_iter().find(|field| value.get(field).is_none()) {
        return Err(format!("it has no `{missing}`"));
    }
    let input: CommentInput = serde_json::from_value(value).map_err(|error| error.to_string())?;
    if !["thread", "review", "comment"].contains(&input.kind.as_str()) {
        return Err(format!("`{}` is no kind", input.kind));
    }
    Ok(input)
}

impl PrView<'static> {
    /// A pull request of which nothing is known.
    pub fn unknown() -> Self {
        Self { number: 0, author: None, title: "", base: "", head: "", draft: false }
    }
}
