//! What can be typed, and the one match that sends it on.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{self, Exit, Global, Shell};
use crate::env::Env;
use crate::ui::{ColorWhen, Options, Say, Ui, Verbosity};

/// Turns a pull request's review comments and red checks into a pushed, verified, answered fix.
#[derive(Debug, Parser)]
#[command(name = "git-prfix", bin_name = "git prfix", version, disable_help_subcommand = true, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: commands::run::RunArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the numbered fix spec, and what was dropped and why
    Harvest(commands::harvest::HarvestArgs),
    /// Harvest, then check each item with a read-only probe: verdicts and proposals
    Triage(commands::triage::TriageArgs),
    /// Drive review threads to zero: verify, fix, answer, resolve
    Sweep(commands::sweep::SweepArgs),
    /// Say whether a pull request has converged: no open thread, checks green, no conflict
    Gate(commands::gate::GateArgs),
    /// Fix confirmed review findings in the present checkout: two rounds at most, staged, never committed
    Loop(commands::loops::LoopArgs),
    /// Keep pull requests in shape until they are merged or closed
    Watch(commands::watch::WatchArgs),
    /// The watches of this repository: where they stand, what is left to a person
    Status(commands::status::StatusArgs),
    /// Go on with watches whose process ended
    Resume(commands::resume::ResumeArgs),
    /// End a watch
    Stop(commands::stop::StopArgs),
    /// Work with the Lua rules
    #[command(subcommand)]
    Rules(commands::rules::RulesCommand),
    /// The push guard
    #[command(subcommand)]
    Guard(commands::guard::GuardCommand),
    /// Put the push guard into this repository's hooks, or take it out
    #[command(subcommand)]
    Hook(commands::hook::HookCommand),
    /// List or clean managed worktrees
    #[command(subcommand)]
    Worktree(commands::worktree::WorktreeCommand),
    /// Past runs of this repository
    Runs(commands::runs::RunsArgs),
    /// The report of a run; default: the newest
    Report(commands::report::ReportArgs),
    /// Look at the repository, and write a commented .prfix/ for it
    Init(commands::init::InitArgs),
    /// Check the set-up, and say what to do
    Doctor(commands::doctor::DoctorArgs),
    /// See a pull request being fixed: no account, no agent, no network
    Demo(commands::demo::DemoArgs),
    /// Print shell completions
    Completions(commands::completions::CompletionsArgs),
    /// The demo's scripted agent
    #[command(hide = true)]
    DemoAgent,
}

/// Parses the process's arguments, runs the command, and says how it ended.
pub fn main() -> ExitCode {
    crate::process::conceal_memory();
    let env = Env::from_process();
    // A hook that started us names its own repository, index and quarantine: filters that gitoxide runs must not see it.
    // SAFETY: no thread was started yet.
    unsafe { Env::forget_in_process(crate::process::GIT_LOCAL_VARS) };
    let cli = match parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            if error.kind() == ErrorKind::DisplayHelp {
                commands::manual::show(&std::env::args_os().collect::<Vec<_>>());
            }
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if crate::process::watch_interrupts().is_err() {
        return ExitCode::FAILURE;
    }
    let shell = shell(&cli, env);
    let exit = dispatch(&shell, cli);
    ExitCode::from(exit.code())
}

/// Parses words as they were typed.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let matches = Cli::command().try_get_matches_from(words)?;
    Cli::from_arg_matches(&matches)
}

