//! Which repository on which host, read from the many forms of its URL.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A repository on a GitHub host. Compared without regard to case, as GitHub does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RepoId {
    /// Host name with an optional port, for instance `github.com`.
    pub host: String,
    pub owner: String,
    pub name: String,
}

impl RepoId {
    pub fn new(host: &str, owner: &str, name: &str) -> Self {
        Self { host: host.into(), owner: owner.into(), name: name.into() }
    }

    /// Reads `https://host/owner/name(.git)`, `ssh://git@host/owner/name`, `git@host:owner/name`
    /// and `git://host/owner/name`. Anything else (a local path, a deeper path) is `None`.
    pub fn from_url(url: &str) -> Option<Self> {
        let (host, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                if !matches!(scheme, "https" | "http" | "ssh" | "git" | "git+ssh" | "ssh+git") {
                    return None;
                }
                let (authority, path) = rest.split_once('/')?;
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                let host = if matches!(scheme, "https" | "http") { host } else { host.split(':').next()? };
                (host, path)
            }
            None => {
                let (authority, path) = url.split_once(':')?;
                if authority.contains('/') || authority.len() < 2 {
                    return None;
                }
                (authority.rsplit_once('@').map_or(authority, |(_, host)| host), path)
            }
        };
        let host = host.strip_prefix("ssh.").filter(|rest| *rest == "github.com").unwrap_or(host);
        Self::from_path(host, path)
    }

    fn from_path(host: &str, path: &str) -> Option<Self> {
        let path = path.trim_matches('/');
        let (owner, name) = path.split_once('/')?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        let plain =
            |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        (plain(owner) && plain(name) && !host.is_empty()).then(|| Self::new(&host.to_ascii_lowercase(), owner, name))
    }

    /// `owner/name`, as GitHub prints it.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }
}

impl PartialEq for RepoId {
    fn eq(&self, other: &Self) -> bool {
        self.host.eq_ignore_ascii_case(&other.host)
            && self.owner.eq_ignore_ascii_case(&other.owner)
            && self.name.eq_ignore_ascii_case(&other.name)
    }
}
impl Eq for RepoId {}

impl fmt::Display for RepoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.owner, self.name)
    }
}

/// What the user typed in the place of `<pr>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrArgument {
    Number(u64),
    Url {
        repo: RepoId,
        number: u64,
    },
    Branch(String),
    /// Nothing was typed: the pull request of the branch that is checked out.
    CurrentBranch,
}

impl PrArgument {
    /// A number (also `#12`), a pull request's URL, or else a branch name.
    pub fn parse(text: &str) -> Self {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if let Ok(number) = digits.parse::<u64>()
            && number > 0
        {
            return Self::Number(number);
        }
        Self::parse_url(text).unwrap_or_else(|| Self::Branch(text.to_owned()))
    }

    fn parse_url(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let rest = rest.split(['?', '#']).next()?;
        let mut parts = rest.split('/');
        let (host, owner, name, kind, number) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let number = number.parse().ok().filter(|n| *n > 0)?;
        let repo = RepoId::from_path(host, &format!("{owner}/{name}"))?;
        matches!(kind, "pull" | "pulls").then_some(Self::Url { repo, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_remote_url_names_the_same_repository() {
        let want = RepoId::new("github.com", "octo", "demo");
        for url in [
            "https://github.com/octo/demo",
            "https://github.com/Octo/Demo.git",
            "https://user:token@github.com/octo/demo.git/",
            "git@github.com:octo/demo.git",
            "github.com:octo/demo",
            "ssh://git@github.com/octo/demo.git",
            "ssh://git@ssh.github.com:443/octo/demo.git",
            "git://github.com/octo/demo",
        ] {
            assert_eq!(RepoId::from_url(url), Some(want.clone()), "{url}");
        }
    }

    #[test]
    fn a_path_or_a_deeper_url_is_no_repository() {
        for url in [
            "/srv/git/demo.git",
            "../demo",
            "file:///srv/octo/demo",
            "C:/octo/demo",
            "https://github.com/octo",
            "https://gitlab.com/a/b/c",
        ] {
            assert_eq!(RepoId::from_url(url), None, "{url}");
        }
    }

    #[test]
    fn a_port_is_part_of_an_https_host() {
        assert_eq!(RepoId::from_url("https://ghe.local:8443/a/b").unwrap().host, "ghe.local:8443");
    }

    #[test]
    fn pr_arguments_are_numbers_urls_or_branches() {
        assert_eq!(PrArgument::parse("123"), PrArgument::Number(123));
        assert_eq!(PrArgument::parse("#7"), PrArgument::Number(7));
        let url = PrArgument::parse("https://ghe.example/Team/app/pull/9/files#diff-1");
        assert_eq!(url, PrArgument::Url { repo: RepoId::new("ghe.example", "team", "APP"), number: 9 });
        assert_eq!(PrArgument::parse("fix/12"), PrArgument::Branch("fix/12".into()));
        assert_eq!(PrArgument::parse("0"), PrArgument::Branch("0".into()));
    }
}
