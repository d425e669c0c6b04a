//! `git prfix <pr>`: one full run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use miette::Diagnostic;
use thiserror::Error;

use super::{CommandResult, Exit, Shell, several, stopped};
use crate::github::Transport;
use crate::model::repo::PrArgument;
use crate::model::report::{Reason, Report};
use crate::pipeline::{self, Ended, Mode, Reset, RunOptions};
use crate::policy::manifest::Allowed;
use crate::settings::distance;
use crate::state::marks::{self, MarksError};
use crate::ui::report_table;
use crate::world::World;

/// What a fix may touch beyond code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Allow {
    /// CI configuration and hooks
    Ci,
    /// Deleting or switching off tests
    Tests,
    /// The repository's own .prfix
    Prfix,
}

/// How the base comes into the branch. History is never rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UpdateBase {
    /// Merge the base branch
    Merge,
}

#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// The pull request: number, URL or branch; default: that of the current branch. Several are worked on side by side
    #[arg(value_name = "PR")]
    pub prs: Vec<String>,
    /// All of your open pull requests in this repository that need work
    #[arg(long, conflicts_with_all = ["prs", "resume"])]
    pub mine: bool,
    /// Stop before the push; the result stays in a kept worktree
    #[arg(long)]
    pub no_push: bool,
    /// Push, but post and resolve nothing
    #[arg(long)]
    pub no_reply: bool,
    /// Run the configured review command after the push
    #[arg(long)]
    pub re_review: bool,
    /// Say what each phase would do, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Work on the first N items only
    #[arg(long, value_name = "N")]
    pub max_items: Option<usize>,
    /// Let the fix touch what is protected: ci, tests or prfix (repeatable)
    #[arg(long, value_name = "WHAT")]
    pub allow: Vec<Allow>,
    /// Push although no test or lint command was found
    #[arg(long)]
    pub allow_unverified: bool,
    /// Push although a gate is red, when it was red in the same way before
    #[arg(long)]
    pub accept_red_baseline: bool,
    /// Push without the read-only review of the change
    #[arg(long)]
    pub no_self_review: bool,
    /// After a push, set the --fields of this JSON file to null
    #[arg(long, value_name = "FILE", requires = "fields")]
    pub reset_state: Option<PathBuf>,
    /// The fields of --reset-state, with commas between them
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', requires = "reset_state")]
    pub fields: Vec<String>,
    /// Bring the branch up to date with its base before the fix
    #[arg(long, value_name = "HOW")]
    pub update_base: Option<UpdateBase>,
    /// Go on with a run that died
    #[arg(long, value_name = "RUN", num_args = 0..=1, conflicts_with = "fresh")]
    #[allow(clippy::option_option, reason = "given or not, with a value or not: clap's own model")]
    pub resume: Option<Option<String>>,
    /// Start over, even when an earlier run could be resumed
    #[arg(long)]
    pub fresh: bool,
    /// Instructions for the fix agent
    #[arg(last = true, value_name = "INSTRUCTIONS")]
    pub instructions: Vec<String>,
}

#[derive(Debug, Error, Diagnostic)]
enum RunError {
    #[error("there is no unfinished run")]
    #[diagnostic(code(prfix::usage::nothing_to_resume), help("start one: `git prfix <number>`"))]
    NothingToResume,
    #[error("`--resume {run}` and `{pr}` are about different pull requests")]
    #[diagnostic(code(prfix::usage::two_pull_requests), help("give only one of them"))]
    TwoPullRequests { run: String, pr: String },
    #[error("`--resume {run}` is about one pull request, and several were named")]
    #[diagnostic(code(prfix::usage::resume_several), help("name one, or leave the run's name out"))]
    ResumeSeveral { run: String },
    #[error("`{command}` is a command, and stands among pull requests")]
    #[diagnostic(
        code(prfix::usage::misplaced),
        help("put the command first; a pull request whose branch has that name is named by its number")
    )]
    Misplaced { command: String },
    #[error("`{typed}` is no command")]
    #[diagnostic(
        code(prfix::usage::mistyped),
        help("did you mean `git prfix {command}`? A pull request whose branch has that name is named by its number")
    )]
    Mistyped { typed: String, command: String },
    #[error("`{name}` needs the pull request's number first")]
    #[diagnostic(code(prfix::usage::max_items), help("give a number from 1"))]
    MaxItems { name: String },
}

