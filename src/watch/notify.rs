//! Events for `prfix.notify`: a command, started without a shell, that gets one JSON document on standard input.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::model::command::ProjectCommand;
use crate::model::watch::{Decision, EndReason, Record};
use crate::process::Run;
use crate::ui::{Say, Ui};

pub const SCHEMA: &str = "git-prfix.event/1";
/// A command that takes longer is ended; the watch goes on.
const LIMIT: Duration = Duration::from_secs(60);

/// What happened.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Pushed,
    NeedsHuman,
    Stopped,
    BudgetReached,
}

#[derive(Serialize)]
struct Event<'a> {
    schema: &'static str,
    event: Kind,
    at: String,
    pr: u64,
    repo: String,
    url: String,
    title: &'a str,
    head: &'a str,
    /// The commit that was pushed last.
    commit: Option<&'a str>,
    pushes: usize,
    max_pushes: u32,
    /// Why it stopped.
    reason: Option<&'static str>,
    needs_human: &'a [Decision],
}

/// What an event is about.
pub struct About<'a> {
    pub record: &'a Record,
    pub at: jiff::Timestamp,
    pub reason: Option<EndReason>,
    /// The decisions of this round.
    pub needs_human: &'a [Decision],
}

/// Tells the command. That it fails is said and stops nothing.
pub fn tell(ui: &Arc<Ui>, command: Option<&ProjectCommand>, kind: Kind, about: &About<'_>) {
    let Some(command) = command else { return };
    let record = about.record;
    let event = Event {
        schema: SCHEMA,
        event: kind,
        at: about.at.to_string(),
        pr: record.number,
        repo: record.repo.full_name(),
        url: format!("https://{}/{}/pull/{}", record.repo.host, record.repo.full_name(), record.number),
        title: &record.title,
        head: &record.head,
        commit: record.pushed.last().map(String::as_str),
        pushes: record.pushed.len(),
        max_pushes: record.max_pushes,
        reason: about.reason.map(EndReason::as_str),
        needs_human: about.needs_human,
    };
    let document = serde_json::to_vec(&event).unwrap_or_default();
    let Some((program, args)) = command.argv.split_first() else { return };
    let output = Run::new(program).args(args).stdin(document).timeout(LIMIT).run();
    let failed = match output {
        Ok(output) if output.success() => return,
        Ok(output) => format!("{:?}: {}", output.ended, output.stderr_tail(3)),
        Err(error) => error.to_string(),
    };
    ui.say(&Say::Warning(format!("`prfix.notify` failed: {failed}")));
}
