//! What a command works in: repository, settings, clock, terminal. Built once, passed down.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::env::Env;
use crate::git::{GitError, Repository};
use crate::policy::remote::Candidate;
use crate::settings::{Settings, SettingsError, Source};
use crate::state::Store;
use crate::ui::Ui;

pub struct World {
    pub env: Env,
    pub clock: Arc<dyn Clock>,
    pub ui: Arc<Ui>,
    pub repo: Repository,
    pub store: Store,
    /// Settings that were typed.
    flags: Source,
    /// Where the repository was looked for.
    path: PathBuf,
}

impl World {
    /// Opens the repository that `path` lies in.
    pub fn open(path: &Path, env: Env, flags: Source, ui: Arc<Ui>, clock: Arc<dyn Clock>) -> Result<Self, GitError> {
        let repo = Repository::discover(path, &env)?;
        let store = Store::new(repo.common_dir());
        Ok(Self { env, clock, ui, repo, store, flags, path: path.to_owned() })
    }

    /// The same repository for work that nobody reads along: nothing is printed and nobody is asked.
    pub fn silent(&self) -> Result<Self, GitError> {
        let ui = Arc::new(Ui::silent(self.ui.options(), Arc::clone(&self.clock)));
        Self::open(&self.path, self.env.clone(), self.flags.clone(), ui, Arc::clone(&self.clock))
    }

    /// The settings, with the team's file when it is known (it is read from the default branch).
    pub fn settings(&self, team: Option<&str>) -> Result<Settings, miette::Report> {
        let entries = self.repo.config("prfix")?;
        let pairs = entries.iter().filter_map(|(key, value)| Some((key.strip_prefix("prfix.")?, value.as_str())));
        let git = Source::from_pairs("git's configuration", pairs)?;
        let team = team.map(Source::from_team_file).transpose()?.unwrap_or_default();
        let sources = [self.flags.clone(), Source::from_env(&self.env), git, team];
        Settings::resolve(&sources).map_err(|error: SettingsError| error.into())
    }

    /// Where managed worktrees live: `prfix.worktreeRoot`, else the user's state folder.
    pub fn worktree_root(&self, settings: &Settings) -> PathBuf {
        let own = settings.worktree_root.clone().map(|path| self.expand_home(path));
        own.unwrap_or_else(|| {
            let state = self.env.state_dir().unwrap_or_else(|| self.store.root().to_owned());
            state.join("worktrees")
        })
    }

    fn expand_home(&self, path: PathBuf) -> PathBuf {
        match (path.strip_prefix("~"), self.env.home()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ if path.is_relative() => self.repo.work_dir().unwrap_or(self.repo.common_dir()).join(path),
            _ => path,
        }
    }

    /// Time limit of a fetch: ten minutes, or the seconds of `PRFIX_FETCH_TIMEOUT`.
    pub fn fetch_limit(&self) -> Duration {
        self.env.seconds("PRFIX_FETCH_TIMEOUT").unwrap_or(Duration::from_secs(600))
    }

    /// The remotes, as the choice of one needs them.
    pub fn remote_candidates(&self) -> Result<Vec<Candidate>, GitError> {
        let resolved = self.repo.config("remote")?;
        let gh_default = |name: &str| {
            let key = format!("remote.{}.gh-resolved", name.to_lowercase());
            resolved.iter().any(|(k, v)| k.to_lowercase() == key && v == "base")
        };
        let remotes = self.repo.remotes()?.into_iter().map(|remote| Candidate {
            gh_default: gh_default(&remote.name),
            name: remote.name,
            url: remote.url,
            repo: remote.repo,
        });
        Ok(remotes.collect())
    }

    /// Hosts that are known to be GitHub: github.com, those of the environment, those that `gh` is
    /// signed in to.
    pub fn github_hosts(&self) -> Vec<String> {
        let mut hosts = vec!["github.com".to_owned()];
        hosts.extend(self.env.get("GH_HOST").map(str::to_owned));
        let server = self.env.get("GITHUB_SERVER_URL").and_then(|url| url.split("://").nth(1));
        hosts.extend(server.map(|host| host.trim_end_matches('/').to_owned()));
        let gh = self.env.path("GH_CONFIG_DIR").or_else(|| {
            let base = self.env.path("XDG_CONFIG_HOME").or_else(|| self.env.home().map(|home| home.join(".config")));
            base.map(|base| base.join("gh"))
        });
        let text = gh.and_then(|dir| std::fs::read_to_string(dir.join("hosts.yml")).ok()).unwrap_or_default();
        // Hosts are the keys without indentation; nothing else of that file is looked at.
        let keys = text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '-']));
        hosts.extend(keys.filter_map(|line| Some(line.trim_end().strip_suffix(':')?.to_owned())));
        hosts.sort();
        hosts.dedup();
        hosts
    }
}
