//! HEAD and branch of our own worktree, and operations that were started in it.

use std::fs;

use super::{Place, Tampering, files};
use crate::git::{GitError, child};
use crate::model::text::short;

/// Folders and files of operations that only an agent can have started. A merge is left to the
/// program to conclude.
const OPERATIONS: &[&str] =
    &["rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG", "CHERRY_PICK_HEAD", "REVERT_HEAD"];

pub(super) struct Own {
    /// Full name of the branch that is checked out; `None` when detached.
    branch: Option<String>,
    /// The commit that is checked out.
    pub(super) head: String,
    /// Bytes of the HEAD file, where refs are files.
    head_file: Option<Vec<u8>>,
    operations: Vec<&'static str>,
    /// Length of our HEAD's reflog.
    log: usize,
}

impl Own {
    pub(super) fn take(place: &Place<'_>) -> Result<Self, GitError> {
        let path = &place.worktree.path;
        let head_file = if place.repo.uses_reftable() { None } else { fs::read(place.admin.join("HEAD")).ok() };
        Ok(Self {
            branch: child::text(path, ["symbolic-ref", "--quiet", "HEAD"], "reading HEAD").ok(),
            head: child::text(path, ["rev-parse", "--verify", "HEAD"], "reading HEAD")?,
            head_file,
            operations: operations(place),
            log: log(place).len(),
        })
    }

    /// What was appended to our HEAD's reflog since.
    pub(super) fn new_log(&self, place: &Place<'_>) -> String {
        let log = log(place);
        String::from_utf8_lossy(log.get(self.log..).unwrap_or_default()).into_owned()
    }

    pub(super) fn restore(&self, place: &Place<'_>) -> Result<Vec<Tampering>, GitError> {
        let mut found = Vec::new();
        let started = operations(place);
        for name in started.into_iter().filter(|name| !self.operations.contains(name)) {
            let path = place.admin.join(name);
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(|error| GitError::failed(&format!("removing `{}`", path.display()), error))?;
            found.push(Tampering::undone(format!("an operation was left under way (`{name}`)")));
        }
        let after = child::text(&place.worktree.path, ["rev-parse", "--verify", "HEAD"], "reading HEAD").ok();
        found.extend(self.restore_head(place)?);
        found.extend(self.restore_branch(place, after.as_deref())?);
        if !place.admin.join("index").exists() {
            child::output(&place.worktree.path, ["read-tree", &self.head], "making the index again")?;
            found.push(Tampering::undone("the index of the worktree was removed"));
        }
        Ok(found)
    }

    /// What HEAD names; not the files.
    fn restore_head(&self, place: &Place<'_>) -> Result<Option<Tampering>, GitError> {
        let path = &place.worktree.path;
        let (now, same) = match &self.head_file {
            Some(before) => {
                let now = fs::read(place.admin.join("HEAD")).unwrap_or_default();
                (String::from_utf8_lossy(&now).trim_end().to_owned(), now == *before)
            }
            None => {
                let now = child::text(path, ["symbolic-ref", "--quiet", "HEAD"], "reading HEAD").ok();
                (now.clone().unwrap_or_default(), now == self.branch)
            }
        };
        if same {
            return Ok(None);
        }
        match (&self.head_file, &self.branch) {
            (Some(before), _) => files::write(&place.admin.join("HEAD"), before, 0o644)
                .map_err(|error| GitError::failed("putting HEAD back", error))?,
            (None, Some(branch)) => drop(child::output(path, ["symbolic-ref", "HEAD", branch], "putting HEAD back")?),
            (None, None) => {
                let args = ["update-ref", "--no-deref", "HEAD", &self.head];
                drop(child::output(path, args, "putting HEAD back")?);
            }
        }
        // A detached HEAD that moved is named by its commits.
        let switched = self.branch.is_some();
        Ok(switched.then(|| {
            let to = now.strip_prefix("ref: ").unwrap_or(&now);
            Tampering::undone(format!("HEAD was switched to `{}`", crate::model::text::one_line(to, 120)))
        }))
    }

    /// The commit that our branch, or our detached HEAD, stands at.
    fn restore_branch(&self, place: &Place<'_>, after: Option<&str>) -> Result<Option<Tampering>, GitError> {
        let moved = |to: Option<&str>| match to {
            Some(to) => format!("HEAD moved from {} to {}", short(&self.head), short(to)),
            None => "our branch was deleted".to_owned(),
        };
        let Some(branch) = &self.branch else {
            let gone = after != Some(self.head.as_str());
            return Ok(gone.then(|| Tampering::undone(moved(after.or(Some("nothing"))))));
        };
        let now = place.repo.ref_oid(branch);
        if now.as_deref() == Some(self.head.as_str()) {
            return Ok(None);
        }
        let run = place.repo.git().through_interrupts().args([
            "update-ref",
            "--no-deref",
            "-m",
            "prfix: put back",
            branch,
            &self.head,
        ]);
        child::succeed(run, &format!("putting `{branch}` back"))?;
        Ok(Some(Tampering::undone(moved(now.as_deref()))))
    }
}

fn operations(place: &Place<'_>) -> Vec<&'static str> {
    OPERATIONS.iter().copied().filter(|name| place.admin.join(name).exists()).collect()
}

fn log(place: &Place<'_>) -> Vec<u8> {
    fs::read(place.admin.join("logs/HEAD")).unwrap_or_default()
}
