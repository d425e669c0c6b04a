//! What a child reads and prints, without trusting it to read, to stop printing, or to close its pipes.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Bytes of a line that are passed on; the rest of it is left out.
const LINE: usize = 4096;
/// How long the end of a stream is awaited after the child's end.
const GRACE: Duration = Duration::from_secs(2);

pub(super) type LineSink = Arc<dyn Fn(&str) + Send + Sync>;

/// Writes to the child's standard input from a thread of its own.
pub(super) fn feed(child: &mut Child, bytes: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take()
        && !bytes.is_empty()
    {
        // A child that does not read its input ends the pipe: no error of ours. Nobody waits for this thread,
        // because a helper that the child left may hold the pipe open.
        std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    }
}

/// The kept end of a stream, filled by a thread of its own.
pub(super) struct Collected {
    kept: Arc<Mutex<Tail>>,
    done: Receiver<()>,
}

impl Collected {
    /// Waits for the end of the stream, but not for a helper that holds the pipe open.
    pub(super) fn finish(self) -> (Vec<u8>, bool) {
        let _ = self.done.recv_timeout(GRACE);
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_bytes()
    }
}

/// Keeps the last `limit` bytes of a stream and passes its lines on.
pub(super) fn collect(stream: Option<impl Read + Send + 'static>, limit: usize, sink: Option<LineSink>) -> Collected {
    let kept = Arc::new(Mutex::new(Tail { limit, ..Tail::default() }));
    let (sender, done) = channel();
    let target = Arc::clone(&kept);
    std::thread::spawn(move || {
        let mut lines = sink.map(LineSplitter::new);
        if let Some(mut stream) = stream {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(n @ 1..) = stream.read(&mut buffer) {
                target.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..n]);
                if let Some(lines) = &mut lines {
                    lines.feed(&buffer[..n]);
                }
            }
        }
        if let Some(lines) = lines {
            lines.finish();
        }
        let _ = sender.send(());
    });
    Collected { kept, done }
}

/// The end of a stream, in the pieces that it came in.
#[derive(Default)]
struct Tail {
    limit: usize,
    pieces: VecDeque<Vec<u8>>,
    length: usize,
    cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        match self.pieces.back_mut() {
            // Many small writes must not cost a piece each.
            Some(last) if last.len() + bytes.len() <= last.capacity() => last.extend_from_slice(bytes),
            _ => {
                let mut piece = Vec::with_capacity(bytes.len().max(16 << 10));
                piece.extend_from_slice(bytes);
                self.pieces.push_back(piece);
            }
        }
        while let Some(first) = self.pieces.front()
            && self.length - first.len() >= self.limit
        {
            self.length -= first.len();
            self.pieces.pop_front();
            self.cut = true;
        }
    }

    fn into_bytes(self) -> (Vec<u8>, bool) {
        let mut bytes: Vec<u8> = self.pieces.into_iter().flatten().collect();
        let over = bytes.len().saturating_sub(self.limit);
        bytes.drain(..over);
        (bytes, self.cut || over > 0)
    }
}

/// Cuts a stream into lines of bounded length for a progress display.
struct LineSplitter {
    sink: LineSink,
    line: Vec<u8>,
}

impl LineSplitter {
    fn new(sink: LineSink) -> Self {
        Self { sink, line: Vec::new() }
    }

    fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.extend(&bytes[..end]);
            self.pass();
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = LINE.saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn pass(&mut self) {
        (self.sink)(&String::from_utf8_lossy(&self.line));
        self.line.clear();
    }

    /// Passes a last line that no line feed ended.
    fn finish(mut self) {
        if !self.line.is_empty() {
            self.pass();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_exact_whatever_the_pieces_are() {
        for step in [1, 3, 7, 100] {
            let data: Vec<u8> = (0..=255).cycle().take(1000).collect();
            let mut tail = Tail { limit: 64, ..Tail::default() };
            data.chunks(step).for_each(|piece| tail.push(piece));
            assert_eq!(tail.into_bytes(), (data[1000 - 64..].to_vec(), true), "{step}");
        }
        let mut tail = Tail { limit: 64, ..Tail::default() };
        tail.push(&[1; 64]);
        assert_eq!(tail.into_bytes(), (vec![1; 64], false));
    }

    #[test]
    fn lines_are_cut_and_the_last_one_is_passed_on() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let target = Arc::clone(&seen);
        let sink: LineSink = Arc::new(move |line| target.lock().unwrap().push(line.to_owned()));
        let text = format!("a\n\n{}\nlast", "x".repeat(10_000));
        collect(Some(std::io::Cursor::new(text)), 10, Some(sink)).finish();
        let seen = seen.lock().unwrap();
        assert_eq!((seen.len(), seen[0].as_str(), seen[2].len(), seen[3].as_str()), (4, "a", LINE, "last"));
    }
}
