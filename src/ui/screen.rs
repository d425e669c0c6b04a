//! Standard error, shared by everything that reports progress from any thread.
//!
//! On a terminal, running tasks are drawn below the finished lines and redrawn in place; elsewhere
//! every line is finished at once and bears the time of day.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use super::clean;
use super::live::{Live, Row, Size};
use super::tone::Tone;
use crate::clock::Clock;

pub(super) struct Screen {
    view: View,
    clock: Arc<dyn Clock>,
    pub(super) color: bool,
}

enum View {
    Plain(Mutex<Box<dyn Write + Send>>),
    Live(Live),
}

impl Screen {
    /// Plain lines with time stamps.
    pub(super) fn plain(err: Box<dyn Write + Send>, clock: Arc<dyn Clock>, color: bool) -> Self {
        Self { view: View::Plain(Mutex::new(err)), clock, color }
    }

    /// A live view, with the finished lines above it.
    pub(super) fn live(err: Box<dyn Write + Send>, size: Size, clock: Arc<dyn Clock>, color: bool) -> Self {
        Self { view: View::Live(Live::new(err, size, Arc::clone(&clock), color)), clock, color }
    }

    /// One finished line, cleaned already.
    pub(super) fn line(&self, text: &str) {
        match &self.view {
            View::Live(live) => live.print(text),
            View::Plain(_) => {
                let time = self.clock.now().strftime("%H:%M:%S").to_string();
                self.write(&format!("{} {text}\n", Tone::Faint.paint(&time, self.color)));
            }
        }
    }

    /// Takes the live view away while something else owns the terminal.
    pub(super) fn suspended<T>(&self, owner: impl FnOnce() -> T) -> T {
        match &self.view {
            View::Live(live) => live.suspended(owner),
            View::Plain(_) => owner(),
        }
    }

    /// Raw, for the time of [`Screen::suspended`].
    pub(super) fn write(&self, text: &str) {
        match &self.view {
            View::Live(live) => live.write(text),
            View::Plain(err) => {
                let mut err = err.lock().unwrap_or_else(PoisonError::into_inner);
                // A reader that went away (a closed pipe) must not end the run.
                let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
            }
        }
    }

    /// A redrawn line for a task; `None` without a live view.
    pub(super) fn begin(&self, label: &str) -> Option<Row> {
        match &self.view {
            View::Live(live) => Some(live.begin(label)),
            View::Plain(_) => None,
        }
    }

    pub(super) fn stream(&self, row: Row, line: &str) {
        if let View::Live(live) = &self.view {
            live.stream(row, line);
        }
    }

    /// The task's finished line, in the place of its redrawn one.
    pub(super) fn end(&self, row: Option<Row>, finished: &str) {
        match (&self.view, row) {
            (View::Live(live), Some(row)) => live.end(row, finished),
            _ => self.line(finished),
        }
    }

    /// A phase begins, with its line.
    pub(super) fn phase(&self, title: &str) {
        if let View::Live(live) = &self.view {
            live.phase(title);
        }
        self.line(&Tone::Strong.paint(title, self.color));
    }

    pub(super) fn totals(&self, text: &str) {
        if let View::Live(live) = &self.view {
            live.totals(text);
        }
    }

    pub(super) fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    /// Seconds since `start`, by the run's clock.
    pub(super) fn elapsed(&self, start: jiff::Timestamp) -> f64 {
        self.clock.now().duration_since(start).as_secs_f64().max(0.0)
    }
}

/// A writer for log lines (`PRFIX_LOG`) that keeps them apart from the live view.
#[derive(Clone)]
pub struct LogWriter {
    screen: Arc<Screen>,
    line: Vec<u8>,
}

impl LogWriter {
    pub(super) fn new(screen: &Arc<Screen>) -> Self {
        Self { screen: Arc::clone(screen), line: Vec::new() }
    }
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for byte in bytes {
            match byte {
                b'\n' => self.flush()?,
                byte => self.line.push(*byte),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.screen.line(&clean::line(&String::from_utf8_lossy(&line), 4000));
        }
        Ok(())
    }
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
