//! Where agents work: a scratch worktree that holds the operator's checkout as it is, uncommitted work included.
//! Only the files of a finding come back from there, so that nothing else of the operator's can be touched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::bstr::BString;

use crate::git::{self, ChangeKind, Metadata, Worktree, changed_paths};
use crate::pipeline::context::{Context, Result};
use crate::pipeline::isolate;
use crate::state::RunDir;

use super::files::FileState;

/// Names the worktree in the loop's folder, as long as there is one.
const RECORD: &str = "worktree.json";

/// Bytes of an uncommitted file that agents are shown; a bigger one is data, not code.
const BIGGEST: u64 = 64 << 20;

pub struct Seat {
    /// Its base is the latest state that was kept.
    pub worktree: Worktree,
    /// The operator's checkout.
    pub root: PathBuf,
    /// What the loop last saw in the checkout, of the files that it may write.
    seen: BTreeMap<String, FileState>,
}

impl Seat {
    /// Makes the worktree. The checkout is only read.
    pub fn prepare(ctx: &Context<'_>) -> Result<Self> {
        let repo = &ctx.world.repo;
        let bare =
            || miette::miette!(help = "run it inside a checkout", "a bare repository has no checkout to work in");
        let root = repo.work_dir().ok_or_else(bare)?.to_owned();
        let none = || miette::miette!(help = "make the first commit", "there is no commit yet to compare with");
        let head = repo.ref_oid("HEAD").ok_or_else(none)?;
        let meta = Metadata {
            owner: ctx.run.id.clone(),
            pid: std::process::id(),
            created_at: ctx.world.clock.now().to_string(),
            seen_at: None,
            base_oid: head.clone(),
            base_branch: repo.current_branch().unwrap_or_default(),
            pr: None,
            repo: String::new(),
        };
        sweep(ctx)?;
        let worktree = isolate::manager(ctx).acquire_detached("loop", &head, &meta)?;
        ctx.run.write_json(RECORD, &worktree)?;
        let mut seat = Self { worktree, root, seen: BTreeMap::new() };
        if let Err(stop) = seat.fill(ctx, &head) {
            seat.leave(ctx)?;
            return Err(stop);
        }
        Ok(seat)
    }

    fn fill(&mut self, ctx: &Context<'_>, head: &str) -> Result<()> {
        let mut copied = Vec::new();
        for change in changed_paths(&self.root)? {
            if change.kind == ChangeKind::Submodule || change.path.ends_with(b"/") {
                continue;
            }
            let path = git::to_path(change.path.as_ref());
            if self.root.join(&path).symlink_metadata().is_ok_and(|meta| meta.len() > BIGGEST) {
                ctx.warn(format!("agents do not see `{}`: it is too big", change.path));
                continue;
            }
            let state = read(&self.root, &path)?;
            let known = ctx.world.repo.has_path_at(head, &change.path.to_string())?;
            if state == FileState::Other || (state == FileState::Absent && !known) {
                continue;
            }
            write(&state, &self.worktree.path, &path)?;
            copied.push(change.path);
        }
        self.keep(&copied)?;
        isolate::submodules(ctx, &self.worktree);
        isolate::copy_files(ctx, &[], &self.worktree)?;
        Ok(())
    }

    /// Takes notice of files that a fix may write, and gives the worktree the same bytes.
    pub fn watch(&mut self, files: &[String]) -> Result<()> {
        let mut differing = Vec::new();
        for file in files.iter().filter(|file| !self.seen.contains_key(*file)).cloned().collect::<Vec<_>>() {
            let path = Path::new(&file);
            let state = read(&self.root, path)?;
            if state != FileState::Other && read(&self.worktree.path, path)? != state {
                write(&state, &self.worktree.path, path)?;
                differing.push(BString::from(file.as_str()));
            }
            self.seen.insert(file, state);
        }
        self.keep(&differing)
    }

    /// What the loop last saw of a file of the checkout.
    pub fn state(&self, file: &str) -> FileState {
        self.seen.get(file).cloned().unwrap_or(FileState::Absent)
    }

