//! Which copy of the team's files may steer a run, and the record of local copies that the operator trusts.
//!
//! Rules choose commands, so a pull request must not choose rules: they come from the default branch of the base
//! repository. A local edit counts only after `git prfix rules trust` recorded the digest of the whole set; any
//! further edit changes the digest, and so revokes the trust.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::team::{TeamError, TeamFiles};

/// The record of trusted sets could not be read or written.
#[derive(Debug, Error, Diagnostic)]
#[error("the trust record {} could not be {action}: {reason}", path.display())]
#[diagnostic(code(prfix::trust::record), help("check the permissions of the folder; it holds only digests"))]
pub struct RecordError {
    pub path: PathBuf,
    pub action: &'static str,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Entry {
    repository: String,
    digest: String,
}

/// Digests of local sets that the operator trusts, in `trust.json` under the state folder.
#[derive(Debug)]
pub struct TrustRecord {
    path: PathBuf,
    entries: BTreeSet<Entry>,
}

impl TrustRecord {
    /// Reads the record; a missing one is empty.
    ///
    /// # Errors
    /// When it is there and cannot be read, or is a symbolic link: then nothing is trusted.
    pub fn open(state_dir: &Path) -> Result<Self, RecordError> {
        let path = state_dir.join("trust.json");
        let fail = |reason: String| RecordError { path: path.clone(), action: "read", reason };
        match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { path, entries: BTreeSet::new() });
            }
            Err(error) => return Err(fail(error.to_string())),
            Ok(meta) if !meta.is_file() => return Err(fail("it is no plain file".to_owned())),
            Ok(meta) if meta.permissions().mode() & 0o022 != 0 => {
                return Err(fail("others may write to it".to_owned()));
            }
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
        let entries = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
        Ok(Self { path, entries })
    }

    /// `repository` is `host/owner/name`.
    pub fn trusts(&self, repository: &str, files: &TeamFiles) -> bool {
        self.entries.contains(&entry(repository, files))
    }

    /// Records a set and writes the record, readable by its owner only.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn trust(&mut self, repository: &str, files: &TeamFiles) -> Result<(), RecordError> {
        // One set at a time: trusting a new one ends the trust in the one before.
        self.entries.retain(|known| known.repository != repository.to_lowercase());
        self.entries.insert(entry(repository, files));
        self.write()
    }

    /// Forgets what was trusted for a repository.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn forget(&mut self, repository: &str) -> Result<(), RecordError> {
        self.entries.retain(|known| known.repository != repository.to_lowercase());
        self.write()
    }

    fn write(&self) -> Result<(), RecordError> {
        let fail = |reason: String| RecordError { path: self.path.clone(), action: "written", reason };
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let text = serde_json::to_string_pretty(&self.entries).map_err(|error| fail(error.to_string()))?;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| fail(error.to_string()))?;
        // `tempfile` creates with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| fail(error.to_string()))?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.as_file().sync_all())
            .map_err(|error| fail(error.to_string()))?;
        file.persist(&self.path).map(drop).map_err(|error| fail(error.to_string()))
    }
}

fn entry(repository: &str, files: &TeamFiles) -> Entry {
    Entry { repository: repository.to_lowercase(), digest: files.digest(repository) }
}

/// What the default branch holds.
#[derive(Debug, Clone, Copy)]
pub struct Published<'a> {
    /// Name of the default branch, for messages.
    pub branch: &'a str,
    /// `None` when its commit could not be read, for instance offline.
    pub files: Option<&'a TeamFiles>,
}

/// The copy that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub files: TeamFiles,
    /// They are the local ones, which the operator trusted.
    pub local: bool,
    /// Differences and refusals, in a reader's words.
    pub warnings: Vec<String>,
}

/// Decides between the default branch's files and those of the work tree.
pub fn choose(
    published: Published<'_>,
    work_tree: &Result<TeamFiles, TeamError>,
    repository: &str,
    record: &TrustRecord,
) -> Choice {
    let nothing = TeamFiles::default();
    let base = published.files.unwrap_or(&nothing);
    let branch = published.branch;
    let mut warnings = Vec::new();
    if published.files.is_none() {
        warnings
            .push(format!("the team's files on {branch} could not be read: only built-in rules and your own count"));
    }
    let local = match work_tree {
        Err(error) => {
            warnings.push(format!("{error}: using {branch}'s rules"));
            return Choice { files: base.clone(), local: false, warnings };
        }
        Ok(local) if local == base => return Choice { files: base.clone(), local: false, warnings },
        Ok(local) => local,
    };
    if !local.is_empty() && record.trusts(repository, local) {
        return Choice { files: local.clone(), local: true, warnings: Vec::new() };
    }
    if !local.is_empty() {
        warnings.push(untrusted(local, base, branch, repository));
    }
    Choice { files: base.clone(), local: false, warnings }
}

fn untrusted(local: &TeamFiles, base: &TeamFiles, branch: &str, repository: &str) -> String {
    let differing = local.differing(base);
    let verb = if differing.len() == 1 { "differs" } else { "differ" };
    format!(
        "{} {verb} from {branch} and {} not trusted: using {branch}'s rules\n  help: read it with `git prfix rules diff`; \
         to use it, `git prfix rules trust` ({})",
        differing.join(", "),
        if differing.len() == 1 { "is" } else { "are" },
        &local.digest(repository)[..12],
    )
}
