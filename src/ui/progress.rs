//! Running tasks: a live view on a terminal, plain lines elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::live::Row;
use super::screen::Screen;
use super::timeline::Timeline;
use super::tone::Tone;
use super::{Verbosity, clean, say};

/// A handle to something that runs. Dropping it without [`Task::finish`] ends it as stopped.
pub struct Task {
    screen: Arc<Screen>,
    timeline: Arc<Timeline>,
    since: Instant,
    verbosity: Verbosity,
    label: String,
    started: jiff::Timestamp,
    row: Option<Row>,
    ended: AtomicBool,
}

impl Task {
    pub(super) fn begin(screen: &Arc<Screen>, timeline: &Arc<Timeline>, verbosity: Verbosity, label: &str) -> Self {
        let label = clean::line(label, 100);
        let row = screen.begin(&label);
        if row.is_none() && verbosity > Verbosity::Quiet {
            screen.line(&format!("  {label}: started"));
        }
        Self {
            screen: Arc::clone(screen),
            timeline: Arc::clone(timeline),
            since: Instant::now(),
            verbosity,
            label,
            started: screen.now(),
            row,
            ended: AtomicBool::new(false),
        }
    }

    /// The last line of what is streaming, cleaned before it is shown. With `-v` each one is kept.
    pub fn line(&self, text: &str) {
        let text = clean::line(text, 400);
        if text.is_empty() {
            return;
        }
        if self.verbosity == Verbosity::Verbose {
            self.screen.line(&Tone::Faint.paint(&format!("  {} | {text}", self.label), self.screen.color));
        }
        if let Some(row) = self.row {
            self.screen.stream(row, &text);
        }
    }

    /// Ended in order, with what came of it in a few words.
    pub fn finish(self, outcome: &str) {
        self.close(outcome, Tone::Plain);
    }

    /// As [`Task::finish`], for a task that is shared with what streams into it. Only the first end counts.
    pub fn end(&self, outcome: &str) {
        self.close(outcome, Tone::Plain);
    }

    /// Ended badly, with what went wrong in a few words. Only the first end counts.
    pub fn fail(&self, outcome: &str) {
        self.close(outcome, Tone::Bad);
    }

    fn close(&self, outcome: &str, tone: Tone) {
        if self.ended.swap(true, Ordering::SeqCst) {
            return;
        }
        self.timeline.task(&self.label, self.since, outcome);
        if self.verbosity > Verbosity::Quiet {
            let outcome = tone.paint(&clean::line(outcome, 400), self.screen.color);
            let elapsed = format!("({})", say::duration(self.screen.elapsed(self.started)));
            let elapsed = Tone::Faint.paint(&elapsed, self.screen.color);
            self.screen.end(self.row, &format!("  {}: {outcome} {elapsed}", self.label));
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.close("stopped", Tone::Attention);
    }
}
