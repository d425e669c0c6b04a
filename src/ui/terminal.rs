//! Where output goes: progress to standard error, documents to standard output.

use std::io::{BufRead, BufReader, Write};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::ProgressDrawTarget;
use miette::{GraphicalReportHandler, GraphicalTheme};

use super::clean;
use super::options::{Options, Verbosity};
use super::progress::Task;
use super::prompt::{Answer, Keyboard, Prompt, read_line};
use super::say::{Phase, Say};
use super::screen::{LogWriter, Screen};
use super::tone::Tone;
use crate::clock::Clock;
use crate::model::agent::Usage;

/// A question is asked this often before it counts as unanswered.
const ATTEMPTS: usize = 3;

pub struct Ui {
    options: Options,
    screen: Arc<Screen>,
    out: Mutex<Box<dyn Write + Send>>,
    keyboard: Keyboard,
}

/// The three streams, when they are not the process's own.
pub struct Streams {
    pub out: Box<dyn Write + Send>,
    pub err: Box<dyn Write + Send>,
    pub input: Box<dyn BufRead + Send>,
}

impl Ui {
    /// Talks on the process's own streams.
    pub fn new(options: Options, clock: Arc<dyn Clock>) -> Self {
        let screen = if options.live {
            Screen::live(ProgressDrawTarget::stderr(), clock, options.color.1)
        } else {
            Screen::plain(Box::new(std::io::stderr()), clock, options.color.1)
        };
        Self::build(options, screen, Box::new(std::io::stdout()), Box::new(BufReader::new(std::io::stdin())))
    }

    /// Talks on given streams, without a live view.
    pub fn with_streams(options: Options, clock: Arc<dyn Clock>, streams: Streams) -> Self {
        let screen = Screen::plain(streams.err, clock, options.color.1);
        Self::build(options, screen, streams.out, streams.input)
    }

    fn build(options: Options, screen: Screen, out: Box<dyn Write + Send>, input: Box<dyn BufRead + Send>) -> Self {
        Self { options, screen: Arc::new(screen), out: Mutex::new(out), keyboard: Arc::new(Mutex::new(input)) }
    }

    pub fn options(&self) -> Options {
        self.options
    }

    /// Begins a phase.
    pub fn phase(&self, phase: Phase) {
        if self.options.verbosity > Verbosity::Quiet {
            self.screen.line(&Tone::Strong.paint(phase.title(), self.screen.color));
        }
    }

    pub fn say(&self, sentence: &Say) {
        let color = self.screen.color;
        match sentence {
            Say::Warning(text) => {
                let text = clean::line(text, 4000);
                self.screen.line(&format!("  {} {text}", Tone::Attention.paint("warning:", color)));
            }
            Say::Note(text) if self.options.verbosity > Verbosity::Quiet => {
                self.screen.line(&format!("  {}", clean::line(text, 4000)));
            }
            Say::Detail(text) if self.options.verbosity == Verbosity::Verbose => {
                self.screen.line(&format!("  {}", Tone::Faint.paint(&clean::line(text, 4000), color)));
            }
            Say::Note(_) | Say::Detail(_) => {}
        }
    }

    /// Something that takes a while (a probe, the fix agent, a gate): shown with its elapsed time until finished.
    pub fn task(&self, label: &str) -> Task {
        Task::begin(&self.screen, self.options.verbosity, label)
    }

    /// Totals so far: tokens and money. Shown in the live view only; the report has the end of it.
    pub fn usage(&self, usage: &Usage) {
        self.screen.totals(usage);
    }

    /// A finished document on standard output (a table, a report, JSON).
    pub fn print(&self, document: &str) {
        let mut text =
            if self.options.json { clean::json(document) } else { clean::document(document, self.options.color.0) };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        self.screen.suspended(|| {
            let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
            // A reader that went away (`| head`) has what it wanted.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        });
    }

    /// An error in miette's form on standard error.
    pub fn error(&self, report: &miette::Report) {
        let theme = match (self.options.interactive || self.options.live, self.screen.color) {
            (_, true) => GraphicalTheme::unicode(),
            (true, false) => GraphicalTheme::unicode_nocolor(),
            (false, false) => GraphicalTheme::none(),
        };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(self.options.width);
        if handler.render_report(&mut text, report.as_ref()).is_err() {
            text = format!("{report:?}");
        }
        self.screen.aside(&format!("{}\n", clean::document(text.trim_end(), self.screen.color)));
    }

    /// Asks a person; `None` when there is no terminal to ask on, when the input ends, and after three answers that
    /// fit no choice.
    pub fn ask(&self, prompt: &Prompt) -> Option<Answer> {
        if !self.options.interactive || prompt.choices.is_empty() {
            return None;
        }
        self.screen.suspended(|| {
            self.screen.write(&prompt.text(self.screen.color));
            for _ in 0..ATTEMPTS {
                self.screen.write(&prompt.ask_line());
                if let Some(answer) = prompt.choose(&read_line(&self.keyboard)?) {
                    return Some(answer);
                }
            }
            None
        })
    }

    /// Where log lines (`PRFIX_LOG`) go, so that they do not tear the live view.
    pub fn log_writer(&self) -> LogWriter {
        LogWriter::new(&self.screen)
    }
}
