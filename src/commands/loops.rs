//! `git prfix loop`: confirmed review findings become staged, verified fixes, in two rounds at most.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::run::{Allow, allowed};
use super::{CommandResult, Exit, Shell, findings, local, stopped};
use crate::model::loops::Choice;
use crate::model::review::Severity;
use crate::pipeline::RunOptions;
use crate::pipeline::loops::{self, Inconclusive, LoopOptions, Scope, Staged};
use crate::ui::loop_page;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub enum Least {
    P0,
    P1,
    P2,
    P3,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnScope {
    /// The fix may touch the files that it asks for
    Approve,
    /// It has to do without them
    Reject,
    /// The finding is left for a person
    Defer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnInconclusive {
    /// Verify again, twice at most, then revert
    Retry,
    /// Take the fix as it is; the report says so
    Accept,
    /// Put the files back and escalate
    Revert,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnEscalate {
    /// The tries stay staged for a repair by hand
    Manual,
    /// The files are put back as they were
    Another,
    /// The tries stay staged
    Defer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnStaged {
    /// The fix is staged beside what is staged already
    Proceed,
    /// Findings of such files are left
    Defer,
}

#[derive(Debug, Args)]
pub struct LoopArgs {
    /// The findings: an envelope of version v1 (git-prfix-protocol(7))
    #[arg(value_name = "FINDINGS", required_unless_present = "restore", conflicts_with = "restore")]
    pub findings: Option<PathBuf>,
    /// Put back the files of an earlier loop, as they were before it; default: of the newest
    #[arg(long, value_name = "RUN", num_args = 0..=1)]
    #[allow(clippy::option_option, reason = "given or not, with a value or not: clap's own model")]
    pub restore: Option<Option<String>>,
    /// Work on confirmed findings of this severity and worse
    #[arg(long, value_name = "SEVERITY", default_value = "P1", ignore_case = true)]
    pub min_severity: Least,
    /// Answer when a fix needs more files; unattended: defer
    #[arg(long, value_name = "ANSWER")]
    pub on_scope: Option<OnScope>,
    /// Answer when a fix can't be verified; unattended: revert
    #[arg(long, value_name = "ANSWER")]
    pub on_inconclusive: Option<OnInconclusive>,
    /// Answer when two rounds did not resolve a finding; unattended: defer
    #[arg(long, value_name = "ANSWER")]
    pub on_escalate: Option<OnEscalate>,
    /// Answer when a file has staged changes already; unattended: defer
    #[arg(long, value_name = "ANSWER")]
    pub on_staged: Option<OnStaged>,
    /// Let a fix touch what is protected: ci, tests or prfix (repeatable)
    #[arg(long, value_name = "WHAT")]
    pub allow: Vec<Allow>,
}

impl LoopArgs {
    fn options(&self) -> LoopOptions {
        LoopOptions {
            least: match self.min_severity {
                Least::P0 => Severity::P0,
                Least::P1 => Severity::P1,
                Least::P2 => Severity::P2,
                Least::P3 => Severity::P3,
            },
            on_scope: self.on_scope.map(|answer| match answer {
                OnScope::Approve => Scope::Approve,
                OnScope::Reject => Scope::Reject,
                OnScope::Defer => Scope::Defer,
            }),
            on_inconclusive: self.on_inconclusive.map(|answer| match answer {
                OnInconclusive::Retry => Inconclusive::Retry,
                OnInconclusive::Accept => Inconclusive::Accept,
                OnInconclusive::Revert => Inconclusive::Revert,
            }),
            on_escalate: self.on_escalate.map(|answer| match answer {
                OnEscalate::Manual => Choice::Manual,
                OnEscalate::Another => Choice::Another,
                OnEscalate::Defer => Choice::Defer,
            }),
            on_staged: self.on_staged.map(|answer| match answer {
                OnStaged::Proceed => Staged::Proceed,
                OnStaged::Defer => Staged::Defer,
            }),
            run: RunOptions { no_push: true, no_reply: true, allowed: allowed(&self.allow), ..RunOptions::default() },
        }
    }
}

pub fn run(shell: &Shell, args: &LoopArgs) -> CommandResult {
    let Some(path) = &args.findings else {
        return restore(shell, args.restore.iter().flatten().next().map(String::as_str));
    };
    let envelope = findings::read(path)?;
    let world = shell.world()?;
    let team = local::team(&world, None)?;
    let (settings, rules) = (team.settings(&world)?, team.rules(&world)?);
    for warning in team.warnings {
        shell.ui.say(&crate::ui::Say::Warning(warning));
    }
    let report = match loops::run(&world, &args.options(), (settings, rules), &envelope) {
        Ok(report) => report,
        Err(stop) => return stopped(shell, stop),
    };
    if shell.global.json {
        shell.print_json(&report)?;
    } else {
        shell.ui.print(&loop_page::loop_page(&report));
    }
    Ok(if report.converged { Exit::Done } else { Exit::NotConverged })
}

fn restore(shell: &Shell, name: Option<&str>) -> CommandResult {
    let restored = match loops::restore(&shell.world()?, name) {
        Ok(restored) => restored,
        Err(stop) => return stopped(shell, stop),
    };
    if shell.global.json {
        shell.print_json(&restored)?;
    } else {
        shell.ui.print(&loop_page::restored(&restored.run, &restored.restored, &restored.left));
    }
    Ok(if restored.left.is_empty() { Exit::Done } else { Exit::Blocked })
}
