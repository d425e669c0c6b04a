//! `git prfix init`: looks at the repository, and writes a small commented `.prfix/` for it. What is there stays.

mod files;
mod look;

use std::path::Path;

use clap::Args;
use miette::Diagnostic;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use super::{CommandResult, Exit, Shell};
use crate::pipeline;
use crate::rules::{Rules, TeamFiles};
use crate::world::World;

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Write the files anew, whatever is in them
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Error, Diagnostic)]
enum InitError {
    #[error("a bare repository has no work tree to write `.prfix` into")]
    #[diagnostic(code(prfix::usage::bare), help("run it in a clone"))]
    Bare,
    #[error("`{path}` is a symbolic link")]
    #[diagnostic(code(prfix::usage::link), help("files under .prfix must be plain files: remove the link"))]
    Link { path: String },
    #[error("`{path}` is a file, and a folder is needed there")]
    #[diagnostic(code(prfix::usage::no_folder), help("move the file away, then run `git prfix init` again"))]
    NoFolder { path: String },
    #[error("`{path}` cannot be written: {source}")]
    #[diagnostic(code(prfix::init::io), help("check the rights of the folder"))]
    Io { path: String, source: std::io::Error },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Wrote {
    Written,
    /// It was there, and is as it was.
    Kept,
}

const NEXT: &[&str] = &["git prfix rules test", "git add .prfix && git commit", "git prfix doctor"];

pub fn run(shell: &Shell, args: &InitArgs) -> CommandResult {
    let world = shell.world()?;
    let root = world.repo.work_dir().ok_or(InitError::Bare)?;
    let rules = loaded(&world, args.force)?;
    let commands = pipeline::commands_here(&world, &world.settings(None)?, &rules, &[])?;
    let seen = look::at(&world, root, &rules, commands)?;
    let mut wrote = Vec::new();
    for (path, text) in files::all(&seen) {
        wrote.push((path, put(root, path, &text, args.force)?));
    }
    if shell.global.json {
        let files: Vec<_> = wrote.iter().map(|(path, wrote)| json!({"path": path, "state": wrote})).collect();
        shell.print_json(&json!({"seen": seen, "files": files, "next": NEXT}))?;
        return Ok(Exit::Done);
    }
    seen.lines().iter().for_each(|line| shell.ui.print(line));
    shell.ui.print("");
    for (path, wrote) in &wrote {
        let word = if *wrote == Wrote::Written { "wrote" } else { "kept " };
        shell.ui.print(&format!("{word}  {path}"));
    }
    if !args.force && wrote.iter().any(|(_, wrote)| *wrote == Wrote::Kept) {
        shell.ui.print("what was there is as it was; `--force` writes it anew");
    }
    shell
        .ui
        .print(&format!("\nnext: {}", NEXT.iter().map(|next| format!("`{next}`")).collect::<Vec<_>>().join(", then ")));
    Ok(Exit::Done)
}

/// The rules of the work tree, since they are what the next run of `rules` sees. Those that are written anew need not
/// load.
fn loaded(world: &World, force: bool) -> Result<Rules, miette::Report> {
    let there = if force {
        TeamFiles::default()
    } else {
        TeamFiles::from_work_tree(world.repo.work_dir().unwrap_or(Path::new("")))?
    };
    pipeline::load_rules(world, &there).map_err(super::as_error)
}

/// Writes one file below the work tree, through no link of somebody's.
fn put(root: &Path, path: &str, text: &str, force: bool) -> Result<Wrote, InitError> {
    let file = root.join(path);
    let mut folders = file.ancestors().skip(1).take_while(|folder| *folder != root);
    if file.is_symlink() || folders.any(Path::is_symlink) {
        return Err(InitError::Link { path: path.to_owned() });
    }
    let mut above = file.ancestors().skip(1).take_while(|folder| *folder != root);
    if let Some(taken) = above.find(|folder| folder.is_file()) {
        return Err(InitError::NoFolder { path: taken.strip_prefix(root).unwrap_or(taken).display().to_string() });
    }
    let is_so = std::fs::read(&file).is_ok_and(|there| there == text.as_bytes());
    if is_so || file.exists() && !force && !files::is_generated(path) {
        return Ok(Wrote::Kept);
    }
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(file.parent().unwrap_or(root))?;
        std::fs::write(&file, text)
    };
    write().map_err(|source| InitError::Io { path: path.to_owned(), source })?;
    Ok(Wrote::Written)
}
