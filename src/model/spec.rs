//! The numbered list of what has to be answered: the completeness contract of a run.

use serde::{Deserialize, Serialize};

use super::feedback::{Check, Side};
use super::pr::Actor;
use super::suggestion::Suggestion;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemKind {
    Thread,
    Review,
    Comment,
    Check,
    Criterion,
    Conflict,
}

/// One thing said in an item's thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    pub author: Option<Actor>,
    pub url: String,
    /// Sanitised for a prompt: no hidden comments, no invisible characters.
    pub body: String,
    /// By somebody who may steer the agent. Untrusted remarks reach no prompt.
    pub trusted: bool,
}

/// Where an item came from. Merged duplicates keep one reference each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub kind: ItemKind,
    /// A comment's URL, a check's name, or the PR's URL for a criterion or a conflict.
    pub source: String,
    /// Node id of the thread, for those that have one.
    pub thread: Option<String>,
    /// The file that the thread stands on.
    #[serde(default)]
    pub path: Option<String>,
    /// Node ids and body digests of the comments that were read; compared again before a reply.
    pub comments: Vec<SeenComment>,
    /// [`Check::key`] of a check.
    pub check: Option<String>,
}

/// A comment at the time it was read, so that an edit since then is noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenComment {
    pub id: String,
    /// SHA-256 of the raw body, in hex.
    pub digest: String,
}

/// One numbered item of the spec.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SpecItem {
    /// From 1, stable within a run.
    pub id: u32,
    pub kind: ItemKind,
    /// At least one; the first is the item's own.
    pub references: Vec<Reference>,
    pub author: Option<Actor>,
    pub path: Option<String>,
    pub line: Option<u64>,
    pub start_line: Option<u64>,
    pub side: Option<Side>,
    pub outdated: bool,
    /// What is asked for: the latest trusted word, cleaned.
    pub request: String,
    /// The conversation that the request stands in, oldest first.
    pub remarks: Vec<Remark>,
    pub diff_hunk: Option<String>,
    /// The failing check, with log tail and annotations.
    pub check: Option<Check>,
    /// What a triage rule said before any agent was asked.
    pub hint: Option<Hint>,
    /// What the request wants to stand in the file, word for word.
    #[serde(default)]
    pub suggestion: Option<Suggestion>,
}

impl SpecItem {
    /// The URL or check name that a person finds the item by.
    pub fn source(&self) -> &str {
        &self.references[0].source
    }

    /// Node ids of all threads that this item answers.
    pub fn threads(&self) -> impl Iterator<Item = &str> {
        self.references.iter().filter_map(|r| r.thread.as_deref())
    }

    /// `path:line`, `path`, or nothing.
    pub fn place(&self) -> Option<String> {
        let path = self.path.as_deref()?;
        Some(self.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}")))
    }
}

/// A triage rule's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// `kind/name` of the rule.
    pub rule: String,
    pub verdict: Option<Verdict>,
    /// At least this; a probe may find more.
    pub risk: Option<Risk>,
    #[serde(default)]
    pub priority: Priority,
    /// Items with the same word are one item.
    #[serde(default)]
    pub merge: Option<String>,
    pub needs_human: bool,
    pub why: String,
}

impl Hint {
    /// Nothing is left to ask an agent about.
    pub fn settles(&self) -> bool {
        self.needs_human || self.verdict.is_some()
    }

    /// What holds for both of two items that become one: the graver of each, and a verdict only where they agree.
    pub fn with(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return Self { verdict: None, ..self } };
        let graver = if other.needs_human && !self.needs_human { &other } else { &self };
        Self {
            rule: graver.rule.clone(),
            why: graver.why.clone(),
            verdict: self.verdict.filter(|verdict| other.verdict == Some(*verdict)),
            risk: self.risk.max(other.risk),
            priority: self.priority.min(other.priority),
            needs_human: self.needs_human || other.needs_human,
            merge: self.merge,
        }
    }
}

/// Where an item stands among the others: in the spec, in the waves of probes, and for `--max-items`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    High,
    #[default]
    Normal,
    Low,
}

impl Priority {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

/// Something that was read and left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    pub url: String,
    pub author: String,
    pub rule: String,
    pub why: String,
}

/// Feedback by somebody without a say; listed, never acted on or answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untrusted {
    pub url: String,
    pub author: String,
}

/// What a harvest became.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Spec {
    pub items: Vec<SpecItem>,
    pub dropped: Vec<Dropped>,
    pub untrusted: Vec<Untrusted>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Valid,
    AlreadyAddressed,
    Invalid,
    Unclear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    Low,
    Medium,
    High,
}

/// Where an item ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemStatus {
    Fixed,
    TriagedOut,
    OutOfScope,
    Declined,
    NeedsHuman,
    Rerun,
    Unaddressed,
}

macro_rules! as_str {
    ($type:ty { $($variant:ident => $text:literal),* $(,)? }) => {
        impl $type {
            /// The spelling of the report.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
as_str!(ItemKind { Thread => "thread", Review => "review", Comment => "comment", Check => "check", Criterion => "criterion", Conflict => "conflict" });
as_str!(Verdict { Valid => "valid", AlreadyAddressed => "already-addressed", Invalid => "invalid", Unclear => "unclear" });
as_str!(Risk { Low => "low", Medium => "medium", High => "high" });
as_str!(ItemStatus {
    Fixed => "fixed", TriagedOut => "triaged-out", OutOfScope => "out-of-scope", Declined => "declined",
    NeedsHuman => "needs-human", Rerun => "rerun", Unaddressed => "unaddressed",
});

/// A probe's place and plain words for the change; no diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedFix {
    pub path: String,
    #[serde(default)]
    pub location: String,
    #[serde(default)]
    pub change: String,
}

/// What triage found out about one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triage {
    pub item_id: u32,
    pub verdict: Verdict,
    #[serde(default)]
    pub reasoning: String,
    #[serde(default)]
    pub proposed_fix: Option<ProposedFix>,
    #[serde(default)]
    pub risk: Option<Risk>,
}
