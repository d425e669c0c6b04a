//! The operator's repository, opened once and only read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use miette::Diagnostic;
use thiserror::Error;

use super::config::Config;
use super::{Remote, child, remotes};
use crate::env::Env;
use crate::process::{Output, Run};

#[derive(Debug, Error, Diagnostic)]
pub enum GitError {
    #[error("`{}` is not inside a git repository", path.display())]
    #[diagnostic(
        code(prfix::git::no_repository),
        help("run `git prfix` inside the repository, or pass `--repo <path>`")
    )]
    NotARepository { path: PathBuf },
    #[error("{what}: {why}")]
    #[diagnostic(code(prfix::git::failed))]
    Failed { what: String, why: String },
}

impl GitError {
    pub(super) fn failed(what: &str, why: impl ToString) -> Self {
        Self::Failed { what: what.to_owned(), why: why.to_string() }
    }
}

pub struct Repository {
    pub(super) inner: gix::ThreadSafeRepository,
    pub(super) config: Config,
    git_dir: PathBuf,
    common_dir: PathBuf,
    work_dir: Option<PathBuf>,
}

impl Repository {
    /// Opens the repository that `path` lies in; from a linked worktree as well. `GIT_DIR`,
    /// `GIT_WORK_TREE` and `safe.directory` are respected as git does.
    ///
    /// # Errors
    /// When there is none, or git does not trust its owner.
    pub fn discover(path: &Path, env: &Env) -> Result<Self, GitError> {
        let place = Place::find(path, env)?;
        let config = Config::read(as_typed(&place.started_in, env))?;
        let opened = config.options().open_path_as_is(true).open(&place.git_dir);
        let inner = opened.map_err(|error| GitError::failed("opening the repository", error))?;
        let local = inner.to_thread_local();
        let common_dir = absolute(local.common_dir());
        let work_dir = place.work_dir.or_else(|| local.workdir().map(absolute));
        Ok(Self { inner, config, git_dir: place.git_dir, common_dir, work_dir })
    }

    /// The git directory of the worktree we were started in.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The directory that all worktrees share; the program's own state lives in `prfix/` below it.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Root of the work tree; `None` for a bare repository.
    pub fn work_dir(&self) -> Option<&Path> {
        self.work_dir.as_deref()
    }

    /// # Errors
    /// None at present; kept for callers.
    pub fn remotes(&self) -> Result<Vec<Remote>, GitError> {
        Ok(remotes::configured(&self.config))
    }

    /// Short name of the checked-out branch; `None` when detached.
    pub fn current_branch(&self) -> Option<String> {
        let name = if self.uses_reftable() {
            self.ask(&["symbolic-ref", "--quiet", "HEAD"])?
        } else {
            self.local().head_name().ok()??.as_bstr().to_string()
        };
        name.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// `branch.<name>.remote` and the short name of `branch.<name>.merge`.
    pub fn upstream(&self, branch: &str) -> Option<(String, String)> {
        let remote = self.config.get(&format!("branch.{branch}.remote"))?.to_owned();
        let merge = self.config.get(&format!("branch.{branch}.merge"))?;
        Some((remote, merge.strip_prefix("refs/heads/").unwrap_or(merge).to_owned()))
    }

    /// Tip of a local ref, in hex; annotated tags are followed to what they name.
    pub fn ref_oid(&self, name: &str) -> Option<String> {
        if self.uses_reftable() {
            return self.ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{}}")]);
        }
        let repo = self.local();
        let mut reference = repo.try_find_reference(name).ok()??;
        Some(reference.peel_to_id().ok()?.to_string())
    }

    /// All values of the `prfix` section and others below `prefix`, as `git config` would list them
    /// (nearer scopes last), lower-cased keys. Includes `git -c` on our own command line.
    ///
    /// # Errors
    /// None at present; kept for callers.
    pub fn config(&self, prefix: &str) -> Result<Vec<(String, String)>, GitError> {
        Ok(self.config.below(prefix))
    }

