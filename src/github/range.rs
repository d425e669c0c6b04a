//! Reading the end of a large body: by byte ranges where the server allows them (RFC 9110, section
//! 14), else by letting the whole body pass through a window.

use std::collections::VecDeque;
use std::io::Read;

use super::transport::Response;

/// What to do after the request for a body's beginning.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The answer holds the end of the body already.
    Done { total: Option<u64> },
    /// The end is elsewhere: ask for this range.
    Range { header: String, total: u64 },
}

/// Bytes of a body's beginning that are asked for first: most logs are shorter, and cost one request.
pub(super) const PROBE: u64 = 1 << 20;

/// The range that is asked for first. Blob stores know no suffix ranges (`bytes=-n`), so the size is
/// learnt from the beginning, which for an ordinary body is all there is.
pub(super) fn first() -> String {
    format!("bytes=0-{}", PROBE - 1)
}

/// Reads a `Content-Range` header's total.
fn total(response: &Response) -> Option<u64> {
    response.header("content-range")?.rsplit_once('/')?.1.parse().ok()
}

/// Looks at the answer to [`first`].
pub(super) fn next(response: &Response, tail: usize) -> Next {
    match (response.status, total(response)) {
        (206, Some(total)) if total > PROBE => {
            let start = total.saturating_sub(tail as u64);
            Next::Range { header: format!("bytes={start}-{}", total - 1), total }
        }
        (206 | 416, total) => Next::Done { total },
        _ => Next::Done { total: response.total },
    }
}

/// Bytes of a long body that all came because the server knows no ranges.
pub(super) fn without_ranges(response: &Response) -> Option<u64> {
    response.total.filter(|total| *total > PROBE && response.header("content-range").is_none())
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
            next(&answer(206, Some("bytes 0-1048575/5000000")), 10),
            Next::Range { header: "bytes=4999990-4999999".into(), total: 5_000_000 }
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
