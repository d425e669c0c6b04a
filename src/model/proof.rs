//! The evidence that a fix fixes: what was run before it and after it, and how that ended.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofKind {
    /// The same command failed for the right reason before and passes with the fix.
    RedGreen,
    /// It passes with the fix; that it failed before was not shown.
    GreenOnly,
    /// The project's gates pass; nothing was run for this item alone.
    Gate,
    #[default]
    None,
}

/// The `proof` of a report's item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub kind: ProofKind,
    /// As one would type it.
    pub command: Option<String>,
    /// End of the output on the untouched head.
    pub before: Option<String>,
    /// End of the output with the fix.
    pub after: Option<String>,
    /// What kept the proof from being a better one.
    pub why: Option<String>,
}

impl Proof {
    pub fn none(why: &str) -> Self {
        Self { why: Some(why.to_owned()), ..Self::default() }
    }

    /// One line for a reply; nothing where nothing was run.
    pub fn line(&self) -> Option<String> {
        let command = self.command.as_deref()?.replace('`', "'");
        match self.kind {
            ProofKind::RedGreen => Some(format!("`{command}` fails before and passes with it.")),
            ProofKind::GreenOnly | ProofKind::Gate => Some(format!("`{command}` passes with it.")),
            ProofKind::None => None,
        }
    }
}
