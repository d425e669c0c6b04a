//! The transport through the real `gh`, over its `http_unix_socket` setting, and through scripts
//! that stand in for it where it must misbehave.

use std::os::unix::fs::PermissionsExt;

use git_prfix::clock::SystemClock;
use git_prfix::env::Env;
use git_prfix::github::{Client, Method, Request, Transport, TransportError, choose};
use git_prfix::model::repo::RepoId;
use serde_json::json;
use tempfile::TempDir;

use super::fixture::{comment, harvest, thread, whole};
use super::memory::{alone, costs_little_memory};
use super::wire::{Reply, Seen, Wire, store};

/// The real `gh` with settings of its own, and a server behind its socket.
struct Real {
    wire: Wire,
    env: Env,
    _dir: TempDir,
}

impl Real {
    /// `None`, said loudly, where there is no `gh`.
    fn start(token: Option<(&str, &str)>, answer: impl Fn(&Seen) -> Reply + Send + 'static) -> Option<Self> {
        let path = std::env::var("PATH").unwrap_or_default();
        if which::which("gh").is_err() {
            assert!(std::env::var("PRFIX_TEST_REQUIRE").is_err(), "gh is not on PATH");
            eprintln!("SKIPPED: gh is not on PATH");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("gh.sock");
        std::fs::write(dir.path().join("config.yml"), format!("http_unix_socket: {}\n", socket.display())).unwrap();
        let wire = Wire::unix(&socket, answer);
        let home = dir.path().to_str().unwrap().to_owned();
        let mut pairs = vec![("PATH".to_owned(), path), ("HOME".to_owned(), home.clone())];
        pairs.push(("GH_CONFIG_DIR".to_owned(), home));
        pairs.extend(token.map(|(name, value)| (name.to_owned(), value.to_owned())));
        // What a terminal or a debugging user may have set must not reach the answers.
        pairs.extend(
            [("GH_DEBUG", "api"), ("GH_FORCE_TTY", "1"), ("CLICOLOR_FORCE", "1")].map(|(k, v)| (k.into(), v.into())),
        );
        Some(Self { wire, env: Env::from_pairs(pairs), _dir: dir })
    }

    fn transport(&self, host: &str) -> Box<dyn Transport> {
        choose(&self.env, host, Some("gh")).unwrap()
    }
}

const TOKEN: Option<(&str, &str)> = Some(("GH_TOKEN", "x"));

#[test]
fn a_harvest_through_the_real_gh_reads_what_the_server_says() {
    let threads =
        whole((0..30).map(|n| thread(&format!("PRRT_{n}"), whole(vec![comment("PRRC", "naïve ✓\n")]))).collect());
    let data = json!({"data": harvest(&[("reviewThreads", threads)])});
    let Some(real) = Real::start(TOKEN, move |_| Reply::json(&data)) else { return };
    let client = Client::new(
        real.transport("github.com"),
        RepoId::new("github.com", "octo", "demo"),
        std::sync::Arc::new(SystemClock),
    );
    let found = client.harvest(7).unwrap();
    assert_eq!((found.threads.len(), found.threads[0].comments[0].body.as_str()), (30, "naïve ✓\n"));
    let seen = real.wire.seen();
    assert_eq!((seen.len(), seen[0].method.as_str(), seen[0].path.as_str()), (1, "POST", "/graphql"));
    assert!(seen[0].body.contains("\"operationName\":\"Harvest\""));
}

#[test]
fn failures_come_back_with_status_headers_and_body_whatever_gh_exits_with() {
    for status in [401, 403, 404, 422, 429, 500, 502] {
        let Some(real) =
            Real::start(TOKEN, move |_| Reply::new(status, &[("Retry-After", "9")], r#"{"message":"no"}"#))
        else {
            return;
        };
        let response = real.transport("github.com").send(&Request::get("/repos/o/r?a=b&c=d")).unwrap();
        assert_eq!((response.status, response.header("retry-after")), (status, Some("9")));
        assert_eq!(response.body, br#"{"message":"no"}"#);
        assert_eq!(real.wire.seen()[0].path, "/repos/o/r?a=b&c=d");
    }
}

#[test]
fn an_enterprise_host_is_reached_under_its_own_paths() {
    let token = Some(("GH_ENTERPRISE_TOKEN", "e"));
    let Some(real) = Real::start(token, |_| Reply::json(&json!({"data": {}}))) else { return };
    let transport = real.transport("ghe.corp.test");
    let mut request = Request::new(Method::Post, "/graphql");
    request.body = Some(json!({"query": "{a}"}));
    transport.send(&request).unwrap();
    transport.send(&Request::get("/repos/o/r")).unwrap();
    let paths: Vec<String> = real.wire.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths, ["/api/graphql", "/api/v3/repos/o/r"]);
    assert_eq!(real.wire.seen()[0].header("host"), Some("ghe.corp.test"));
}

#[test]
fn a_log_of_500_mb_costs_two_ranges_through_gh() {
    let total = 500 << 20;
    let answer = move |asked: &Seen| match asked.path.starts_with("/blob") {
        true => store(asked, total, true),
        false => Reply::new(302, &[("Location", "http://store.test/blob?sig=1")], ""),
    };
    let Some(real) = Real::start(TOKEN, answer) else { return };
    let mut request = Request::get("/repos/o/r/actions/jobs/1/logs");
    request.tail = Some(512 << 10);
    let response = real.transport("github.com").send(&request).unwrap();
    assert_eq!((response.status, response.total, response.body.len()), (200, Some(total as u64), 512 << 10));
    assert!(response.body.ends_with(b"##[error]Process completed with exit code 1.\n"));
    let seen = real.wire.seen();
    let blob: Vec<&Seen> = seen.iter().filter(|one| one.path.starts_with("/blob")).collect();
    assert_eq!(blob.len(), 2);
    assert!(blob.iter().all(|one| one.header("range").is_some() && one.header("authorization").is_none()));
}

#[test]
fn without_ranges_the_end_of_a_log_is_kept_while_it_passes() {
    let total = 8 << 20;
    let Some(real) = Real::start(TOKEN, move |asked| store(asked, total, false)) else { return };
    let mut request = Request::get("/log");
    request.tail = Some(64 << 10);
    let response = real.transport("github.com").send(&request).unwrap();
    assert_eq!((response.status, response.total, response.body.len()), (200, Some(total as u64), 64 << 10));
    assert!(response.body.ends_with(b"exit code 1.\n"));
}

#[test]
fn a_log_of_500_mb_without_ranges_costs_less_than_32_mb_of_memory_through_gh() {
    alone("github::gh::a_log_of_500_mb_without_ranges_costs_less_than_32_mb_of_memory_through_gh", || {
        let total = 500 << 20;
        let Some(real) = Real::start(TOKEN, move |asked| store(asked, total, false)) else { return };
        let transport = real.transport("github.com");
        let mut request = Request::get("/log");
        request.tail = Some(512 << 10);
        costs_little_memory(|| {
            let response = transport.send(&request).unwrap();
            assert_eq!((response.total, response.body.len()), (Some(total as u64), 512 << 10));
            assert!(response.body.ends_with(b"exit code 1.\n"));
        });
    });
}

/// What a job's log and a hostile comment may hold; newer versions of `gh` refuse or replace it.
#[test]
fn escapes_come_through_in_logs_and_do_not_break_an_answer() {
    let log = "\u{feff}2026-01-02T03:04:05.1234567Z \u{1b}[36;1mmake\u{1b}[0m\r\n".repeat(100);
    let (text, length) = (log.clone(), log.len());
    let data = json!({"data": harvest(&[("comments", whole(vec![comment("IC_1", "a\u{1b}[31mb\u{9b}31mc")]))])});
    let Some(real) = Real::start(TOKEN, move |asked| match asked.path.as_str() {
        "/log" => Reply::new(200, &[("Content-Type", "text/plain; charset=utf-8")], text.clone()),
        _ => Reply::json(&data),
    }) else {
        return;
    };
    let transport = real.transport("github.com");
    let mut request = Request::get("/log");
    request.tail = Some(64 << 10);
    for _ in 0..2 {
        let response = transport.send(&request).unwrap();
        assert_eq!((response.total, response.body.as_slice()), (Some(length as u64), log.as_bytes()));
    }
    let repo = RepoId::new("github.com", "octo", "demo");
    let found = Client::new(transport, repo, std::sync::Arc::new(SystemClock)).harvest(7).unwrap();
    assert!(found.comments[0].body.starts_with('a'));
}

#[test]
fn no_token_reaches_another_host_by_a_redirect() {
    let answer = |asked: &Seen| match asked.path.ends_with("/log") {
        true => Reply::new(302, &[("Location", "http://store.test/blob")], ""),
        false => store(asked, 5000, true),
    };
    let Some(mut real) = Real::start(TOKEN, answer) else { return };
    let pairs: Vec<_> = real.env.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    real.env = Env::from_pairs(pairs.into_iter().chain([("GH_ENTERPRISE_TOKEN".into(), "enterprise".into())]));
    let mut request = Request::get("/log");
    request.tail = Some(64 << 10);
    assert_eq!(real.transport("github.com").send(&request).unwrap().total, Some(5000));
    // An old `gh` cannot be kept from it, and is not asked.
    if let Err(error) = real.transport("ghe.corp.test").send(&request) {
        assert!(error.to_string().contains("would send the token"), "{error}");
    }
    let stored: Vec<Seen> = real.wire.seen().into_iter().filter(|seen| seen.path == "/blob").collect();
    assert!(!stored.is_empty() && stored.iter().all(|seen| seen.header("authorization").is_none()));
}

#[test]
fn gh_without_an_account_is_not_signed_in() {
    let Some(real) = Real::start(None, |_| Reply::json(&json!({}))) else { return };
    match real.transport("github.com").send(&Request::get("/user")) {
        Err(TransportError::NotSignedIn { why, help }) => {
            assert!(why.contains("github.com") && help.contains("gh auth login"), "{why} {help}");
        }
        other => panic!("{other:?}"),
    }
    assert!(real.wire.seen().is_empty());
}

#[test]
fn the_token_of_gh_serves_the_direct_transport() {
    let Some(real) = Real::start(None, |_| Reply::json(&json!({}))) else { return };
    let hosts = real.env.path("GH_CONFIG_DIR").unwrap().join("hosts.yml");
    std::fs::write(hosts, "github.com:\n    oauth_token: stored\n    user: me\n    git_protocol: https\n").unwrap();
    let server = Wire::tcp(|_| Reply::json(&json!({})));
    let pairs = real.env.iter().map(|(k, v)| (k.clone(), v.clone()));
    let env = Env::from_pairs(pairs.chain([("GITHUB_API_URL".into(), server.url().into())]));
    choose(&env, "github.com", Some("http")).unwrap().send(&Request::get("/user")).unwrap();
    assert_eq!(server.seen()[0].header("authorization"), Some("Bearer stored"));
}

/// A script in the place of `gh`.
fn fake(script: &str) -> (TempDir, Box<dyn Transport>) {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("gh");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", dir.path().display());
    let env = Env::from_pairs([("PATH", path.as_str()), ("OUT", dir.path().to_str().unwrap())]);
    let transport = choose(&env, "github.com", None).unwrap();
    (dir, transport)
}

#[test]
fn a_body_never_stands_on_the_command_line() {
    let (dir, transport) =
        fake(r#"echo "$@" > "$OUT/args"; cat > "$OUT/body"; printf 'HTTP/2.0 200 OK\nA: b\r\n\r\n{}'"#);
    let mut request = Request::new(Method::Post, "/graphql");
    request.body = Some(json!({"variables": {"body": "a secret reply"}}));
    request.headers.push(("X-Test".to_owned(), "1".to_owned()));
    assert_eq!(transport.send(&request).unwrap().body, b"{}");
    let args = std::fs::read_to_string(dir.path().join("args")).unwrap();
    assert_eq!(args.trim(), "api -i --hostname github.com --method POST -H X-Test: 1 graphql --input -");
    assert!(std::fs::read_to_string(dir.path().join("body")).unwrap().contains("a secret reply"));
}

#[test]
fn half_an_answer_of_gh_is_no_answer() {
    let cases = [
        ("exit 4", false),
        ("echo 'error connecting to api.github.com' >&2; exit 1", true),
        ("printf 'HTTP/2.0 200 OK\\nContent-Length: 50\\r\\n\\r\\n{\"data\"'", true),
        ("printf 'HTTP/2.0 200 OK\\nContent-Type: x\\r\\n'", true),
        ("kill -9 $$", true),
        ("printf 'HTTP/2.0 200 OK\\n\\r\\n{}'; echo 'unexpected EOF' >&2; exit 1", true),
    ];
    for (script, unreachable) in cases {
        let result = fake(script).1.send(&Request::get("/user"));
        assert_eq!(matches!(result, Err(TransportError::Unreachable { .. })), unreachable, "{script}: {result:?}");
        assert!(result.is_err());
    }
}
