//! Finding the user's own rule files.

use std::path::Path;

use super::host::{RuleError, Source, SourceLayer};

/// Bytes of a rule file.
const MAX_FILE: u64 = 1 << 20;

/// `rules/*.lua` in the user's configuration folder, by name. A missing folder holds none.
pub(super) fn user(config_dir: &Path) -> Result<Vec<Source>, RuleError> {
    let folder = config_dir.join("rules");
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lua") && path.is_file());
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<Source, RuleError> {
    let name = path.display().to_string();
    let size = std::fs::metadata(path).map(|meta| meta.len());
    let text = match size {
        Ok(size) if size > MAX_FILE => Err(format!("the file is over {} KiB", MAX_FILE >> 10)),
        _ => std::fs::read_to_string(path).map_err(|error| error.to_string()),
    };
    match text {
        Ok(text) => Ok(Source { layer: SourceLayer::User, name, text }),
        Err(reason) => Err(RuleError {
            message: format!("the rule file {name} cannot be read: {reason}"),
            source_code: None,
            span: None,
            label: String::new(),
            help: Some("make it readable, or move it away".to_owned()),
        }),
    }
}
