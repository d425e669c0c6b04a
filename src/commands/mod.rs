//! One file a command: its arguments and its run.

pub mod completions;
pub mod demo;
pub mod doctor;
pub mod findings;
pub mod gate;
pub mod global;
pub mod guard;
pub mod harvest;
pub mod hook;
pub mod init;
pub mod local;
pub mod loops;
pub mod manual;
pub mod report;
pub mod resume;
pub mod rules;
pub mod run;
pub mod runs;
pub mod several;
pub mod status;
pub mod stop;
pub mod sweep;
pub mod triage;
pub mod watch;
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

    /// The same repository for work that nobody reads along: nothing is printed and nobody is asked.
    pub fn silent_world(&self) -> Result<World, miette::Report> {
        let ui = Arc::new(Ui::silent(self.ui.options(), Arc::clone(&self.clock)));
        let path = self.global.repo.clone().unwrap_or_else(|| PathBuf::from("."));
        Ok(World::open(&path, self.env.clone(), self.global.settings.0.clone(), ui, Arc::clone(&self.clock))?)
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
        "prfix::hook::in_the_way",
        "prfix::hook::overruled",
        "prfix::trust::",
        "prfix::worktree::foreign",
        "prfix::state::no_run",
        "prfix::usage::",
        "prfix::watch::interval",
        "prfix::watch::none",
    ];
    const BLOCKED: &[&str] = &[
        "prfix::state::locked",
        "prfix::state::watch",
        "prfix::state::newer",
        "prfix::state::unreadable",
        "prfix::fetch::",
        "prfix::worktree::",
        "prfix::watch::",
    ];
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

/// A stop of the pipeline's where only an error was to be expected.
fn as_error(stop: Stop) -> miette::Report {
    match stop {
        Stop::Fault(error) => error,
        other => miette::miette!("the run stopped: {other:?}"),
    }
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

/// Disk space as `312K`, `4.5M` or `1.2G`, in powers of 1024.
fn disk_size(bytes: u64) -> String {
    const UNITS: &[&str] = &["K", "M", "G", "T"];
    let mut tenths = bytes.saturating_mul(10) / 1024;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    if tenths < 100 && unit > 0 {
        format!("{}.{}{}", tenths / 10, tenths % 10, UNITS[unit])
    } else {
        format!("{}{}", tenths / 10, UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_space_has_two_or_three_figures() {
        let sizes = [0, 4096, 1_048_575, 1_048_576, 5 << 20, 123 << 20, (3 << 30) + (1 << 29)];
        assert_eq!(sizes.map(disk_size), ["0K", "4K", "1023K", "1.0M", "5.0M", "123M", "3.5G"]);
    }
}
