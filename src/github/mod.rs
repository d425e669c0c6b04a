//! GitHub, exactly: one typed client over a small transport trait.
//!
//! From the wire up: `transport` (the seam), `gh` (with `gh_answer`) and `http` (its two sides), `choose`, `range`;
//! `call` (retries, limits), `pace`, `parallel`, `graphql` (the envelope), `queries`, `parse`, `paging`; and the
//! client's operations: `harvest`, `look`, `gate`, `post`, `logs`, `access`.

mod access;
mod call;
mod checks;
mod choose;
mod client;
mod error;
mod gate;
mod gh;
mod gh_answer;
mod graphql;
mod harvest;
mod http;
mod limits;
mod log_text;
mod logs;
mod look;
mod nowhere;
mod pace;
mod paging;
mod parallel;
mod parse;
mod post;
mod queries;
mod range;
mod reviewers;
mod rollup;
mod transport;

pub use choose::choose;
pub use client::{Client, NewComment, Permission, RerunOutcome, ThreadNow, Waiting};
pub use error::GithubError;
pub use log_text::tail as log_tail;
pub use nowhere::Nowhere;
pub use queries::{Field, documents, optional_fields};
pub use reviewers::Reviewer;
pub use transport::{Method, Request, Response, Transport, TransportError};
