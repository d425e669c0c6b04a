//! Standard error, shared by everything that reports progress from any thread.
//!
//! On a terminal, running tasks are drawn below the finished lines and redrawn in place; elsewhere
//! every line is finished at once and bears the time of day.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tone::Tone;
use super::{clean, say};
use crate::clock::Clock;
use crate::model::agent::Usage;

pub(super) struct Screen {
    err: Mutex<Box<dyn Write + Send>>,
    live: Option<Live>,
    clock: Arc<dyn Clock>,
    pub(super) color: bool,
}

/// The part of a terminal that is redrawn: a line a task, and the totals last.
struct Live {
    tasks: MultiProgress,
    totals: ProgressBar,
}

impl Screen {
    /// Plain lines with time stamps.
    pub(super) fn plain(err: Box<dyn Write + Send>, clock: Arc<dyn Clock>, color: bool) -> Self {
        Self { err: Mutex::new(err), live: None, clock, color }
    }

    /// A live view on `target`, with the finished lines above it.
    pub(super) fn live(target: ProgressDrawTarget, clock: Arc<dyn Clock>, color: bool) -> Self {
        let tasks = MultiProgress::with_draw_target(target);
        let totals = tasks.add(ProgressBar::no_length().with_style(style("{wide_msg}")));
        Self { err: Mutex::new(Box::new(std::io::stderr())), live: Some(Live { tasks, totals }), clock, color }
    }

    /// One finished line, cleaned already.
    pub(super) fn line(&self, text: &str) {
        match &self.live {
            Some(live) if !live.tasks.is_hidden() => drop(live.tasks.println(text)),
            Some(_) => self.write(&format!("{text}\n")),
            None => {
                let time = self.clock.now().strftime("%H:%M:%S").to_string();
                self.write(&format!("{} {text}\n", Tone::Faint.paint(&time, self.color)));
            }
        }
    }

    /// Text without a time stamp (an error, a question), with the live view out of the way.
    pub(super) fn aside(&self, text: &str) {
        self.suspended(|| self.write(text));
    }

    /// Takes the live view away while something else owns the terminal.
    pub(super) fn suspended<T>(&self, owner: impl FnOnce() -> T) -> T {
        match &self.live {
            Some(live) => live.tasks.suspend(owner),
            None => owner(),
        }
    }

    /// Raw, for the time of [`Screen::suspended`]. A reader that went away (a closed pipe) must not end the run.
    pub(super) fn write(&self, text: &str) {
        let mut err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// A redrawn line for a task; `None` without a live view.
    pub(super) fn begin(&self, label: &str) -> Option<ProgressBar> {
        let live = self.live.as_ref()?;
        let bar = ProgressBar::no_length().with_style(style("  {spinner} {prefix}  {elapsed}  {wide_msg}"));
        let bar = live.tasks.insert_before(&live.totals, bar);
        bar.set_prefix(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Some(bar)
    }

    pub(super) fn totals(&self, usage: &Usage) {
        if let Some(live) = &self.live {
            live.totals.set_message(Tone::Faint.paint(&format!("  {}", say::usage_sentence(usage)), self.color));
        }
    }

    /// Seconds since `start`, by the run's clock.
    pub(super) fn elapsed(&self, start: jiff::Timestamp) -> f64 {
        self.clock.now().duration_since(start).as_secs_f64().max(0.0)
    }

    pub(super) fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Some(live) = &self.live {
            live.totals.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("a constant template")
        .tick_strings(&["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", "·"])
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
