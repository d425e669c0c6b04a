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
    /// For an agent: only the fix agent writes in the worktree and the tool caches, every agent in the folders of
    /// its own CLI (`state_dirs`, relative to HOME or absolute). Its private TMPDIR is added when it is called.
    pub fn for_agent(role: Role, state_dirs: &[String], site: Site<'_>) -> Self {
        let home = site.env.home();
        let own = state_dirs.iter().filter_map(|dir| Some(home.as_ref()?.join(dir))).inspect(|dir| make(dir));
        let mut writable: Vec<_> = own.collect();
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
