//! Removal, and everything that speaks against it.

use std::path::Path;

use gix::progress::Discard;
use gix::worktree::remove::Force;

use super::registry::Registration;
use super::{Manager, Refusal, Worktree, leftover, precious};
use crate::git::{Ancestry, GitError, changed_paths, child};

/// Names that a message lists before it only counts.
const MOST_NAMES: usize = 5;

/// What a worktree holds that its removal would lose or leave behind.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) changed: Vec<String>,
    pub(super) precious: Vec<String>,
    pub(super) unpushed: bool,
}

impl Work {
    pub(super) fn is_none(&self) -> bool {
        self.changed.is_empty() && self.precious.is_empty() && !self.unpushed
    }

    /// In a reader's words.
    pub(super) fn describe(&self) -> Vec<String> {
        let mut what = Vec::new();
        if !self.changed.is_empty() {
            what.push(format!("changed files ({})", some_of(&self.changed)));
        }
        if !self.precious.is_empty() {
            what.push(format!("ignored files that nothing makes again ({})", some_of(&self.precious)));
        }
        if self.unpushed {
            what.push("commits that are not known to be on the remote".to_owned());
        }
        what
    }
}

fn some_of(names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMES).map(|name| crate::model::text::one_line(name, 80));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > MOST_NAMES {
        text.push_str(&format!(", and {} more", names.len() - MOST_NAMES));
    }
    text
}

impl Manager<'_> {
    /// Removes the checkout and its registration; the branch ref stays. `pushed`: a commit that is
    /// known to be on the remote, so that work contained in it is not called unpushed. `force`
    /// overrides what a worktree holds, never a lock.
    ///
    /// # Errors
    /// The reason why it was left untouched.
    pub fn remove(&self, worktree: &Worktree, pushed: Option<&str>, force: bool) -> Result<(), Refusal> {
        let path = &worktree.path;
        let foreign = || Refusal::Foreign { path: path.clone() };
        let name = self.name_of(path).ok_or_else(foreign)?;
        let registration = self.registration(path)?.ok_or_else(foreign)?;
        if let Some(reason) = &registration.locked {
            return Err(Refusal::Locked { path: path.clone(), reason: reason.clone() });
        }
        if path.exists() {
            if !registration.is_linked() {
                return Err(foreign());
            }
            let work = self.work_in(&registration, &worktree.base, pushed)?;
            if !force && !work.is_none() {
                return Err(Refusal::HoldsWork { path: path.clone(), what: work.describe() });
            }
        }
        self.take_away(path)?;
        self.store.forget(&name);
        Ok(())
    }

    /// What speaks against removal. Commits count as pushed when the base, `pushed` or a
    /// remote-tracking ref contains them.
    pub(super) fn work_in(
        &self,
        registration: &Registration,
        base: &str,
        pushed: Option<&str>,
    ) -> Result<Work, GitError> {
        let path = &registration.path;
        let changed = changed_paths(path)?;
        let head = registration.head()?;
        let contains = |commit: &str| self.repo.ancestry(&head, commit) == Ancestry::Yes;
        let known = contains(base) || pushed.is_some_and(contains) || self.is_on_a_remote(&head);
        Ok(Work {
            changed: changed.into_iter().map(|change| change.path.to_string()).collect(),
            precious: precious::ignored(path, self.repo.work_dir())?.iter().map(ToString::to_string).collect(),
            unpushed: !known,
        })
    }

    fn is_on_a_remote(&self, commit: &str) -> bool {
        let run = self.repo.git().through_interrupts().args([
            "for-each-ref",
            "--count=1",
            "--contains",
            commit,
            "refs/remotes",
        ]);
        run.run().is_ok_and(|output| output.success() && !output.stdout.is_empty())
    }

    /// Removes checkout and registration, without looking at them again.
    pub(super) fn take_away(&self, path: &Path) -> Result<(), GitError> {
        let native = self.repo.local().remove_worktree(path, Force::DiscardChanges, Discard);
        let Err(error) = native else { return Ok(()) };
        tracing::info!(target: "prfix::git", %error, "the worktree is removed by git itself");
        if let Some(registration) = self.registration(path)?.filter(|_| !path.exists()) {
            return leftover::discard(self.repo, &registration);
        }
        let run = self.repo.git().through_interrupts().args(["worktree", "remove", "--force", "--"]).arg(path);
        child::succeed(run, &format!("removing `{}`", path.display())).map(drop)
    }
}
