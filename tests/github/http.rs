//! The direct transport on real sockets.

use git_prfix::env::Env;
use git_prfix::github::{Method, Request, Transport, TransportError, choose};
use serde_json::json;

use super::memory::{alone, costs_little_memory};
use super::wire::{Reply, Wire, hangs_up_after, store};

/// The direct transport for `github.com`, pointed at a local server.
fn direct(url: &str) -> Box<dyn Transport> {
    let env = Env::from_pairs([("GITHUB_API_URL", url), ("GH_TOKEN", "s3cret"), ("PATH", "/nowhere")]);
    choose(&env, "github.com", Some("http")).unwrap()
}

fn tail_of(path: &str, tail: usize) -> Request {
    let mut request = Request::get(path);
    request.tail = Some(tail);
    request
}

/// Traffic: bytes of all ranges that were asked for.
fn ranged_bytes(asked: &[super::wire::Seen]) -> u64 {
    let size = |range: &str| {
        let (from, to) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        to.parse::<u64>().unwrap() - from.parse::<u64>().unwrap() + 1
    };
    asked.iter().filter_map(|seen| seen.header("range")).map(size).sum()
}

#[test]
fn requests_share_a_connection_and_carry_the_token_and_the_body() {
    let wire = Wire::tcp(|_| Reply::json(&json!({"data": {}})));
    let transport = direct(&wire.url());
    for _ in 0..5 {
        let mut request = Request::new(Method::Post, "/graphql");
        request.body = Some(json!({"query": "{ viewer { login } }"}));
        assert_eq!(transport.send(&request).unwrap().status, 200);
    }
    let seen = wire.seen();
    assert!(seen.iter().all(|one| one.port == seen[0].port), "kept alive");
    assert_eq!((seen[0].method.as_str(), seen[0].path.as_str()), ("POST", "/graphql"));
    assert_eq!(seen[0].header("authorization"), Some("Bearer s3cret"));
    assert!(seen[0].body.contains("viewer"));
}

#[test]
fn an_error_status_is_an_answer_with_its_headers() {
    let wire = Wire::tcp(|_| Reply::new(403, &[("Retry-After", "60")], r#"{"message": "slow down"}"#));
    let response = direct(&wire.url()).send(&Request::get("/repos/o/r")).unwrap();
    assert_eq!((response.status, response.header("retry-after")), (403, Some("60")));
}

#[test]
fn a_log_of_500_mb_costs_two_ranges_and_the_store_never_sees_the_token() {
    let total = 500 << 20;
    let blob = Wire::tcp(move |asked| store(asked, total, true));
    let place = format!("{}/blob?sig=abc", blob.url());
    let api = Wire::tcp(move |_| Reply::new(302, &[("Location", &place)], ""));
    let response = direct(&api.url()).send(&tail_of("/repos/o/r/actions/jobs/1/logs", 512 << 10)).unwrap();
    assert_eq!((response.status, response.total, response.body.len()), (200, Some(total as u64), 512 << 10));
    assert!(response.body.ends_with(b"##[error]Process completed with exit code 1.\n"));
    let (api, blob) = (api.seen(), blob.seen());
    assert_eq!((api.len(), blob.len()), (1, 2), "the second range goes straight to the store");
    assert!(api[0].header("authorization").is_some() && blob.iter().all(|seen| seen.header("authorization").is_none()));
    assert!(ranged_bytes(&blob) < 2 << 20);
}

#[test]
fn a_short_log_costs_one_request_to_the_store() {
    let wire = Wire::tcp(|asked| store(asked, 5000, true));
    let response = direct(&wire.url()).send(&tail_of("/log", 8000)).unwrap();
    assert_eq!((response.status, response.total, response.body.len()), (200, Some(5000), 5000));
    assert_eq!(wire.seen().len(), 1);
}

#[test]
fn an_empty_log_is_empty() {
    let wire = Wire::tcp(|_| Reply::new(416, &[("Content-Range", "bytes */0")], "<error/>"));
    let response = direct(&wire.url()).send(&tail_of("/log", 8000)).unwrap();
    assert_eq!((response.status, response.total, response.body.len()), (200, Some(0), 0));
}

#[test]
fn a_log_of_500_mb_without_ranges_costs_less_than_32_mb_of_memory() {
    alone("github::http::a_log_of_500_mb_without_ranges_costs_less_than_32_mb_of_memory", || {
        let total = 500 << 20;
        let wire = Wire::tcp(move |asked| store(asked, total, false));
        let transport = direct(&wire.url());
        costs_little_memory(|| {
            let response = transport.send(&tail_of("/log", 512 << 10)).unwrap();
            assert_eq!((response.total, response.body.len()), (Some(total as u64), 512 << 10));
        });
    });
}

#[test]
fn a_connection_that_drops_is_unreachable_and_never_half_an_answer() {
    let cases: [&'static [u8]; 4] = [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\": {",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"dat\r\n",
    ];
    for bytes in cases {
        let result = direct(&hangs_up_after(bytes)).send(&Request::get("/x"));
        assert!(
            matches!(result, Err(TransportError::Unreachable { .. })),
            "{:?}: {result:?}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn a_closed_port_is_unreachable() {
    let url = Wire::tcp(|_| Reply::new(200, &[], "")).url();
    assert!(matches!(direct(&url).send(&Request::get("/x")), Err(TransportError::Unreachable { .. })));
}

#[test]
fn redirects_in_a_circle_end_and_posts_are_not_redirected() {
    let wire = Wire::tcp(|_| Reply::new(302, &[("Location", "/again")], ""));
    let transport = direct(&wire.url());
    assert!(transport.send(&Request::get("/x")).is_err());
    let before = wire.seen().len();
    assert_eq!(transport.send(&Request::new(Method::Post, "/x")).unwrap().status, 302);
    assert_eq!(wire.seen().len(), before + 1);
}

#[test]
fn an_environment_proxy_is_used() {
    let proxy = Wire::tcp(|_| Reply::new(502, &[], ""));
    let env = Env::from_pairs([
        ("GITHUB_API_URL", "http://api.github.test"),
        ("GH_TOKEN", "s3cret"),
        ("PATH", "/nowhere"),
        ("http_proxy", proxy.url().as_str()),
    ]);
    let _ = choose(&env, "github.com", Some("http")).unwrap().send(&Request::get("/x"));
    assert!(!proxy.seen().is_empty());
    assert!(
        proxy.seen().iter().all(|seen| seen.method == "CONNECT" || seen.path.starts_with("http://api.github.test"))
    );
}
