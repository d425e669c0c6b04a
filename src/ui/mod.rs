//! Everything a person reads: the only door to the terminal.
//!
//! Progress and questions go to standard error, documents to standard output. All text from
//! outside (comments, branch names, what an agent streams) is cleaned here, in `clean`, so that
//! it can neither steer the terminal nor show a secret.

mod clean;
mod gate_page;
mod grid;
mod harvest_table;
mod live;
pub mod loop_page;
mod markdown;
mod options;
mod page;
mod progress;
mod prompt;
mod report_table;
mod say;
mod screen;
mod several_table;
mod terminal;
mod timeline;
mod tone;
mod triage_table;
mod watch;
mod watch_status;

pub use gate_page::gate_page;
pub use grid::list_table;
pub use harvest_table::harvest_table;
pub use markdown::report_markdown;
pub use options::{ColorWhen, Options, Verbosity};
pub use page::{Page, report_page};
pub use progress::Task;
pub use prompt::{Answer, Prompt};
pub use report_table::{gate_word, report_table};
pub use say::{Phase, Say, duration, reason_sentence, usage_sentence};
pub use screen::LogWriter;
pub use several_table::several_table;
pub use terminal::{Streams, Ui};
pub use triage_table::triage_table;
pub use watch::{end_line, quiet_line, round_line, stranger_question, take_over_question, watch_question};
pub use watch_status::{StatusEntry, status_page, stop_lines};
