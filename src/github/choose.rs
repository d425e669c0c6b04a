//! Which transport, which endpoints and whose token serve a host. Reads the environment only.

use super::gh::Gh;
use super::http::Http;
use super::transport::{Transport, TransportError};
use crate::env::Env;

/// Where a host's two interfaces are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoints {
    /// Base of REST paths, without a trailing slash.
    pub rest: String,
    pub graphql: String,
}

/// Picks and builds the transport for a host: `preference` is `prfix.transport` (`gh`, `http`, or
/// nothing: `gh` when installed, else `http` when a token is there).
///
/// # Errors
/// [`TransportError::NotSignedIn`] when the wanted way is not open, naming what would open it.
pub fn choose(env: &Env, host: &str, preference: Option<&str>) -> Result<Box<dyn Transport>, TransportError> {
    let host = valid_host(if host.is_empty() { env.get("GH_HOST").unwrap_or("github.com") } else { host })?;
    let gh = Gh::find(env, &host);
    match (preference, gh) {
        (Some("gh") | None, Some(gh)) => Ok(Box::new(gh)),
        (Some("gh"), None) => Err(refused(
            "`prfix.transport` is `gh`, but `gh` is not on PATH",
            "install GitHub's command line tool (https://cli.github.com), or set `prfix.transport` to `http` and a token in GH_TOKEN",
        )),
        (Some("http"), gh) => match token(env, &host).or_else(|| gh.and_then(|gh| gh.token())) {
            Some(token) => Ok(Box::new(Http::new(env, endpoints(env, &host), &token)?)),
            None => Err(refused(
                &format!("`prfix.transport` is `http`, but there is no token for {host}"),
                &format!("set {}, or sign in with `gh auth login --hostname {host}`", token_variables(&host)[0]),
            )),
        },
        (Some(other), _) => Err(refused(
            &format!("`prfix.transport` is `{other}`, which is not a transport"),
            "use `gh` or `http`, or remove the setting",
        )),
        (None, None) => match token(env, &host) {
            Some(token) => Ok(Box::new(Http::new(env, endpoints(env, &host), &token)?)),
            None => Err(refused(
                &format!("there is no way to reach {host}: `gh` is not on PATH and no token is set"),
                &format!(
                    "install GitHub's command line tool (https://cli.github.com) and run `gh auth login`, or set {}",
                    token_variables(&host)[0]
                ),
            )),
        },
    }
}

fn refused(why: &str, help: &str) -> TransportError {
    TransportError::NotSignedIn { why: why.to_owned(), help: help.to_owned() }
}

/// A host becomes part of URLs and of a command line: letters, digits, dots, hyphens, and a port.
fn valid_host(host: &str) -> Result<String, TransportError> {
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    if name.split('.').all(label) && port.parse::<u16>().is_ok() {
        return Ok(host.to_ascii_lowercase());
    }
    Err(refused(
        &format!("`{}` is not a host name", crate::model::text::one_line(host, 80)),
        "set GH_HOST to a bare name such as `github.example.com`, without a scheme or a path",
    ))
}

/// github.com and its tenants (`*.ghe.com`), whose tokens are one family.
pub(super) fn is_cloud(host: &str) -> bool {
    host == "github.com" || host == "github.localhost" || host.ends_with(".ghe.com")
}

