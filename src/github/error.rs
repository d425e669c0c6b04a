//! What can go wrong with GitHub, told apart so that a person knows what to do next.

use miette::Diagnostic;
use thiserror::Error;

use super::transport::{Response, TransportError};
use crate::model::text::one_line;

#[derive(Debug, Error, Diagnostic)]
pub enum GithubError {
    #[error(transparent)]
    #[diagnostic(transparent)]
    Transport(#[from] TransportError),
    #[error("GitHub does not accept the token: {message}")]
    #[diagnostic(code(prfix::github::unauthorized), help("sign in again with `gh auth login`, or set a valid token"))]
    Unauthorized { message: String },
    #[error("the token may not {what}: {message}")]
    #[diagnostic(code(prfix::github::forbidden), help("{help}"))]
    Forbidden { what: String, message: String, help: String },
    #[error("{what} was not found on {host}")]
    #[diagnostic(
        code(prfix::github::not_found),
        help("check the number and the repository; a token without access sees the same")
    )]
    NotFound { what: String, host: String },
    #[error("GitHub's rate limit is used up until {until}")]
    #[diagnostic(
        code(prfix::github::rate_limit),
        help("wait until then and run the same command again; it goes on where it stopped")
    )]
    RateLimited { until: String },
    #[error("GitHub's answer when asked to {what} could not be used: {why}")]
    #[diagnostic(
        code(prfix::github::bad_answer),
        help("run again with `-v`; an incomplete answer is never taken for \"no feedback\"")
    )]
    BadAnswer { what: String, why: String },
    /// Understood, allowed, and still not done: the pull request's state speaks against it.
    #[error("GitHub refused to {what}: {message}")]
    #[diagnostic(
        code(prfix::github::refused),
        help("look at the pull request on GitHub: it may be locked or have changed")
    )]
    Refused { what: String, message: String },
    #[error("GitHub failed when asked to {what}: {why}")]
    #[diagnostic(code(prfix::github::server), help("try again in a few minutes: https://www.githubstatus.com"))]
    Server { what: String, why: String },
}

impl GithubError {
    pub(super) fn bad(what: &str, why: impl Into<String>) -> Self {
        Self::BadAnswer { what: what.to_owned(), why: why.into() }
    }

    /// The request may have been carried out although its answer is lost.
    pub(super) fn is_lost_answer(&self) -> bool {
        matches!(
            self,
            Self::Transport(TransportError::Unreachable { .. }) | Self::Server { .. } | Self::BadAnswer { .. }
        )
    }
}

/// The `message` of an error body, or the beginning of whatever came instead.
pub(super) fn message(response: &Response) -> String {
    let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
    match body.get("message").and_then(|text| text.as_str()) {
        Some(text) => one_line(text, 300),
        None => one_line(&format!("HTTP {} {}", response.status, String::from_utf8_lossy(&response.body)), 120),
    }
}

/// The error for an HTTP status that means refusal or failure; `None` for a success.
pub(super) fn refusal(response: &Response, what: &str, host: &str) -> Option<GithubError> {
    let message = || message(response);
    match response.status {
        200..=299 => None,
        401 => Some(GithubError::Unauthorized { message: message() }),
        403 | 451 => {
            Some(GithubError::Forbidden { what: what.to_owned(), message: message(), help: help(response, host) })
        }
        404 | 410 => Some(GithubError::NotFound { what: format!("what it takes to {what}"), host: host.to_owned() }),
        422 => Some(GithubError::Refused { what: what.to_owned(), message: message() }),
        500..=599 => Some(GithubError::Server { what: what.to_owned(), why: message() }),
        status => Some(GithubError::bad(what, format!("status {status}: {}", message()))),
    }
}

/// What would lift a 403, as far as the headers tell.
fn help(response: &Response, host: &str) -> String {
    if let Some(sso) = response.header("x-github-sso") {
        let url = sso.split(';').find_map(|part| part.trim().strip_prefix("url=")).unwrap_or("");
        return sso_help(&one_line(url, 300), host);
    }
    if let Some(wanted) = response.header("x-accepted-github-permissions").filter(|text| !text.is_empty()) {
        return format!("give the token the permission {}", one_line(wanted, 200));
    }
    match (response.header("x-accepted-oauth-scopes"), response.header("x-oauth-scopes")) {
        (Some(wanted), Some(has)) if !wanted.is_empty() => format!(
            "the token has the scopes `{}`; this needs one of `{}`: `gh auth refresh --hostname {host} --scopes SCOPE`",
            one_line(has, 200),
            one_line(wanted, 200)
        ),
        _ => "use an account or a token with write access to the repository".to_owned(),
    }
}

/// Single sign-on refuses a token that is otherwise fine.
pub(super) fn sso_help(url: &str, host: &str) -> String {
    if url.is_empty() {
        return format!(
            "the organisation requires single sign-on: authorise the token for it at https://{host}/settings/tokens, or run `gh auth refresh --hostname {host}`"
        );
    }
    format!("the organisation requires single sign-on: authorise the token at {url}, then run the same command again")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Response { status, headers, body: br#"{"message":"Nope"}"#.to_vec(), total: None }
    }

    fn help_of(headers: &[(&str, &str)]) -> String {
        match refusal(&answer(403, headers), "push", "github.com") {
            Some(GithubError::Forbidden { help, .. }) => help,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_refusal_names_what_is_missing() {
        let sso = help_of(&[("x-github-sso", "required; url=https://github.com/orgs/o/sso?x=1")]);
        assert!(sso.contains("https://github.com/orgs/o/sso?x=1"), "{sso}");
        assert!(help_of(&[("x-accepted-github-permissions", "contents=write")]).contains("contents=write"));
        let scopes = help_of(&[("x-accepted-oauth-scopes", "repo"), ("x-oauth-scopes", "gist")]);
        assert!(scopes.contains("`gist`") && scopes.contains("`repo`"), "{scopes}");
    }

    #[test]
    fn statuses_are_told_apart() {
        let kind = |status| refusal(&answer(status, &[]), "read", "h").map(|error| error.to_string());
        assert_eq!(kind(201), None);
        assert_eq!(kind(401).unwrap(), "GitHub does not accept the token: Nope");
        assert_eq!(kind(502).unwrap(), "GitHub failed when asked to read: Nope");
        assert!(kind(410).unwrap().contains("not found"));
        assert!(kind(301).unwrap().contains("status 301"));
    }
}
