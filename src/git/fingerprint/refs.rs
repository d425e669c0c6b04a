//! All refs of the repository but our own branch, the stash and the program's private ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::own::Own;
use super::{Place, Tampering};
use crate::git::{Ancestry, GitError, PRIVATE_REFS, Repository, child};
use crate::model::text::short;

#[derive(Clone, PartialEq, Eq)]
struct Target {
    /// In hex.
    oid: String,
    /// The ref that it stands for, when it is symbolic.
    symbolic: String,
}

pub(super) struct Refs {
    targets: BTreeMap<String, Target>,
    /// Branches that are checked out, with the worktree.
    checked_out: BTreeMap<String, PathBuf>,
}

/// What decides whether a ref is put back.
pub(super) struct Judge<'j> {
    pub(super) repo: &'j Repository,
    pub(super) own: &'j Own,
    pub(super) place: &'j Place<'j>,
    pub(super) somebody_works: bool,
}

impl Refs {
    pub(super) fn read(place: &Place<'_>) -> Result<Self, GitError> {
        let format = "--format=%(refname)%00%(objectname)%00%(symref)%00%(worktreepath)";
        let output =
            child::succeed(place.repo.git().through_interrupts().args(["for-each-ref", format]), "listing refs")?;
        let ours = format!("refs/heads/{}", place.worktree.branch);
        let (mut targets, mut checked_out) = (BTreeMap::new(), BTreeMap::new());
        for line in output.text().lines() {
            let mut fields = line.splitn(4, '\0').map(str::to_owned);
            let (Some(name), Some(oid), Some(symbolic), Some(path)) =
                (fields.next(), fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            if name == ours || name == "refs/stash" || name.starts_with(PRIVATE_REFS) {
                continue;
            }
            if !path.is_empty() {
                checked_out.insert(name.clone(), PathBuf::from(path));
            }
            targets.insert(name, Target { oid, symbolic });
        }
        Ok(Self { targets, checked_out })
    }

    pub(super) fn restore(&self, judge: &Judge<'_>) -> Result<Vec<Tampering>, GitError> {
        let now = Self::read(judge.place)?;
        let names: BTreeSet<&String> = self.targets.keys().chain(now.targets.keys()).collect();
        let mut found = Vec::new();
        for name in names {
            let (before, after) = (self.targets.get(name), now.targets.get(name));
            let worktree = now.checked_out.get(name).or_else(|| self.checked_out.get(name));
            let of_another_run = worktree.is_some_and(|path| path.parent() == judge.place.worktree.path.parent());
            if before != after && !of_another_run && judge.is_worth_naming(name) {
                found.push(judge.settle(name, before, after, worktree.is_some())?);
            }
        }
        Ok(found)
    }
}

impl Judge<'_> {
    /// Fetching is everybody's right, also an editor's in the background; pushing is not.
    fn is_worth_naming(&self, name: &str) -> bool {
        if !name.starts_with("refs/remotes/") {
            return true;
        }
        let log = std::fs::read_to_string(self.repo.common_dir().join("logs").join(name)).unwrap_or_default();
        log.lines().last().is_some_and(|line| line.ends_with("update by push"))
    }

    fn settle(
        &self,
        name: &str,
        before: Option<&Target>,
        after: Option<&Target>,
        checked_out: bool,
    ) -> Result<Tampering, GitError> {
        let what = match (before, after) {
            (None, Some(after)) => format!("`{name}` was created at {}", short(&after.oid)),
            (Some(before), None) => format!("`{name}` was deleted (it was {})", short(&before.oid)),
            (Some(before), Some(after)) => {
                format!("`{name}` was moved from {} to {}", short(&before.oid), short(&after.oid))
            }
            (None, None) => name.to_owned(),
        };
        let theirs = (checked_out && self.somebody_works) || name.starts_with("refs/remotes/");
        let undo = !theirs
            && match after {
                None => !self.somebody_works,
                Some(after) => self.is_the_agents(name, after),
            };
        if undo {
            self.put_back(name, before, after)?;
        }
        Ok(Tampering { what, undone: undo })
    }

    /// Our HEAD's reflog tells of it, or, while nobody else works, it holds what our worktree held.
    fn is_the_agents(&self, name: &str, after: &Target) -> bool {
        let short = name.strip_prefix("refs/heads/").unwrap_or(name);
        let [switched, renamed] = [short, name].map(|name| format!(" to {name}"));
        let log = self.own.new_log(self.place);
        let in_log = log.lines().any(|line| line.ends_with(&switched) || line.ends_with(&renamed));
        in_log || (!self.somebody_works && self.repo.ancestry(&self.own.head, &after.oid) == Ancestry::Yes)
    }

    fn put_back(&self, name: &str, before: Option<&Target>, after: Option<&Target>) -> Result<(), GitError> {
        let run = self.repo.git().through_interrupts();
        let was_symbolic = after.is_some_and(|after| !after.symbolic.is_empty());
        let run = match before {
            Some(before) if !before.symbolic.is_empty() => run.args(["symbolic-ref", name, &before.symbolic]),
            Some(before) => run.args(["update-ref", "--no-deref", "-m", "prfix: put back", name, &before.oid]),
            None if was_symbolic => run.args(["symbolic-ref", "--delete", name]),
            None => run.args(["update-ref", "--no-deref", "-d", name]),
        };
        child::succeed(run, &format!("putting `{name}` back")).map(drop)
    }
}
