//! Which places agents and gates may write, and which ones nobody may read.

use std::path::{Path, PathBuf};

use super::sandbox::{Confinement, SandboxMode};
use crate::env::Env;
use crate::model::agent::Role;

/// Where credentials lie, relative to HOME.
const CREDENTIALS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".password-store",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".pypirc",
    ".gem/credentials",
    ".config/op",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
];

/// Caches of toolchains, relative to HOME. Nothing that is run later by itself: no `bin`, no configuration.
const CACHES: &[&str] = &[
    ".cache",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".yarn",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".bun/install/cache",
    "go/pkg",
    ".gradle/caches",
    ".gradle/wrapper",
    ".gradle/daemon",
    ".gradle/native",
    ".gradle/notifications",
    ".m2/repository",
    ".m2/wrapper",
    ".ivy2/cache",
    ".sbt/boot",
    ".nuget/packages",
    ".local/share/NuGet",
    ".bundle/cache",
    ".composer/cache",
    ".mix/archives",
    ".hex/packages",
    ".stack",
    ".cabal/packages",
    ".pub-cache/hosted",
    ".ccache",
    ".konan",
    ".julia/compiled",
    ".julia/packages",
];

/// Files that cargo locks while it uses its caches.
const LOCKS: &[&str] = &[".package-cache", ".package-cache-mutate", ".global-cache"];

/// Variables that name a cache folder of their own.
const CACHE_VARS: &[&str] = &[
    "XDG_CACHE_HOME",
    "CARGO_TARGET_DIR",
    "GOCACHE",
    "GOMODCACHE",
    "npm_config_cache",
    "NPM_CONFIG_CACHE",
    "YARN_CACHE_FOLDER",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "POETRY_CACHE_DIR",
    "NUGET_PACKAGES",
    "COMPOSER_CACHE_DIR",
    "CCACHE_DIR",
    "SCCACHE_DIR",
    "PLAYWRIGHT_BROWSERS_PATH",
];

/// Variables that name the folder of one CLI.
const STATE_VARS: &[&str] = &["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME"];

/// Variables of the XDG base directory specification, and their defaults.
const XDG: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config/"),
    ("XDG_CACHE_HOME", ".cache/"),
    ("XDG_DATA_HOME", ".local/share/"),
    ("XDG_STATE_HOME", ".local/state/"),
];

/// What the places depend on.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    pub mode: SandboxMode,
    pub env: &'a Env,
    /// Absolute.
    pub worktree: &'a Path,
    /// Further hidden files and folders of the operator.
    pub hidden: &'a [PathBuf],
}

impl Confinement {
    /// For an agent: only the fix agent writes in the worktree and the tool caches, every agent in the places of its
    /// own CLI (`state_dirs`, relative to HOME or absolute). Its private TMPDIR is added when it is called.
    pub fn for_agent(role: Role, state_dirs: &[String], site: Site<'_>) -> Self {
        let mut writable: Vec<_> = state_dirs.iter().filter_map(|name| own_place(site.env, name)).collect();
        writable.extend(STATE_VARS.iter().filter_map(|name| site.env.path(name)));
        // A name with an extension is a file, which only its CLI can make.
        writable.iter().filter(|path| path.extension().is_none()).for_each(|dir| make(dir));
        if role.may_write() {
            writable.push(site.worktree.to_owned());
            writable.extend(caches(site.env));
        }
        Self { mode: site.mode, writable, hidden: hidden(site) }
    }

    /// For the project's own commands: they write in the worktree, their private `tmp`, and the tool caches.
    pub fn for_gate(tmp: &Path, site: Site<'_>) -> Self {
        let mut writable = vec![site.worktree.to_owned(), tmp.to_owned()];
        writable.extend(caches(site.env));
        Self { mode: site.mode, writable, hidden: hidden(site) }
    }
}

/// A CLI's own place, where XDG variables have moved it.
fn own_place(env: &Env, name: &str) -> Option<PathBuf> {
    let moved = XDG.iter().find_map(|(var, prefix)| {
        let below = name.strip_prefix(prefix)?;
        env.path(var).filter(|dir| dir.is_absolute()).map(|dir| dir.join(below))
    });
    moved.or_else(|| Some(env.home()?.join(name)))
}

