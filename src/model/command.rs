//! A command of the project: words, never a shell line.

use serde::{Deserialize, Serialize};

/// Words and the folder to run them in, relative to the root of the checkout (empty: the root).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProjectCommand {
    pub argv: Vec<String>,
    #[serde(default)]
    pub cwd: String,
}

impl ProjectCommand {
    pub fn new(argv: &[&str]) -> Self {
        Self { argv: argv.iter().map(|word| (*word).to_owned()).collect(), cwd: String::new() }
    }

    /// Splits a configured line as a shell would; unbalanced quotes and empty lines are `None`.
    pub fn parse(line: &str) -> Option<Self> {
        let argv = shlex::split(line)?;
        (!argv.is_empty()).then_some(Self { argv, cwd: String::new() })
    }
}

impl std::fmt::Display for ProjectCommand {
    /// As one would type it, with the folder in front when it is not the root.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.cwd.is_empty() {
            write!(f, "({}) ", self.cwd)?;
        }
        f.write_str(&shlex::try_join(self.argv.iter().map(String::as_str)).unwrap_or_else(|_| self.argv.join(" ")))
    }
}

/// What the rules found out about setting up and checking a checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectCommands {
    pub setup: Vec<ProjectCommand>,
    pub test: Vec<ProjectCommand>,
    pub lint: Vec<ProjectCommand>,
    /// The narrowest checks for the touched files.
    pub narrow: Vec<ProjectCommand>,
    /// Which rules said so.
    pub rule: String,
}
