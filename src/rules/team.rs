//! The team's own files, `.prfix/**`: which of them steer a run, and how they are read from a work tree.

use std::collections::BTreeMap;
use std::path::Path;

use miette::Diagnostic;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::host::{Source, SourceLayer};

/// Bytes of one file, and number of files.
const MAX_FILE: u64 = 1 << 20;
const MAX_FILES: usize = 500;

/// `.prfix` of a work tree could not be read as a set of plain files.
#[derive(Debug, Error, Diagnostic)]
pub enum TeamError {
    #[error("{path} is a symbolic link; files under .prfix must be plain files")]
    #[diagnostic(code(prfix::trust::symlink), help("replace the link by a copy of the file"))]
    Symlink { path: String },
    #[error("{path} is larger than {} KiB", MAX_FILE >> 10)]
    #[diagnostic(code(prfix::trust::size))]
    TooLarge { path: String },
    #[error("there are more than {MAX_FILES} files under .prfix")]
    #[diagnostic(code(prfix::trust::count))]
    TooMany,
    #[error("{path} could not be read")]
    #[diagnostic(code(prfix::trust::read))]
    Read { path: String, source: std::io::Error },
}

/// Rule files, rule tests and `config.toml`, by repository-relative path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TeamFiles {
    files: BTreeMap<String, Vec<u8>>,
}

impl TeamFiles {
    /// Of the given files, those that belong to the set. Blobs of a commit come this way; the caller leaves out
    /// whatever is no plain file (mode 100644 or 100755).
    pub fn from_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        Self { files: files.into_iter().filter(|(path, _)| belongs(path)).collect() }
    }

    /// Reads `.prfix` of a work tree.
    ///
    /// # Errors
    /// When anything there is a symbolic link, too large, or unreadable: a set in doubt is not used.
    pub fn from_work_tree(root: &Path) -> Result<Self, TeamError> {
        let mut files = BTreeMap::new();
        walk(root, ".prfix", &mut files)?;
        Ok(Self { files })
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The content of a file; `None` when it is not there.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// `.prfix/config.toml`.
    pub fn config(&self) -> Option<String> {
        self.get(".prfix/config.toml").map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The rule files, `.prfix/*.lua`.
    pub fn rules(&self) -> Vec<Source> {
        self.lua(|path| !path[".prfix/".len()..].contains('/'))
    }

    /// The rule tests, `.prfix/tests/*.lua`.
    pub fn tests(&self) -> Vec<Source> {
        self.lua(|path| path.starts_with(".prfix/tests/"))
    }

    fn lua(&self, wanted: impl Fn(&str) -> bool) -> Vec<Source> {
        self.files
            .iter()
            .filter(|(path, _)| path.ends_with(".lua") && wanted(path))
            .map(|(path, bytes)| Source {
                layer: SourceLayer::Repository,
                name: path.clone(),
                text: String::from_utf8_lossy(bytes).into_owned(),
            })
            .collect()
    }

    /// SHA-256 over the repository's name and every path, length and content, in hex. A file that is trusted beside
    /// one set of neighbours is not trusted beside another.
    pub fn digest(&self, repository: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(b"git-prfix team files 1\0");
        hash.update(repository.to_lowercase().as_bytes());
        hash.update([0]);
        for (path, bytes) in &self.files {
            hash.update(path.as_bytes());
            hash.update([0]);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Paths that differ from the other set, sorted.
    pub fn differing(&self, other: &Self) -> Vec<String> {
        let mut paths: Vec<&String> = self.files.keys().chain(other.files.keys()).collect();
        paths.sort();
        paths.dedup();
        paths.into_iter().filter(|path| self.files.get(*path) != other.files.get(*path)).cloned().collect()
    }
}

fn belongs(path: &str) -> bool {
    path == ".prfix/config.toml" || path.starts_with(".prfix/") && path.ends_with(".lua")
}

fn walk(root: &Path, relative: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Result<(), TeamError> {
    let path = root.join(relative);
    let read = |source| TeamError::Read { path: relative.to_owned(), source };
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(read(error)),
    };
    if meta.is_symlink() {
        return Err(TeamError::Symlink { path: relative.to_owned() });
    }
    if meta.is_dir() {
        for entry in std::fs::read_dir(&path).map_err(read)? {
            let name = entry.map_err(read)?.file_name();
            walk(root, &format!("{relative}/{}", name.to_string_lossy()), files)?;
        }
        return Ok(());
    }
    if !belongs(relative) {
        return Ok(());
    }
    if meta.len() > MAX_FILE {
        return Err(TeamError::TooLarge { path: relative.to_owned() });
    }
    files.insert(relative.to_owned(), std::fs::read(&path).map_err(read)?);
    if files.len() > MAX_FILES { Err(TeamError::TooMany) } else { Ok(()) }
}
