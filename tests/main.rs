//! The one test binary: `support` has the bench and the simulators, the others are a folder a topic.
#![allow(clippy::disallowed_methods)]

mod agent;
mod commands;
mod faults;
mod git;
mod github;
mod project;
mod rules;
mod run;
mod support;
mod ui;
mod watch;
