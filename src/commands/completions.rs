//! `git prfix completions <shell>`.

use clap::Args;
use clap_complete::Shell as Dialect;

use super::{CommandResult, Exit, Shell};

/// The name that the bash script is generated for: with a dash in it, the generator names the functions of commands
/// and those that it calls differently, and nothing below the first word is completed.
const BASH_NAME: &str = "gitprfix";

/// git's own completion in bash calls a function of this name for the words `git prfix …`; the generated one wants to
/// see them as it does those of `git-prfix …`.
const BASH_FOR_GIT: &str = r#"
_git_prfix() {
    COMP_WORDS=(git-prfix "${COMP_WORDS[@]:2}")
    ((COMP_CWORD -= 1))
    _gitprfix git-prfix "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}
"#;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Dialect,
}

pub fn run(shell: &Shell, args: &CompletionsArgs) -> CommandResult {
    let text = match args.shell {
        Dialect::Bash => {
            let script = generate(shell, Dialect::Bash, BASH_NAME);
            script.replace(&format!(" -o default {BASH_NAME}\n"), " -o default git-prfix\n") + BASH_FOR_GIT
        }
        dialect => generate(shell, dialect, "git-prfix"),
    };
    shell.ui.print(text.trim_end());
    Ok(Exit::Done)
}

fn generate(shell: &Shell, dialect: Dialect, name: &'static str) -> String {
    // Not "git prfix", the name that help shows: the generators make words of it.
    let mut command = (shell.model)().bin_name(name);
    let mut script = Vec::new();
    clap_complete::generate(dialect, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
