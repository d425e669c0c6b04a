//! The fix agent's own account of what it did. Claims, until git and the files confirm them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The fix answer of the agent protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub touched_files: Vec<String>,
    /// File → item ids and justifications.
    #[serde(default)]
    pub spec_item_map: BTreeMap<String, Vec<Cause>>,
    #[serde(default)]
    pub invariant_per_file: BTreeMap<String, Invariant>,
    #[serde(default)]
    pub out_of_scope: BTreeMap<String, String>,
    #[serde(default)]
    pub declined: BTreeMap<String, String>,
    #[serde(default)]
    pub needs_human: BTreeMap<String, String>,
    #[serde(default)]
    pub summary: String,
}

/// Why a file was touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Cause {
    Item(u32),
    Justification(String),
}

impl<'de> Deserialize<'de> for Cause {
    /// Agents write `1`, `"1"`, `"#1"` and `"justification: …"`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(n) => n
                .as_u64()
                .and_then(|n| u32::try_from(n).ok())
                .map(Self::Item)
                .ok_or_else(|| serde::de::Error::custom(format!("`{n}` is no item id"))),
            Value::String(text) => {
                let bare = text.trim().trim_start_matches('#');
                Ok(bare.parse().map_or_else(|_| Self::Justification(text.clone()), Self::Item))
            }
            other => Err(serde::de::Error::custom(format!("expected an item id or a justification, got {other}"))),
        }
    }
}

/// One falsifiable sentence about a file, at best with a line and what stands on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Invariant {
    pub claim: String,
    /// From 1.
    pub line: Option<u64>,
    pub contains: Option<String>,
}

impl<'de> Deserialize<'de> for Invariant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Bare(String),
            Full {
                claim: String,
                #[serde(default)]
                line: Option<u64>,
                #[serde(default)]
                contains: Option<String>,
            },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Bare(claim) => Self { claim, line: None, contains: None },
            Form::Full { claim, line, contains } => Self { claim, line, contains },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_and_invariants_are_read_in_every_form_the_protocol_allows() {
        let manifest: Manifest = serde_json::from_str(
            r##"{"touched_files": ["a"], "spec_item_map": {"a": [1, "2", "#3", "justification: helper"]},
                "invariant_per_file": {"a": "no unwrap", "b": {"claim": "c", "line": 3, "contains": "x"}}}"##,
        )
        .unwrap();
        let justified = Cause::Justification("justification: helper".into());
        assert_eq!(manifest.spec_item_map["a"], vec![Cause::Item(1), Cause::Item(2), Cause::Item(3), justified]);
        assert_eq!(manifest.invariant_per_file["a"].line, None);
        assert_eq!(manifest.invariant_per_file["b"].contains.as_deref(), Some("x"));
    }
}