fn shell(cli: &Cli, env: Env) -> Shell {
    let verbosity = match (cli.global.quiet, cli.global.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let when = match cli.global.color.as_str() {
        "always" => ColorWhen::Always,
        "never" => ColorWhen::Never,
        _ => ColorWhen::Auto,
    };
    let clock = crate::clock::from_env(&env);
    let options = Options::detect(&env, when, cli.global.json, verbosity);
    let ui = Arc::new(Ui::new(options, Arc::clone(&clock)));
    trace(&env, &ui);
    Shell { env, clock, ui, global: cli.global.clone(), model: Cli::command }
}

/// `PRFIX_LOG` turns tracing on, with the filter syntax of `tracing-subscriber`.
fn trace(env: &Env, ui: &Arc<Ui>) {
    let Some(filter) = env.get("PRFIX_LOG") else { return };
    let filter = match tracing_subscriber::EnvFilter::try_new(filter) {
        Ok(filter) => filter,
        Err(error) => return ui.say(&Say::Warning(format!("`PRFIX_LOG` is not used: {error}"))),
    };
    let ui = Arc::clone(ui);
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        // Lines get the time from the screen, where they get one at all.
        .without_time()
        .with_writer(move || ui.log_writer());
    // A second initialisation cannot happen in one process.
    let _ = subscriber.try_init();
}

fn dispatch(shell: &Shell, cli: Cli) -> Exit {
    let result = match cli.command {
        None => commands::run::run(shell, cli.run),
        Some(Command::Harvest(args)) => commands::harvest::run(shell, &args),
        Some(Command::Sweep(args)) => commands::sweep::run(shell, args),
        Some(Command::Gate(args)) => commands::gate::run(shell, &args),
        Some(Command::Loop(args)) => commands::loops::run(shell, &args),
        Some(Command::Triage(args)) => commands::triage::run(shell, &args),
        Some(Command::Watch(args)) => commands::watch::run(shell, &args),
        Some(Command::Status(args)) => commands::status::run(shell, &args),
        Some(Command::Resume(args)) => commands::resume::run(shell, &args),
        Some(Command::Stop(args)) => commands::stop::run(shell, &args),
        Some(Command::Rules(command)) => commands::rules::run(shell, command),
        Some(Command::Worktree(command)) => commands::worktree::run(shell, command),
        Some(Command::Guard(command)) => commands::guard::run(shell, command),
        Some(Command::Hook(command)) => commands::hook::run(shell, command),
        Some(Command::Init(args)) => commands::init::run(shell, &args),
        Some(Command::Doctor(args)) => commands::doctor::run(shell, &args),
        Some(Command::Runs(args)) => commands::runs::run(shell, &args),
        Some(Command::Report(args)) => commands::report::run(shell, &args),
        Some(Command::Demo(args)) => commands::demo::run(shell, &args),
        Some(Command::Completions(args)) => commands::completions::run(shell, &args),
        Some(Command::DemoAgent) => commands::demo::agent(shell),
    };
    result.unwrap_or_else(|error| commands::fail(shell, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Cli {
        let all = ["git-prfix"].iter().chain(words).map(OsString::from);
        parse(all).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_model_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_bare_number_is_a_run_and_instructions_stand_after_the_dashes() {
        let cli = parsed(&["123", "--no-push", "--", "keep", "the API"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.run.prs, ["123"]);
        assert!(cli.run.no_push);
        assert_eq!(cli.run.instructions, ["keep", "the API"]);
    }

    #[test]
    fn settings_are_flags_before_and_after_the_command() {
        let cli = parsed(&[
            "--agent",
            "codex",
            "harvest",
            "7",
            "--test-command",
            "make test",
            "--test-command",
            "make e2e",
            "--json",
        ]);
        let values = &cli.global.settings.0.values;
        assert_eq!(values["agent"], ["codex"]);
        assert_eq!(values["testCommand"], ["make test", "make e2e"]);
        assert!(cli.global.json);
    }

    #[test]
    fn the_words_for_one_of_several_say_what_was_typed() {
        let flags = [
            "--no-push",
            "--no-reply",
            "--re-review",
            "--dry-run",
            "--max-items=3",
            "--allow=ci",
            "--allow=tests",
            "--allow-unverified",
            "--accept-red-baseline",
            "--no-self-review",
            "--update-base=merge",
            "--reset-state=state.json",
            "--fields=a,b",
            "--fresh",
        ];
        let typed = [&["7"], &flags[..], &["--", "keep", "--this"]].concat();
        let args = parsed(&typed).run;
        let words = args.words("7");
        let again = parsed(&words.iter().map(String::as_str).collect::<Vec<_>>()).run;
        assert_eq!(format!("{again:?}"), format!("{args:?}"));
        assert_eq!(parsed(&["7", "8", "--resume"]).run.words("8"), ["8", "--resume"]);
        // Every option of a run is among them, but those that say which runs there are.
        let model = <commands::run::RunArgs as clap::Args>::augment_args(clap::Command::new("run"));
        for name in model.get_arguments().filter_map(clap::Arg::get_long) {
            let among = flags.iter().any(|flag| flag[2..].split('=').next() == Some(name));
            assert!(among || ["mine", "resume"].contains(&name), "--{name}");
        }
    }

    #[test]
    fn resume_takes_a_run_or_nothing() {
        assert_eq!(parsed(&["--resume"]).run.resume, Some(None));
        assert_eq!(parsed(&["--resume", "pr7-x-1"]).run.resume, Some(Some("pr7-x-1".into())));
        assert_eq!(parsed(&["7"]).run.resume, None);
    }
}
