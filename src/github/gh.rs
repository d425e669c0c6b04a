//! The transport through GitHub's own command line tool: one `gh api` a request, so that the user's
//! hosts, accounts, proxies and sockets hold. Bodies go over standard input, never the command line.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::range::{self, Next};
use super::transport::{Method, Request, Response, Transport, TransportError};
use crate::env::Env;
use crate::process::{Ended, GIT_LOCAL_VARS, Output, Run};

/// Most bytes of an answer that is read whole.
const LIMIT: usize = 64 << 20;
/// Room for the status line and the headers in front of a tail.
const HEAD_LIMIT: usize = 64 << 10;

pub(super) struct Gh {
    program: PathBuf,
    env: Env,
    host: String,
}

impl Gh {
    /// `gh` on the PATH of `env`, if it is there.
    pub fn find(env: &Env, host: &str) -> Option<Self> {
        let program = which::which_in("gh", env.path("PATH"), "/").ok()?;
        Some(Self { program, env: env.clone(), host: host.to_owned() })
    }

    /// The token that `gh` uses for this host.
    pub fn token(&self) -> Option<String> {
        let output = self.run().args(["auth", "token", "--hostname", &self.host]).run().ok()?;
        let token = output.text().trim().to_owned();
        (output.success() && !token.is_empty()).then_some(token)
    }

    fn run(&self) -> Run {
        // Colour, debug traces and forced terminals would end up inside the answers.
        let noisy = ["GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG", "GH_PAGER", "PAGER"];
        let unwanted = |name: &std::ffi::OsStr| noisy.iter().chain(GIT_LOCAL_VARS).any(|unwanted| name == *unwanted);
        let inherited = self.env.iter().filter(|(name, _)| !unwanted(name));
        let run = inherited.fold(Run::new(&self.program).empty_env(), |run, (name, value)| run.env(name, value));
        run.env("DO_NOT_TRACK", "1")
            .env("GH_PROMPT_DISABLED", "1")
            .env("GH_NO_UPDATE_NOTIFIER", "1")
            .env("NO_COLOR", "1")
    }

    fn call(&self, request: &Request, range: Option<&str>) -> Result<Response, TransportError> {
        let head = Arc::new(Mutex::new(Head::default()));
        let sink = Arc::clone(&head);
        let limit = request.tail.map_or(LIMIT, |tail| tail + HEAD_LIMIT);
        let time = Duration::from_secs(if request.tail.is_some() { 900 } else { 120 });
        let mut run = self.run().args(["api", "-i", "--hostname", &self.host, "--method", request.method.as_str()]);
        for (name, value) in &request.headers {
            run = run.arg("-H").arg(format!("{name}: {value}"));
        }
        if let Some(range) = range {
            run = run.arg("-H").arg(format!("Range: {range}"));
        }
        run = run.arg(request.path.trim_start_matches('/'));
        if let Some(body) = &request.body {
            run = run.args(["--input", "-"]).stdin(body.to_string());
        }
        let output = run
            .limit(limit)
            .timeout(time)
            .on_line(move |line| sink.lock().unwrap_or_else(PoisonError::into_inner).feed(line))
            .run()
            .map_err(|error| TransportError::Unreachable { why: error.to_string() })?;
        let head = std::mem::take(&mut *head.lock().unwrap_or_else(PoisonError::into_inner));
        self.answer(request, &output, head)
    }

    fn answer(&self, request: &Request, output: &Output, head: Head) -> Result<Response, TransportError> {
        match output.ended {
            Ended::TimedOut => return Err(unreachable("`gh api` gave no answer in time")),
            Ended::Interrupted => return Err(unreachable("the request was interrupted")),
            Ended::Exited(_) | Ended::Signaled(_) => {}
        }
        let Some(status) = head.status.filter(|_| head.complete) else {
            return Err(self.no_answer(output));
        };
        if output.truncated && request.tail.is_none() {
            return Err(unreachable("the answer is longer than 64 MiB"));
        }
        let mut body = output.stdout.clone();
        if !output.truncated {
            body.drain(..body_start(&body));
        }
        let mut response = Response { status, headers: head.headers, body, total: None };
        let length = response.header("content-length").and_then(|text| text.parse::<u64>().ok());
        if !output.truncated && length.is_some_and(|length| length > response.body.len() as u64) {
            return Err(unreachable("the connection ended inside the answer"));
        }
        if let Some(tail) = request.tail {
            response.total = length.or((!output.truncated).then_some(response.body.len() as u64));
            let over = response.body.len().saturating_sub(tail);
            response.body.drain(..over);
        }
        Ok(response)
    }

    /// `gh` printed no answer: it has no token, or it did not get through.
    fn no_answer(&self, output: &Output) -> TransportError {
        let said = crate::model::text::one_line(&output.stderr_tail(3), 300);
        let no_token = ["gh auth login", "GH_TOKEN", "not logged in"].iter().any(|words| said.contains(words));
        if output.ended == Ended::Exited(4) || no_token {
            return TransportError::NotSignedIn {
                why: format!("`gh` is not signed in to {}", self.host),
                help: format!("run `gh auth login --hostname {}`, or set a token in the environment", self.host),
            };
        }
        unreachable(if said.is_empty() { "`gh api` printed nothing" } else { &said })
    }
}

fn unreachable(why: &str) -> TransportError {
    TransportError::Unreachable { why: why.to_owned() }
}

impl Transport for Gh {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let Some(tail) = request.tail.filter(|_| request.method == Method::Get) else {
            return self.call(request, None);
        };
        let first = self.call(request, Some(&range::first()))?;
        match range::next(&first, tail) {
            Next::Done { total } => Ok(range::finish(first, total)),
            Next::Range { header, total } => {
                self.call(request, Some(&header)).map(|response| range::finish(response, Some(total)))
            }
        }
    }

    fn name(&self) -> &'static str {
        "gh"
    }
}

/// The status line and headers that `gh api -i` prints first, read while they pass: of a long body
/// only the end is kept.
#[derive(Debug, Default)]
struct Head {
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
    /// `line` comes without its line feed, but with a carriage return.
    fn feed(&mut self, line: &str) {
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
