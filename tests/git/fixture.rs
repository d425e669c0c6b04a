//! Repositories to try things on. Their configuration is their own, so that the user's does not count.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use git_prfix::env::Env;
use git_prfix::git::Repository;

pub const LIMIT: Duration = Duration::from_secs(60);

/// A repository below a temporary folder that ends with it.
pub struct Fixture {
    pub tmp: tempfile::TempDir,
    pub repo: PathBuf,
}

impl Fixture {
    /// `main` with one commit of `a.txt`.
    pub fn new() -> Self {
        Self::with_init(&[])
    }

    pub fn with_init(args: &[&str]) -> Self {
        let tmp = tempfile::tempdir().unwrap();
        let repo = tmp.path().canonicalize().unwrap().join("demo");
        let fixture = Self { repo, tmp };
        std::fs::create_dir(fixture.path("home")).unwrap();
        let folder = fixture.repo.display().to_string();
        git_in(fixture.tmp.path(), &[&["init", "-q", "-b", "main"], args, &[&folder]].concat());
        fixture.identify(&fixture.repo);
        fixture.commit("a.txt", "a\n", "first");
        fixture
    }

    pub fn identify(&self, repo: &Path) {
        for (key, value) in [
            ("user.name", "Ada"),
            ("user.email", "ada@example.org"),
            ("commit.gpgSign", "false"),
            ("core.hooksPath", &repo.join(".git/hooks").display().to_string()),
        ] {
            git_in(repo, &["config", key, value]);
        }
    }

    /// A path beside the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        self.repo.parent().unwrap().join(name)
    }

    pub fn env(&self) -> Env {
        self.env_with(&[])
    }

    pub fn env_with(&self, more: &[(&str, &str)]) -> Env {
        let path = Env::from_process().get("PATH").unwrap().to_owned();
        let home = self.path("home").display().to_string();
        let base = [("PATH", path.as_str()), ("HOME", home.as_str()), ("GIT_CONFIG_NOSYSTEM", "1")];
        Env::from_pairs(base.iter().chain(more).map(|(k, v)| ((*k).to_owned(), (*v).to_owned())))
    }

    pub fn open(&self) -> Repository {
        self.open_at(&self.repo)
    }

    pub fn open_at(&self, path: &Path) -> Repository {
        Repository::discover(path, &self.env()).unwrap()
    }

    pub fn git(&self, args: &[&str]) -> String {
        git_in(&self.repo, args)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        write(&self.repo, name, content);
    }

    pub fn commit(&self, name: &str, content: &str, message: &str) -> String {
        self.write(name, content);
        self.git(&["add", "--", name]);
        self.git(&["commit", "-q", "-m", message]);
        self.head()
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// A bare repository with everything that this one has, and a remote `origin` for it.
    pub fn with_origin(&self) -> PathBuf {
        let bare = self.path("origin.git");
        git_in(self.tmp.path(), &["clone", "-q", "--bare", self.repo.to_str().unwrap(), bare.to_str().unwrap()]);
        self.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
        bare
    }

    pub fn hook(&self, name: &str, script: &str) {
        hook(&self.repo.join(".git/hooks"), name, script);
    }
}

pub fn hook(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn write(root: &Path, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// Runs git, which has to succeed, and returns what it prints without the last line feed.
pub fn git_in<S: AsRef<OsStr>>(dir: &Path, args: &[S]) -> String {
    String::from_utf8_lossy(&git_bytes(dir, args)).trim_end_matches('\n').to_owned()
}

pub fn git_bytes<S: AsRef<OsStr>>(dir: &Path, args: &[S]) -> Vec<u8> {
    let output = try_git(dir, args);
    let words: Vec<_> = args.iter().map(AsRef::as_ref).collect();
    assert!(output.status.success(), "git {words:?} in {dir:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

pub fn try_git<S: AsRef<OsStr>>(dir: &Path, args: &[S]) -> Output {
    let mut command = Command::new("git");
    command.args(args).current_dir(dir).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_EDITOR", "false");
    for name in git_prfix::process::GIT_LOCAL_VARS {
        command.env_remove(name);
    }
    command.output().unwrap()
}
