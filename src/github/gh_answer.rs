//! What `gh api -i` prints, read as an answer. Its exit status tells little: an error status and
//! GraphQL errors end in the same one as a broken connection.

use serde::de::IgnoredAny;

use super::transport::{Request, Response};
use crate::process::{Ended, Output};

/// The answer that was printed, or why it is not a whole one.
pub(super) fn response(request: &Request, output: Output, head: Head) -> Result<Response, String> {
    if output.truncated && request.tail.is_none() {
        return Err("the answer is longer than 64 MiB".to_owned());
    }
    let status = head.status.unwrap_or_default();
    // `gh` fails after a good status when the connection ends inside the body. For GraphQL it also
    // does for errors inside a whole answer.
    if status < 300 && output.ended != Ended::Exited(0) && request.path != "/graphql" {
        return Err(format!("the answer broke off: {}", output.stderr_tail(1)));
    }
    let mut body = output.stdout;
    if !output.truncated {
        body.drain(..body_start(&body));
    }
    let mut response = Response { status, headers: head.headers, body, total: None };
    let length = response.header("content-length").and_then(|text| text.parse::<u64>().ok());
    // Newer versions replace control characters in JSON, which makes it shorter.
    let short = !output.truncated && length.is_some_and(|length| length > response.body.len() as u64);
    if short && serde_json::from_slice::<IgnoredAny>(&response.body).is_err() {
        return Err("the connection ended inside the answer".to_owned());
    }
    if let Some(tail) = request.tail {
        response.total = length.or((!output.truncated).then_some(response.body.len() as u64));
        let over = response.body.len().saturating_sub(tail);
        response.body.drain(..over);
    }
    Ok(response)
}

/// The status line and headers that `gh api -i` prints first, read while they pass: of a long body
/// only the end is kept.
#[derive(Debug, Default)]
pub(super) struct Head {
    status: Option<u16>,
    headers: Vec<(String, String)>,
    started: bool,
    complete: bool,
}

/// Where the body begins: behind the first empty line.
fn body_start(printed: &[u8]) -> usize {
    let mut start = 0;
    for line in printed.split_inclusive(|byte| *byte == b'\n') {
        start += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            break;
        }
    }
    start
}

impl Head {
    pub fn is_complete(&self) -> bool {
        self.complete && self.status.is_some()
    }

    /// `line` comes without its line feed, but with a carriage return.
    pub fn feed(&mut self, line: &str) {
        if self.complete || (self.status.is_none() && self.started) {
            return;
        }
        self.started = true;
        let line = line.trim_end_matches('\r');
        if self.status.is_none() {
            let mut words = line.split(' ');
            let http = words.next().is_some_and(|word| word.starts_with("HTTP/"));
            self.status = words.next().filter(|_| http).and_then(|word| word.parse().ok());
        } else if line.is_empty() {
            self.complete = true;
        } else if let Some((name, value)) = line.split_once(':') {
            self.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        let mut head = Head::default();
        text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).for_each(|line| head.feed(line));
        head
    }

    #[test]
    fn the_printed_head_is_told_from_the_body() {
        let text = "HTTP/2.0 404 Not Found\nRetry-After: 60\r\nX-Thing: a: b\r\n\r\n{\"a\": \"HTTP/1.1 200\"}\n\n";
        let head = head(text);
        assert_eq!((head.status, head.complete), (Some(404), true));
        assert_eq!(head.headers, [("retry-after".into(), "60".into()), ("x-thing".into(), "a: b".into())]);
        assert!(text[body_start(text.as_bytes())..].starts_with("{\"a\""));
    }

    #[test]
    fn words_of_another_program_are_no_answer() {
        for text in ["", "error\n", "HTTP/1.1 nonsense\n\n", "HTTP/1.1 200 OK\nA: b\n", "x\nHTTP/1.1 200 OK\n\n"] {
            let head = head(text);
            assert!(head.status.is_none() || !head.complete, "{text:?}");
        }
    }
}