    /// Removes refs that the program made for itself (`refs/prfix/…`), never others.
    ///
    /// # Errors
    /// When `name` is somebody else's ref, or git cannot delete it. A ref that is gone is no error.
    pub fn delete_private_ref(&self, name: &str) -> Result<(), GitError> {
        let what = format!("deleting `{name}`");
        if !name.starts_with(super::PRIVATE_REFS) {
            return Err(GitError::failed(&what, "it is not a ref of git-prfix"));
        }
        if self.ref_oid(name).is_none() {
            return Ok(());
        }
        child::succeed(self.git().args(["update-ref", "--no-deref", "-d", name]), &what).map(drop)
    }

    /// Takes away the locks that a killed git left on the private refs below `prefix`. Only for who holds the lock of
    /// what they belong to.
    pub fn unlock_private_refs(&self, prefix: &str) {
        let Some(folder) = prefix.starts_with(super::PRIVATE_REFS).then(|| self.common_dir.join(prefix)) else {
            return;
        };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for lock in entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "lock")) {
            // A lock that stays makes the next fetch fail, and that is said.
            let _ = std::fs::remove_file(lock);
        }
    }

    /// A handle for this thread.
    pub(super) fn local(&self) -> gix::Repository {
        self.inner.to_thread_local()
    }

    /// A short local git command for this very repository, wherever it was found.
    pub(super) fn git(&self) -> Run {
        self.here(child::plumbing)
    }

    /// A git command that may take long or run hooks.
    pub(super) fn long_git(&self) -> Run {
        self.here(child::git)
    }

    fn here(&self, kind: impl Fn(&Path) -> Run) -> Run {
        kind(self.work_dir().unwrap_or(&self.git_dir)).arg("--git-dir").arg(&self.git_dir)
    }

    /// Refs that gitoxide cannot read; objects it can.
    pub(super) fn uses_reftable(&self) -> bool {
        self.config.get("extensions.refstorage").is_some_and(|kind| kind != "files")
    }

    fn ask(&self, args: &[&str]) -> Option<String> {
        let output = self.git().args(args).run().ok().filter(Output::success)?;
        Some(output.text().trim_end().to_owned())
    }
}

/// Git in `dir` with the operator's whole environment, `GIT_DIR` and `git -c` included. Only for
/// finding the repository and reading its configuration.
fn as_typed(dir: &Path, env: &Env) -> Run {
    let run = Run::new("git").cwd(dir).empty_env();
    let run = env.iter().fold(run, |run, (name, value)| run.env(name, value));
    run.env("LANGUAGE", "en").env("GIT_TERMINAL_PROMPT", "0").leave_helpers()
}

/// Where git says that the repository is.
struct Place {
    started_in: PathBuf,
    git_dir: PathBuf,
    work_dir: Option<PathBuf>,
}

impl Place {
    fn find(path: &Path, env: &Env) -> Result<Self, GitError> {
        let started_in = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        if !started_in.is_dir() {
            return Err(GitError::NotARepository { path: full(path) });
        }
        let answer = rev_parse(started_in, env, &["--is-inside-work-tree", "--absolute-git-dir"], path)?;
        let (inside, git_dir) = answer.split_once_str("\n").unwrap_or((&answer, b""));
        let work_dir = match inside {
            b"true" => Some(as_path(&rev_parse(started_in, env, &["--show-toplevel"], path)?)),
            _ => None,
        };
        Ok(Self { started_in: started_in.to_owned(), git_dir: as_path(git_dir), work_dir })
    }
}

fn rev_parse(dir: &Path, env: &Env, args: &[&str], asked: &Path) -> Result<Vec<u8>, GitError> {
    let what = "looking for the repository";
    let output =
        as_typed(dir, env).arg("rev-parse").args(args).run().map_err(|error| child::could_not_start(what, &error))?;
    if output.success() {
        return Ok(output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout).to_owned());
    }
    let why = child::said(&output);
    Err(if why.contains("not a git repository") && !why.contains("GIT_DIR") {
        GitError::NotARepository { path: full(asked) }
    } else {
        GitError::failed(what, why)
    })
}

fn as_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// For messages: `.` says nothing in a log.
fn full(path: &Path) -> PathBuf {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.components().collect())
}

fn absolute(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
