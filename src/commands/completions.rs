//! `git prfix completions <shell>`.

use clap::{Args, CommandFactory};

use super::{CommandResult, Exit, Shell};

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

pub fn run(shell: &Shell, args: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::cli::Cli::command(), "git-prfix", &mut script);
    shell.ui.print(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Done)
}
