//! The bench: folders of its own for everything, a hub of bare repositories, an operator's clone.

use std::path::{Path, PathBuf};

use super::agent::Agent;
use super::git::{commit_to, git};
use super::github::{FakeGithub, Opening, Pr};
use super::run::Prfix;
use super::snapshot::Snapshot;

/// How the program reaches the simulated GitHub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Http,
    Gh,
}

/// The sample project on `main`: text files, and a check that needs `sh` and `grep` alone and fails on the
/// word `BROKEN`.
pub const MAIN: &[(&str, &str)] = &[
    ("README.md", "# demo\n\nCounts things.\n"),
    ("src/b.rs", "/// Greets.\nfn greet(name: &str) -> String {\n    format!(\"Hello, {name}\")\n}\n"),
    (
        "check.sh",
        "#!/bin/sh\n# The project's test: no line of src/ may say so.\nif grep -rn BROKEN src; then\n  echo 'error: something is broken'\n  exit 1\nfi\necho 'all checks passed'\n",
    ),
];

/// What the pull request adds: a loop with an off-by-one on line 3 of `src/a.rs`, and a typo on line 3 of
/// `src/b.rs`.
pub const FEATURE: &[(&str, &str)] = &[
    (
        "src/a.rs",
        "fn count(items: &[u32]) -> usize {\n    let (mut i, n) = (0, items.len());\n    while i <= n {\n        i += 1;\n    }\n    i\n}\n",
    ),
    ("src/b.rs", "/// Greets.\nfn greet(name: &str) -> String {\n    format!(\"Helo, {name}\")\n}\n"),
];

/// The login that the token belongs to.
pub const OPERATOR: &str = "octavia";

pub struct TestBench {
    root: tempfile::TempDir,
    pub github: FakeGithub,
    pub agent: Agent,
    transport: Transport,
    env: Vec<(String, String)>,
}

impl TestBench {
    /// Transport from `PRFIX_TEST_TRANSPORT` (`gh` or `http`, the default).
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("prfix").tempdir().expect("a temporary folder");
        for folder in ["home/.config/gh", "home/.local/state", "home/.cache", "tmp", "hub/octo/demo.git"] {
            std::fs::create_dir_all(root.path().join(folder)).expect("a folder");
        }
        let github = FakeGithub::start(&root.path().join("gh.sock"), OPERATOR);
        // An agent may write its own state there, also in the sandbox: the records of the calls.
        let agent = Agent::new(&root.path().join("home/.cache/scripted-agent"));
        let gh = std::env::var("PRFIX_TEST_TRANSPORT").is_ok_and(|value| value == "gh");
        let transport = if gh { Transport::Gh } else { Transport::Http };
        let mut bench = Self { root, github, agent, transport, env: Vec::new() };
        bench.configure();
        bench.create_repositories();
        bench.transport(transport);
        bench
    }

    fn configure(&self) {
        let text = format!(
            "[user]\n\tname = Olga Operator\n\temail = olga@example.com\n[init]\n\tdefaultBranch = main\n\
             [url \"{}/\"]\n\tinsteadOf = https://github.com/\n\
             [prfix]\n\tagent = command\n\tagentCommand = {}\n\ttestCommand = sh check.sh\n",
            self.hub_dir().display(),
            self.agent.command(),
        );
        std::fs::write(self.home().join(".gitconfig"), text).expect("a file");
        let socket = format!("http_unix_socket: {}\n", self.github.socket().display());
        std::fs::write(self.home().join(".config/gh/config.yml"), socket).expect("a file");
    }

    fn create_repositories(&self) {
        git(&self.hub(), &["init", "-q", "--bare", "-b", "main", "."]);
        commit_to(&self.hub(), "main", "start", MAIN);
        self.github.add_repository("octo", &self.hub(), None);
        for (login, permission) in [(OPERATOR, "write"), ("rita", "write"), ("ann", "write")] {
            self.github.permission(login, permission);
        }
        let clone = self.clone_dir();
        git(self.root(), &["clone", "-q", &self.hub().to_string_lossy(), &clone.to_string_lossy()]);
        git(&clone, &["remote", "set-url", "origin", "https://github.com/octo/demo.git"]);
    }

    /// A key of the operator's global git configuration; an earlier value is replaced.
    pub fn config(&self, key: &str, value: &str) {
        let file = self.home().join(".gitconfig");
        git(self.root(), &["config", "-f", &file.to_string_lossy(), "--replace-all", key, value]);
    }

    /// One more value of a key.
    pub fn add_config(&self, key: &str, value: &str) {
        let file = self.home().join(".gitconfig");
        git(self.root(), &["config", "-f", &file.to_string_lossy(), "--add", key, value]);
    }

    pub fn unset(&self, key: &str) {
        let file = self.home().join(".gitconfig");
        git(self.root(), &["config", "-f", &file.to_string_lossy(), "--unset-all", key]);
    }

    /// Which transport the program uses from now on.
    pub fn transport(&mut self, transport: Transport) {
        self.transport = transport;
        self.config("prfix.transport", if transport == Transport::Gh { "gh" } else { "http" });
    }

    /// An environment variable of the program from now on.
    pub fn env(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// Fixes the program's clock.
    pub fn clock(&mut self, rfc3339: &str) {
        self.env("PRFIX_CLOCK", rfc3339);
    }
}

