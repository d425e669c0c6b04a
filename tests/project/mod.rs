//! What must hold for the project as a whole: its layout, its texts, its dependencies.

mod architecture;
mod completions;
mod cookbook;
mod errors;
mod fuzz;
mod install;
mod licences;
mod manual;
mod pictures;
mod svg;
mod texts;

use std::path::{Path, PathBuf};

/// The repository's root.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder` that git would not ignore, with its path relative to the root.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut walk = ignore::WalkBuilder::new(root().join(folder));
    walk.hidden(false).require_git(false).filter_entry(|entry| entry.file_name() != ".git");
    let entries = walk.build().map(|entry| entry.expect("a readable folder"));
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut paths: Vec<PathBuf> =
        files.map(|entry| entry.path().strip_prefix(root()).expect("below the root").to_owned()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "nothing found below {folder}");
    paths
}

fn rust_files(folder: &str) -> Vec<(PathBuf, String)> {
    let sources = files(folder).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources.map(|path| (path.clone(), std::fs::read_to_string(root().join(path)).expect("UTF-8"))).collect()
}
