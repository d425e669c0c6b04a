//! Questions for a person, only ever on a terminal.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::clean;
use super::tone::Tone;

#[derive(Debug, Clone)]
pub struct Prompt {
    pub question: String,
    /// What the answer means, one line each.
    pub details: Vec<String>,
    /// Chosen by number or by the beginning of their text.
    pub choices: Vec<String>,
    /// Index of the choice that an empty line takes.
    pub default: Option<usize>,
}

/// Index of the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer(pub usize);

impl Prompt {
    /// The question as it is shown, without the last line that asks for the answer.
    pub(super) fn text(&self, color: bool) -> String {
        let mut text = format!("{}\n", Tone::Strong.paint(&clean::line(&self.question, 400), color));
        for detail in &self.details {
            text += &format!("  {}\n", clean::line(detail, 400));
        }
        for (index, choice) in self.choices.iter().enumerate() {
            text += &format!("  {}) {}\n", index + 1, clean::line(choice, 200));
        }
        text
    }

    pub(super) fn ask_line(&self) -> String {
        match self.default {
            Some(default) => format!("choose 1-{} [{}]: ", self.choices.len(), default + 1),
            None => format!("choose 1-{}: ", self.choices.len()),
        }
    }

    /// The choice that was meant: its number, or the beginning of exactly one choice.
    pub(super) fn choose(&self, typed: &str) -> Option<Answer> {
        let typed = typed.trim().to_lowercase();
        if typed.is_empty() {
            return self.default.filter(|default| *default < self.choices.len()).map(Answer);
        }
        if let Ok(number) = typed.parse::<usize>() {
            return number.checked_sub(1).filter(|index| *index < self.choices.len()).map(Answer);
        }
        let mut fitting =
            (0..self.choices.len()).filter(|index| self.choices[*index].to_lowercase().starts_with(&typed));
        let first = fitting.next()?;
        fitting.next().is_none().then_some(Answer(first))
    }
}

/// Where answers are typed.
pub(super) type Keyboard = Arc<Mutex<Box<dyn BufRead + Send>>>;

/// One line from the keyboard; `None` at its end, or when the person interrupts instead.
pub(super) fn read_line(keyboard: &Keyboard) -> Option<String> {
    let line = read_aside(Arc::clone(keyboard));
    loop {
        match line.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => return line,
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if crate::process::interrupted() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Reads in a thread of its own: a signal does not end a read, and Ctrl-C must end a question.
fn read_aside(keyboard: Keyboard) -> Receiver<Option<String>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let mut keyboard = keyboard.lock().unwrap_or_else(PoisonError::into_inner);
        let read = keyboard.read_line(&mut line);
        let _ = sender.send(matches!(read, Ok(n) if n > 0).then_some(line));
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_taken_by_number_or_by_an_unambiguous_beginning() {
        let prompt = Prompt {
            question: "Go on?".into(),
            details: Vec::new(),
            choices: vec!["yes".into(), "no".into(), "not now".into()],
            default: Some(1),
        };
        let chosen = ["1", " Y\n", "\n", "3", "no", "n", "0", "4", "maybe"].map(|typed| prompt.choose(typed));
        let want = [Some(0), Some(0), Some(1), Some(2), None, None, None, None, None];
        assert_eq!(chosen, want.map(|index| index.map(Answer)));
    }
}
