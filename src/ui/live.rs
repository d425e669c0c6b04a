//! The part of a terminal that is redrawn in place: a line a running task, and the totals last.
//!
//! A frame is one write that paints over the frame before it, line by line, and clears only what is
//! left over: nothing is blank in between. The cursor rests below the frame. After a resize the
//! terminal has wrapped the old lines anew; their height is computed for the new width.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use textwrap::core::display_width;

use super::say;
use super::tone::Tone;
use crate::clock::Clock;

const TICK: Duration = Duration::from_millis(120);
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// Synchronized output (DEC private mode 2026); terminals that do not know it ignore it.
const BEGIN: &str = "\u{1b}[?2026h";
const END: &str = "\u{1b}[?2026l";
/// Automatic margins (DECAWM): off within a frame, since tmux tells the new width later than it takes effect.
const NO_WRAP: &str = "\u{1b}[?7l";
const WRAP: &str = "\u{1b}[?7h";

/// Columns and rows of the terminal at this moment.
pub(super) type Size = Box<dyn Fn() -> (usize, usize) + Send + Sync>;

/// Names a running task in the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row(u64);

pub(super) struct Live {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    size: Size,
    clock: Arc<dyn Clock>,
    color: bool,
}

struct State {
    out: Box<dyn Write + Send>,
    running: Vec<Running>,
    next: u64,
    phase: String,
    totals: String,
    /// What stands on the screen below the finished lines.
    drawn: Vec<String>,
    /// Columns of the terminal when that was drawn.
    drawn_width: usize,
    spin: usize,
    /// Something else owns the terminal.
    suspended: bool,
    ended: bool,
}

struct Running {
    row: Row,
    label: String,
    line: String,
    started: jiff::Timestamp,
}

