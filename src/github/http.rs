//! The direct transport: kept-alive connections, the system's certificates, proxies from the
//! environment. Redirects are followed by hand, because GitHub's point at other hosts that must not
//! see the token.

use std::io::Read;
use std::time::Duration;

use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy, http};

use super::choose::Endpoints;
use super::range::{self, Next};
use super::transport::{Method, Request, Response, Transport, TransportError};
use crate::env::Env;

/// Most bytes of an answer that is read whole.
const LIMIT: u64 = 64 << 20;
const MAX_REDIRECTS: usize = 5;

pub(super) struct Http {
    agent: Agent,
    endpoints: Endpoints,
    authorization: String,
}

/// Where a request goes, and whether the token may go along.
struct Target {
    url: String,
    trusted: bool,
}

impl Http {
    pub fn new(env: &Env, endpoints: Endpoints, token: &str) -> Result<Self, TransportError> {
        if token.is_empty() || token.bytes().any(|b| b.is_ascii_control() || b == b' ') {
            return Err(TransportError::NotSignedIn {
                why: "the token in the environment is not a token: it holds spaces or control characters".into(),
                help: "set it again, without quotes or line ends".into(),
            });
        }
        let secure = endpoints.rest.starts_with("https:");
        let patience = patience(env);
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy(env, secure))
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .user_agent(concat!("git-prfix/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(patience))
            .timeout_per_read(Some(patience))
            .build();
        Ok(Self { agent: config.into(), endpoints, authorization: format!("Bearer {token}") })
    }

    fn url(&self, path: &str) -> String {
        if path == "/graphql" {
            return self.endpoints.graphql.clone();
        }
        format!("{}/{}", self.endpoints.rest, path.trim_start_matches('/'))
    }

    /// Sends to `target` and follows redirects, of reads only. The final target comes back with the
    /// answer, so that a second range can be asked for there.
    fn follow(
        &self,
        request: &Request,
        range: Option<&str>,
        mut target: Target,
    ) -> Result<(Response, Target), TransportError> {
        for _ in 0..=MAX_REDIRECTS {
            let response = self.once(request, range, &target)?;
            let moved = matches!(response.status, 301 | 302 | 303 | 307 | 308) && request.method == Method::Get;
            let Some(location) = response.header("location").filter(|_| moved) else {
                return Ok((response, target));
            };
            target = redirect(&target, location)?;
        }
        Err(unreachable("too many redirects"))
    }

    fn once(&self, request: &Request, range: Option<&str>, target: &Target) -> Result<Response, TransportError> {
        let mut builder = http::Request::builder()
            .method(request.method.as_str())
            .uri(&target.url)
            .header("accept", "application/vnd.github+json")
            .header("x-github-api-version", "2022-11-28");
        if target.trusted {
            builder = builder.header("authorization", &self.authorization);
        }
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if request.tail.is_some() {
            builder = builder.header("accept-encoding", "identity");
        }
        if let Some(range) = range {
            builder = builder.header("range", range);
        }
        let answer = match &request.body {
            Some(body) => {
                let ready = builder.header("content-type", "application/json").body(body.to_string());
                self.agent.run(ready.map_err(|error| unreachable(&error.to_string()))?)
            }
            None => self.agent.run(builder.body(()).map_err(|error| unreachable(&error.to_string()))?),
        };
        read(answer.map_err(|error| unreachable(&error.to_string()))?, request.tail)
    }
}

/// How long an answer may take to begin or to go on: a minute, or the seconds of `PRFIX_HTTP_TIMEOUT`.
fn patience(env: &Env) -> Duration {
    env.seconds("PRFIX_HTTP_TIMEOUT").unwrap_or(Duration::from_secs(60))
}

fn unreachable(why: &str) -> TransportError {
    TransportError::Unreachable { why: why.to_owned() }
}

fn read(mut answer: http::Response<ureq::Body>, tail: Option<usize>) -> Result<Response, TransportError> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = answer.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let status = answer.status().as_u16();
    let reader = answer.body_mut().as_reader();
    let lost = |error: std::io::Error| unreachable(&format!("the answer broke off: {error}"));
    let (body, total) = match tail {
        Some(tail) => range::read_tail(reader, tail).map(|(body, total)| (body, Some(total))).map_err(lost)?,
        None => {
            let mut body = Vec::new();
            reader.take(LIMIT + 1).read_to_end(&mut body).map_err(lost)?;
            (body, None)
        }
    };
    if total.is_none() && body.len() as u64 > LIMIT {
        return Err(unreachable("the answer is longer than 64 MiB"));
    }
    Ok(Response { status, headers, body, total })
}

