//! A small HTTP server on a real socket, for the transports: it remembers what it was asked.

use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use tiny_http::{Header, Response, Server};

/// A request that was seen.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The peer's port, to tell connections apart.
    pub port: Option<u16>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// What is answered; the length may be unknown to the client (chunked).
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Box<dyn Read + Send>,
    pub length: Option<usize>,
}

impl Reply {
    pub fn new(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { status, headers, length: Some(body.len()), body: Box::new(Cursor::new(body)) }
    }

    pub fn json(body: &serde_json::Value) -> Self {
        Self::new(200, &[("Content-Type", "application/json")], body.to_string())
    }
}

/// A running server; it stops when this is dropped.
pub struct Wire {
    server: Arc<Server>,
    seen: Arc<Mutex<Vec<Seen>>>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// On a port of the system's choice.
    pub fn tcp(answer: impl Fn(&Seen) -> Reply + Send + 'static) -> Self {
        Self::start(Server::http("127.0.0.1:0").unwrap(), answer)
    }

    pub fn unix(socket: &Path, answer: impl Fn(&Seen) -> Reply + Send + 'static) -> Self {
        Self::start(Server::http_unix(socket).unwrap(), answer)
    }

    fn start(server: Server, answer: impl Fn(&Seen) -> Reply + Send + 'static) -> Self {
        let (server, seen) = (Arc::new(server), Arc::new(Mutex::new(Vec::new())));
        let (serving, list) = (Arc::clone(&server), Arc::clone(&seen));
        let thread = std::thread::spawn(move || {
            for mut request in serving.incoming_requests() {
                let asked = look(&mut request);
                list.lock().unwrap().push(asked.clone());
                let reply = answer(&asked);
                let headers = reply
                    .headers
                    .iter()
                    .map(|(name, value)| Header::from_bytes(name.as_str(), value.as_str()).unwrap());
                let response = Response::new(reply.status.into(), headers.collect(), reply.body, reply.length, None);
                // A client that has read enough goes away.
                let _ = request.respond(response.with_chunked_threshold(usize::MAX));
            }
        });
        Self { server, seen, thread: Some(thread) }
    }

    /// `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr().to_ip().unwrap())
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn look(request: &mut tiny_http::Request) -> Seen {
    let mut body = String::new();
    request.as_reader().read_to_string(&mut body).unwrap();
    Seen {
        method: request.method().to_string(),
        path: request.url().to_owned(),
        headers: request.headers().iter().map(|h| (h.field.to_string(), h.value.to_string())).collect(),
        body,
        port: request.remote_addr().map(std::net::SocketAddr::port),
    }
}

/// Accepts one connection, reads a request's head, writes `bytes` and hangs up. Returns the URL.
pub fn hangs_up_after(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
            head.push(byte[0]);
        }
        stream.write_all(bytes).unwrap();
    });
    url
}

/// A store that serves `total` bytes of a log's lines without ever holding them. Honours ranges
/// like a blob store, if `ranges`.
pub fn store(asked: &Seen, total: usize, ranges: bool) -> Reply {
    let wanted = asked.header("range").filter(|_| ranges).and_then(|range| {
        let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((from.parse::<usize>().ok()?, to.parse::<usize>().ok()?.min(total - 1)))
    });
    let (from, to) = wanted.unwrap_or((0, total - 1));
    let mut headers = vec![("Content-Type".to_owned(), "text/plain".to_owned())];
    if wanted.is_some() {
        headers.push(("Content-Range".to_owned(), format!("bytes {from}-{to}/{total}")));
    }
    let status = if wanted.is_some() { 206 } else { 200 };
    let body = Box::new(Lines { at: from, end: to + 1, total });
    Reply { status, headers, body, length: Some(to + 1 - from) }
}

/// Endless chatter that ends in the runner's error line.
struct Lines {
    at: usize,
    end: usize,
    total: usize,
}

const LINE: &[u8] = b"2026-01-02T03:04:05.1234567Z compiling one more thing, as ever\n";
const LAST: &[u8] = b"\n2026-01-02T03:04:05.1234567Z ##[error]Process completed with exit code 1.\n";

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(self.end - self.at);
        let mut done = 0;
        while done < n {
            let at = self.at + done;
            let last = self.total - LAST.len();
            let source = if at < last { &LINE[at % LINE.len()..] } else { &LAST[at - last..] };
            let source = if at < last { &source[..source.len().min(last - at)] } else { source };
            let part = source.len().min(n - done);
            buffer[done..done + part].copy_from_slice(&source[..part]);
            done += part;
        }
        self.at += n;
        Ok(n)
    }
}
