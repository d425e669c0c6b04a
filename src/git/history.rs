//! Commits and differences as a person reads them.

use std::path::Path;

use super::{GitError, Repository, child};

/// Settings of the user that would change what a patch looks like are overruled.
const PLAIN: &[&str] = &["-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "core.quotePath=true"];

impl Repository {
    /// Commits that `to` contains and `from` does not, oldest first.
    ///
    /// # Errors
    /// When one of them is not here.
    pub fn commits_between(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let run = self.git().args(["rev-list", "--reverse", "--end-of-options", &format!("{from}..{to}")]);
        let output = child::succeed(run, "listing commits")?;
        Ok(output.text().lines().map(str::to_owned).collect())
    }

    /// Paths that differ between two commits; a rename is two paths.
    ///
    /// # Errors
    /// When one of them is not here.
    pub fn changed_between(&self, from: &str, to: &str) -> Result<Vec<String>, GitError> {
        let run =
            self.git().args(["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--end-of-options", from, to]);
        let output = child::succeed(run, "comparing commits")?;
        let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// How many commits the local branch has that `remote_tip` lacks; 0 when there is no such branch.
    ///
    /// # Errors
    /// When `remote_tip` is not here.
    pub fn unpushed_local_commits(&self, branch: &str, remote_tip: &str) -> Result<u64, GitError> {
        let Some(tip) = self.ref_oid(&format!("refs/heads/{branch}")) else { return Ok(0) };
        let run = self.git().args(["rev-list", "--count", "--end-of-options", &format!("{remote_tip}..{tip}")]);
        let output = child::succeed(run, "counting commits")?;
        output.text().trim().parse().map_err(|error| GitError::failed("counting commits", error))
    }
}

fn diff(worktree: &Path, kind: &[&str], from: &str, to: &str) -> Result<String, GitError> {
    let run = child::plumbing(worktree).args(PLAIN).args(["diff", "--no-color", "--no-ext-diff", "--no-textconv"]);
    let run = run.args(kind).args(["--end-of-options", from, to]);
    Ok(child::succeed(run, "comparing commits")?.text())
}

/// The difference of two commits as a patch.
///
/// # Errors
/// When one of them is not here.
pub fn diff_text(worktree: &Path, from: &str, to: &str) -> Result<String, GitError> {
    diff(worktree, &["--patch"], from, to)
}

/// Files and numbers of lines, as `git diff --stat` prints them.
///
/// # Errors
/// When one of the commits is not here.
pub fn diff_stat(worktree: &Path, from: &str, to: &str) -> Result<String, GitError> {
    diff(worktree, &["--stat=100"], from, to)
}

/// Writes the commits from `from` to `to` as a mailbox that `git am` takes; as one plain patch when
/// there is a merge among them.
///
/// # Errors
/// When a commit is not here, or `path` cannot be written.
pub fn save_patch(worktree: &Path, from: &str, to: &str, path: &Path) -> Result<(), GitError> {
    let range = format!("{from}..{to}");
    let merges = child::output(worktree, ["rev-list", "--merges", "--max-count=1", &range], "listing commits")?;
    let patch = if merges.is_empty() {
        let run = child::plumbing(worktree).args(PLAIN).args(["format-patch", "--stdout", "--binary", "--full-index"]);
        let run = run.args(["--no-attach", "--no-cover-letter", "--no-thread", "--no-ext-diff", &range]);
        child::succeed(run, "writing a patch")?.stdout
    } else {
        let args = ["diff", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", from, to];
        child::succeed(child::plumbing(worktree).args(PLAIN).args(args), "writing a patch")?.stdout
    };
    std::fs::write(path, patch).map_err(|error| GitError::failed(&format!("writing `{}`", path.display()), error))
}
