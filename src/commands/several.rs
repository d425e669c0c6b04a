//! Several pull requests side by side. Each is a run in a process of its own, with its own worktree and record, so that
//! nothing that happens to one reaches another.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::run::RunArgs;
use super::{CommandResult, Exit, Shell, stopped};
use crate::model::repo::PrArgument;
use crate::model::reports::{Entry, SCHEMA};
use crate::model::watch::Memory;
use crate::pipeline::{self, Stop};
use crate::process::{Ended, Run};
use crate::ui::{Say, several_table};
use crate::world::World;

/// A run has limits of its own for whatever it does.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
/// For a run to end its own children in order, and to write down where it was.
const GRACE: Duration = Duration::from_secs(15);

/// Runs what `words` says for each pull request, at most `prfix.jobs` at a time.
pub fn run(shell: &Shell, args: &RunArgs, words: impl Fn(&str) -> Vec<String> + Sync) -> CommandResult {
    let world = shell.world()?;
    let prs = if args.mine { mine(shell, &world) } else { Ok(once_each(&args.prs)) };
    let prs = match prs {
        Ok(prs) => prs,
        Err(stop) => return stopped(shell, stop),
    };
    let jobs = world.settings(None)?.jobs.min(prs.len());
    let begun = prs.iter().take_while(|_| !crate::process::interrupted());
    let entries: Vec<Entry> = crate::process::each(begun, jobs, |pr| one(shell, pr, &words(pr)));
    show(shell, &entries)?;
    Ok(if crate::process::interrupted() { Exit::Interrupted } else { worst(&entries) })
}

fn once_each(typed: &[String]) -> Vec<String> {
    let mut prs: Vec<String> = Vec::new();
    for pr in typed {
        if !prs.contains(pr) {
            prs.push(pr.clone());
        }
    }
    prs
}

/// The viewer's open pull requests on which a run would find something to do.
fn mine(shell: &Shell, world: &World) -> Result<Vec<String>, Stop> {
    let all = pipeline::mine(world)?;
    let mut prs = Vec::new();
    for number in &all {
        let look = pipeline::look(world, &PrArgument::Number(*number), &Memory::default(), None);
        match look {
            Ok(look) if look.spec.items.is_empty() => {
                shell.ui.say(&Say::Note(format!("#{number}: nothing to do")));
            }
            // Its own run says what is wrong with it.
            Ok(_) | Err(Stop::Fault(_) | Stop::Blocked { .. }) => prs.push(number.to_string()),
            Err(stop) => return Err(stop),
        }
    }
    if all.is_empty() {
        shell.ui.say(&Say::Note("you have no open pull request in this repository".to_owned()));
    }
    Ok(prs)
}

/// One run to its end; what it says is told with the pull request in front.
fn one(shell: &Shell, pr: &str, words: &[String]) -> Entry {
    let label = if pr.bytes().all(|b| b.is_ascii_digit()) { format!("#{pr}") } else { pr.to_owned() };
    let failed = |why: String| {
        shell.ui.say(&Say::Warning(format!("{label}: {why}")));
        Entry { argument: pr.to_owned(), exit: Exit::Fault.code(), report: None }
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return failed(format!("the program's own file is not known: {error}")),
    };
    let task = Arc::new(shell.ui.task(&label));
    let (ui, shown, name) = (Arc::clone(&shell.ui), Arc::clone(&task), label.clone());
    let run =
        Run::new(program).args(globals(shell)).args(words).leave_helpers().timeout(LONGEST).grace(GRACE).on_error_line(
            move |line| {
                let line = without_time(line.trim_end());
                if line.is_empty() {
                    return;
                }
                shown.line(line);
                ui.say(&match line.strip_prefix("warning: ") {
                    Some(warning) => Say::Warning(format!("{name}: {warning}")),
                    None => Say::Note(format!("{name}: {line}")),
                });
            },
        );
    match run.run() {
        Ok(output) => {
            let exit = match output.ended {
                Ended::Exited(code) => u8::try_from(code).unwrap_or(Exit::Fault.code()),
                Ended::Interrupted => Exit::Interrupted.code(),
                Ended::Signaled(_) | Ended::TimedOut => Exit::Fault.code(),
            };
            let entry = Entry { argument: pr.to_owned(), exit, report: serde_json::from_slice(&output.stdout).ok() };
            task.end(&entry.outcome());
            entry
        }
        Err(error) => failed(error.to_string()),
    }
}

/// The options that every command takes, for a child that nobody reads along with.
fn globals(shell: &Shell) -> Vec<String> {
    let global = &shell.global;
    let mut words = vec!["--json".to_owned(), "--color=never".to_owned()];
    words.extend(global.repo.iter().map(|repo| format!("--repo={}", repo.display())));
    words.extend(global.yes.then(|| "--yes".to_owned()));
    words.extend(global.verbose.then(|| "--verbose".to_owned()));
    words.extend(global.quiet.then(|| "--quiet".to_owned()));
    words.extend(global.settings.0.flags());
    words
}

/// A line as it would have been said here, where it gets a time of its own.
fn without_time(line: &str) -> &str {
    let stamp = |text: &str| text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit() || b == b':');
    match line.split_once(' ') {
        Some((time, rest)) if stamp(time) => rest.trim_start(),
        _ => line,
    }
}

fn show(shell: &Shell, entries: &[Entry]) -> Result<(), miette::Report> {
    if shell.global.json {
        return shell.print_json(&json!({"schema": SCHEMA, "reports": entries}));
    }
    if !entries.is_empty() {
        let options = shell.ui.options();
        shell.ui.print(&several_table(entries, options.width, options.color.0));
    }
    Ok(())
}

/// A fault of the program or the system before a wrong use, before what needs a person.
fn worst(entries: &[Entry]) -> Exit {
    let any = |exit: Exit| entries.iter().any(|entry| entry.exit == exit.code());
    let known = [Exit::Interrupted, Exit::Fault, Exit::Usage, Exit::Blocked, Exit::NotConverged];
    known.into_iter().find(|exit| any(*exit)).unwrap_or(Exit::Done)
}
