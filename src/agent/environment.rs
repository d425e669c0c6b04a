//! The allow-listed environment of agents and gates: no token, no agent socket, no git credentials.
//!
//! A name that is on no list is not passed. What an adapter asks for by name (`pass_env`) is passed,
//! except for what would let a child act as the operator towards GitHub or another git server.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::model::agent::Role;

/// Passed to agents and gates as they are.
const COMMON: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "TZ",
    "NO_COLOR",
    // Not XDG_RUNTIME_DIR: keyrings and agents have their sockets there.
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
];

/// Passed besides to gates and to the fix agent, which runs the same commands: where toolchains are and how they were set up.
const TOOLCHAINS: &[&str] = &[
    "CARGO_*",
    "RUSTUP_*",
    "RUSTC_*",
    "RUSTFLAGS",
    "RUST_*",
    "GOPATH",
    "GOROOT",
    "GOFLAGS",
    "GOCACHE",
    "GOMODCACHE",
    "GOPROXY",
    "GOSUMDB",
    "GOPRIVATE",
    "GONOSUMDB",
    "GOBIN",
    "GOTOOLCHAIN",
    "CGO_*",
    "JAVA_HOME",
    "JAVA_OPTS",
    "JDK_HOME",
    "JDK_JAVA_OPTIONS",
    "MAVEN_HOME",
    "MAVEN_OPTS",
    "M2_HOME",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "GRADLE_OPTS",
    "KOTLIN_HOME",
    "SDKMAN_*",
    "NODE_*",
    "NPM_CONFIG_*",
    "npm_config_*",
    "YARN_*",
    "PNPM_*",
    "COREPACK_*",
    "BUN_*",
    "DENO_*",
    "NVM_*",
    "FNM_*",
    "VOLTA_*",
    "PYTHON*",
    "VIRTUAL_ENV",
    "CONDA_*",
    "PYENV_*",
    "PIP_*",
    "UV_*",
    "PIPX_*",
    "POETRY_HOME",
    "POETRY_CACHE_DIR",
    "POETRY_VIRTUALENVS_*",
    "RUBY*",
    "RBENV_*",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "BUNDLE_JOBS",
    "BUNDLE_WITHOUT",
    "ASDF_*",
    "MISE_*",
    "DOTNET_*",
    "NUGET_PACKAGES",
    "PHPRC",
    "COMPOSER_HOME",
    "COMPOSER_CACHE_DIR",
    "CC",
    "CXX",
    "AR",
    "LD",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "CPATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "PKG_CONFIG_*",
    "CMAKE_*",
    "SDKROOT",
    "DEVELOPER_DIR",
    "MACOSX_DEPLOYMENT_TARGET",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "NIX_*",
    "LOCALE_ARCHIVE",
    "ZIG_*",
    "STACK_ROOT",
    "GHCUP_*",
    "OPAM*",
    "MIX_*",
    "HEX_HOME",
    "SCCACHE_DIR",
    "CCACHE_DIR",
];

/// Never passed, not even when an adapter asks for it.
const NEVER: &[&str] = &[
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITLAB_TOKEN",
    "SSH_*",
    "GIT_*",
    "GPG_*",
    "ACTIONS_*",
    "GNOME_KEYRING_*",
    "DBUS_*",
    "PRFIX_*",
    "XDG_RUNTIME_DIR",
];

/// Set for every child. They keep git from asking, from using credentials, and from starting daemons.
const QUIET: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "force"),
    ("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oIdentityAgent=none"),
    ("GIT_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GCM_INTERACTIVE", "never"),
];

/// git configuration of every child; an empty value ends the list that other files began.
const GIT_CONFIG: &[(&str, &str)] = &[
    ("credential.helper", ""),
    ("http.extraHeader", ""),
    ("core.askPass", "false"),
    ("core.fsmonitor", "false"),
    ("maintenance.auto", "false"),
    ("gc.auto", "0"),
];

/// A child's environment.
pub type Vars = Vec<(OsString, OsString)>;

/// The environment for the project's own commands: PATH, HOME, locale, terminal, toolchains and their caches; a
/// private TMPDIR; git told to use no credential helper and no prompt. `CI` is not passed: the commands are run as
/// a developer would run them.
pub fn gate_env(env: &Env, tmp: &Path) -> Vars {
    base(env, tmp, |name, value| listed(name, COMMON) || is_toolchain(name, value))
}

/// The environment of an agent: the common names, those that its adapter asks for, and the toolchains for the role
/// that runs checks. git speaks to no other repository there, so neither a remote, nor a URL, nor a path can be pushed
/// to or fetched from.
pub(super) fn agent_env(env: &Env, tmp: &Path, role: Role, pass: &[String]) -> Vars {
    let mut vars = base(env, tmp, |name, value| {
        listed(name, COMMON) || listed(name, pass) || (role.may_write() && is_toolchain(name, value))
    });
    // `git push` of an explicit `pushurl` heeds no `pushInsteadOf`; this holds for all transports.
    vars.push(("GIT_ALLOW_PROTOCOL".into(), "none".into()));
    vars
}

/// Values that may be seen by the agent but never by a reader of its output.
pub(super) fn secrets<'a>(env: &'a Env, pass: &[String]) -> Vec<&'a str> {
    let passed = env.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    passed.filter(|(name, value)| listed(name, pass) && is_secret(name) && value.len() >= 8).map(|(_, v)| v).collect()
}

