//! The configuration as git itself sees it, and what of it gitoxide is told.
//!
//! Every value comes from one `git config --list`, so that scopes, includes and `git -c` hold to the
//! letter; gitoxide then reads no configuration but the repository's own file and these values.

use std::path::Path;

use gix::bstr::BString;
use gix::open::{Options, Permissions, permissions};

use super::{GitError, child};
use crate::process::Run;

/// Sections that decide how files, objects and refs are read and written.
const FOR_GITOXIDE: &[&str] =
    &["core.", "checkout.", "diff.", "filter.", "index.", "pack.", "safe.", "status.", "submodule.", "user."];

/// All entries of one repository, nearer scopes last.
#[derive(Debug, Clone, Default)]
pub(super) struct Config {
    /// Section and variable names in lower case; subsections as written.
    entries: Vec<(String, String)>,
}

impl Config {
    /// Reads them with `run`, a `git` that was given the place and the environment to read them in.
    pub(super) fn read(run: Run) -> Result<Self, GitError> {
        let output = child::succeed(run.args(["config", "--list", "-z"]), "reading the git configuration")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let entries = text.split_terminator('\0').map(|entry| {
            // A variable without `=` is true.
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            (key.to_owned(), value.to_owned())
        });
        Ok(Self { entries: entries.collect() })
    }

    /// Entries whose key is `prefix` or lies in the section of that name.
    pub(super) fn below(&self, prefix: &str) -> Vec<(String, String)> {
        let section = format!("{}.", prefix.trim_end_matches('.').to_ascii_lowercase());
        let inside = |key: &str| key == &section[..section.len() - 1] || key.starts_with(&section);
        self.entries.iter().filter(|(key, _)| inside(key)).cloned().collect()
    }

    /// The last value of a key, which is the one that holds.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().rev().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// All values of a key, nearer scopes last.
    pub(super) fn all<'c>(&'c self, key: &'c str) -> impl Iterator<Item = &'c str> {
        self.entries.iter().filter(move |(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// A boolean as git reads it; `None` when it is not set.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key).map(|value| match value.to_ascii_lowercase().as_str() {
            "" | "false" | "no" | "off" => false,
            "true" | "yes" | "on" => true,
            number => number.parse::<i64>().is_ok_and(|n| n != 0),
        })
    }

    /// `(subsection, value)` of every `section.<subsection>.variable`.
    pub(super) fn subsections<'c>(
        &'c self,
        section: &'c str,
        variable: &'c str,
    ) -> impl Iterator<Item = (&'c str, &'c str)> {
        self.entries.iter().filter_map(move |(key, value)| {
            let name = key.strip_prefix(section)?.strip_prefix('.')?.strip_suffix(variable)?.strip_suffix('.')?;
            Some((name, value.as_str()))
        })
    }

    /// Options that open a repository with exactly these values. The caller has made sure, by asking
    /// git, that the repository may be trusted.
    pub(super) fn options(&self) -> Options {
        self.options_with(None)
    }

    fn options_with(&self, more: Option<&str>) -> Options {
        let overrides = self.entries.iter().filter(|(key, _)| is_for_gitoxide(key));
        let mut values: Vec<BString> = overrides.map(|(key, value)| format!("{key}={value}").into()).collect();
        // Relative links would make git before 2.48 refuse the whole repository.
        values.push("worktree.useRelativePaths=false".into());
        values.extend(more.map(Into::into));
        Options::default()
            .permissions(permissions())
            .with(gix::sec::Trust::Full)
            .bail_if_untrusted(true)
            .config_overrides(values)
    }
}

fn is_for_gitoxide(key: &str) -> bool {
    let place_of_the_worktree = matches!(key, "core.worktree" | "core.bare");
    // An override is split at its first `=`.
    FOR_GITOXIDE.iter().any(|section| key.starts_with(section)) && !place_of_the_worktree && !key.contains('=')
}

/// No configuration file but the repository's own, and no `GIT_*` variable: a hook that started us
/// must not redirect the index or the work tree.
fn permissions() -> Permissions {
    let deny = gix::sec::Permission::Deny;
    let env = permissions::Environment { git_prefix: deny, objects: deny, ..permissions::Environment::all() };
    Permissions { env, config: permissions::Config::isolated(), attributes: permissions::Attributes::all() }
}

/// Opens the repository of a worktree that the program made, for listing and staging. Who writes an index asks
/// the configuration that is returned, not the repository's, whether it gets a hash.
pub(super) fn open_worktree(worktree: &Path) -> Result<(gix::Repository, Config), GitError> {
    let config = Config::read(child::plumbing(worktree))?;
    // Git reads an index without comparing its hash, which would cost as much as the rest of the reading.
    let opened = config.options_with(Some("index.skipHash=true")).open(worktree);
    let failed = |error| GitError::failed(&format!("opening `{}`", worktree.display()), error);
    Ok((opened.map(Into::into).map_err(failed)?, config))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(entries: &[(&str, &str)]) -> Config {
        Config { entries: entries.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect() }
    }

    #[test]
    fn a_prefix_is_a_whole_section() {
        let config = config(&[("prfix.agent", "a"), ("prfixer.agent", "b"), ("core.bare", "false")]);
        assert_eq!(config.below("prfix"), [("prfix.agent".to_owned(), "a".to_owned())]);
        assert_eq!(config.below("core.bare").len(), 1);
    }

    #[test]
    fn the_nearest_value_holds_and_booleans_read_as_in_git() {
        let config = config(&[("a.b", "false"), ("a.b", "1"), ("a.c", "off"), ("a.d", "")]);
        assert_eq!(
            (config.flag("a.b"), config.flag("a.c"), config.flag("a.d"), config.flag("a.e")),
            (Some(true), Some(false), Some(false), None)
        );
    }

    #[test]
    fn subsections_may_contain_dots() {
        let config = config(&[("url.https://x.y/.insteadof", "x:"), ("url.insteadof", "no")]);
        assert_eq!(config.subsections("url", "insteadof").collect::<Vec<_>>(), [("https://x.y/", "x:")]);
    }
}
