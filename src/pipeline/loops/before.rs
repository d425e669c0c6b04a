//! The files of a group as they were, on disk and in the index, kept in the run's folder: what a killed loop leaves can
//! be put right from there, and what a revert puts back.

use serde_json::json;

use crate::git::IndexEntries;
use crate::pipeline::context::{Context, Result};

use super::files::FileState;
use super::seat::Seat;

pub struct Before {
    number: u32,
    files: Vec<(String, FileState, IndexEntries)>,
}

impl Before {
    pub fn new(number: u32) -> Self {
        Self { number, files: Vec::new() }
    }

    /// Adds files, before anything of theirs is changed.
    pub fn add(&mut self, ctx: &Context<'_>, seat: &Seat, files: &[String]) -> Result<()> {
        for file in files.iter().filter(|file| !self.has(file)).cloned().collect::<Vec<_>>() {
            let state = seat.state(&file);
            if let FileState::File { bytes, .. } = &state {
                ctx.run.write(&format!("before/{}/files/{file}", self.number), bytes)?;
            }
            let entries = IndexEntries::take(&seat.root, std::slice::from_ref(&file))?;
            self.files.push((file, state, entries));
        }
        let list: Vec<_> = self.files.iter().map(|(file, state, entries)| describe(file, state, entries)).collect();
        ctx.run.write_json(&format!("before/{}/files.json", self.number), &list)?;
        Ok(())
    }

    fn has(&self, file: &str) -> bool {
        self.files.iter().any(|(known, ..)| known == file)
    }

    /// One of the files is in conflict.
    pub fn conflicted(&self) -> Option<&str> {
        self.files.iter().find(|(_, _, entries)| entries.conflicted()).map(|(file, ..)| file.as_str())
    }

    pub fn state(&self, file: &str) -> FileState {
        let found = self.files.iter().find(|(known, ..)| known == file);
        found.map_or(FileState::Absent, |(_, state, _)| state.clone())
    }

    /// Puts all of them back, in the checkout and in its index.
    pub fn restore(&self, ctx: &Context<'_>, seat: &mut Seat) -> Result<()> {
        for (file, state, entries) in &self.files {
            if seat.put_back(file, state)? {
                entries.restore(&seat.root)?;
            } else {
                ctx.warn(format!("`{file}` was changed by somebody else meanwhile and is left as it is"));
            }
        }
        Ok(())
    }
}

fn describe(file: &str, state: &FileState, entries: &IndexEntries) -> serde_json::Value {
    let (kind, detail) = match state {
        FileState::Absent => ("absent", json!(null)),
        FileState::File { mode, .. } => ("file", json!(format!("{mode:o}"))),
        FileState::Link(target) => ("link", json!(target.to_string_lossy())),
        FileState::Other => ("other", json!(null)),
    };
    json!({"path": file, "kind": kind, "detail": detail, "index": entries.text()})
}
