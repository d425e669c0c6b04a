//! `git prfix hook`: the push guard in this repository's pre-push hook, beside what is there.
//!
//! Hooks in git's own folder are chained in place (`plain`). Where `core.hooksPath` names another folder, which may be
//! tracked by git, shared by all repositories or made anew by a tool, nothing in it is touched (`forward`).

mod forward;
mod plain;
mod script;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use super::{CommandResult, Exit, Shell};
use crate::process::{Output, Run};
use crate::world::World;

#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Put the push guard into the pre-push hook; hooks that are there run first
    Install,
    /// Take it out again; hooks that were there are as they were
    Uninstall,
}

#[derive(Debug, Error, Diagnostic)]
pub enum HookError {
    #[error("`{}` is in the way", path.display())]
    #[diagnostic(
        code(prfix::hook::in_the_way),
        help("another hook was set aside under this name before; look at both, and remove the one that is not needed")
    )]
    InTheWay { path: PathBuf },
    #[error("`core.hooksPath` of this worktree alone overrules the repository's")]
    #[diagnostic(
        code(prfix::hook::overruled),
        help("unset it (`git config --worktree --unset core.hooksPath`), then install again")
    )]
    Overruled,
    #[error("`{}` could not be {doing}: {source}", path.display())]
    #[diagnostic(code(prfix::hook::io), help("check the rights of the folder"))]
    Io { path: PathBuf, doing: &'static str, source: std::io::Error },
    #[error("git could not change its configuration: {why}")]
    #[diagnostic(code(prfix::hook::config), help("check `git config --list --show-origin`"))]
    Config { why: String },
}

impl HookError {
    fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, doing, source }
    }
}

/// Where the guard stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// The guard's own hook.
    pub hook: PathBuf,
    pub installed: bool,
    /// Something was written.
    pub changed: bool,
    /// The hook that runs before it.
    pub first: Option<PathBuf>,
}

pub fn run(shell: &Shell, command: HookCommand) -> CommandResult {
    let world = shell.world()?;
    let hooks = Hooks::find(&world)?;
    let placed = match command {
        HookCommand::Install => hooks.install()?,
        HookCommand::Uninstall => hooks.uninstall()?,
    };
    if shell.global.json {
        shell.print_json(&placed)?;
    } else {
        shell.ui.print(&sentence(&placed));
    }
    Ok(Exit::Done)
}

fn sentence(placed: &Placed) -> String {
    let hook = placed.hook.display();
    match (placed.installed, placed.changed, &placed.first) {
        (true, changed, first) => {
            let state = if changed { "is in place" } else { "was in place already" };
            let first = first.as_ref().map(|first| format!("; before it runs {}", first.display()));
            format!("the push guard {state}: {hook}{}", first.unwrap_or_default())
        }
        (false, true, Some(first)) => format!("the push guard is taken out; {} is as it was", first.display()),
        (false, true, None) => format!("the push guard is taken out: {hook}"),
        (false, false, _) => "the push guard is not installed here".to_owned(),
    }
}

/// The hooks of a repository, as git finds them.
pub struct Hooks {
    git_dir: PathBuf,
    common_dir: PathBuf,
    /// Where hooks of the work tree run, and what a relative path is relative to.
    root: PathBuf,
    /// `core.hooksPath` as it holds now, `~` expanded; `None` when it is not set or names git's own folder.
    path: Option<PathBuf>,
}

impl Hooks {
    pub fn find(world: &World) -> Result<Self, HookError> {
        let common_dir = world.repo.common_dir().to_owned();
        let root = world.repo.work_dir().unwrap_or(world.repo.git_dir()).to_owned();
        let mut hooks = Self { git_dir: world.repo.git_dir().to_owned(), common_dir, root, path: None };
        hooks.path = hooks.effective_path()?;
        Ok(hooks)
    }

    /// Whether the guard is asked at a push.
    pub fn is_installed(&self) -> bool {
        match self.path.as_deref() {
            Some(path) => path == self.forward_dir(),
            None => script::is_ours(&self.plain_dir().join(script::NAME)),
        }
    }

    /// It was installed, and something has taken its place since.
    pub fn is_displaced(&self) -> bool {
        let beside = self.plain_dir().join(script::BEFORE).symlink_metadata().is_ok();
        !self.is_installed() && (self.forward_dir().is_dir() || beside)
    }

    /// Names of the hooks that git would run.
    pub fn names(&self) -> BTreeSet<String> {
        let folder = self.path.as_ref().map_or_else(|| self.plain_dir(), |path| self.root.join(path));
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        // A hook's name has no dot: samples and what was set aside do.
        names.filter(|name| !name.contains('.') && name != "_").collect()
    }

    fn install(&self) -> Result<Placed, HookError> {
        match &self.path {
            None => plain::install(&self.plain_dir()),
            Some(path) => forward::install(self, path),
        }
    }

    fn uninstall(&self) -> Result<Placed, HookError> {
        if !self.forward_dir().is_dir() {
            return plain::uninstall(&self.plain_dir());
        }
        let placed = forward::uninstall(self)?;
        // One that was put there before a hooks path was set.
        plain::uninstall(&self.plain_dir())?;
        Ok(placed)
    }

    fn plain_dir(&self) -> PathBuf {
        self.common_dir.join("hooks")
    }

    /// Our own folder, which `core.hooksPath` names while the guard is chained to another hooks path.
    fn forward_dir(&self) -> PathBuf {
        self.common_dir.join("prfix/hooks")
    }

    fn effective_path(&self) -> Result<Option<PathBuf>, HookError> {
        let path = self.config(&["--type=path", "--get", "core.hooksPath"])?.map(PathBuf::from);
        Ok(path.filter(|path| !same_folder(&self.root.join(path), &self.plain_dir())))
    }

    /// Asks or changes git's configuration; `None` when the key is not set.
    fn config(&self, args: &[&str]) -> Result<Option<String>, HookError> {
        let git = Run::new("git").cwd(&self.root).env("LANGUAGE", "en");
        let git = git.arg("--git-dir").arg(&self.git_dir).arg("config").args(args);
        let output = git.run().map_err(|error| HookError::Config { why: error.to_string() })?;
        match output.ended {
            _ if output.success() => Ok(Some(output.text().trim_end_matches('\n').to_owned())),
            // git-config(1): the section or key is invalid or not there.
            crate::process::Ended::Exited(1 | 5) => Ok(None),
            _ => Err(HookError::Config { why: why(&output) }),
        }
    }
}

fn why(output: &Output) -> String {
    crate::model::text::one_line(&output.stderr_tail(5), 400)
}

fn same_folder(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}
