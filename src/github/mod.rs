//! GitHub, exactly: one typed client over a small transport trait.

mod client;
mod transport;

pub use client::{Client, GithubError, NewComment, Permission, RerunOutcome, ThreadNow};
pub use transport::{Method, Request, Response, Transport, TransportError, choose};
