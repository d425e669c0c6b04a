//! `git prfix demo`: one whole run to watch, with nothing but git.

use std::io::Read;
use std::sync::Arc;

use clap::Args;

use super::{CommandResult, Exit, Shell};
use crate::demo::{Scene, scene};
use crate::model::repo::PrArgument;
use crate::model::text::one_line;
use crate::pipeline::RunOptions;
use crate::settings::Source;
use crate::ui::Say;
use crate::world::World;

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Leave the folder in place to look at
    #[arg(long)]
    pub keep: bool,
}

pub fn run(shell: &Shell, args: &DemoArgs) -> CommandResult {
    let dir = tempfile::Builder::new().prefix("git-prfix-demo-").tempdir().map_err(|error| {
        miette::miette!(help = "check TMPDIR and the free space there", "the demo has no folder: {error}")
    })?;
    let Scene { repo, remote, transport, github, number, settings, env } = scene(dir.path(), &shell.env)?;
    introduce(shell, number);
    let pairs = settings.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let flags = Source::from_pairs("the demo", pairs)?;
    let world = World::open(&repo, env, flags, Arc::clone(&shell.ui), Arc::clone(&shell.clock))?;
    let options = RunOptions::default();
    let exit = super::run::execute(shell, &world, &PrArgument::Number(number), &options, Some(transport))?;
    drop(world);
    if !shell.global.json {
        shell.ui.print(&aftermath(&github, shell.ui.options().width));
    }
    if args.keep {
        let kept = dir.keep();
        shell.ui.say(&Say::Note(format!(
            "kept in {}: the clone {}, the remote {}",
            kept.display(),
            repo.display(),
            remote.display()
        )));
    }
    Ok(exit)
}

fn introduce(shell: &Shell, number: u64) {
    for line in [
        format!("a made-up project; pull request #{number} has a reviewed bug and a red check"),
        "the program and git are the real ones; GitHub and the agent are embedded".to_owned(),
        format!("$ git prfix {number}"),
    ] {
        shell.ui.say(&Say::Note(line));
    }
}

/// What stands on the pull request now.
fn aftermath(github: &crate::demo::github::DemoGithub, width: usize) -> String {
    let said = |comment: &crate::demo::Comment| said(comment, width);
    let mut lines = vec![String::new(), "on the pull request now:".to_owned()];
    for thread in github.threads() {
        let state = if thread.resolved { "resolved" } else { "open" };
        lines.push(format!("  {}:{} [{state}]", thread.path, thread.line));
        lines.extend(thread.comments.iter().map(&said));
    }
    lines.push("  conversation".to_owned());
    lines.extend(github.conversation().iter().map(&said));
    lines.join("\n")
}

fn said(comment: &crate::demo::Comment, width: usize) -> String {
    let text = crate::model::text::for_prompt(&comment.body);
    one_line(&format!("{}: {text}", comment.author), width.saturating_sub(4)).replacen("", "    ", 1)
}

/// The scripted agent: a call as any agent CLI gets it.
pub fn agent(shell: &Shell) -> CommandResult {
    let mut prompt = String::new();
    std::io::stdin().read_to_string(&mut prompt).map_err(|error| {
        miette::miette!(help = "this command is started by `git prfix demo` only", "no prompt: {error}")
    })?;
    shell.ui.print(&crate::demo::agent::run(&prompt, &shell.env)?);
    Ok(Exit::Done)
}