/// What `--allow` permits.
pub fn allowed(allow: &[Allow]) -> Allowed {
    let allows = |what| allow.contains(&what);
    Allowed { ci: allows(Allow::Ci), tests: allows(Allow::Tests), prfix: allows(Allow::Prfix) }
}

/// A value as it is typed.
fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

impl RunArgs {
    /// The one pull request that was named, or that of the current branch.
    pub(super) fn argument(&self) -> PrArgument {
        self.prs.first().map_or(PrArgument::CurrentBranch, |typed| PrArgument::parse(typed))
    }

    /// What must hold before anything is done.
    pub(super) fn check(&self) -> Result<(), MarksError> {
        self.reset_state.as_ref().map_or(Ok(()), |file| marks::check(file, &self.fields))
    }

    /// Whether there is more than one run to make.
    pub(super) fn is_several(&self) -> bool {
        self.mine || self.prs.len() > 1
    }

    /// The words that say the same about one of the pull requests.
    pub(crate) fn words(&self, pr: &str) -> Vec<String> {
        let mut words = vec![pr.to_owned()];
        for (given, name) in [
            (self.no_push, "--no-push"),
            (self.no_reply, "--no-reply"),
            (self.re_review, "--re-review"),
            (self.dry_run, "--dry-run"),
            (self.allow_unverified, "--allow-unverified"),
            (self.accept_red_baseline, "--accept-red-baseline"),
            (self.no_self_review, "--no-self-review"),
            (self.resume.is_some(), "--resume"),
            (self.fresh, "--fresh"),
        ] {
            words.extend(given.then(|| name.to_owned()));
        }
        words.extend(self.reset_state.iter().map(|file| format!("--reset-state={}", file.display())));
        words.extend((!self.fields.is_empty()).then(|| format!("--fields={}", self.fields.join(","))));
        words.extend(self.max_items.map(|most| format!("--max-items={most}")));
        words.extend(self.allow.iter().map(|what| format!("--allow={}", name_of(what))));
        words.extend(self.update_base.iter().map(|how| format!("--update-base={}", name_of(how))));
        if !self.instructions.is_empty() {
            words.push("--".to_owned());
            words.extend(self.instructions.iter().cloned());
        }
        words
    }

    pub(super) fn options(&self) -> RunOptions {
        RunOptions {
            no_push: self.no_push,
            no_reply: self.no_reply,
            re_review: self.re_review,
            dry_run: self.dry_run,
            max_items: self.max_items,
            allowed: allowed(&self.allow),
            allow_unverified: self.allow_unverified,
            accept_red_baseline: self.accept_red_baseline,
            no_self_review: self.no_self_review,
            update_base: self.update_base.is_some(),
            instructions: (!self.instructions.is_empty()).then(|| self.instructions.join(" ")),
            fresh: self.fresh,
            resume: self.resume.clone(),
            round: None,
            sweep: None,
            reset: self.reset_state.as_ref().map(|file| Reset { file: file.clone(), fields: self.fields.clone() }),
        }
    }
}

pub fn run(shell: &Shell, args: RunArgs) -> CommandResult {
    args.check()?;
    if args.is_several() {
        if let Some(Some(run)) = args.resume {
            return Err(RunError::ResumeSeveral { run }.into());
        }
        let commands = (shell.model)();
        if let Some(command) = args.prs.iter().find(|pr| commands.find_subcommand(pr).is_some()) {
            return Err(RunError::Misplaced { command: command.clone() }.into());
        }
        // `git prfix harvst 7` asks for a look, and must not become a run of 7.
        if let Some((typed, command)) = args.prs.first().and_then(|word| mistyped(word, &commands)) {
            return Err(RunError::Mistyped { typed, command }.into());
        }
        return several::run(shell, &args, |pr| args.words(pr));
    }
    let world = shell.world()?;
    let (argument, options) = target(&world, args)?;
    execute(shell, &world, &argument, &options, None)
}

