//! Credentials that lie where agents and gates can read them: git's configuration is open to them.

use crate::model::text::{mask_secrets, one_line};

use super::context::{Context, Result};

/// Warns of each remote or header of git's configuration that holds a credential.
pub fn announce(ctx: &Context<'_>) -> Result<()> {
    let mut entries = ctx.world.repo.config("remote")?;
    entries.extend(ctx.world.repo.config("http")?);
    for (key, value) in entries {
        if let Some(advice) = advice(&key, &value) {
            ctx.warn(format!(
                "`{}` in git's configuration holds a credential, which agents and gates can read: {advice}",
                one_line(&mask_secrets(&key), 120)
            ));
        }
    }
    Ok(())
}

/// How to do without it, when an entry holds a credential.
fn advice(key: &str, value: &str) -> Option<&'static str> {
    let lower = value.to_ascii_lowercase();
    if key.ends_with(".extraheader") || key == "http.extraheader" {
        let secret = ["authorization:", "private-token:", "cookie:"].iter().any(|name| lower.contains(name));
        return secret.then_some("use a credential helper (`actions/checkout`: `persist-credentials: false`)");
    }
    let is_url = key.ends_with(".url") || key.ends_with(".pushurl") || key.ends_with(".proxy") || key == "http.proxy";
    let secret = is_url && has_password(value);
    secret.then_some("take it out of the address and use a credential helper (`gh auth setup-git`)")
}

/// `https://user:password@…`, or a token in the place of the user. The user of ssh is no secret.
fn has_password(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else { return false };
    let password = user.split_once(':').map(|(_, password)| password).filter(|password| !password.is_empty());
    password.is_some() || (scheme.starts_with("http") && mask_secrets(user) != user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_tokens_and_headers_are_seen_and_plain_addresses_are_not() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for (key, value) in [
            ("remote.origin.url", "https://me:secret@github.com/octo/demo.git".to_owned()),
            ("remote.origin.pushurl", format!("https://{token}@github.com/octo/demo.git")),
            ("http.https://github.com/.extraheader", "AUTHORIZATION: basic eDp5".to_owned()),
        ] {
            assert!(advice(key, &value).is_some(), "{key}");
        }
        for (key, value) in [
            ("remote.origin.url", "git@github.com:octo/demo.git"),
            ("remote.origin.url", "ssh://git@github.com/octo/demo.git"),
            ("remote.origin.url", "https://me@github.com/octo/demo.git"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("http.extraheader", "X-Trace: 1"),
        ] {
            assert!(advice(key, value).is_none(), "{value}");
        }
    }
}