    /// Keeps the present state of these paths in the worktree; whatever else was changed there is gone.
    pub fn settle(&mut self, ctx: &Context<'_>, files: &[String]) -> Result<Settled> {
        let changed: Vec<String> =
            changed_paths(&self.worktree.path)?.into_iter().map(|change| change.path.to_string()).collect();
        let (ours, strays): (Vec<String>, Vec<String>) = changed.into_iter().partition(|path| files.contains(path));
        let mut states = Vec::new();
        for file in &ours {
            states.push((file, read(&self.worktree.path, Path::new(file))?));
        }
        self.reset(ctx)?;
        let unfit = states.iter().find(|(_, state)| *state == FileState::Other);
        if let Some((file, _)) = unfit {
            return Ok(Settled { changed: Vec::new(), strays, unfit: Some((*file).clone()) });
        }
        for (file, state) in &states {
            write(state, &self.worktree.path, Path::new(file))?;
        }
        self.keep(&ours.iter().map(|file| BString::from(file.as_str())).collect::<Vec<_>>())?;
        Ok(Settled { changed: ours, strays, unfit: None })
    }

    /// Throws away what is in the worktree and was not kept.
    pub fn reset(&self, ctx: &Context<'_>) -> Result<()> {
        Ok(isolate::manager(ctx).restore(&self.worktree, &self.worktree.base)?)
    }

    fn keep(&mut self, paths: &[BString]) -> Result<()> {
        if !paths.is_empty() {
            git::stage(&self.worktree.path, paths)?;
            self.worktree.base = git::checkpoint(&self.worktree.path, "state of the checkout")?;
        }
        Ok(())
    }

    /// Brings files from the worktree into the checkout and stages exactly them. `Some`: a file that somebody else has
    /// changed meanwhile; nothing was written then.
    pub fn deliver(&mut self, files: &[String]) -> Result<Option<String>> {
        for file in files {
            if read(&self.root, Path::new(file))? != self.state(file) {
                return Ok(Some(file.clone()));
            }
        }
        for file in files {
            let state = read(&self.worktree.path, Path::new(file))?;
            write(&state, &self.root, Path::new(file))?;
            self.seen.insert(file.clone(), state);
        }
        let paths: Vec<BString> = files.iter().map(|file| BString::from(file.as_str())).collect();
        git::stage(&self.root, &paths)?;
        Ok(None)
    }

    /// Puts one file of the checkout, and the worktree's, back to a state, unless somebody else has changed it since.
    pub fn put_back(&mut self, file: &str, state: &FileState) -> Result<bool> {
        let path = Path::new(file);
        if read(&self.root, path)? != self.state(file) {
            return Ok(false);
        }
        if *state != self.state(file) {
            write(state, &self.root, path)?;
        }
        if *state != FileState::Other && read(&self.worktree.path, path)? != *state {
            write(state, &self.worktree.path, path)?;
            self.keep(&[BString::from(file)])?;
        }
        self.seen.insert(file.to_owned(), state.clone());
        Ok(true)
    }

    /// Removes the worktree.
    pub fn leave(&self, ctx: &Context<'_>) -> Result<()> {
        discard(ctx, &ctx.run, &self.worktree)
    }
}

/// Removes worktrees of loops that were killed: this one has the lock, so that none of them is at work.
fn sweep(ctx: &Context<'_>) -> Result<()> {
    for run in ctx.world.store.loops() {
        let Some(left) = run.read_json::<Worktree>(RECORD) else { continue };
        if isolate::manager(ctx).at(&left.path)?.is_some() {
            discard(ctx, &run, &left)?;
        }
    }
    Ok(())
}

fn discard(ctx: &Context<'_>, run: &RunDir, worktree: &Worktree) -> Result<()> {
    isolate::manager(ctx).discard(worktree)?;
    // One that stays names a worktree that is not ours any more.
    let _ = std::fs::remove_file(run.dir.join(RECORD));
    Ok(())
}

/// What an agent did in the worktree.
pub struct Settled {
    /// Of the files that it may change.
    pub changed: Vec<String>,
    /// Everything else; it was undone.
    pub strays: Vec<String>,
    /// A file that it made something else of; then nothing is kept.
    pub unfit: Option<String>,
}

pub(super) fn read(root: &Path, path: &Path) -> Result<FileState> {
    FileState::read(root, path).map_err(|error| {
        miette::miette!(help = "check the rights of that file", "`{}` could not be read: {error}", path.display())
            .into()
    })
}

pub(super) fn write(state: &FileState, root: &Path, path: &Path) -> Result<()> {
    state.write(root, path).map_err(|error| {
        miette::miette!(
            help = "check the rights and the free space there",
            "`{}` could not be written: {error}",
            root.join(path).display()
        )
        .into()
    })
}
