//! One file a command: its arguments and its run.

pub mod completions;
pub mod demo;
pub mod global;
pub mod harvest;
pub mod report;
pub mod rules;
pub mod run;
pub mod runs;
pub mod triage;
pub mod worktree;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use crate::clock::Clock;
use crate::env::Env;
use crate::pipeline::Stop;
use crate::ui::Ui;
use crate::world::World;

/// Exit statuses of the outer contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    Fault,
    Usage,
    Blocked,
    NotConverged,
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Fault => 1,
            Self::Usage => 2,
            Self::Blocked => 3,
            Self::NotConverged => 4,
            Self::Interrupted => 130,
        }
    }
}

pub use global::{Global, SettingFlags};

pub type CommandResult = Result<Exit, miette::Report>;

/// What every command starts from, before a repository is opened.
pub struct Shell {
    pub env: Env,
    pub clock: Arc<dyn Clock>,
    pub ui: Arc<Ui>,
    pub global: Global,
    /// clap's model of the whole command line, for completions.
    pub model: fn() -> clap::Command,
}

impl Shell {
    /// Opens the repository of `--repo`, or of the current folder.
    pub fn world(&self) -> Result<World, miette::Report> {
        let path = self.global.repo.clone().unwrap_or_else(|| PathBuf::from("."));
        let flags = self.global.settings.0.clone();
        Ok(World::open(&path, self.env.clone(), flags, Arc::clone(&self.ui), Arc::clone(&self.clock))?)
    }

    /// A table on standard output.
    pub fn print_table(&self, titles: &[&'static str], rows: &[Vec<String>]) {
        let options = self.ui.options();
        self.ui.print(&crate::ui::list_table(titles, rows, options.width, options.color.0));
    }

    /// A JSON document on standard output.
    pub fn print_json(&self, value: &impl serde::Serialize) -> Result<(), miette::Report> {
        let text = serde_json::to_string_pretty(value).map_err(|error| miette::miette!("{error}"))?;
        self.ui.print(&text);
        Ok(())
    }
}

/// Whose fault an error is, from its code: the caller's, or the program's and the system's.
fn exit_of(error: &miette::Report) -> Exit {
    const USAGE: &[&str] = &[
        "prfix::settings::",
        "prfix::target::",
        "prfix::remote::",
        "prfix::rules::",
        "prfix::git::no_repository",
        "prfix::git::unsafe",
        "prfix::github::not_found",
        "prfix::state::no_run",
        "prfix::usage::",
    ];
    const BLOCKED: &[&str] = &["prfix::state::locked", "prfix::state::newer", "prfix::fetch::"];
    let code = error.code().map(|code| code.to_string()).unwrap_or_default();
    let any = |list: &[&str]| list.iter().any(|prefix| code.starts_with(prefix));
    if any(USAGE) {
        Exit::Usage
    } else if any(BLOCKED) {
        Exit::Blocked
    } else {
        Exit::Fault
    }
}

/// Prints an error: for a person on standard error, and with `--json` as a document as well.
pub fn fail(shell: &Shell, error: miette::Report) -> Exit {
    if crate::process::interrupted() {
        return Exit::Interrupted;
    }
    shell.ui.error(&error);
    if shell.global.json {
        let help = error.help().map(|help| help.to_string());
        let code = error.code().map(|code| code.to_string());
        let document = json!({
            "schema": crate::model::report::SCHEMA, "outcome": "blocked", "reason": null,
            "unblock": help, "error": {"message": error.to_string(), "code": code, "help": help},
        });
        // Standard output is gone: the message above was said.
        let _ = shell.print_json(&document);
    }
    exit_of(&error)
}

/// A stop before there was a run to report on.
pub fn stopped(shell: &Shell, stop: Stop) -> CommandResult {
    match stop {
        Stop::Fault(error) => Err(error),
        Stop::Interrupted => Ok(Exit::Interrupted),
        Stop::Done(_) => Ok(Exit::Done),
        Stop::Blocked { reason, unblock } => {
            let said = miette::miette!(help = unblock.clone(), "{}", crate::ui::reason_sentence(reason));
            shell.ui.error(&said);
            if shell.global.json {
                shell.print_json(&json!({
                    "schema": crate::model::report::SCHEMA, "outcome": "blocked", "reason": reason, "unblock": unblock,
                }))?;
            }
            Ok(Exit::Blocked)
        }
    }
}
