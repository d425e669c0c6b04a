//! Reading the end of a large body: by byte ranges where the server allows them (RFC 9110, section
//! 14), else by letting the whole body pass through a window.

use std::collections::VecDeque;
use std::io::Read;

use super::transport::Response;

/// What to do after the first request for a body's first `tail` bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The answer holds the end of the body already.
    Done { total: Option<u64> },
    /// The end is elsewhere: ask for this range.
    Range { header: String, total: u64 },
}

/// The header that asks for a body's beginning. Blob stores know no suffix ranges (`bytes=-n`), so
/// the size is learnt from the beginning, which for a small body is all there is.
pub(super) fn first(tail: usize) -> String {
    format!("bytes=0-{}", tail.saturating_sub(1))
}

/// Reads a `Content-Range` header's total.
fn total(response: &Response) -> Option<u64> {
    response.header("content-range")?.rsplit_once('/')?.1.parse().ok()
}

/// Looks at the answer to [`first`].
pub(super) fn next(response: &Response, tail: usize) -> Next {
    let tail = tail as u64;
    match (response.status, total(response)) {
        (206, Some(total)) if total > tail => {
            Next::Range { header: format!("bytes={}-{}", total - tail, total - 1), total }
        }
        (206 | 416, total) => Next::Done { total },
        _ => Next::Done { total: response.total },
    }
}

/// Turns the answer to a range into the answer of the whole: its status, and how long it is.
pub(super) fn finish(mut response: Response, total: Option<u64>) -> Response {
    if response.status == 416 && total == Some(0) {
        response.body.clear();
        response.status = 200;
    }
    if response.status == 206 {
        response.status = 200;
    }
    response.total = total.or(response.total);
    response
}

/// Reads to the end and keeps at most the last `tail` bytes; also says how many there were.
pub(super) fn read_tail(mut reader: impl Read, tail: usize) -> std::io::Result<(Vec<u8>, u64)> {
    let mut kept = VecDeque::with_capacity(64 << 10);
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0u64;
    loop {
        let n = reader.read(&mut buffer)?;
        if n == 0 {
            return Ok((kept.into(), total));
        }
        total += n as u64;
        kept.extend(&buffer[..n]);
        let over = kept.len().saturating_sub(tail);
        kept.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, range: Option<&str>) -> Response {
        let headers = range.map(|value| ("content-range".to_owned(), value.to_owned())).into_iter().collect();
        Response { status, headers, body: b"x".to_vec(), total: None }
    }

    #[test]
    fn a_long_body_costs_its_beginning_and_its_end() {
        assert_eq!(
            next(&answer(206, Some("bytes 0-9/500")), 10),
            Next::Range { header: "bytes=490-499".into(), total: 500 }
        );
    }

    #[test]
    fn a_short_an_empty_and_an_unranged_body_need_one_request() {
        assert_eq!(next(&answer(206, Some("bytes 0-3/4")), 10), Next::Done { total: Some(4) });
        assert_eq!(next(&answer(416, Some("bytes */0")), 10), Next::Done { total: Some(0) });
        assert_eq!(next(&answer(200, None), 10), Next::Done { total: None });
        let empty = finish(answer(416, Some("bytes */0")), Some(0));
        assert_eq!((empty.status, empty.body.len(), empty.total), (200, 0, Some(0)));
    }

    #[test]
    fn a_window_keeps_the_end_of_what_passes() {
        let long = std::io::repeat(b'a').take(1 << 20).chain(&b"the end"[..]);
        let (kept, total) = read_tail(long, 7).unwrap();
        assert_eq!((kept.as_slice(), total), (&b"the end"[..], (1 << 20) + 7));
    }
}