/// A toolchain's variable that holds no credential.
fn is_toolchain(name: &str, value: &OsStr) -> bool {
    listed(name, TOOLCHAINS) && !is_secret(name) && !has_userinfo(value)
}

fn base(env: &Env, tmp: &Path, passes: impl Fn(&str, &OsStr) -> bool) -> Vars {
    let mut vars: Vars = Vec::new();
    for (name, value) in env.iter() {
        let Some(text) = name.to_str() else { continue };
        if passes(text, value) && !listed(text, NEVER) && text != "TMPDIR" && text != "PATH" {
            vars.push((name.clone(), value.clone()));
        }
    }
    vars.push(("PATH".into(), search_path(env)));
    vars.push(("TMPDIR".into(), tmp.into()));
    vars.extend(QUIET.iter().map(|(name, value)| (name.into(), value.into())));
    vars.push(("GIT_CONFIG_COUNT".into(), GIT_CONFIG.len().to_string().into()));
    for (index, (key, value)) in GIT_CONFIG.iter().enumerate() {
        vars.push((format!("GIT_CONFIG_KEY_{index}").into(), key.into()));
        vars.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
    }
    vars
}

/// The absolute folders of PATH. A relative one would be looked up in the worktree, which is the pull request's.
pub(super) fn search_path(env: &Env) -> OsString {
    let path = env.path("PATH").unwrap_or_else(|| PathBuf::from("/usr/local/bin:/usr/bin:/bin"));
    std::env::join_paths(std::env::split_paths(&path).filter(|dir| dir.is_absolute())).unwrap_or_default()
}

fn listed<S: AsRef<str>>(name: &str, list: &[S]) -> bool {
    list.iter().map(AsRef::as_ref).any(|entry: &str| match entry.strip_suffix('*') {
        Some(prefix) => !prefix.is_empty() && name.starts_with(prefix),
        None => name == entry,
    })
}

/// Names by which tools take credentials.
fn is_secret(name: &str) -> bool {
    const WORDS: &[&str] = &["TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH", "_KEY", "APIKEY", "_PAT", "COOKIE"];
    let name = name.to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word)) && !name.ends_with("_PATH")
}

/// `scheme://user:password@…` somewhere in a value.
fn has_userinfo(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    value
        .split("://")
        .skip(1)
        .any(|rest| rest.split(['/', ' ', '?', '#']).next().is_some_and(|host| host.contains('@')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(vars: &Vars) -> Vec<&str> {
        vars.iter().filter_map(|(name, _)| name.to_str()).collect()
    }

    #[test]
    fn an_adapter_gets_what_it_asks_for_but_never_the_operators_keys_to_github() {
        let env = Env::from_pairs([
            ("ANTHROPIC_API_KEY", "k"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("OTHER", "x"),
            ("GH_TOKEN", "t"),
            ("GITHUB_TOKEN", "t"),
            ("SSH_AUTH_SOCK", "/s"),
            ("GIT_DIR", "/g"),
        ]);
        let pass = ["ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "GH_TOKEN", "G*", "SSH_AUTH_SOCK", "*"].map(str::to_owned);
        let vars = agent_env(&env, Path::new("/t"), Role::Probe, &pass);
        let names = names(&vars);
        assert!(names.contains(&"ANTHROPIC_API_KEY") && names.contains(&"CLAUDE_CONFIG_DIR"));
        for never in ["GH_TOKEN", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "GIT_DIR", "OTHER"] {
            assert!(!names.contains(&never), "{never}");
        }
    }

    #[test]
    fn gates_find_their_toolchains_and_no_token() {
        let env = Env::from_pairs([
            ("CARGO_HOME", "/c"),
            ("JAVA_HOME", "/j"),
            ("VIRTUAL_ENV", "/v"),
            ("NPM_CONFIG_REGISTRY", "https://registry.example"),
            ("CARGO_REGISTRY_TOKEN", "t"),
            ("NPM_CONFIG__AUTH", "t"),
            ("NODE_AUTH_TOKEN", "t"),
            ("PIP_INDEX_URL", "https://me:pw@index.example/simple"),
            ("AWS_SECRET_ACCESS_KEY", "t"),
            ("CI", "true"),
        ]);
        let vars = gate_env(&env, Path::new("/t"));
        let names = names(&vars);
        let fix = agent_env(&env, Path::new("/t"), Role::Fix, &[]);
        for passed in ["CARGO_HOME", "JAVA_HOME", "VIRTUAL_ENV", "NPM_CONFIG_REGISTRY"] {
            assert!(names.contains(&passed) && self::names(&fix).contains(&passed), "{passed}");
        }
        for kept in [
            "CARGO_REGISTRY_TOKEN",
            "NPM_CONFIG__AUTH",
            "NODE_AUTH_TOKEN",
            "PIP_INDEX_URL",
            "AWS_SECRET_ACCESS_KEY",
            "CI",
        ] {
            assert!(!names.contains(&kept), "{kept}");
        }
    }

    #[test]
    fn relative_folders_of_path_are_left_out() {
        let env = Env::from_pairs([("PATH", "/usr/bin:.:node_modules/.bin::/bin")]);
        assert_eq!(search_path(&env), "/usr/bin:/bin");
    }
}
