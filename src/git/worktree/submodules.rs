//! Submodules of a new worktree, as far as the operator uses them.

use std::time::Duration;

use super::{Manager, Worktree};
use crate::git::{GitError, child};

impl Manager<'_> {
    /// Checks out the submodules that the operator has initialised, from the addresses in the
    /// operator's own configuration: `.gitmodules` is the pull request's, and names none to fetch from.
    /// What was changed inside of one is lost. Objects that the operator's clone has are not fetched again. Returns their paths.
    ///
    /// # Errors
    /// When one cannot be fetched or has no such commit.
    pub fn populate_submodules(&self, worktree: &Worktree, timeout: Duration) -> Result<Vec<String>, GitError> {
        let mut populated = Vec::new();
        for (name, path) in listed(worktree)? {
            if self.repo.config.get(&format!("submodule.{name}.url")).is_none() {
                continue;
            }
            let own = self.repo.common_dir().join("modules").join(&name);
            // A clone does not read this repository's configuration by itself.
            let local = self.repo.config.get("protocol.file.allow").unwrap_or("user");
            let run = child::git(&worktree.path).arg("-c").arg(format!("protocol.file.allow={local}"));
            let run = run.args(["submodule", "--quiet", "update", "--checkout", "--force"]);
            let run = if own.is_dir() { run.arg("--reference").arg(own) } else { run };
            let run = run.arg("--").arg(&path).timeout(timeout);
            child::succeed(run, &format!("checking out the submodule `{path}`"))?;
            populated.push(path);
        }
        Ok(populated)
    }
}

/// `(name, path)` of what `.gitmodules` lists.
fn listed(worktree: &Worktree) -> Result<Vec<(String, String)>, GitError> {
    let file = worktree.path.join(".gitmodules");
    // Git does not follow a link there either.
    if !file.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Ok(Vec::new());
    }
    let args = ["config", "--file", ".gitmodules", "-z", "--list"];
    let output = child::succeed(child::plumbing(&worktree.path).args(args), "reading `.gitmodules`")?;
    let text = output.text();
    let paths = text.split('\0').filter_map(|entry| {
        let (key, path) = entry.split_once('\n')?;
        let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
        // A name with `..` would lead out of `modules/`; git refuses it too.
        (!name.split('/').any(|part| part == "..")).then(|| (name.to_owned(), path.to_owned()))
    });
    Ok(paths.collect())
}
