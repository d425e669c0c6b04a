//! Single paths of an index: what it holds for them, putting that back, and what differs from HEAD.
//!
//! Git itself does it: these are a few paths, and its index format is its own business.

use std::path::Path;

use super::{GitError, child};

/// What the index of a checkout holds for some paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntries {
    paths: Vec<String>,
    /// In the form of `git ls-files --stage -z`.
    entries: Vec<u8>,
}

impl IndexEntries {
    /// # Errors
    /// When git cannot read the index.
    pub fn take(worktree: &Path, paths: &[String]) -> Result<Self, GitError> {
        let entries = if paths.is_empty() {
            Vec::new()
        } else {
            let run = child::plumbing(worktree).args(["--literal-pathspecs", "ls-files", "--stage", "-z", "--"]);
            child::succeed(run.args(paths), "reading the index")?.stdout
        };
        Ok(Self { paths: paths.to_vec(), entries })
    }

    /// Puts these paths, and no others, back to what they were; those that were not there are taken out.
    ///
    /// # Errors
    /// When git cannot write the index.
    pub fn restore(&self, worktree: &Path) -> Result<(), GitError> {
        if self.paths.is_empty() {
            return Ok(());
        }
        let what = "putting index entries back";
        // Out first: an entry of another stage would stay beside the old one.
        let paths: Vec<u8> = self.paths.iter().flat_map(|path| format!("{path}\0").into_bytes()).collect();
        let out = child::plumbing(worktree).args(["update-index", "-z", "--force-remove", "--stdin"]).stdin(paths);
        child::succeed(out, what)?;
        let run = child::plumbing(worktree).args(["update-index", "-z", "--index-info"]).stdin(self.entries.clone());
        child::succeed(run, what).map(drop)
    }

    /// As `git ls-files --stage` prints them, one a line: what `git update-index --index-info` takes.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.entries).replace('\0', "\n")
    }

    /// One path's entries from such a text.
    pub fn from_text(path: &str, text: &str) -> Self {
        Self { paths: vec![path.to_owned()], entries: text.replace('\n', "\0").into_bytes() }
    }

    /// One of the paths is in conflict.
    pub fn conflicted(&self) -> bool {
        let about = self.entries.split(|byte| *byte == 0).filter_map(|entry| entry.split(|byte| *byte == b'\t').next());
        about.filter(|about| !about.is_empty()).any(|about| !about.ends_with(b" 0"))
    }
}

/// Which of the paths are staged: the index differs from HEAD.
///
/// # Errors
/// When git cannot compare.
pub fn staged_of(worktree: &Path, paths: &[String]) -> Result<Vec<String>, GitError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let run = child::plumbing(worktree).args(["--literal-pathspecs", "diff", "--cached", "--name-only", "-z"]);
    let run = run.args(["--no-renames", "--no-ext-diff", "--ignore-submodules=none", "--"]).args(paths);
    let output = child::succeed(run, "comparing the index with HEAD")?;
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// The staged difference of these paths, as a patch.
///
/// # Errors
/// When git cannot compare.
pub fn staged_diff(worktree: &Path, paths: &[String]) -> Result<String, GitError> {
    if paths.is_empty() {
        return Ok(String::new());
    }
    let run = child::plumbing(worktree).args(["-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false"]);
    let run = run.args(["--literal-pathspecs", "diff", "--cached", "--no-color", "--no-ext-diff", "--no-textconv"]);
    Ok(child::succeed(run.arg("--").args(paths), "reading what is staged")?.text())
}

/// Makes a commit of what the index of a scratch worktree holds and puts its detached HEAD there. No hook, no
/// signature, no ref: it is forgotten with the worktree.
///
/// # Errors
/// When git cannot.
pub fn checkpoint(worktree: &Path, message: &str) -> Result<String, GitError> {
    let what = "keeping a state of the worktree";
    let tree = child::text(worktree, ["write-tree"], what)?;
    let head = child::text(worktree, ["rev-parse", "--verify", "HEAD"], what)?;
    let identity = ["-c", "user.name=git-prfix", "-c", "user.email=git-prfix@localhost", "-c", "commit.gpgSign=false"];
    let words = identity.into_iter().chain(["commit-tree", &tree, "-p", &head, "-m", message]);
    let oid = child::text(worktree, words, what)?;
    child::text(worktree, ["update-ref", "--no-deref", "-m", "prfix: checkpoint", "HEAD", &oid], what)?;
    Ok(oid)
}
