//! Which remote belongs to the pull request, and which address its head repository has.

use miette::Diagnostic;
use thiserror::Error;

use crate::model::repo::RepoId;

/// What is needed of a remote to choose one.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub name: String,
    /// As configured.
    pub url: String,
    pub repo: Option<RepoId>,
    /// `remote.<name>.gh-resolved = base`, which `gh repo set-default` writes.
    pub gh_default: bool,
}

#[derive(Debug, Error, Diagnostic, PartialEq, Eq)]
pub enum RemoteError {
    #[error("this repository has no remote")]
    #[diagnostic(
        code(prfix::remote::none),
        help("add the one that the pull request lives on: `git remote add origin <url>`")
    )]
    NoRemote,
    #[error("no remote matches {wanted}; looked at {}", list(looked_at))]
    #[diagnostic(code(prfix::remote::no_match), help("name the right one: `git config prfix.remote <name>`"))]
    NoMatch { wanted: String, looked_at: Vec<String> },
    #[error("more than one remote matches: {}", list(matching))]
    #[diagnostic(code(prfix::remote::ambiguous), help("name the right one: `git config prfix.remote <name>`"))]
    Ambiguous { matching: Vec<String> },
    #[error("there is no remote `{name}`; there are {}", list(looked_at))]
    #[diagnostic(code(prfix::remote::unknown), help("set `prfix.remote` to one of them"))]
    Unknown { name: String, looked_at: Vec<String> },
    #[error("the remote `{name}` ({url}) names no repository on a GitHub host")]
    #[diagnostic(
        code(prfix::remote::not_github),
        help("give the pull request as a URL, or set `prfix.remote` to another remote")
    )]
    NotGithub { name: String, url: String },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn describe(candidates: &[&Candidate]) -> Vec<String> {
    candidates.iter().map(|c| format!("{} ({})", c.name, crate::model::text::mask_secrets(&c.url))).collect()
}

/// Chooses the base repository's remote. `wanted` is the repository of a PR URL; `named` is
/// `prfix.remote`; `hosts` are the GitHub hosts that are known.
pub fn choose<'a>(
    candidates: &'a [Candidate],
    wanted: Option<&RepoId>,
    named: Option<&str>,
    hosts: &[String],
) -> Result<(&'a Candidate, RepoId), RemoteError> {
    let everything: Vec<&Candidate> = candidates.iter().collect();
    if candidates.is_empty() {
        return Err(RemoteError::NoRemote);
    }
    if let Some(name) = named {
        let unknown = || RemoteError::Unknown { name: name.to_owned(), looked_at: describe(&everything) };
        let remote = candidates.iter().find(|c| c.name == name).ok_or_else(unknown)?;
        let not_github = || RemoteError::NotGithub { name: name.to_owned(), url: remote.url.clone() };
        let repo = wanted.cloned().or_else(|| remote.repo.clone()).ok_or_else(not_github)?;
        return Ok((remote, repo));
    }
    let on_github =
        |c: &&Candidate| c.repo.as_ref().is_some_and(|r| hosts.iter().any(|h| h.eq_ignore_ascii_case(&r.host)));
    let mut matching: Vec<&Candidate> = match wanted {
        Some(repo) => candidates.iter().filter(|c| c.repo.as_ref() == Some(repo)).collect(),
        None => candidates.iter().filter(on_github).collect(),
    };
    if matching.len() > 1 && matching.iter().filter(|c| c.gh_default).count() == 1 {
        matching.retain(|c| c.gh_default);
    }
    match matching.as_slice() {
        [] => Err(RemoteError::NoMatch {
            wanted: wanted.map_or_else(|| format!("a GitHub host ({})", hosts.join(", ")), ToString::to_string),
            looked_at: describe(&everything),
        }),
        [one] => one.repo.clone().map(|repo| (*one, repo)).ok_or(RemoteError::NoRemote),
        _ => Err(RemoteError::Ambiguous { matching: describe(&matching) }),
    }
}

/// The address of another repository on the same host, in the form that `url` has.
pub fn sibling_url(url: &str, from: &RepoId, to: &RepoId) -> Option<String> {
    let old = from.full_name();
    let at = url.to_ascii_lowercase().rfind(&old.to_ascii_lowercase())?;
    Some(format!("{}{}{}", &url[..at], to.full_name(), &url[at + old.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(name: &str, url: &str) -> Candidate {
        Candidate { name: name.into(), url: url.into(), repo: RepoId::from_url(url), gh_default: false }
    }
    fn hosts() -> Vec<String> {
        vec!["github.com".into()]
    }

    #[test]
    fn a_url_picks_its_own_remote_among_several() {
        let all = [remote("origin", "git@github.com:me/demo.git"), remote("up", "https://github.com/octo/demo")];
        let wanted = RepoId::new("github.com", "octo", "demo");
        assert_eq!(choose(&all, Some(&wanted), None, &hosts()).unwrap().0.name, "up");
        assert!(
            matches!(choose(&all, None, None, &hosts()), Err(RemoteError::Ambiguous { matching }) if matching.len() == 2)
        );
        assert_eq!(choose(&all, None, Some("origin"), &hosts()).unwrap().1.owner, "me");
    }

    #[test]
    fn none_or_two_matches_say_which_were_looked_at() {
        let all = [remote("origin", "https://me:secret@gitlab.com/a/b"), remote("bak", "/srv/b.git")];
        let error = choose(&all, None, None, &hosts()).unwrap_err().to_string();
        assert!(error.contains("origin") && error.contains("bak") && !error.contains("secret"), "{error}");
        let twice = [remote("a", "https://github.com/octo/demo"), remote("b", "git@github.com:octo/demo.git")];
        let wanted = RepoId::new("github.com", "octo", "demo");
        let error = choose(&twice, Some(&wanted), None, &hosts()).unwrap_err().to_string();
        assert!(error.contains("a (") && error.contains("b ("), "{error}");
        assert_eq!(choose(&[], None, None, &hosts()).unwrap_err(), RemoteError::NoRemote);
    }

    #[test]
    fn what_gh_was_told_settles_a_tie() {
        let mut all = [remote("origin", "git@github.com:me/demo.git"), remote("up", "https://github.com/octo/demo")];
        all[1].gh_default = true;
        assert_eq!(choose(&all, None, None, &hosts()).unwrap().0.name, "up");
    }

    #[test]
    fn a_forks_address_has_the_form_of_the_remotes() {
        let from = RepoId::new("github.com", "octo", "demo");
        let to = RepoId::new("github.com", "fork", "demo2");
        for (url, want) in [
            ("https://github.com/Octo/demo.git", "https://github.com/fork/demo2.git"),
            ("git@github.com:octo/demo", "git@github.com:fork/demo2"),
        ] {
            assert_eq!(sibling_url(url, &from, &to).as_deref(), Some(want));
        }
    }
}
