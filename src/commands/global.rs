//! Options that every command takes, the settings among them.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};

use crate::settings::{KEYS, Source};

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// The repository; default: the one that the current folder is in
    #[arg(long, global = true, value_name = "PATH")]
    pub repo: Option<PathBuf>,
    /// One JSON document on standard output; progress on standard error
    #[arg(long, global = true)]
    pub json: bool,
    /// Never ask; a question that has no safe answer then stops the run
    #[arg(long, global = true)]
    pub yes: bool,
    /// Tell more
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Tell only warnings and the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "always", "never"])]
    pub color: String,
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// One flag for each setting, made from the table of keys.
#[derive(Debug, Clone, Default)]
pub struct SettingFlags(pub Source);

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut source = Source { name: "the command line".into(), ..Source::default() };
        for key in KEYS {
            if let Some(values) = matches.get_many::<String>(key.name) {
                source.values.insert(key.name, values.cloned().collect());
            }
        }
        Ok(Self(source))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for SettingFlags {
    fn augment_args(mut command: clap::Command) -> clap::Command {
        for key in KEYS {
            let action = if key.repeatable { clap::ArgAction::Append } else { clap::ArgAction::Set };
            let arg = clap::Arg::new(key.name)
                .long(key.flag())
                .value_name(key.value)
                .help(key.about)
                .action(action)
                .global(true)
                .hide_short_help(!matches!(key.name, "agent" | "probeModel" | "fixModel"))
                .help_heading("Settings");
            command = command.arg(arg);
        }
        command
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}