/// Places.
impl TestBench {
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    fn hub_dir(&self) -> PathBuf {
        self.root().join("hub")
    }

    /// The bare repository behind `https://github.com/octo/demo.git`.
    pub fn hub(&self) -> PathBuf {
        self.hub_dir().join("octo/demo.git")
    }

    /// The operator's clone, where the program is run.
    pub fn clone_dir(&self) -> PathBuf {
        self.root().join("home/demo")
    }

    /// Where worktrees and trust records live.
    pub fn state_dir(&self) -> PathBuf {
        self.home().join(".local/state/git-prfix")
    }

    /// `<git common dir>/prfix` of the operator's clone.
    pub fn journal_dir(&self) -> PathBuf {
        self.clone_dir().join(".git/prfix")
    }

    /// Runs git in the operator's clone.
    pub fn git(&self, args: &[&str]) -> String {
        git(&self.clone_dir(), args)
    }

    /// Contents of a file at a revision of the hub.
    pub fn file_at(&self, revision: &str, path: &str) -> String {
        git(&self.hub(), &["show", &format!("{revision}:{path}")])
    }

    /// Writes a file into the operator's work tree.
    pub fn write(&self, path: &str, contents: &str) {
        let file = self.clone_dir().join(path);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        std::fs::write(file, contents).expect("a file");
    }
}

/// Pull requests.
impl TestBench {
    /// Opens pull request 7 by `ann` from a branch of the same repository with one commit ([`FEATURE`]).
    pub fn open_pr(&self, branch: &str) -> Pr {
        self.open_pr_number(7, branch, "ann")
    }

    pub fn open_pr_number(&self, number: u64, branch: &str, author: &str) -> Pr {
        commit_to(&self.hub(), branch, "Add counting", FEATURE);
        let repo = "R_octo_demo";
        self.github.open(&Opening { number, branch, author, head_repo: repo, base_repo: repo })
    }

    /// Opens pull request 7 from a fork of `owner`, which the viewer may only read; say
    /// `.set("maintainerCanModify", json!(true))` where maintainers may push.
    pub fn open_pr_from_fork(&self, owner: &str, branch: &str) -> Pr {
        let fork = self.hub_dir().join(owner).join("demo.git");
        std::fs::create_dir_all(&fork).expect("a folder");
        git(&fork, &["clone", "-q", "--bare", &self.hub().to_string_lossy(), "."]);
        commit_to(&fork, branch, "Add counting", FEATURE);
        let head_repo = self.github.add_repository(owner, &fork, Some("R_octo_demo"));
        let opening = Opening { number: 7, branch, author: owner, head_repo: &head_repo, base_repo: "R_octo_demo" };
        self.github.open(&opening)
    }
}

/// Runs.
impl TestBench {
    /// The program with these arguments, not started yet; see [`Prfix`].
    pub fn prfix<S: AsRef<str>>(&self, args: impl IntoIterator<Item = S>) -> Prfix<'_> {
        Prfix::new(self, args.into_iter().map(|arg| arg.as_ref().to_owned()).collect())
    }

    /// The environment of a run: nothing of the developer's but `PATH`.
    pub fn environment(&self) -> Vec<(String, String)> {
        let home = self.home();
        let path = |suffix: &str| home.join(suffix).to_string_lossy().into_owned();
        let mut env: Vec<(String, String)> = [
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("HOME", path("")),
            ("XDG_CONFIG_HOME", path(".config")),
            ("XDG_STATE_HOME", path(".local/state")),
            ("XDG_CACHE_HOME", path(".cache")),
            ("XDG_DATA_HOME", path(".local/share")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("TMPDIR", self.root().join("tmp").to_string_lossy().into_owned()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
            // Waiting takes no time, and every run happens at the same moment.
            ("PRFIX_CLOCK", "2026-01-02T03:04:05Z".into()),
            ("DO_NOT_TRACK", "1".into()),
            ("GH_TOKEN", "test-token".into()),
            ("GH_CONFIG_DIR", path(".config/gh")),
            ("GITHUB_API_URL", self.github.url()),
            ("GITHUB_GRAPHQL_URL", format!("{}/graphql", self.github.url())),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
        env.extend(self.env.iter().cloned());
        env
    }

    /// Everything about the operator's repository, to be compared later.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::take(&self.clone_dir())
    }
}

impl Drop for TestBench {
    fn drop(&mut self) {
        let problems = self.github.take_problems();
        if !problems.is_empty() && !std::thread::panicking() {
            panic!("the simulated GitHub noticed:\n- {}", problems.join("\n- "));
        }
    }
}
