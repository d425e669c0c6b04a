//! The blob store behind the redirect of a job's log: byte ranges, and logs too large for memory.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::check::Log;
use super::http::{Answer, Body, Incoming};

const FILLER: &[u8] = b"2026-11-30T12:00:01.1234567Z Compiling one more of very many crates (a line of chatter)\r\n";

/// Answers `GET` of a log, as a range when one is asked for and `ranges` are supported.
pub fn blob(log: &Log, request: &Incoming, ranges: bool, sent: &Arc<AtomicU64>) -> Answer {
    let (filler, tail) = match log {
        Log::Text(text) => (0, text.as_bytes()),
        Log::Huge(bytes, text) => (bytes.saturating_sub(text.len() as u64), text.as_bytes()),
        Log::Missing(status) => return Answer::new(*status, ""),
    };
    let total = filler + tail.len() as u64;
    let asked = request.header("range").filter(|_| ranges).and_then(|value| range(value, total));
    let (status, from, to) = match asked {
        None => (200, 0, total),
        Some((from, _)) if from >= total => {
            return Answer::new(416, "").header("content-range", format!("bytes */{total}"));
        }
        Some((from, to)) => (206, from, to),
    };
    let reader = Generated { at: from, end: to, filler, tail: tail.to_vec(), sent: Arc::clone(sent) };
    let mut answer = Answer { status, headers: Vec::new(), body: Body::Stream(to - from, Box::new(reader)) };
    answer = answer.header("content-type", "text/plain; charset=utf-8");
    if ranges {
        answer = answer.header("accept-ranges", "bytes");
    }
    if status == 206 {
        answer = answer.header("content-range", format!("bytes {from}-{}/{total}", to - 1));
    }
    answer
}

/// `bytes=a-b` and `bytes=a-` as a half-open range; the suffix form is unknown to the store.
fn range(value: &str, total: u64) -> Option<(u64, u64)> {
    let (from, to) = value.strip_prefix("bytes=")?.split_once('-')?;
    let from = from.parse().ok()?;
    let to = to.parse::<u64>().map_or(total, |last| (last + 1).min(total));
    (to >= from || from >= total).then_some((from, to))
}

/// Filler, then the tail, made up while it is read.
struct Generated {
    at: u64,
    end: u64,
    filler: u64,
    tail: Vec<u8>,
    sent: Arc<AtomicU64>,
}

impl Read for Generated {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let n = if self.at < self.filler {
            let in_line = usize::try_from(self.at % FILLER.len() as u64).unwrap_or(0);
            let until_tail = usize::try_from(self.filler - self.at).unwrap_or(usize::MAX);
            let n = (FILLER.len() - in_line).min(until_tail).min(left).min(buffer.len());
            buffer[..n].copy_from_slice(&FILLER[in_line..in_line + n]);
            n
        } else {
            let start = usize::try_from(self.at - self.filler).unwrap_or(usize::MAX).min(self.tail.len());
            let n = (self.tail.len() - start).min(left).min(buffer.len());
            buffer[..n].copy_from_slice(&self.tail[start..start + n]);
            n
        };
        self.at += n as u64;
        self.sent.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
