//! What the agents of all runs of one pull request have cost, in `pr-<n>/state.json`. It outlives the runs' folders.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::store::{RunDir, StateError, Store, write_atomic};
use crate::model::agent::Usage;

/// Runs whose sums are kept apart; those before are one sum, so that the file does not grow for ever.
const APART: usize = 100;
/// The name of that sum. It sorts before the names of runs, which sort by time.
const EARLIER: &str = "earlier";

/// The sums of a pull request, one a run.
#[derive(Debug)]
pub struct Spending {
    path: PathBuf,
    file: File,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct File {
    #[serde(default)]
    spent: BTreeMap<String, Usage>,
    /// What others keep there.
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

impl Spending {
    /// Reads the record of a pull request; without one, nothing was spent.
    ///
    /// # Errors
    /// When the file is there and can't be read: a limit that can't be checked must not be taken for one that holds.
    pub fn open(store: &Store, pr: u64) -> Result<Self, StateError> {
        Self::at(store.pr_dir(pr)?.join("state.json"))
    }

    /// As [`Spending::open`], for what is about no pull request: the record is in the run's own folder.
    ///
    /// # Errors
    /// As there.
    pub fn of_run(run: &RunDir) -> Result<Self, StateError> {
        Self::at(run.dir.join("state.json"))
    }

    fn at(path: PathBuf) -> Result<Self, StateError> {
        let file = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| StateError::io(&path, "read")(error.into()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => File::default(),
            Err(error) => return Err(StateError::io(&path, "read")(error)),
        };
        Ok(Self { path, file })
    }

    /// What all runs but this one have cost.
    pub fn without(&self, run: &str) -> Usage {
        let mut sum = Usage::default();
        self.file.spent.iter().filter(|(id, _)| *id != run).for_each(|(_, usage)| sum += *usage);
        sum
    }

    /// Keeps the total of a run; saying it again replaces it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn keep(&mut self, run: &str, total: Usage) -> Result<(), StateError> {
        self.file.spent.insert(run.to_owned(), total);
        while self.file.spent.len() > APART + 1 {
            let Some(oldest) = self.file.spent.keys().find(|id| *id != EARLIER && *id != run).cloned() else { break };
            let sum = self.file.spent.remove(&oldest).unwrap_or_default();
            *self.file.spent.entry(EARLIER.to_owned()).or_default() += sum;
        }
        let text = serde_json::to_vec_pretty(&self.file)
            .map_err(|error| StateError::io(&self.path, "written")(error.into()))?;
        write_atomic(&self.path, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(usd: f64) -> Usage {
        Usage { agent_calls: 1, cost_usd: Some(usd), ..Usage::default() }
    }

    #[test]
    fn the_sum_of_a_pull_request_outlives_its_runs_and_keeps_what_others_wrote() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let file = store.pr_dir(7).unwrap().join("state.json");
        std::fs::write(&file, r#"{"watched": true}"#).unwrap();
        let mut spending = Spending::open(&store, 7).unwrap();
        spending.keep("a", cost(1.0)).unwrap();
        spending.keep("a", cost(1.5)).unwrap();
        spending.keep("b", cost(2.0)).unwrap();
        let again = Spending::open(&store, 7).unwrap();
        assert_eq!(again.without("b").cost_usd, Some(1.5));
        assert_eq!(again.without("c").cost_usd, Some(3.5));
        assert!(std::fs::read_to_string(file).unwrap().contains("watched"));
    }

    #[test]
    fn a_thousand_runs_leave_a_small_file_and_the_same_sum() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let mut spending = Spending::open(&store, 7).unwrap();
        for run in 0..1000 {
            spending.keep(&format!("pr7-{run:04}"), cost(1.0)).unwrap();
        }
        let again = Spending::open(&store, 7).unwrap();
        assert_eq!(again.file.spent.len(), APART + 1);
        assert_eq!((again.without("x").cost_usd, again.without("pr7-0999").cost_usd), (Some(1000.0), Some(999.0)));
    }

    #[test]
    fn a_record_that_cannot_be_read_is_no_empty_one() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        std::fs::write(store.pr_dir(7).unwrap().join("state.json"), "{").unwrap();
        assert!(Spending::open(&store, 7).is_err());
    }
}
