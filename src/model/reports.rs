//! How several runs ended: `git-prfix.reports/1`.

use serde::Serialize;
use serde_json::Value;

/// Names the form of the document.
pub const SCHEMA: &str = "git-prfix.reports/1";

/// One of the runs.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The pull request as it was named.
    pub argument: String,
    /// The exit status that its run has alone.
    pub exit: u8,
    /// The document that its run prints alone; null when it printed none.
    pub report: Option<Value>,
}

impl Entry {
    fn text(&self, pointer: &str) -> Option<&str> {
        self.report.as_ref()?.pointer(pointer)?.as_str()
    }

    /// `done` or `blocked`, each with the reason, or what went wrong.
    pub fn outcome(&self) -> String {
        match (self.text("/outcome"), self.text("/reason")) {
            (Some(outcome), Some(reason)) => format!("{outcome}: {reason}"),
            (Some(_), None) => "failed".to_owned(),
            (None, _) if self.exit == 130 => "interrupted".to_owned(),
            (None, _) => format!("exit status {}", self.exit),
        }
    }

    /// The commit that is on the pull request now, when its run pushed one.
    pub fn pushed(&self) -> Option<&str> {
        let (before, after) = (self.text("/pr/head_before"), self.text("/pr/head_after"));
        after.filter(|after| Some(*after) != before)
    }

    /// How many items ended in each way, in the order of their first.
    pub fn counts(&self) -> Vec<(String, usize)> {
        let items = self.report.as_ref().and_then(|report| report["items"].as_array());
        let mut counts: Vec<(String, usize)> = Vec::new();
        for status in items.into_iter().flatten().filter_map(|item| item["status"].as_str()) {
            match counts.iter_mut().find(|(known, _)| known == status) {
                Some((_, count)) => *count += 1,
                None => counts.push((status.to_owned(), 1)),
            }
        }
        counts
    }

    /// The one thing to do.
    pub fn unblock(&self) -> Option<String> {
        let said = self.text("/unblock").or_else(|| self.text("/error/help"));
        match (self.text("/error/message"), said) {
            (Some(message), Some(help)) => Some(format!("{message}: {help}")),
            (Some(text), None) | (None, Some(text)) => Some(text.to_owned()),
            (None, None) => None,
        }
    }
}
