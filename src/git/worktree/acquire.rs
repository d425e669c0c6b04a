//! Which name, folder and branch a worktree gets, and when one that is there is used again.

use std::path::Path;

use jiff::Timestamp;

use super::registry::Registration;
use super::{Manager, Metadata, Worktree, add, leftover, slug};
use crate::git::{Ancestry, GitError, changed_paths, child};

/// Suffixes that are tried before giving up.
const MOST_SUFFIXES: u32 = 99;

/// What a name can be used for.
enum Claim {
    /// The checkout that is there.
    Reuse,
    /// A new checkout on a new branch, or without one.
    Fresh,
    /// A new checkout on the branch of an earlier run, which moves to the base.
    MoveBranch,
    /// Somebody's work, or a running process: another name.
    Taken,
}

impl Manager<'_> {
    /// A clean managed worktree on branch `slug` (or `slug-2`, …) at `base`, its branch created or,
    /// when its tip is contained in `base`, moved there. Reused only when clean and unlocked. Only a
    /// branch that the program made is ever moved.
    ///
    /// # Errors
    /// When the slug is empty, `base` is no commit, or the checkout fails; nothing is left then.
    pub fn acquire(&self, slug: &str, base: &str, meta: &Metadata) -> Result<Worktree, GitError> {
        self.obtain(slug, base, meta, true)
    }

    /// A second, detached worktree for checks on the untouched head.
    ///
    /// # Errors
    /// As [`Manager::acquire`].
    pub fn acquire_detached(&self, slug: &str, base: &str, meta: &Metadata) -> Result<Worktree, GitError> {
        self.obtain(slug, base, meta, false)
    }

    fn obtain(&self, wanted: &str, base: &str, meta: &Metadata, attached: bool) -> Result<Worktree, GitError> {
        let what = "creating a worktree";
        let wanted = slug(wanted).ok_or_else(|| GitError::failed(what, format!("`{wanted}` leaves no name")))?;
        let base = self.resolve(base)?;
        self.store.prepare()?;
        let (name, claim) = self.claim(&wanted, &base, meta, attached)?;
        let branch = if attached { name.clone() } else { String::new() };
        let worktree = Worktree { path: self.store.checkout(&name), branch, base };
        let made = match claim {
            Claim::Reuse => self.restore(&worktree, &worktree.base),
            _ => self.make(&worktree, &name, matches!(claim, Claim::MoveBranch)),
        };
        if let Err(error) = made {
            self.store.forget(&name);
            return Err(error);
        }
        Ok(worktree)
    }

    /// The commit that `base` names here, in the caller's repository.
    fn resolve(&self, base: &str) -> Result<String, GitError> {
        if let Ok(commit) = crate::git::objects::find_commit(&self.repo.local(), base) {
            return Ok(commit.id.to_string());
        }
        let run = self.repo.git().args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let output = run.arg(format!("{base}^{{commit}}")).run();
        match output.ok().filter(crate::process::Output::success) {
            Some(output) => Ok(output.text().trim_end().to_owned()),
            None => Err(GitError::failed("creating a worktree", format!("`{base}` is not a commit here"))),
        }
    }

    /// Decides under the lock, and writes the metadata, so that no other process takes the same name.
    fn claim(&self, wanted: &str, base: &str, meta: &Metadata, attached: bool) -> Result<(String, Claim), GitError> {
        let _lock = self.store.lock()?;
        for n in 1..=MOST_SUFFIXES {
            let name = if n == 1 { wanted.to_owned() } else { format!("{wanted}-{n}") };
            let claim = match self.look_at(&name, base, meta, attached)? {
                Claim::Taken => continue,
                claim => claim,
            };
            self.store.write(&name, meta)?;
            return Ok((name, claim));
        }
        let why = format!("`{wanted}` and its {MOST_SUFFIXES} suffixes are taken; try `git prfix worktree clean`");
        Err(GitError::failed("creating a worktree", why))
    }

    fn look_at(&self, name: &str, base: &str, meta: &Metadata, attached: bool) -> Result<Claim, GitError> {
        let now: Timestamp = meta.created_at.parse().unwrap_or(Timestamp::MAX);
        let owner = self.store.read(name);
        let same_run = owner.as_ref().is_some_and(|owner| owner.owner == meta.owner);
        if owner.is_some_and(|owner| owner.owner != meta.owner && owner.owner_is_alive(now)) {
            return Ok(Claim::Taken);
        }
        let path = self.store.checkout(name);
        match self.registration(&path)? {
            Some(registration) if registration.is_half_made() || (!path.exists() && registration.locked.is_none()) => {
                leftover::discard(self.repo, &registration)?;
            }
            // A second worktree holds nothing of its own; this run left it when it was killed.
            Some(registration) if !attached && same_run && registration.locked.is_none() => {
                leftover::discard(self.repo, &registration)?;
            }
            Some(registration) => return Ok(self.reusable(&registration, name, base, attached)),
            None if path.is_symlink() || !is_absent_or_empty(&path) => return Ok(Claim::Taken),
            None => {}
        }
        let tip = if attached { self.repo.ref_oid(&format!("refs/heads/{name}")) } else { None };
        Ok(match tip {
            None => Claim::Fresh,
            Some(tip)
                if (same_run || self.store.claimed_branch(name)) && self.repo.ancestry(&tip, base) == Ancestry::Yes =>
            {
                Claim::MoveBranch
            }
            Some(_) => Claim::Taken,
        })
    }

    /// Clean, unlocked, on its own branch, and with no commit that `base` lacks.
    fn reusable(&self, registration: &Registration, name: &str, base: &str, attached: bool) -> Claim {
        let ours = registration.locked.is_none() && registration.is_linked();
        let branch = attached.then(|| format!("refs/heads/{name}"));
        if !ours || registration.branch() != branch || (attached && !self.store.claimed_branch(name)) {
            return Claim::Taken;
        }
        let contained = registration.head().is_ok_and(|head| self.repo.ancestry(&head, base) == Ancestry::Yes);
        let clean = changed_paths(&registration.path).is_ok_and(|changes| changes.is_empty());
        if contained && clean { Claim::Reuse } else { Claim::Taken }
    }

    fn make(&self, worktree: &Worktree, name: &str, move_branch: bool) -> Result<(), GitError> {
        let attached = !worktree.branch.is_empty();
        if attached {
            self.place_branch(name, &worktree.base, move_branch)?;
            self.store.claim_branch(name)?;
        }
        let added = add::add(self.repo, &self.store, worktree, self.hook_timeout);
        if added.is_err() && attached && !move_branch {
            // Nothing was committed on it yet.
            let branch = format!("refs/heads/{name}");
            let _ = self.repo.git().args(["update-ref", "-d", &branch, &worktree.base]).run();
        }
        added
    }

    fn place_branch(&self, name: &str, base: &str, move_branch: bool) -> Result<(), GitError> {
        let what = format!("creating branch `{name}`");
        if !move_branch && !self.repo.uses_reftable() {
            use gix::refs::transaction::PreviousValue;
            let repo = self.repo.local();
            let id = gix::ObjectId::from_hex(base.as_bytes()).map_err(|error| GitError::failed(&what, error))?;
            let message = format!("branch: Created from {base}");
            let made = repo.reference(format!("refs/heads/{name}"), id, PreviousValue::MustNotExist, message);
            return made.map(drop).map_err(|error| GitError::failed(&what, error));
        }
        // `git branch --force` refuses a branch that is checked out or being rebased anywhere.
        let force: &[&str] = if move_branch { &["--force"] } else { &[] };
        let run = self.repo.git().args(["branch", "--quiet", "--no-track"]).args(force);
        child::succeed(run.args([name, base]), &what).map(drop)
    }
}

fn is_absent_or_empty(path: &Path) -> bool {
    match std::fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}