impl Live {
    pub(super) fn new(out: Box<dyn Write + Send>, size: Size, clock: Arc<dyn Clock>, color: bool) -> Self {
        let state = State {
            out,
            running: Vec::new(),
            next: 0,
            phase: String::new(),
            totals: String::new(),
            drawn: Vec::new(),
            drawn_width: 0,
            spin: 0,
            suspended: false,
            ended: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), wake: Condvar::new(), size, clock, color });
        let ticking = Arc::clone(&shared);
        std::thread::spawn(move || ticking.tick());
        Self { shared }
    }

    /// A finished line, above the running tasks.
    pub(super) fn print(&self, text: &str) {
        self.shared.draw(&mut self.shared.lock(), &format!("{text}\n"));
    }

    pub(super) fn begin(&self, label: &str) -> Row {
        let mut state = self.shared.lock();
        let row = Row(state.next);
        state.next += 1;
        let started = self.shared.clock.now();
        state.running.push(Running { row, label: label.to_owned(), line: String::new(), started });
        self.shared.draw(&mut state, "");
        row
    }

    /// What the task streams; the next tick shows it.
    pub(super) fn stream(&self, row: Row, line: &str) {
        let mut state = self.shared.lock();
        if let Some(running) = state.running.iter_mut().find(|running| running.row == row) {
            line.clone_into(&mut running.line);
        }
    }

    /// Replaces the task by its finished line.
    pub(super) fn end(&self, row: Row, finished: &str) {
        let mut state = self.shared.lock();
        state.running.retain(|running| running.row != row);
        self.shared.draw(&mut state, &format!("{finished}\n"));
    }

    /// Shown beside the totals, since its own line may have scrolled away.
    pub(super) fn phase(&self, title: &str) {
        title.clone_into(&mut self.shared.lock().phase);
    }

    pub(super) fn totals(&self, text: &str) {
        text.clone_into(&mut self.shared.lock().totals);
    }

    /// Takes the view away while `owner` uses the terminal.
    pub(super) fn suspended<T>(&self, owner: impl FnOnce() -> T) -> T {
        self.hide(true);
        let result = owner();
        self.hide(false);
        result
    }

    fn hide(&self, hidden: bool) {
        let mut state = self.shared.lock();
        state.suspended = hidden;
        self.shared.draw(&mut state, "");
    }

    /// Raw, for the time of [`Live::suspended`].
    pub(super) fn write(&self, text: &str) {
        self.shared.lock().put(text);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.ended = true;
        state.running.clear();
        self.shared.draw(&mut state, "");
        self.shared.wake.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tick(&self) {
        let mut state = self.lock();
        while !state.ended {
            state = self.wake.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
            state.spin += 1;
            if !state.running.is_empty() {
                self.draw(&mut state, "");
            }
        }
    }

    /// Writes finished lines and the frame below them, if that changes anything on the screen.
    fn draw(&self, state: &mut State, finished: &str) {
        let (width, height) = (self.size)();
        let frame = self.frame(state, width, height);
        if finished.is_empty() && frame == state.drawn && width == state.drawn_width {
            return;
        }
        let rows: usize = state.drawn.iter().map(|line| display_width(line).div_ceil(width.max(1)).max(1)).sum();
        let rows = rows.min(height.saturating_sub(1));
        // A finished line may be longer than the terminal is wide: it starts on cleared ground. So does the first
        // frame after a resize: rows that the terminal wrapped would otherwise be joined again when it grows.
        let afresh = !finished.is_empty() || width != state.drawn_width;
        let mut text = format!("{BEGIN}\r{}", up(rows));
        text += &clear(if afresh { rows } else { 0 });
        text += finished;
        text += NO_WRAP;
        for line in &frame {
            text += &format!("{line}\u{1b}[K\n");
        }
        text += WRAP;
        text += &clear(if afresh { 0 } else { rows.saturating_sub(frame.len()) });
        text += END;
        state.put(&text);
        state.drawn = frame;
        state.drawn_width = width;
    }

    fn frame(&self, state: &State, width: usize, height: usize) -> Vec<String> {
        if state.suspended || state.running.is_empty() {
            return Vec::new();
        }
        let room = height.saturating_sub(3).max(1);
        let now = self.clock.now();
        let spin = SPINNER[state.spin % SPINNER.len()];
        let mut lines: Vec<String> =
            state.running.iter().take(room).map(|running| self.running(running, now, spin, width)).collect();
        if state.running.len() > room {
            lines.push(self.faint(&format!("  … {} more", state.running.len() - room), width));
        }
        if !state.totals.is_empty() {
            lines.push(self.faint(&format!("  {}: {}", state.phase, state.totals), width));
        }
        lines
    }

    fn running(&self, running: &Running, now: jiff::Timestamp, spin: char, width: usize) -> String {
        let seconds = now.duration_since(running.started).as_secs().max(0);
        let head = cut(&format!("  {spin} {}  {}", running.label, say::clock(seconds.unsigned_abs())), width);
        if running.line.is_empty() {
            return head;
        }
        let left = width.saturating_sub(display_width(&head));
        format!("{head}{}", self.faint(&format!("  {}", running.line), left))
    }

    fn faint(&self, text: &str, width: usize) -> String {
        Tone::Faint.paint(&cut(text, width), self.color)
    }
}

impl State {
    /// A reader that went away must not end the run.
    fn put(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

fn up(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\u{1b}[{rows}A") }
}

/// Empties rows from the cursor down, and goes back. Not by clearing the rest of the screen (`ED`): from the top
/// row, tmux takes that for a wish to keep what stood there.
fn clear(rows: usize) -> String {
    format!("{}{}", "\u{1b}[2K\u{1b}[B".repeat(rows), up(rows))
}

/// As much of a line as fits, one column short of the width: a full line would wrap on some terminals.
fn cut(text: &str, width: usize) -> String {
    let room = width.saturating_sub(1);
    if display_width(text) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += display_width(c.encode_utf8(&mut [0; 4]));
        if used > room {
            break;
        }
        out.push(c);
    }
    if room > 0 {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_by_columns_not_by_characters() {
        assert_eq!(cut("日本語", 7), "日本語");
        assert_eq!(cut("日本語", 6), "日本…");
        assert_eq!(cut("abc", 3), "a…");
        assert_eq!(cut("abc", 0), "");
    }
}