/// A first word that is nearly a command, with that command.
fn mistyped(word: &str, commands: &clap::Command) -> Option<(String, String)> {
    let names = commands.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    let near = names.map(|name| (distance(word, name), name)).min()?;
    (word.len() > 3 && near.0 <= 2).then(|| (word.to_owned(), near.1.to_owned()))
}

/// `--resume` alone means the newest unfinished run, whichever pull request it is of.
fn target(world: &World, mut args: RunArgs) -> Result<(PrArgument, RunOptions), RunError> {
    if args.max_items == Some(0) {
        return Err(RunError::MaxItems { name: "--max-items 0".into() });
    }
    // `--resume 123` was meant as a pull request.
    if let Some(Some(text)) = &args.resume
        && args.prs.is_empty()
        && !text.starts_with("pr")
    {
        args.prs = vec![text.clone()];
        args.resume = Some(None);
    }
    let typed = args.prs.first().map(|typed| PrArgument::parse(typed));
    let argument = match (&args.resume, typed) {
        (Some(Some(run)), typed) => {
            let number = world.store.run(run).ok().and_then(|run| run.pr()).ok_or(RunError::NothingToResume)?;
            match typed {
                Some(PrArgument::Number(other)) if other != number => {
                    return Err(RunError::TwoPullRequests { run: run.clone(), pr: other.to_string() });
                }
                Some(typed) => typed,
                None => PrArgument::Number(number),
            }
        }
        (Some(None), None) => {
            let newest = world.store.all_unfinished().find_map(|run| run.pr());
            PrArgument::Number(newest.ok_or(RunError::NothingToResume)?)
        }
        (_, Some(typed)) => typed,
        (None, None) => PrArgument::CurrentBranch,
    };
    Ok((argument, args.options()))
}

/// Runs the pipeline and prints how it ended. `given`: the demo's embedded GitHub.
pub fn execute(
    shell: &Shell,
    world: &World,
    argument: &PrArgument,
    options: &RunOptions,
    given: Option<Box<dyn Transport>>,
) -> CommandResult {
    let mode = if options.dry_run { Mode::Look } else { Mode::Run };
    let opened = match pipeline::open(world, argument, options, mode, given) {
        Ok(opened) => opened,
        Err(stop) => return stopped(shell, stop),
    };
    match pipeline::run(opened) {
        Ok(ended) => finish(shell, ended),
        Err(stop) => stopped(shell, stop),
    }
}

fn finish(shell: &Shell, ended: Ended) -> CommandResult {
    let Ended { report, fault, .. } = ended;
    show(shell, &report)?;
    exit_of_report(shell, &report, fault)
}

/// The exit status of a report; a fault is said first.
pub fn exit_of_report(shell: &Shell, report: &Report, fault: Option<miette::Report>) -> CommandResult {
    if let Some(fault) = fault {
        shell.ui.error(&fault);
        return Ok(match super::exit_of(&fault) {
            // What was not found in the middle of a run was not misspelt.
            Exit::Usage => Exit::Fault,
            exit => exit,
        });
    }
    Ok(match (pipeline::succeeded(report), report.reason) {
        (true, _) => Exit::Done,
        (false, Reason::Interrupted) => Exit::Interrupted,
        (false, _) => Exit::Blocked,
    })
}

/// The report as JSON, or as a table.
pub fn show(shell: &Shell, report: &Report) -> Result<(), miette::Report> {
    if shell.global.json {
        return shell.print_json(report);
    }
    let options = shell.ui.options();
    shell.ui.print(&report_table(report, options.width, options.color.0));
    Ok(())
}
