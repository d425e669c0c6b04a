//! Puts back what a loop changed, from the files that it kept: after it was killed, or on second thoughts.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::git::IndexEntries;
use crate::pipeline::context::{Context, Result};
use crate::state::{Lock, RunDir};
use crate::world::World;

use super::files::FileState;
use super::seat::{Seat, read, write};

/// Name and version of the document that `loop --restore --json` prints.
pub const SCHEMA: &str = "git-prfix.loop-restore/1";

#[derive(Debug, Error, Diagnostic)]
enum RestoreError {
    #[error("there is no loop here that kept any file")]
    #[diagnostic(
        code(prfix::loops::nothing_to_restore),
        help("`git prfix loop <findings.json>` keeps each file that it changes")
    )]
    Nothing,
    #[error("`{run}` is no loop that kept files")]
    #[diagnostic(
        code(prfix::loops::no_such_loop),
        help("leave the name out for the newest one; it says its name at its end")
    )]
    NoSuchLoop { run: String },
    #[error("what the loop kept in `{file}` cannot be read: {why}")]
    #[diagnostic(code(prfix::loops::unreadable), help("the files themselves lie beside it: copy them back by hand"))]
    Unreadable { file: String, why: String },
}

/// What became of each file.
#[derive(Debug, Serialize)]
pub struct Restored {
    pub schema: &'static str,
    pub run: String,
    /// As they were before the loop, on disk and in the index.
    pub restored: Vec<String>,
    /// Changed by somebody else since, and not touched.
    pub left: Vec<String>,
}

/// A file as `before` wrote it down.
#[derive(Deserialize)]
struct Kept {
    path: String,
    kind: String,
    detail: Option<String>,
    index: String,
}

/// What the loop is about to write, by path: what is there later and is none of this is somebody else's.
type Written = BTreeMap<String, BTreeSet<String>>;
const WRITTEN: &str = "written.json";

/// Writes down what files of the checkout will hold, before they do.
pub fn will_write(ctx: &Context<'_>, seat: &Seat, files: &[String]) -> Result<()> {
    let mut written = ctx.run.read_json::<Written>(WRITTEN).unwrap_or_default();
    for file in files {
        let state = read(&seat.worktree.path, Path::new(file))?;
        written.entry(file.clone()).or_default().insert(state.digest());
    }
    ctx.run.write_json(WRITTEN, &written)?;
    Ok(())
}

/// Puts the files of a loop back, of the newest one unless a name is given. A file that is neither as it was nor as
/// the loop left it stays.
///
/// # Errors
/// When another loop is at work, there is nothing to restore, or a file can't be written.
pub fn run(world: &World, name: Option<&str>) -> Result<Restored> {
    let _lock = Lock::take_loop(&world.store, world.clock.now())?;
    let run = find(world, name)?;
    let root = world.repo.work_dir().ok_or(RestoreError::Nothing).map_err(miette::Report::from)?.to_owned();
    let written = run.read_json::<Written>(WRITTEN).unwrap_or_default();
    let mut out = Restored { schema: SCHEMA, run: run.id.clone(), restored: Vec::new(), left: Vec::new() };
    for (path, (before, index)) in kept(&run)? {
        let now = read(&root, Path::new(&path))?;
        let ours = written.get(&path).is_some_and(|known| known.contains(&now.digest()));
        if now != before && !ours {
            out.left.push(path);
            continue;
        }
        if now != before {
            write(&before, &root, Path::new(&path))?;
        }
        IndexEntries::from_text(&path, &index).restore(&root)?;
        out.restored.push(path);
    }
    run.write("ended", b"restored\n")?;
    Ok(out)
}

fn find(world: &World, name: Option<&str>) -> Result<RunDir> {
    let mut loops = world.store.loops().into_iter().filter(|run| run.dir.join("before").is_dir());
    let found = loops.find(|run| name.is_none_or(|name| run.id == name));
    let missing = || name.map_or(RestoreError::Nothing, |run| RestoreError::NoSuchLoop { run: run.to_owned() });
    Ok(found.ok_or_else(missing).map_err(miette::Report::from)?)
}

/// Each file as the first group that took it in found it.
fn kept(run: &RunDir) -> Result<BTreeMap<String, (FileState, String)>> {
    let mut files = BTreeMap::new();
    let lists = (1_u32..).map(|group| (group, format!("before/{group}/files.json")));
    // A group that was left before it changed anything has no list.
    let groups = std::fs::read_dir(run.dir.join("before")).map(Iterator::count).unwrap_or_default();
    let there = lists.filter(|(_, list)| run.dir.join(list).exists()).take(groups);
    for (group, list) in there {
        let unreadable = |why: String| {
            let file = run.dir.join(&list).display().to_string();
            miette::Report::from(RestoreError::Unreadable { file, why })
        };
        let entries: Vec<Kept> = run.read_json(&list).ok_or_else(|| unreadable("it is no list of files".to_owned()))?;
        for entry in entries {
            let state =
                state(&entry, &run.dir.join(format!("before/{group}/files/{}", entry.path))).map_err(&unreadable)?;
            files.entry(entry.path).or_insert((state, entry.index));
        }
    }
    Ok(files)
}

fn state(entry: &Kept, copy: &Path) -> std::result::Result<FileState, String> {
    let detail = entry.detail.as_deref().unwrap_or_default();
    match entry.kind.as_str() {
        "absent" => Ok(FileState::Absent),
        "link" => Ok(FileState::Link(PathBuf::from(OsString::from(detail)))),
        "file" => {
            let mode = u32::from_str_radix(detail, 8).map_err(|error| error.to_string())?;
            let bytes = std::fs::read(copy).map_err(|error| format!("{}: {error}", copy.display()))?;
            Ok(FileState::File { bytes, mode })
        }
        _ => Err(format!("`{}` was no file", entry.path)),
    }
}
