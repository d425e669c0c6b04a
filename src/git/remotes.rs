//! Remotes as configured, and the URLs that git makes of them (git-config(1), `url.<base>`).

use super::config::Config;
use crate::model::repo::RepoId;

/// A remote as configured and as git would use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    /// As written in the configuration.
    pub url: String,
    /// After `url.<base>.insteadOf`.
    pub fetch_url: String,
    /// After `pushInsteadOf`, or `remote.<name>.pushurl`.
    pub push_url: String,
    /// Which GitHub repository the configured URL (else the rewritten one) names.
    pub repo: Option<RepoId>,
}

/// The remotes in the order in which they first appear.
pub(super) fn configured(config: &Config) -> Vec<Remote> {
    let mut remotes: Vec<Remote> = Vec::new();
    for (name, _) in config.subsections("remote", "url") {
        if !remotes.iter().any(|remote| remote.name == name) {
            remotes.extend(remote(config, name));
        }
    }
    remotes
}

fn remote(config: &Config, name: &str) -> Option<Remote> {
    // git fetches from the first URL; an empty one resets the list.
    let url = first_after_reset(config.all(&format!("remote.{name}.url")))?.to_owned();
    let fetch_url = rewritten(config, "insteadof", &url).unwrap_or_else(|| url.clone());
    let push_key = format!("remote.{name}.pushurl");
    let push_url = match first_after_reset(config.all(&push_key)) {
        // pushInsteadOf is not applied to an explicit pushurl, insteadOf is.
        Some(push) => rewritten(config, "insteadof", push).unwrap_or_else(|| push.to_owned()),
        None => rewritten(config, "pushinsteadof", &url).unwrap_or_else(|| fetch_url.clone()),
    };
    let repo = RepoId::from_url(&url).or_else(|| RepoId::from_url(&fetch_url));
    Some(Remote { name: name.to_owned(), url, fetch_url, push_url, repo })
}

fn first_after_reset<'v>(values: impl Iterator<Item = &'v str>) -> Option<&'v str> {
    values.fold(None, |first, value| if value.is_empty() { None } else { first.or(Some(value)) })
}

/// The longest matching prefix is replaced.
fn rewritten(config: &Config, variable: &str, url: &str) -> Option<String> {
    let matching = config.subsections("url", variable).filter(|(_, prefix)| url.starts_with(prefix));
    // Of equally long ones the first wins, as in git.
    let (base, prefix) = matching.reduce(|best, next| if next.1.len() > best.1.len() { next } else { best })?;
    Some(format!("{base}{}", &url[prefix.len()..]))
}
