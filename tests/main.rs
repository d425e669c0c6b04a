//! The one test binary: `support` has the bench and the simulators, the others are a folder a topic.

mod agent;
mod git;
mod github;
mod rules;
mod run;
mod support;
mod ui;
