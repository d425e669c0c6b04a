//! `git prfix doctor`: what a run needs, checked one by one, each with what to do. Writes nothing, starts no agent on
//! any work, and with `--offline` asks nobody.

mod github;
mod project;
mod signed_in;
mod system;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::local::{self, LocalTeam};
use super::{CommandResult, Exit, Shell};
use crate::settings::Settings;
use crate::world::World;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Leave out what needs the network
    #[arg(long)]
    pub offline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Ok,
    /// A run is possible, with less than it could have.
    Warning,
    /// A run is not possible.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    check: &'static str,
    state: State,
    found: String,
    /// What to do.
    help: Option<String>,
}

impl Check {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: State::Ok, found: found.into(), help: None }
    }

    fn warning(check: &'static str, found: impl Into<String>, help: impl Into<String>) -> Self {
        Self { check, state: State::Warning, found: found.into(), help: Some(help.into()) }
    }

    fn problem(check: &'static str, found: impl Into<String>, help: impl Into<String>) -> Self {
        Self { check, state: State::Problem, found: found.into(), help: Some(help.into()) }
    }

    fn failed(check: &'static str, error: &miette::Report) -> Self {
        let help = error.help().map(|help| help.to_string());
        Self { check, state: State::Problem, found: error.to_string(), help }
    }
}

pub fn run(shell: &Shell, args: &DoctorArgs) -> CommandResult {
    let mut checks = vec![system::git(&shell.env)];
    match shell.world() {
        Ok(world) => with_repository(&world, args, &mut checks),
        Err(error) => checks.push(Check::failed("repository", &error)),
    }
    let broken = checks.iter().filter(|check| check.state == State::Problem).count();
    if shell.global.json {
        shell.print_json(&json!({"ok": broken == 0, "checks": checks}))?;
    } else {
        print_table(shell, &checks);
        shell.ui.print(&match broken {
            0 => "ready: `git prfix <number>` works on a pull request".to_owned(),
            1 => "1 problem makes a run impossible".to_owned(),
            several => format!("{several} problems make a run impossible"),
        });
    }
    Ok(if broken == 0 { Exit::Done } else { Exit::Usage })
}

fn with_repository(world: &World, args: &DoctorArgs, checks: &mut Vec<Check>) {
    let team = match local::team(world, None) {
        Ok(team) => team,
        Err(error) => {
            checks.push(Check::failed("team files", &error));
            LocalTeam::default()
        }
    };
    let settings = team.settings(world);
    checks.push(project::settings(&team, settings.as_ref().err()));
    let rules = team.rules(world);
    checks.extend(project::rules(&team, &rules));
    // What a broken file says cannot be known; the rest can still be looked at.
    let Ok(settings) = settings.or_else(|_| Settings::resolve(&[])) else { return };
    checks.extend(github::checks(world, &settings, args.offline));
    if let Ok(rules) = &rules {
        checks.extend(system::agents(&world.env, &settings, &rules.agents()));
    }
    checks.push(system::sandbox(&settings));
    checks.push(project::hook(world));
    checks.extend(project::worktrees(world, &settings));
}

fn print_table(shell: &Shell, checks: &[Check]) {
    let rows: Vec<Vec<String>> = checks
        .iter()
        .map(|check| {
            let state = match check.state {
                State::Ok => "ok",
                State::Warning => "warning",
                State::Problem => "problem",
            };
            let help = check.help.as_ref().map(|help| format!("\n-> {help}")).unwrap_or_default();
            vec![state.to_owned(), check.check.to_owned(), format!("{}{help}", check.found)]
        })
        .collect();
    shell.print_table(&["state", "check", "found"], &rows);
}
