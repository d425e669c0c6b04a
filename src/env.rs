//! The only door to the process environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The environment at start-up. Everything below receives this value and never asks the process.
#[derive(Debug, Clone, Default)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
}

impl Env {
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    pub fn from_process() -> Self {
        Self { vars: std::env::vars_os().collect() }
    }

    /// Takes variables out of the process itself, so that what a library starts or looks up does not see them. The
    /// values stay known to those who ask an [`Env`] made before.
    ///
    /// # Safety
    /// No other thread may run.
    pub unsafe fn forget_in_process(names: &[&str]) {
        for name in names {
            // SAFETY: the caller's promise.
            unsafe { std::env::remove_var(name) };
        }
    }

    pub fn from_pairs<K: Into<OsString>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self { vars: pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect() }
    }

    /// The value when it is set, not empty, and valid Unicode.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars.get(&OsString::from(name)).and_then(|v| v.to_str()).filter(|v| !v.is_empty())
    }

    /// The value as a path, when it is set and not empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.vars.get(&OsString::from(name)).filter(|v| !v.is_empty()).map(PathBuf::from)
    }

    /// The value as a length of time in seconds, when it is one that is longer than nothing.
    pub fn seconds(&self, name: &str) -> Option<Duration> {
        let given = Duration::try_from_secs_f64(self.get(name)?.parse().ok()?).ok()?;
        (!given.is_zero()).then_some(given)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.vars.iter()
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| self.path("USERPROFILE"))
    }

    /// `$XDG_STATE_HOME/git-prfix`, where worktrees and trust records live.
    pub fn state_dir(&self) -> Option<PathBuf> {
        let base = self.path("XDG_STATE_HOME").filter(|p| p.is_absolute());
        base.or_else(|| self.home().map(|home| home.join(".local/state"))).map(|base| base.join("git-prfix"))
    }

    /// `$XDG_CONFIG_HOME/git-prfix`, where the user's own rules live.
    pub fn config_dir(&self) -> Option<PathBuf> {
        let base = self.path("XDG_CONFIG_HOME").filter(|p| p.is_absolute());
        base.or_else(|| self.home().map(|home| home.join(".config"))).map(|base| base.join("git-prfix"))
    }
}
