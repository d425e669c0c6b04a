//! Everything a person reads: the only door to the terminal.

mod markdown;
mod progress;
mod prompt;
mod say;
mod table;
mod terminal;

pub use markdown::report_markdown;
pub use progress::Task;
pub use prompt::{Answer, Prompt};
pub use say::{Phase, Say};
pub use table::{harvest_table, report_table, triage_table};
pub use terminal::{Options, Ui, Verbosity};
