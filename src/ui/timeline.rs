//! Keeps when phases and tasks began and ended, for the report page. Real time, also where the clock is a fixed one.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::model::timeline::Span;

pub(super) struct Timeline {
    kept: Mutex<Kept>,
}

struct Kept {
    began: Instant,
    spans: Vec<Span>,
    /// The phase that is under way.
    phase: Option<(&'static str, Instant)>,
}

impl Kept {
    fn push(&mut self, label: &str, phase: bool, from: Instant, outcome: &str) {
        self.spans.push(Span {
            label: label.to_owned(),
            phase,
            start: from.saturating_duration_since(self.began).as_secs_f64(),
            seconds: from.elapsed().as_secs_f64(),
            outcome: outcome.to_owned(),
        });
    }

    fn end_phase(&mut self) {
        if let Some((label, from)) = self.phase.take() {
            self.push(label, true, from, "");
        }
    }
}

impl Timeline {
    pub fn new() -> Self {
        Self { kept: Mutex::new(Kept { began: Instant::now(), spans: Vec::new(), phase: None }) }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> T {
        act(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn phase(&self, label: &'static str) {
        self.with(|kept| {
            kept.end_phase();
            kept.phase = Some((label, Instant::now()));
        });
    }

    pub fn task(&self, label: &str, from: Instant, outcome: &str) {
        self.with(|kept| kept.push(label, false, from, outcome));
    }

    /// Takes what was kept so far, in order of beginning; what follows starts anew.
    pub fn take(&self) -> Vec<Span> {
        let mut spans = self.with(|kept| {
            kept.end_phase();
            kept.began = Instant::now();
            std::mem::take(&mut kept.spans)
        });
        spans.sort_by(|a, b| a.start.total_cmp(&b.start).then(b.phase.cmp(&a.phase)));
        spans
    }
}