/// The variables that hold a host's token, in the order that `gh` looks at them. A token of one
/// family is never sent to a host of the other.
fn token_variables(host: &str) -> [&'static str; 2] {
    if is_cloud(host) { ["GH_TOKEN", "GITHUB_TOKEN"] } else { ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"] }
}

/// The variables whose tokens are for other hosts.
pub(super) fn foreign_variables(host: &str) -> [&'static str; 2] {
    token_variables(if is_cloud(host) { "another.test" } else { "github.com" })
}

/// The token of the environment for a host.
pub(super) fn token(env: &Env, host: &str) -> Option<String> {
    let named = token_variables(host).into_iter().find_map(|name| env.get(name));
    // In a CI job on Enterprise Server, GITHUB_TOKEN is a token of that server.
    let here = env.get("GITHUB_SERVER_URL").and_then(|url| url.split_once("://")).is_some_and(|(_, h)| h == host);
    named.or_else(|| env.get("GITHUB_TOKEN").filter(|_| here)).map(|token| token.trim().to_owned())
}

fn endpoints(env: &Env, host: &str) -> Endpoints {
    let (rest, graphql) = match host {
        "github.com" => ("https://api.github.com".to_owned(), "https://api.github.com/graphql".to_owned()),
        "github.localhost" => {
            ("http://api.github.localhost".to_owned(), "http://api.github.localhost/graphql".to_owned())
        }
        host if is_cloud(host) => (format!("https://api.{host}"), format!("https://api.{host}/graphql")),
        host => (format!("https://{host}/api/v3"), format!("https://{host}/api/graphql")),
    };
    match (env.get("GITHUB_API_URL"), env.get("GITHUB_GRAPHQL_URL")) {
        (None, None) => Endpoints { rest, graphql },
        (None, Some(named)) => Endpoints { rest, graphql: named.to_owned() },
        (Some(named), graphql) => {
            let named = named.trim_end_matches('/');
            let beside = format!("{}/graphql", named.strip_suffix("/v3").unwrap_or(named));
            Endpoints { rest: named.to_owned(), graphql: graphql.map_or(beside, str::to_owned) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Env {
        Env::from_pairs(pairs.iter().copied())
    }

    fn refusal(pairs: &[(&str, &str)], host: &str, preference: Option<&str>) -> String {
        match choose(&env(pairs), host, preference) {
            Ok(transport) => format!("chose {}", transport.name()),
            Err(TransportError::NotSignedIn { why, help }) => format!("{why} | {help}"),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn without_gh_a_token_opens_the_direct_way() {
        let pairs = [("PATH", "/nowhere"), ("GH_TOKEN", "t")];
        assert_eq!(choose(&env(&pairs), "github.com", None).unwrap().name(), "http");
    }

    #[test]
    fn with_neither_gh_nor_token_both_ways_are_named() {
        let text = refusal(&[("PATH", "/nowhere"), ("GH_TOKEN", "")], "github.com", None);
        assert!(text.contains("gh auth login") && text.contains("GH_TOKEN"), "{text}");
    }

    #[test]
    fn gh_asked_for_by_name_is_not_replaced_by_a_token() {
        let text = refusal(&[("PATH", "/nowhere"), ("GH_TOKEN", "t")], "github.com", Some("gh"));
        assert!(text.contains("not on PATH"), "{text}");
        assert!(refusal(&[], "github.com", Some("ssh")).contains("`ssh`"));
    }

    #[test]
    fn a_token_of_github_com_is_never_sent_to_another_host() {
        let pairs = [("GH_TOKEN", "dotcom"), ("GITHUB_TOKEN", "dotcom")];
        assert_eq!(token(&env(&pairs), "ghe.corp.test"), None);
        assert_eq!(token(&env(&[("GH_ENTERPRISE_TOKEN", "e")]), "github.com"), None);
        assert_eq!(token(&env(&[("GH_ENTERPRISE_TOKEN", "e")]), "ghe.corp.test").as_deref(), Some("e"));
        let job = [("GITHUB_TOKEN", "job"), ("GITHUB_SERVER_URL", "https://ghe.corp.test")];
        assert_eq!(token(&env(&job), "ghe.corp.test").as_deref(), Some("job"));
    }

    #[test]
    fn hosts_have_their_endpoints_and_a_job_names_its_own() {
        let of = |pairs: &[(&str, &str)], host: &str| {
            let found = endpoints(&env(pairs), host);
            (found.rest, found.graphql)
        };
        let pair = |rest: &str, graphql: &str| (rest.to_owned(), graphql.to_owned());
        assert_eq!(of(&[], "github.com"), pair("https://api.github.com", "https://api.github.com/graphql"));
        assert_eq!(of(&[], "a.ghe.com"), pair("https://api.a.ghe.com", "https://api.a.ghe.com/graphql"));
        assert_eq!(of(&[], "ghe.test"), pair("https://ghe.test/api/v3", "https://ghe.test/api/graphql"));
        let job = [("GITHUB_API_URL", "http://127.0.0.1:1/api/v3/")];
        assert_eq!(of(&job, "x.test"), pair("http://127.0.0.1:1/api/v3", "http://127.0.0.1:1/api/graphql"));
        let both = [("GITHUB_API_URL", "http://h:1"), ("GITHUB_GRAPHQL_URL", "http://h:1/g")];
        assert_eq!(of(&both, "github.com"), pair("http://h:1", "http://h:1/g"));
    }

    #[test]
    fn an_empty_gh_host_is_unset_and_a_strange_one_is_refused() {
        assert_eq!(valid_host("GHE.Corp.test:8443").unwrap(), "ghe.corp.test:8443");
        for bad in ["https://ghe.test", "ghe.test/x", "-flag", "a b", "user@h", "h:port", "", "a..b"] {
            assert!(valid_host(bad).is_err(), "{bad:?}");
        }
        let pairs = [("PATH", "/nowhere"), ("GH_HOST", ""), ("GH_TOKEN", "t")];
        assert_eq!(choose(&env(&pairs), "", None).unwrap().name(), "http");
    }
}
