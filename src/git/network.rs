//! Fetch and push through the user's git, so that their credentials, helpers and proxies hold.

use std::path::Path;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use super::{PRIVATE_REFS, Repository, child};
use crate::model::text;
use crate::process::{Output, Run};

#[derive(Debug, Error, Diagnostic)]
pub enum FetchError {
    #[error("`{url}` has no branch `{branch}`")]
    #[diagnostic(code(prfix::fetch::no_branch))]
    NoBranch { url: String, branch: String },
    #[error("fetching `{branch}` from `{url}` failed: {stderr}")]
    #[diagnostic(code(prfix::fetch::failed), help("check the network and your git credentials: `git ls-remote {url}`"))]
    Failed { url: String, branch: String, stderr: String },
}

impl FetchError {
    fn failed(url: &str, branch: &str, stderr: impl ToString) -> Self {
        Self::Failed { url: text::mask_secrets(url), branch: shown(branch), stderr: stderr.to_string() }
    }
}

/// A branch name as a message may show it.
fn shown(branch: &str) -> String {
    text::one_line(branch, 200)
}

/// `refs/heads/<branch>`, when git would accept it as a name.
fn head_ref(branch: &str) -> Result<String, String> {
    let name = format!("refs/heads/{branch}");
    match gix::validate::reference::name(name.as_str().into()) {
        Ok(_) => Ok(name),
        Err(_) => Err(format!("`{}` is not a valid branch name", shown(branch))),
    }
}

/// Fetches one branch into a private ref below `refs/prfix/`; no tags, no FETCH_HEAD, no
/// maintenance. Returns the commit.
///
/// # Errors
/// When the branch is not there, or git cannot reach it.
pub fn fetch(repo: &Repository, url: &str, branch: &str, into: &str, timeout: Duration) -> Result<String, FetchError> {
    let failed = |why: String| FetchError::failed(url, branch, why);
    let source = head_ref(branch).map_err(failed)?;
    if !into.starts_with(PRIVATE_REFS) || gix::validate::reference::name(into.into()).is_err() {
        return Err(failed(format!("`{into}` is not a private ref")));
    }
    let output = fetch_command(repo, url, &format!("+{source}:{into}"))
        .timeout(timeout)
        .run()
        .map_err(|error| failed(error.to_string()))?;
    if output.success() {
        return repo.ref_oid(into).ok_or_else(|| failed(format!("`{into}` is missing after the fetch")));
    }
    let said = child::said(&output);
    if said.contains("couldn't find remote ref") {
        return Err(FetchError::NoBranch { url: text::mask_secrets(url), branch: shown(branch) });
    }
    Err(failed(said))
}

/// The operator's credential cache and shared connections outlive the command.
fn on_network(repo: &Repository) -> Run {
    repo.long_git().leave_helpers()
}

fn fetch_command(repo: &Repository, url: &str, refspec: &str) -> Run {
    on_network(repo)
        .args(["-c", "fetch.writeCommitGraph=false", "-c", "transfer.bundleURI=false"])
        .args(["fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-recurse-submodules"])
        .args(["--no-auto-maintenance", "--no-prune", "--no-prune-tags", "--refmap=", "--", url, refspec])
        .leave_helpers()
}

/// The commit that `refs/heads/<branch>` has at `url` (`git ls-remote`); `None` when it is not there.
///
/// # Errors
/// When git cannot reach it.
pub fn remote_head(
    repo: &Repository,
    url: &str,
    branch: &str,
    timeout: Duration,
) -> Result<Option<String>, FetchError> {
    let failed = |why: String| FetchError::failed(url, branch, why);
    let name = head_ref(branch).map_err(failed)?;
    let run = on_network(repo).args(["ls-remote", "--quiet", "--refs", "--", url, &name]).timeout(timeout);
    let output = run.run().map_err(|error| failed(error.to_string()))?;
    if !output.success() {
        return Err(failed(child::said(&output)));
    }
    // A pattern matches the end of a name, so that others may be listed as well.
    let found = output.text();
    let found = found.lines().filter_map(|line| line.split_once('\t')).find(|(_, listed)| *listed == name);
    Ok(found.map(|(oid, _)| oid.to_owned()))
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    Pushed,
    /// The remote had the commit already.
    UpToDate,
    /// The remote's branch moved: not a fast-forward any more.
    Rejected {
        stderr: String,
    },
    /// A hook (ours or the server's), protection, or missing rights said no.
    Refused {
        stderr: String,
    },
    /// Network, time limit, or anything else; whether it took must be looked up.
    Failed {
        stderr: String,
    },
}

