//! Where output goes: progress to standard error, documents to standard output.

use std::sync::Arc;

use super::progress::Task;
use super::prompt::{Answer, Prompt};
use super::say::{Phase, Say};
use crate::clock::Clock;
use crate::model::agent::Usage;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    Quiet,
    Normal,
    Verbose,
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

pub struct Ui {
    options: Options,
    clock: Arc<dyn Clock>,
}

impl Ui {
    pub fn new(options: Options, clock: Arc<dyn Clock>) -> Self {
        Self { options, clock }
    }
    pub fn options(&self) -> Options {
        self.options
    }
    /// Begins a phase.
    pub fn phase(&self, phase: Phase) {
        todo!()
    }
    pub fn say(&self, sentence: &Say) {
        todo!()
    }
    /// Something that takes a while (a probe, the fix agent, a gate): shown with its elapsed time until finished.
    pub fn task(&self, label: &str) -> Task {
        todo!()
    }
    /// Totals so far: tokens and money.
    pub fn usage(&self, usage: &Usage) {
        todo!()
    }
    /// A finished document on standard output (a table, a report, JSON).
    pub fn print(&self, document: &str) {
        todo!()
    }
    /// An error in miette's form on standard error.
    pub fn error(&self, report: &miette::Report) {
        todo!()
    }
    /// Asks a person; `None` when there is no terminal to ask on.
    pub fn ask(&self, prompt: &Prompt) -> Option<Answer> {
        todo!()
    }
}
