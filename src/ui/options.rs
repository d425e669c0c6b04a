//! How to talk: decided once, from flags, the environment and what the streams are.

use std::io::IsTerminal;

use crate::env::Env;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// The value of `--color`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// One JSON document on standard output; progress stays on standard error.
    pub json: bool,
    pub verbosity: Verbosity,
    /// Colour on standard output, and on standard error.
    pub color: (bool, bool),
    /// Standard error is a terminal: live view.
    pub live: bool,
    /// Standard input and error are terminals: questions may be asked.
    pub interactive: bool,
    /// Columns of the terminal, 80 without one.
    pub width: usize,
}

impl Options {
    /// Asks the process's own streams, and the environment: `NO_COLOR` (no-color.org),
    /// `CLICOLOR_FORCE` and `CLICOLOR` (bixense.com/clicolors), `TERM`, `COLUMNS`.
    pub fn detect(env: &Env, when: ColorWhen, json: bool, verbosity: Verbosity) -> Self {
        let (input, output, error) =
            (std::io::stdin().is_terminal(), std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
        let able = env.get("TERM") != Some("dumb");
        Self {
            json,
            verbosity,
            color: (wants_color(env, when, output), wants_color(env, when, error)),
            live: error && able && verbosity > Verbosity::Quiet,
            interactive: input && error,
            width: columns(env),
        }
    }
}

/// A flag wins over the environment, which wins over what the stream is.
fn wants_color(env: &Env, when: ColorWhen, terminal: bool) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if env.get("NO_COLOR").is_some() => false,
        ColorWhen::Auto if env.get("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorWhen::Auto => terminal && env.get("CLICOLOR") != Some("0") && env.get("TERM") != Some("dumb"),
    }
}

fn columns(env: &Env) -> usize {
    let asked = [rustix::termios::tcgetwinsize(std::io::stdout()), rustix::termios::tcgetwinsize(std::io::stderr())];
    let terminal = asked.into_iter().flatten().map(|size| usize::from(size.ws_col)).find(|columns| *columns > 0);
    terminal.or_else(|| env.get("COLUMNS")?.parse().ok()).unwrap_or(80).clamp(40, 400)
}

/// Columns and rows of the terminal that standard error is, at this moment.
pub(super) fn terminal_size() -> (usize, usize) {
    rustix::termios::tcgetwinsize(std::io::stderr())
        .ok()
        .filter(|size| size.ws_col > 0 && size.ws_row > 0)
        .map_or((80, 24), |size| (size.ws_col.into(), size.ws_row.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_follows_the_flag_then_the_environment_then_the_stream() {
        let env = |pairs: &[(&str, &str)]| Env::from_pairs(pairs.iter().copied());
        assert!(wants_color(&env(&[]), ColorWhen::Auto, true));
        assert!(!wants_color(&env(&[]), ColorWhen::Auto, false));
        assert!(!wants_color(&env(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), ColorWhen::Auto, true));
        assert!(wants_color(&env(&[("NO_COLOR", "1")]), ColorWhen::Always, false));
        assert!(wants_color(&env(&[("CLICOLOR_FORCE", "1")]), ColorWhen::Auto, false));
        assert!(!wants_color(&env(&[("CLICOLOR_FORCE", "0")]), ColorWhen::Auto, false));
        assert!(!wants_color(&env(&[("TERM", "dumb")]), ColorWhen::Auto, true));
        assert!(!wants_color(&env(&[("CLICOLOR", "0")]), ColorWhen::Auto, true));
        assert!(!wants_color(&env(&[]), ColorWhen::Never, true));
    }
}
