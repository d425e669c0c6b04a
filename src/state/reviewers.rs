//! Which reviewers did not react, in `pr-<n>/reviewers.json`: it outlives the runs, so that none is asked in vain again and
//! again.

use std::path::PathBuf;

use super::store::{StateError, Store, write_atomic};
use crate::model::reviewer::Down;

/// The reviewers of a pull request that are down.
#[derive(Debug)]
pub struct Reviewers {
    path: PathBuf,
    list: Vec<Down>,
    changed: bool,
}

impl Reviewers {
    /// Reads the record; one that cannot be read counts as empty, for it only spares a question.
    ///
    /// # Errors
    /// When the folder of the pull request cannot be made.
    pub fn open(store: &Store, pr: u64) -> Result<Self, StateError> {
        let path = store.pr_dir(pr)?.join("reviewers.json");
        let list = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        Ok(Self { path, list, changed: false })
    }

    pub fn get(&self, login: &str) -> Option<&Down> {
        self.list.iter().find(|down| down.login.eq_ignore_ascii_case(login))
    }

    pub fn set(&mut self, down: Down) {
        self.forget(&down.login);
        self.list.push(down);
        self.changed = true;
    }

    pub fn forget(&mut self, login: &str) {
        let before = self.list.len();
        self.list.retain(|down| !down.login.eq_ignore_ascii_case(login));
        self.changed |= self.list.len() != before;
    }

    /// # Errors
    /// When it can't be written.
    pub fn keep(&self) -> Result<(), StateError> {
        if !self.changed {
            return Ok(());
        }
        let text = serde_json::to_vec_pretty(&self.list)
            .map_err(|error| StateError::io(&self.path, "written")(error.into()))?;
        write_atomic(&self.path, &text)
    }
}
