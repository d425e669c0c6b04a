//! `git prfix watch <pr>…`: polls pull requests and runs a round when something changed.

mod alone;

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::run::Allow;
use super::{CommandResult, Exit, Shell, stopped};
use crate::model::repo::PrArgument;
use crate::model::watch::{EndReason, Options, SCHEMA};
use crate::pipeline::Stop;
use crate::ui::{Say, report_table};
use crate::watch::{self, Closed, Desk, Start, Watch};
use crate::world::World;

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The pull requests: numbers, URLs or branches; default: that of the current branch
    #[arg(value_name = "PR")]
    pub prs: Vec<String>,
    /// One look and at most one round, then end
    #[arg(long)]
    pub once: bool,
    /// Minutes between two looks: 1, 2, 5, 10, 15, 30 or 60
    #[arg(long, value_name = "MINUTES", default_value_t = 2)]
    pub every: u32,
    /// Push, but post and resolve nothing
    #[arg(long)]
    pub no_reply: bool,
    /// Let a fix touch what is protected: ci, tests or prfix (repeatable)
    #[arg(long, value_name = "WHAT")]
    pub allow: Vec<Allow>,
    /// Push although no test or lint command was found
    #[arg(long)]
    pub allow_unverified: bool,
    /// Push although a gate is red, when it was red in the same way before
    #[arg(long)]
    pub accept_red_baseline: bool,
    /// Take the watch from the process that has it
    #[arg(long, conflicts_with = "once")]
    pub take_over: bool,
    /// After the question, watch in a process of its own, and return
    #[arg(long, conflicts_with_all = ["once", "install"])]
    pub detach: bool,
    /// After the question, show a systemd user unit (macOS: a launchd agent) that watches, and write it
    #[arg(long, conflicts_with = "once")]
    pub install: bool,
    /// Go on from our earlier replies on the pull request, when this machine knows of no watch
    #[arg(long)]
    pub adopt: bool,
    /// Instructions for the fix agent, in every round
    #[arg(last = true, value_name = "INSTRUCTIONS")]
    pub instructions: Vec<String>,
}

impl WatchArgs {
    fn start(&self, shell: &Shell) -> Start {
        let name = |what: &Allow| match what {
            Allow::Ci => "ci",
            Allow::Tests => "tests",
            Allow::Prfix => "prfix",
        };
        Start {
            options: Options {
                every: self.every,
                reply: !self.no_reply,
                instructions: (!self.instructions.is_empty()).then(|| self.instructions.join(" ")),
                allow: self.allow.iter().map(|what| name(what).to_owned()).collect(),
                allow_unverified: self.allow_unverified,
                accept_red_baseline: self.accept_red_baseline,
            },
            once: self.once,
            yes: shell.global.yes,
            take_over: self.take_over,
            adopt: self.adopt,
        }
    }

    fn arguments(&self) -> Vec<PrArgument> {
        if self.prs.is_empty() {
            return vec![PrArgument::CurrentBranch];
        }
        self.prs.iter().map(|typed| PrArgument::parse(typed)).collect()
    }
}

pub fn run(shell: &Shell, args: &WatchArgs) -> CommandResult {
    // A single round is followed like a run; a watch's rounds are one line each.
    let world = if args.once || shell.global.verbose { shell.world()? } else { shell.silent_world()? };
    let desk = Desk { world: &world, ui: Arc::clone(&shell.ui) };
    match watch::start(&desk, &args.arguments(), &args.start(shell)) {
        Err(stop) => stopped(shell, stop),
        Ok(watches) if args.once => once(shell, &desk, watches),
        Ok(watches) if args.detach => alone::detach(shell, &desk, watches),
        Ok(watches) if args.install => alone::install(shell, &desk, watches),
        Ok(watches) => go_on(shell, &desk, watches),
    }
}

/// Each pull request once, in order; the first that needs a person decides the exit status.
fn once(shell: &Shell, desk: &Desk<'_>, watches: Vec<Watch>) -> CommandResult {
    let mut exit = Exit::Done;
    let mut reports = Vec::new();
    for mut watch in watches {
        match watch::once(desk, &mut watch) {
            Ok(report) => reports.extend(report),
            Err(stop) => {
                let ended = stopped(shell, stop)?;
                if ended == Exit::Interrupted {
                    return Ok(ended);
                }
                exit = ended;
            }
        }
    }
    if reports.iter().any(|report| !crate::pipeline::succeeded(report)) {
        exit = Exit::Blocked;
    }
    if shell.global.json {
        shell.print_json(&json!({"schema": SCHEMA, "rounds": reports}))?;
    } else {
        let options = shell.ui.options();
        reports.iter().for_each(|report| shell.ui.print(&report_table(report, options.width, options.color.0)));
    }
    Ok(exit)
}

/// Watches to the end, and says how each left.
pub(super) fn go_on(shell: &Shell, desk: &Desk<'_>, watches: Vec<Watch>) -> CommandResult {
    for watch in &watches {
        let record = &watch.record;
        let every = record.options.every;
        desk.ui
            .say(&Say::Note(format!("#{0}: watched every {every} min; `git prfix stop {0}` ends it", record.number)));
    }
    match watch::watch(desk, watches) {
        Ok(closed) => report(shell, &closed),
        Err(Stop::Interrupted) => {
            desk.ui.say(&Say::Note("interrupted; `git prfix resume` goes on with everything kept".to_owned()));
            Ok(Exit::Interrupted)
        }
        Err(stop) => stopped(shell, stop),
    }
}

fn report(shell: &Shell, closed: &[Closed]) -> CommandResult {
    if shell.global.json {
        let list: Vec<_> = closed
            .iter()
            .map(|closed| json!({"pr": closed.pr, "reason": closed.reason.map_or("taken-over", EndReason::as_str)}))
            .collect();
        shell.print_json(&json!({"schema": SCHEMA, "ended": list}))?;
    }
    let fine = |closed: &Closed| {
        !matches!(
            closed.reason,
            Some(EndReason::MaxPushes | EndReason::Budget | EndReason::SomeoneElsePushes | EndReason::AuthorCannotPush)
        )
    };
    Ok(if closed.iter().all(fine) { Exit::Done } else { Exit::Blocked })
}

/// A world for a command that only starts a watch's loop.
pub(super) fn world(shell: &Shell) -> Result<World, miette::Report> {
    if shell.global.verbose { shell.world() } else { shell.silent_world() }
}