/// Pushes exactly `commit` to `refs/heads/<branch>` at `url`: never forced, no tags, the
/// repository's own pre-push hook in force. Run from `worktree`.
pub fn push(worktree: &Path, url: &str, commit: &str, branch: &str, timeout: Duration) -> PushOutcome {
    let target = match head_ref(branch) {
        Ok(target) => target,
        Err(stderr) => return PushOutcome::Failed { stderr },
    };
    // Anything but a full id could be read as an option, a force or a deletion.
    if gix::ObjectId::from_hex(commit.as_bytes()).is_err() {
        return PushOutcome::Failed { stderr: format!("`{}` is not an object id", text::one_line(commit, 80)) };
    }
    match push_command(worktree, url, &format!("{commit}:{target}")).timeout(timeout).run() {
        Ok(output) => outcome(&output, &target),
        Err(error) => PushOutcome::Failed { stderr: error.to_string() },
    }
}

/// Settings of `push.*` that would add to what is pushed are taken back one by one.
fn push_command(worktree: &Path, url: &str, refspec: &str) -> Run {
    child::git(worktree)
        .args(["-c", "push.pushOption=", "-c", "push.followTags=false", "-c", "push.autoSetupRemote=false"])
        .args(["push", "--porcelain", "--no-force", "--no-force-with-lease", "--no-mirror", "--no-tags"])
        .args(["--no-follow-tags", "--no-prune", "--recurse-submodules=no", "--", url, refspec])
        .leave_helpers()
}

/// Reads the line `<flag>\t<from>:<to>\t<summary> (<reason>)` of `git push --porcelain`.
fn outcome(output: &Output, target: &str) -> PushOutcome {
    let stderr = child::said(output);
    let text = output.text();
    let line = text.lines().find_map(|line| {
        let (flag, rest) = line.split_once('\t')?;
        let (refs, summary) = rest.split_once('\t')?;
        refs.ends_with(&format!(":{target}")).then_some((flag, summary))
    });
    match line {
        Some(("=", _)) if output.success() => PushOutcome::UpToDate,
        Some((" " | "*", _)) if output.success() => PushOutcome::Pushed,
        Some(("!", summary)) => refusal(summary, stderr),
        // The hook on our side ends the push before a line is printed.
        None if output.ended == crate::process::Ended::Exited(1) && !stderr.contains("fatal:") => {
            PushOutcome::Refused { stderr }
        }
        _ if lacks_rights(&stderr) => PushOutcome::Refused { stderr },
        _ => PushOutcome::Failed { stderr },
    }
}

fn refusal(summary: &str, stderr: String) -> PushOutcome {
    let moved = ["[rejected]", "stale info", "cannot lock ref", "failed to update ref", "non-fast-forward"];
    let stderr = format!("{summary}\n{stderr}").trim_end().to_owned();
    if moved.iter().any(|word| summary.contains(word)) {
        PushOutcome::Rejected { stderr }
    } else if summary.contains("[remote rejected]") {
        PushOutcome::Refused { stderr }
    } else {
        PushOutcome::Failed { stderr }
    }
}

fn lacks_rights(stderr: &str) -> bool {
    // GitHub answers "Repository not found" to those who may not see it.
    ["returned error: 403", "Permission to ", "Permission denied", "Write access to repository not granted"]
        .iter()
        .any(|word| stderr.contains(word))
}
