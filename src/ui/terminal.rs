//! Where output goes: progress to standard error, documents to standard output.

use std::io::{BufRead, BufReader, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use miette::{GraphicalReportHandler, GraphicalTheme};

use super::live::Size;
use super::options::{self, Options, Verbosity};
use super::progress::Task;
use super::prompt::{Answer, Keyboard, Prompt, read_line};
use super::say::{Phase, Say, usage_sentence};
use super::screen::{LogWriter, Screen};
use super::timeline::Timeline;
use super::tone::Tone;
use super::{clean, harvest_table};
use crate::clock::Clock;
use crate::model::agent::Usage;
use crate::model::spec::Spec;
use crate::model::timeline::Span;

/// A question is asked this often before it counts as unanswered.
const ATTEMPTS: usize = 3;

pub struct Ui {
    options: Options,
    screen: Arc<Screen>,
    out: Mutex<Box<dyn Write + Send>>,
    keyboard: Keyboard,
    timeline: Arc<Timeline>,
    /// The spec was printed: what is printed next stands apart from it.
    apart: AtomicBool,
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
        let streams = Streams {
            out: Box::new(std::io::stdout()),
            err: Box::new(std::io::stderr()),
            input: Box::new(BufReader::new(std::io::stdin())),
        };
        Self::build(options, clock, streams, Box::new(options::terminal_size))
    }

    /// Talks on given streams, as to a terminal of `options.width` columns.
    pub fn with_streams(options: Options, clock: Arc<dyn Clock>, streams: Streams) -> Self {
        Self::build(options, clock, streams, Box::new(move || (options.width, 24)))
    }

    /// Prints nothing and asks nobody; what it is told to begin and end is kept for a report page all the same.
    pub fn silent(options: Options, clock: Arc<dyn Clock>) -> Self {
        let streams = Streams {
            out: Box::new(std::io::sink()),
            err: Box::new(std::io::sink()),
            input: Box::new(std::io::empty()),
        };
        Self::with_streams(Options { live: false, interactive: false, ..options }, clock, streams)
    }

    fn build(options: Options, clock: Arc<dyn Clock>, streams: Streams, size: Size) -> Self {
        let screen = if options.live && options.verbosity > Verbosity::Quiet {
            Screen::live(streams.err, size, clock, options.color.1)
        } else {
            Screen::plain(streams.err, clock, options.color.1)
        };
        let (out, keyboard) = (Mutex::new(streams.out), Arc::new(Mutex::new(streams.input)));
        Self {
            options,
            screen: Arc::new(screen),
            out,
            keyboard,
            timeline: Arc::new(Timeline::new()),
            apart: AtomicBool::new(false),
        }
    }

    pub fn options(&self) -> Options {
        self.options
    }

    /// Begins a phase.
    pub fn phase(&self, phase: Phase) {
        self.timeline.phase(phase.title());
        if self.options.verbosity > Verbosity::Quiet {
            self.screen.phase(phase.title());
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
        Task::begin(&self.screen, &self.timeline, self.options.verbosity, label)
    }

    /// When phases and tasks began and ended since this was last asked.
    pub fn take_timeline(&self) -> Vec<Span> {
        self.timeline.take()
    }

    /// Totals so far: tokens and money. Shown in the live view only; the report has the end of it.
    pub fn usage(&self, usage: &Usage) {
        self.screen.totals(&usage_sentence(usage));
    }

    /// A finished document on standard output (a table, a report, JSON).
    pub fn print(&self, document: &str) {
        let mut text =
            if self.options.json { clean::json(document) } else { clean::document(document, self.options.color.0) };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if self.apart.swap(false, Ordering::SeqCst) {
            text.insert(0, '\n');
        }
        self.screen.suspended(|| {
            let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
            // A reader that went away (`| head`) has what it wanted.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        });
    }

    /// The numbered spec on standard output. With `--json` it is part of the one document and not printed here.
    pub fn print_spec(&self, spec: &Spec) {
        if !self.options.json {
            self.print(&harvest_table(spec, self.options.width, self.options.color.0));
            self.apart.store(true, Ordering::SeqCst);
        }
    }

    /// An error in miette's form on standard error. Lines are wrapped for a terminal only: elsewhere somebody may
    /// search them.
    pub fn error(&self, report: &miette::Report) {
        let terminal = self.options.interactive || self.options.live;
        let theme = match (terminal, self.screen.color) {
            (_, true) => GraphicalTheme::unicode(),
            (true, false) => GraphicalTheme::unicode_nocolor(),
            (false, false) => GraphicalTheme::none(),
        };
        let mut text = String::new();
        // Addresses, names and time stamps stay whole.
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(self.options.width)
            .with_wrap_lines(terminal)
            .with_break_words(false)
            .with_word_separator(textwrap::WordSeparator::AsciiSpace)
            .with_word_splitter(textwrap::WordSplitter::NoHyphenation);
        if handler.render_report(&mut text, report.as_ref()).is_err() {
            text = format!("{report:?}");
        }
        let text = clean::document(text.trim_end(), self.screen.color);
        self.screen.suspended(|| self.screen.write(&format!("{text}\n")));
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
