//! A small HTTP/1.1 server over TCP and over a unix socket, which may misbehave on purpose: it can
//! close a connection before or in the middle of an answer, which no library lets one do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request that has been read to its end.
#[derive(Debug, Clone)]
pub struct Incoming {
    pub method: String,
    /// Path and query, without scheme and host.
    pub target: String,
    /// Lower-cased names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Incoming {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// What goes back.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Body,
}

pub enum Body {
    Bytes(Vec<u8>),
    /// So many bytes of a reader, for logs that should not be in memory.
    Stream(u64, Box<dyn Read + Send>),
    /// Promises the whole, sends the first half, closes the connection.
    Cut(Vec<u8>),
    /// Closes the connection without a word.
    Dropped,
    /// Says nothing and waits until the other side gives up.
    Silent,
}

impl Answer {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: Body::Bytes(body.into()) }
    }

    pub fn json(status: u16, value: &serde_json::Value) -> Self {
        Self::new(status, value.to_string()).header("content-type", "application/json; charset=utf-8")
    }

    pub fn dropped() -> Self {
        Self { status: 0, headers: Vec::new(), body: Body::Dropped }
    }

    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.retain(|(n, _)| n != name);
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }
}

type Handler = Arc<dyn Fn(Incoming) -> Answer + Send + Sync>;

/// Listens until it is dropped.
pub struct Server {
    pub address: SocketAddr,
    /// A second origin, for what GitHub keeps on other hosts.
    pub blobs: SocketAddr,
    pub socket: PathBuf,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Starts on two ports that the system chooses, and on the unix socket `socket`.
    pub fn start(socket: &Path, handler: impl Fn(Incoming) -> Answer + Send + Sync + 'static) -> Self {
        let handler: Handler = Arc::new(handler);
        let stop = Arc::new(AtomicBool::new(false));
        let [address, blobs] = [(); 2].map(|()| {
            let tcp = TcpListener::bind("127.0.0.1:0").expect("a free port");
            let address = tcp.local_addr().expect("a bound address");
            accept(tcp_streams(tcp), Arc::clone(&stop), Arc::clone(&handler));
            address
        });
        let unix = UnixListener::bind(socket).expect("a unix socket");
        accept(unix_streams(unix), Arc::clone(&stop), handler);
        Self { address, blobs, socket: socket.to_owned(), stop }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the accept loops, so that they see the flag.
        let _ = TcpStream::connect(self.address);
        let _ = TcpStream::connect(self.blobs);
        let _ = UnixStream::connect(&self.socket);
    }
}

/// Both kinds of stream, read and written through shared references.
trait Stream: Send + 'static {
    fn halves(&self) -> (impl Read + '_, impl Write + '_);
}

impl Stream for TcpStream {
    fn halves(&self) -> (impl Read + '_, impl Write + '_) {
        let _ = self.set_nodelay(true);
        (self, self)
    }
}

impl Stream for UnixStream {
    fn halves(&self) -> (impl Read + '_, impl Write + '_) {
        (self, self)
    }
}

fn tcp_streams(listener: TcpListener) -> impl Iterator<Item = TcpStream> + Send {
    std::iter::from_fn(move || listener.accept().ok().map(|(stream, _)| stream))
}

fn unix_streams(listener: UnixListener) -> impl Iterator<Item = UnixStream> + Send {
    std::iter::from_fn(move || listener.accept().ok().map(|(stream, _)| stream))
}

fn accept<S: Stream>(streams: impl Iterator<Item = S> + Send + 'static, stop: Arc<AtomicBool>, handler: Handler) {
    std::thread::spawn(move || {
        for stream in streams {
            if stop.load(Ordering::SeqCst) {
                return;
            }
            let handler = Arc::clone(&handler);
            std::thread::spawn(move || {
                let _ = serve(&stream, &handler);
            });
        }
    });
}

/// Answers one request after the other until the peer closes or an answer ends the connection.
fn serve(stream: &impl Stream, handler: &Handler) -> std::io::Result<()> {
    let (reader, mut writer) = stream.halves();
    let mut reader = BufReader::new(reader);
    while let Some(request) = read_request(&mut reader)? {
        let close = request.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let answer = handler(request);
        if matches!(answer.body, Body::Silent) {
            std::io::copy(&mut reader, &mut std::io::sink())?;
            return Ok(());
        }
        if !write_answer(&mut writer, answer)? || close {
            return Ok(());
        }
    }
    Ok(())
}

fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Incoming>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default());
    // A proxied request names the whole URL.
    let target = match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    };
    let mut request = Incoming { method, target: target.to_owned(), headers: Vec::new(), body: Vec::new() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        request.headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    if request.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        request.body = read_chunks(reader)?;
    } else if let Some(length) = request.header("content-length").and_then(|value| value.parse().ok()) {
        request.body = vec![0; length];
        reader.read_exact(&mut request.body)?;
    }
    Ok(Some(request))
}

fn read_chunks(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16).unwrap_or(0);
        let start = body.len();
        body.resize(start + size, 0);
        reader.read_exact(&mut body[start..])?;
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// `false` when the connection has to be closed.
fn write_answer(writer: &mut impl Write, answer: Answer) -> std::io::Result<bool> {
    let (length, keep) = match &answer.body {
        Body::Dropped | Body::Silent => return Ok(false),
        Body::Bytes(bytes) => (bytes.len() as u64, true),
        Body::Cut(bytes) => (bytes.len() as u64, false),
        Body::Stream(length, _) => (*length, true),
    };
    let mut head = format!("HTTP/1.1 {} Simulated\r\ncontent-length: {length}\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    writer.write_all(head.as_bytes())?;
    match answer.body {
        Body::Bytes(bytes) => writer.write_all(&bytes)?,
        Body::Cut(bytes) => writer.write_all(&bytes[..bytes.len() / 2])?,
        Body::Stream(length, reader) => drop(std::io::copy(&mut reader.take(length), writer)?),
        Body::Dropped | Body::Silent => {}
    }
    writer.flush()?;
    Ok(keep)
}
