//! For what is about no pull request: whoever asks GitHub something there is told that nobody may.

use super::transport::{Request, Response, Transport, TransportError};

/// Reaches nothing.
#[derive(Debug, Clone, Copy)]
pub struct Nowhere;

impl Transport for Nowhere {
    fn send(&self, _: &Request) -> Result<Response, TransportError> {
        Err(TransportError::Unreachable { why: "this command works without GitHub".to_owned() })
    }

    fn name(&self) -> &'static str {
        "nowhere"
    }
}
