//! Finding the answer in what an agent printed.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// No document of the output fits; says what was wrong with the nearest one.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{why}")]
pub struct AnswerError {
    pub why: String,
}

/// The last JSON document in `text` that fits the schema and the type: raw, fenced, or inside the
/// CLI's own envelope (`output` names its form).
pub fn extract<T: DeserializeOwned>(text: &str, output: &str, schema: &Value) -> Result<T, AnswerError> {
    todo!()
}
