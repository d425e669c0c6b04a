//! What an agent or a test must not change: taken before it runs, compared and put back after.
//!
//! No object is read, so that it costs little in a big repository. The operator may work in the same
//! repository meanwhile, and so may other runs; what is theirs must survive. Hence this rule:
//!
//! 1. Always put back: our worktree's HEAD, branch and metadata, and its `.git` file; configuration,
//!    hooks, `info/` and alternates. What a configuration file became is saved first.
//! 2. Never touched, only named: HEAD and index of other worktrees, remote-tracking refs that a push
//!    moved, the list of worktrees, `shallow`.
//! 3. Other refs (branches that are checked out elsewhere, too: a commit made there would show in
//!    that worktree's own log) and the stash: put back where the new value is ours (it contains our HEAD, or our
//!    HEAD's reflog names the branch), or where something was deleted; only named as soon as another
//!    worktree shows signs of work.
//! 4. Not looked at: `refs/prfix/`, the worktrees of other runs, and the branches that they are on.
//!
//! A ref that is put back is named with the value that it had, so that nothing is out of reach.

mod config;
mod files;
mod others;
mod outside;
mod own;
mod refs;
mod stash;

use std::path::{Path, PathBuf};

use super::{GitError, Repository, Worktree};
use config::ConfigFiles;
use files::Snapshot;
use others::Others;
use outside::Outside;
use own::Own;
use refs::Refs;
use stash::Stash;

/// One thing that was changed behind the program's back, in a reader's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tampering {
    /// For instance `HEAD moved from 1a2b3c4 to 5d6e7f8`, `refs/heads/main was moved`,
    /// `.git/config was edited`, `hooks/pre-push was added`, `the stash grew`.
    pub what: String,
    /// It was put back as it was.
    pub undone: bool,
}

impl Tampering {
    fn undone(what: impl Into<String>) -> Self {
        Self { what: what.into(), undone: true }
    }

    fn left(what: impl Into<String>) -> Self {
        Self { what: what.into(), undone: false }
    }
}

/// HEADs, all refs and their reflogs, configuration, hooks, `info/`, worktree metadata, and the
/// operator's own index.
pub struct Fingerprint {
    /// The checkout's `.git`, our metadata, `info/`, hooks, alternates.
    files: Vec<Snapshot>,
    config: ConfigFiles,
    own: Own,
    refs: Refs,
    stash: Stash,
    others: Others,
    /// Where nothing holds an agent in its worktree.
    outside: Option<Outside>,
}

impl Fingerprint {
    /// # Errors
    /// When the worktree is not registered, or git cannot list the refs.
    pub fn take(repo: &Repository, worktree: &Worktree) -> Result<Self, GitError> {
        let place = Place::of(repo, worktree)?;
        Ok(Self {
            files: protected(&place)?.into_iter().map(Snapshot::take).collect(),
            config: ConfigFiles::take(&place)?,
            own: Own::take(&place)?,
            refs: Refs::read(&place)?,
            stash: Stash::read(&place),
            others: Others::take(&place)?,
            outside: None,
        })
    }

    /// Also watches the likely places out of the worktree, for agents that no sandbox holds.
    ///
    /// # Errors
    /// When git cannot list the files of the operator's checkout.
    pub fn and_outside(mut self, repo: &Repository, worktree: &Worktree, home: &Path) -> Result<Self, GitError> {
        self.outside = Some(Outside::take(&Place::of(repo, worktree)?, home)?);
        Ok(self)
    }

    /// Names every difference and undoes it, by the rule above. A commit that an agent made is taken
    /// back to its changes in the work tree (HEAD, not the files, is restored).
    ///
    /// # Errors
    /// When something that must be put back cannot be; nothing of this worktree may be used then.
    pub fn restore(&self, repo: &Repository, worktree: &Worktree) -> Result<Vec<Tampering>, GitError> {
        let mut found = Vec::new();
        // Links, configuration and hooks first: until then every git child might do what they say.
        for snapshot in &self.files {
            found.extend(snapshot.restore(repo.common_dir())?);
        }
        let place = Place::of(repo, worktree)?;
        found.extend(self.config.restore(&place)?);
        if let Some(outside) = &self.outside {
            found.extend(outside.restore(&place)?);
        }
        found.extend(self.own.restore(&place)?);
        let somebody_works = self.others.compare(&place, &mut found)?;
        found.extend(self.stash.restore(&place, somebody_works)?);
        found.extend(self.refs.restore(&refs::Judge { repo, own: &self.own, place: &place, somebody_works })?);
        Ok(found)
    }
}

/// The paths that all parts work with.
struct Place<'p> {
    repo: &'p Repository,
    worktree: &'p Worktree,
    /// `<common dir>/worktrees/<id>` of our worktree.
    admin: PathBuf,
}

impl<'p> Place<'p> {
    fn of(repo: &'p Repository, worktree: &'p Worktree) -> Result<Self, GitError> {
        let admin = super::worktree::admin_dir(repo, &worktree.path)?;
        Ok(Self { repo, worktree, admin })
    }
}

/// Files and folders that nobody but git or the operator writes.
fn protected(place: &Place<'_>) -> Result<Vec<files::Root>, GitError> {
    use files::Root;
    let (common, admin) = (place.repo.common_dir(), &place.admin);
    let mut roots = vec![
        Root::whole(place.worktree.path.join(".git")),
        Root::whole(admin.join("gitdir")),
        Root::whole(admin.join("commondir")),
        Root::whole(admin.join("locked")),
        Root::whole(admin.join("info")),
        // The patterns there are those of the operator's own sparse checkout.
        Root { path: common.join("info"), except: [common.join("info/sparse-checkout")].into() },
        Root::whole(common.join("hooks")),
        Root::whole(common.join("objects/info/alternates")),
    ];
    if let Some(hooks) = place.repo.config.get("core.hookspath") {
        roots.extend(configured_hooks(place, hooks)?);
    }
    Ok(roots)
}

/// Where hooks really come from. A folder in the checkout holds tracked files, which are changes like
/// any other, and files that a tool put there (`.husky/_`), which are not.
fn configured_hooks(place: &Place<'_>, configured: &str) -> Result<Option<files::Root>, GitError> {
    let args = ["config", "--type=path", "--get", "core.hooksPath"];
    let path = super::child::text(&place.worktree.path, args, "reading core.hooksPath").unwrap_or(configured.into());
    let folder = place.worktree.path.join(path);
    let Ok(relative) = folder.strip_prefix(&place.worktree.path) else {
        let resolved = folder.canonicalize().unwrap_or(folder);
        return Ok(Some(files::Root::whole(resolved)));
    };
    let run = super::child::plumbing(&place.worktree.path).args(["ls-files", "-z", "--"]).arg(relative);
    let output = super::child::succeed(run, "listing tracked hooks")?;
    let tracked = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let tracked = tracked.map(|path| place.worktree.path.join(String::from_utf8_lossy(path).as_ref())).collect();
    Ok(Some(files::Root { path: folder, except: tracked }))
}
