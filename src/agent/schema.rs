//! The JSON schemas of the agents' answers, written in one place and given to every CLI.

use serde_json::Value;

/// Schema of a probe's answer.
pub fn probe() -> Value {
    todo!()
}

/// Schema of the fix agent's manifest.
pub fn manifest() -> Value {
    todo!()
}
