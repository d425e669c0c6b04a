//! `git prfix`: from a pull request's feedback to a pushed, verified, answered fix.
//!
//! The map, from the outside in; a module may use those after it, never those before:
//!
//! - `cli`, `commands`: what can be typed, one file a command;
//! - `pipeline`: the phases of a run in order; `watch`: rounds over time; `world`, `settings`:
//!   everything a run works with, built once;
//! - [`policy`]: pure decisions; [`rules`]: the Lua host; [`github`], [`agent`], [`git`], [`state`],
//!   [`ui`]: the adapters, which never use one another;
//! - [`process`], [`mod@env`], [`clock`]: the only doors to children, environment and time; [`model`]: data.

pub mod agent;
pub mod cli;
pub mod clock;
pub mod commands;
pub mod demo;
pub mod env;
pub mod git;
pub mod github;
pub mod model;
pub mod pipeline;
pub mod policy;
pub mod process;
pub mod rules;
pub mod settings;
pub mod state;
pub mod ui;
pub mod watch;
pub mod world;
