//! The stash, which all worktrees share.

use super::{Place, Tampering};
use crate::git::{GitError, child};

pub(super) struct Stash {
    /// `(commit, message)`, newest first.
    entries: Vec<(String, String)>,
}

impl Stash {
    pub(super) fn read(place: &Place<'_>) -> Self {
        let run = place.repo.git().through_interrupts().args(["stash", "list", "-z", "--format=%H %gs"]);
        let text = run.run().ok().filter(crate::process::Output::success).map(|output| output.text());
        let entries = text.unwrap_or_default();
        let entries = entries.split('\0').filter_map(|entry| entry.split_once(' '));
        Self { entries: entries.map(|(oid, message)| (oid.to_owned(), message.to_owned())).collect() }
    }

    /// What was stashed in our worktree is taken back to it, when that goes without conflict; what was
    /// dropped comes back.
    pub(super) fn restore(&self, place: &Place<'_>, somebody_works: bool) -> Result<Vec<Tampering>, GitError> {
        let mut found = Vec::new();
        loop {
            let now = Self::read(place);
            let Some((_, message)) = now.entries.iter().find(|entry| !self.entries.contains(entry)) else { break };
            let is_newest = now.entries.first().is_some_and(|(_, newest)| newest == message);
            if !is_newest || !is_ours(place, message) || !pop(place) {
                found
                    .push(Tampering::left(format!("the stash grew (`{}`)", crate::model::text::one_line(message, 80))));
                break;
            }
            found.push(Tampering::undone("the stash grew; what was stashed is in the work tree again"));
        }
        let now = Self::read(place);
        let lost: Vec<_> = self.entries.iter().filter(|entry| !now.entries.contains(entry)).collect();
        for (oid, message) in lost.into_iter().rev() {
            let what = format!("a stash entry was dropped (`{}`, {oid})", crate::model::text::one_line(message, 80));
            if !somebody_works {
                let run = place.repo.git().through_interrupts().args(["stash", "store", "--quiet", "-m", message, oid]);
                child::succeed(run, "bringing a stash entry back")?;
            }
            found.push(Tampering { what, undone: !somebody_works });
        }
        Ok(found)
    }
}

/// Git notes the branch: `WIP on <branch>: …`, `On <branch>: …`.
fn is_ours(place: &Place<'_>, message: &str) -> bool {
    let branch = match place.worktree.branch.as_str() {
        "" => "(no branch)",
        branch => branch,
    };
    ["WIP on", "On"].iter().any(|start| message.starts_with(&format!("{start} {branch}: ")))
}

/// Only onto the commit that it was made on: anything else could end in a conflict.
fn pop(place: &Place<'_>) -> bool {
    let path = &place.worktree.path;
    let base = child::text(path, ["rev-parse", "stash@{0}^1"], "reading the stash").ok();
    let head = child::text(path, ["rev-parse", "HEAD"], "reading HEAD").ok();
    base.is_some()
        && base == head
        && child::plumbing(path).args(["stash", "pop", "--quiet"]).run().is_ok_and(|output| output.success())
}
