//! Running tasks: a live view on a terminal, plain lines elsewhere.

/// A handle to something that runs. Dropping it without [`Task::finish`] ends it as stopped.
pub struct Task {}

impl Task {
    /// The last line of what is streaming, cleaned before it is shown.
    pub fn line(&self, text: &str) {
        todo!()
    }
    pub fn finish(self, outcome: &str) {
        todo!()
    }
}
