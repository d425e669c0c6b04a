//! Rate limits, told from lack of access, and how long to wait for them.
//!
//! Rules: GitHub's "Rate limits for the REST API" and "… for the GraphQL API": `retry-after` first,
//! else `x-ratelimit-reset` when nothing remains, else a minute and then longer.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::transport::Response;

/// How long to wait before the request is sent again, when the answer says that a limit was hit.
/// `tries` counts the waits so far.
pub(super) fn wait(response: &Response, now: Timestamp, tries: u32) -> Option<Duration> {
    if !is_limited(response) {
        return None;
    }
    if let Some(seconds) = number(response, "retry-after") {
        return Some(Duration::from_secs(seconds.max(1)));
    }
    if remaining(response) == Some(0)
        && let Some(reset) = number(response, "x-ratelimit-reset")
    {
        let left = reset.saturating_sub(u64::try_from(now.as_second()).unwrap_or(0));
        // One second more, because the two clocks differ.
        return Some(Duration::from_secs(left + 1));
    }
    Some(Duration::from_secs(60 << tries.min(4)))
}

fn number(response: &Response, header: &str) -> Option<u64> {
    response.header(header)?.trim().parse().ok()
}

fn remaining(response: &Response) -> Option<u64> {
    number(response, "x-ratelimit-remaining")
}

fn is_limited(response: &Response) -> bool {
    match response.status {
        429 => true,
        403 => {
            response.header("retry-after").is_some()
                || remaining(response) == Some(0)
                || says_limit(&super::error::message(response))
        }
        200 => graphql_limited(&response.body),
        _ => false,
    }
}

fn says_limit(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["rate limit", "abuse detection"].iter().any(|words| message.contains(words))
}

/// GraphQL says it with status 200. The last good answer shows `remaining: 0` as well, and comments
/// may quote the words, so that only the errors count.
fn graphql_limited(body: &[u8]) -> bool {
    if memchr::memmem::find(body, b"\"errors\"").is_none() {
        return false;
    }
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let errors = answer.get("errors").and_then(Value::as_array);
    errors.into_iter().flatten().any(|error| {
        let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        matches!(kind, "RATE_LIMITED" | "RATE_LIMIT") || (kind.is_empty() && says_limit(message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
        let headers = headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Response { status, headers, body: body.as_bytes().to_vec(), total: None }
    }

    fn seconds(status: u16, headers: &[(&str, &str)], body: &str, tries: u32) -> Option<u64> {
        let now = Timestamp::from_second(1000).unwrap();
        wait(&answer(status, headers, body), now, tries).map(|wait| wait.as_secs())
    }

    #[test]
    fn each_form_of_a_limit_has_its_wait() {
        let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1100")];
        assert_eq!(seconds(403, &used_up, "{}", 0), Some(101));
        assert_eq!(seconds(429, &[("retry-after", "7")], "", 0), Some(7));
        let secondary = r#"{"message":"You have exceeded a secondary rate limit."}"#;
        assert_eq!(seconds(403, &[("x-ratelimit-remaining", "4000")], secondary, 0), Some(60));
        assert_eq!(seconds(403, &[], secondary, 2), Some(240));
        let graphql = r#"{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}"#;
        assert_eq!(seconds(200, &used_up, graphql, 0), Some(101));
        let plain = r#"{"data":null,"errors":[{"message":"You have exceeded a secondary rate limit"}]}"#;
        assert_eq!(seconds(200, &[("retry-after", "30")], plain, 0), Some(30));
    }

    #[test]
    fn lack_of_access_and_the_last_good_answer_are_no_limits() {
        let headers = [("x-ratelimit-remaining", "4999")];
        assert_eq!(seconds(403, &headers, r#"{"message":"Resource not accessible by integration"}"#, 0), None);
        let last = r#"{"data":{"body":"type RATE_LIMITED \"errors\" rate limit"}}"#;
        assert_eq!(seconds(200, &[("x-ratelimit-remaining", "0")], last, 0), None);
        let other = r#"{"data":null,"errors":[{"type":"FORBIDDEN","message":"rate limit settings are hidden"}]}"#;
        assert_eq!(seconds(200, &[], other, 0), None);
    }
}
