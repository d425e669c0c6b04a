//! Programs and the machine.

use std::time::Duration;

use super::Check;
use crate::agent::Strength;
use crate::env::Env;
use crate::model::command::ProjectCommand;
use crate::model::text::one_line;
use crate::process::Run;
use crate::settings::{Sandbox, Settings};

/// `git rev-parse --end-of-options`, which keeps names from being read as options, came with it.
const OLDEST_GIT: (u32, u32) = (2, 30);
/// A CLI that takes longer to tell its version is called without one.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

pub(super) fn git(env: &Env) -> Check {
    let Some(text) = version(env, "git") else {
        return Check::problem("git", "git cannot be started", "install git, and put it on PATH");
    };
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut numbers = numbers.filter_map(|part| part.parse::<u32>().ok());
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found < OLDEST_GIT {
        let (major, minor) = OLDEST_GIT;
        return Check::warning("git", text, format!("update git; {major}.{minor} is the oldest that will do"));
    }
    Check::ok("git", text)
}

/// What `<program> --version` prints first; `None` when it cannot be started or says nothing.
pub(super) fn version(env: &Env, program: &str) -> Option<String> {
    let path = which::which_in(program, env.get("PATH"), ".").ok()?;
    let run = Run::new(path).arg("--version").cwd(std::env::temp_dir()).timeout(VERSION_LIMIT).limit(64 << 10);
    let output = run.run().ok()?;
    let line = output.text().lines().find(|line| !line.trim().is_empty()).map(|line| one_line(line, 80))?;
    output.success().then_some(line)
}

/// The agent that a run would take, and the others that are installed. `known`: adapters with their programs.
pub(super) fn agents(env: &Env, settings: &Settings, known: &[(String, String)]) -> Vec<Check> {
    let installed: Vec<&(String, String)> =
        known.iter().filter(|(_, program)| which::which_in(program, env.get("PATH"), ".").is_ok()).collect();
    let versions: Vec<String> = std::thread::scope(|scope| {
        let asked = installed.iter().map(|(_, program)| scope.spawn(move || version(env, program)));
        let asked: Vec<_> = asked.collect();
        asked
            .into_iter()
            .map(|thread| thread.join().ok().flatten().unwrap_or_else(|| "version unknown".into()))
            .collect()
    });
    let mut checks = vec![chosen(env, settings, known, &installed)];
    let taken = settings.agent.as_deref().or_else(|| {
        let first = installed.first().map(|(name, _)| name.as_str());
        first.filter(|_| settings.agent_command.is_none())
    });
    checks.extend(taken.and_then(|name| super::signed_in::check(env, name)));
    if !installed.is_empty() {
        let list = installed.iter().zip(versions).map(|((name, _), version)| format!("{name} ({version})"));
        checks.push(Check::ok("installed", list.collect::<Vec<_>>().join(", ")));
    }
    checks
}

fn chosen(env: &Env, settings: &Settings, known: &[(String, String)], installed: &[&(String, String)]) -> Check {
    const CHECK: &str = "agent";
    let name = settings.agent.as_deref().or_else(|| settings.agent_command.as_ref().map(|_| "command"));
    match name {
        Some("command") => command(env, settings.agent_command.as_deref()),
        Some(name) if installed.iter().any(|(known, _)| known == name) => Check::ok(CHECK, name),
        Some(name) => match known.iter().find(|(known, _)| known == name) {
            Some((_, program)) => {
                let help = format!("install `{program}` and sign in to it, or set `prfix.agent` to another");
                Check::problem(CHECK, format!("{name} is not installed"), help)
            }
            None => {
                let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).chain(["command"]).collect();
                let help = format!("set `prfix.agent` to one of {}", names.join(", "));
                Check::problem(CHECK, format!("there is no adapter `{name}`"), help)
            }
        },
        None => match installed.first() {
            Some((name, _)) => Check::ok(CHECK, format!("{name}, the first one that is installed")),
            None => {
                let programs: Vec<&str> = known.iter().map(|(_, program)| program.as_str()).collect();
                let help = format!("install one ({}), or set `prfix.agentCommand` to your own", programs.join(", "));
                Check::problem(CHECK, "no agent CLI is installed", help)
            }
        },
    }
}

fn command(env: &Env, line: Option<&str>) -> Check {
    const CHECK: &str = "agent";
    let Some(line) = line else {
        let help = "set it: `git config prfix.agentCommand '<command>'`";
        return Check::problem(CHECK, "`prfix.agentCommand` is not set", help);
    };
    let Some(words) = ProjectCommand::parse(line) else {
        return Check::problem(CHECK, format!("`{line}` cannot be split into words"), "mend the quotes in it");
    };
    let program = words.argv.first().map_or("", String::as_str);
    if which::which_in(program, env.get("PATH"), ".").is_err() {
        let help = "install it, or mend `prfix.agentCommand`";
        return Check::problem(CHECK, format!("`{program}` cannot be started"), help);
    }
    Check::ok(CHECK, format!("command: {line}"))
}

pub(super) fn sandbox(settings: &Settings) -> Check {
    const CHECK: &str = "sandbox";
    if settings.sandbox == Sandbox::Off {
        let help = "set `prfix.sandbox` to `auto` to confine agents and gates";
        return Check::warning(CHECK, "switched off by `prfix.sandbox`", help);
    }
    let missing = "use a kernel with Landlock (Linux 6.12 has all of it), or a container";
    match Strength::here() {
        Strength::Full => Check::ok(
            CHECK,
            "agents and gates write only where they may, and cannot read credentials or signal processes outside; the network and sockets stay open",
        ),
        Strength::Weaker(why) => Check::warning(CHECK, format!("weaker than it could be: {why}"), missing),
        Strength::None(why) if settings.sandbox == Sandbox::Require => {
            let help = format!("{missing}, or set `prfix.sandbox` to `auto`");
            Check::problem(CHECK, format!("`prfix.sandbox` is `require`, but {why}"), help)
        }
        Strength::None(why) => Check::warning(CHECK, format!("none here: {why}"), missing),
    }
}