fn hidden(site: Site<'_>) -> Vec<PathBuf> {
    let home = site.env.home().unwrap_or_default();
    let mut hidden: Vec<_> = CREDENTIALS.iter().map(|name| home.join(name)).collect();
    let config = site.env.path("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    hidden.extend(["gh", "git/credentials", "gcloud", "hub"].map(|name| config.join(name)));
    let named = ["GH_CONFIG_DIR", "GNUPGHOME", "NETRC", "DOCKER_CONFIG", "KUBECONFIG", "AWS_SHARED_CREDENTIALS_FILE"];
    hidden.extend(named.iter().filter_map(|name| site.env.path(name)));
    hidden.extend(site.env.path("CARGO_HOME").map(|dir| dir.join("credentials.toml")));
    hidden.extend(site.hidden.iter().cloned());
    hidden.retain(|path| path.is_absolute());
    hidden
}

/// Names of the places with credentials that are there, below HOME: what an agent without a sandbox can read.
pub fn credentials(env: &Env) -> Vec<String> {
    let Some(home) = env.home() else { return Vec::new() };
    let there = CREDENTIALS.iter().filter(|name| home.join(name).symlink_metadata().is_ok());
    there.map(|name| format!("~/{name}")).collect()
}

/// Cache folders that exist or may be made: a tool that is there has a place to put its cache.
fn caches(env: &Env) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = CACHE_VARS.iter().filter_map(|name| env.path(name)).collect();
    found.iter().for_each(|dir| make(dir));
    let Some(home) = env.home() else { return found };
    let moved = [("CARGO_HOME", ".cargo"), ("GOPATH", "go"), ("GRADLE_USER_HOME", ".gradle")];
    for name in CACHES {
        let top = name.split('/').next().unwrap_or(name);
        let at = moved.iter().find(|(_, dir)| *dir == top).and_then(|(var, _)| env.path(var));
        let at = at.unwrap_or_else(|| home.join(top));
        if at.is_dir() || matches!(top, ".cache" | ".npm") {
            let dir = name.split_once('/').map_or_else(|| at.clone(), |(_, below)| at.join(below));
            make(&dir);
            found.push(dir);
        }
    }
    let cargo = env.path("CARGO_HOME").unwrap_or_else(|| home.join(".cargo"));
    found.extend(LOCKS.iter().map(|name| cargo.join(name)));
    found
}

/// A folder that can't be made will not be written to either; what needs it will say so.
fn make(dir: &Path) {
    if dir.is_absolute() {
        let _ = std::fs::create_dir_all(dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clis_places_follow_the_variables_that_move_them() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let env = Env::from_pairs([
            ("HOME", text(at(""))),
            ("XDG_DATA_HOME", text(at("data"))),
            ("CODEX_HOME", text(at("codex"))),
        ]);
        let site = Site { mode: SandboxMode::Auto, env: &env, worktree: Path::new("/w"), hidden: &[] };
        let names = [".local/share/opencode", ".claude", ".claude.json"].map(str::to_owned);
        let writable = Confinement::for_agent(Role::Probe, &names, site).writable;
        assert_eq!(writable, [at("data/opencode"), at(".claude"), at(".claude.json"), at("codex")]);
        assert!(at(".claude").is_dir() && !at(".claude.json").exists());
    }

    #[test]
    fn only_caches_of_tools_that_are_there_are_made() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".cargo")).unwrap();
        let env = Env::from_pairs([("HOME", home.path().to_str().unwrap())]);
        let site = Site { mode: SandboxMode::Auto, env: &env, worktree: Path::new("/w"), hidden: &[] };
        let gate = Confinement::for_gate(Path::new("/t"), site);
        let made = |name: &str| home.path().join(name).is_dir();
        assert!(made(".cache") && made(".cargo/registry") && !made(".gradle") && !made("go"));
        assert!(!gate.writable.contains(&home.path().join(".cargo")), "its `bin` is on PATH");
        assert!(gate.hidden.contains(&home.path().join(".ssh")));
    }
}