/// The next target. The token stays with the host it is for, and never leaves https for http.
fn redirect(from: &Target, location: &str) -> Result<Target, TransportError> {
    let bad = || unreachable("GitHub redirected to an address that cannot be used");
    let base: http::Uri = from.url.parse().map_err(|_| bad())?;
    let (scheme, authority) = (base.scheme_str().ok_or_else(bad)?, base.authority().ok_or_else(bad)?);
    let url = if location.starts_with('/') { format!("{scheme}://{authority}{location}") } else { location.to_owned() };
    let next: http::Uri = url.parse().map_err(|_| bad())?;
    let allowed = next.scheme_str() == Some("https") || next.scheme_str() == Some(scheme);
    if !allowed || next.authority().is_none() {
        return Err(bad());
    }
    let same = next.scheme_str() == Some(scheme) && next.authority() == Some(authority);
    Ok(Target { url, trusted: from.trusted && same })
}

/// The proxy that the environment names for this scheme. Loopback is reached directly, as in `gh`.
fn proxy(env: &Env, secure: bool) -> Option<Proxy> {
    let names = if secure { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
    let url = names.into_iter().chain(["ALL_PROXY", "all_proxy"]).find_map(|name| env.get(name))?;
    let parsed = Proxy::new(url).ok()?;
    let mut builder = Proxy::builder(parsed.protocol()).host(parsed.host()).port(parsed.port());
    if let Some(user) = parsed.username() {
        builder = builder.username(user);
    }
    if let Some(password) = parsed.password() {
        builder = builder.password(password);
    }
    let exempt = env.get("NO_PROXY").or_else(|| env.get("no_proxy")).unwrap_or_default();
    let exempt = exempt.split(',').map(str::trim).filter(|host| !host.is_empty());
    exempt.chain(["localhost", "127.0.0.1"]).fold(builder, ureq::ProxyBuilder::no_proxy).build().ok()
}

impl Transport for Http {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let target = Target { url: self.url(&request.path), trusted: true };
        let Some(tail) = request.tail.filter(|_| request.method == Method::Get) else {
            return self.follow(request, None, target).map(|(response, _)| response);
        };
        let (first, target) = self.follow(request, Some(&range::first()), target)?;
        match range::next(&first, tail) {
            Next::Done { total } => Ok(range::finish(first, total)),
            Next::Range { header, total } => {
                let (end, _) = self.follow(request, Some(&header), target)?;
                Ok(range::finish(end, Some(total)))
            }
        }
    }

    fn name(&self) -> &'static str {
        "http"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(from: &str, location: &str) -> Option<(String, bool)> {
        let from = Target { url: from.to_owned(), trusted: true };
        redirect(&from, location).ok().map(|target| (target.url, target.trusted))
    }

    #[test]
    fn the_token_never_follows_to_another_host() {
        let api = "https://api.github.com/repos/o/r";
        assert_eq!(follow(api, "/x"), Some(("https://api.github.com/x".into(), true)));
        assert_eq!(follow(api, "https://blob.test/l?sig=1"), Some(("https://blob.test/l?sig=1".into(), false)));
        assert_eq!(follow(api, "https://api.github.com:444/x"), Some(("https://api.github.com:444/x".into(), false)));
        assert_eq!(follow(api, "http://api.github.com/x"), None);
        assert_eq!(follow(api, "file:///etc/passwd"), None);
    }

    #[test]
    fn the_proxy_of_the_scheme_is_taken() {
        let env =
            Env::from_pairs([("HTTPS_PROXY", "http://u:p@proxy.test:3128"), ("NO_PROXY", "ghe.test, .corp.test")]);
        let found = proxy(&env, true).unwrap();
        assert_eq!((found.host(), found.port(), found.username()), ("proxy.test", 3128, Some("u")));
        for direct in ["https://ghe.test/", "https://x.corp.test/", "http://127.0.0.1:1/"] {
            assert!(found.is_no_proxy(&direct.parse().unwrap()), "{direct}");
        }
        assert!(!found.is_no_proxy(&"https://api.github.com/".parse().unwrap()));
        assert!(proxy(&env, false).is_none());
    }

    #[test]
    fn a_token_that_would_break_the_header_is_refused() {
        let endpoints = Endpoints { rest: "https://h".into(), graphql: "https://h/graphql".into() };
        assert!(Http::new(&Env::default(), endpoints, "abc\r\nX: y").is_err());
    }
}
