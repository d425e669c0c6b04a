//! The seam between the client and the wire.

use miette::Diagnostic;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Patch,
    Put,
    Delete,
}

/// One request to GitHub's API.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: Method,
    /// `/graphql`, or a REST path such as `/repos/o/r/actions/jobs/1/logs?per_page=100`.
    pub path: String,
    /// JSON body.
    pub body: Option<serde_json::Value>,
    pub headers: Vec<(String, String)>,
    /// Keep at most this many bytes of the body, from its end.
    pub tail: Option<usize>,
}

/// GitHub's answer, whatever its status.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    /// Lower-cased names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Bytes of the whole body, when only its end was kept.
    pub total: Option<u64>,
}

impl Method {
    /// The method's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

impl Request {
    /// A request without body or headers of its own.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), body: None, headers: Vec::new(), tail: None }
    }

    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::Get, path)
    }
}

impl Response {
    /// The first value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Error, Diagnostic)]
pub enum TransportError {
    /// The connection failed; the server may or may not have acted.
    #[error("GitHub could not be reached: {why}")]
    #[diagnostic(code(prfix::github::unreachable), help("check the network, then run the same command again"))]
    Unreachable { why: String },
    #[error("{why}")]
    #[diagnostic(code(prfix::github::not_signed_in), help("{help}"))]
    NotSignedIn { why: String, help: String },
}

/// How requests reach GitHub: `gh api`, direct HTTP, or the demo's embedded server.
pub trait Transport: Send + Sync {
    /// # Errors
    /// When no complete answer came back. An HTTP error status is an answer.
    fn send(&self, request: &Request) -> Result<Response, TransportError>;
    /// `gh`, `http` or `embedded`, for messages.
    fn name(&self) -> &'static str;
}
