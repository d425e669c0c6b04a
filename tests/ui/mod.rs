//! What a person reads: tables, the Markdown report, progress, questions, errors.

mod live;
mod markdown;
mod samples;
mod tables;
mod terminal;
