//! Reading the file of findings that `loop` and `sweep --findings` are given.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::model::review::Envelope;
use crate::policy::findings;

/// Bytes of a file of findings.
const BIGGEST: u64 = 16 << 20;
/// Faults of an envelope that are told at once.
const TOLD: usize = 20;

#[derive(Debug, Error, Diagnostic)]
pub enum FindingsError {
    #[error("the findings in `{}` could not be read: {why}", path.display())]
    #[diagnostic(code(prfix::usage::findings), help("give a file with an envelope as git-prfix-protocol(7) shows it"))]
    Unreadable { path: PathBuf, why: String },
    #[error("`{}` is no envelope of findings:\n{}", path.display(), faults.join("\n"))]
    #[diagnostic(
        code(prfix::usage::envelope),
        help("put these fields right; git-prfix-protocol(7) has the format and an example")
    )]
    Misfit { path: PathBuf, faults: Vec<String> },
    #[error("findings are about one pull request, and several were named")]
    #[diagnostic(code(prfix::usage::findings_several), help("sweep them one by one, each with its own findings"))]
    Several,
}

/// Reads an envelope from a file.
pub fn read(path: &Path) -> Result<Envelope, FindingsError> {
    let unreadable = |why: String| FindingsError::Unreadable { path: path.to_owned(), why };
    let meta = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !meta.is_file() || meta.len() > BIGGEST {
        return Err(unreadable("it is no file, or bigger than 16 MiB".to_owned()));
    }
    let text = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let document = serde_json::from_slice(&text).map_err(|error| unreadable(format!("it is no JSON: {error}")))?;
    findings::read(&document).map_err(|faults| FindingsError::Misfit {
        path: path.to_owned(),
        faults: faults.iter().take(TOLD).map(ToString::to_string).collect(),
    })
}
