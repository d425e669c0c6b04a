//! A reviewer's `suggestion` block: words that are to stand in the file exactly as written.

use serde::{Deserialize, Serialize};

use super::pr::Actor;

/// Line numbers, from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    pub first: u64,
    pub last: u64,
}

/// What a thread's comment suggests for a range of the head's side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The lines of each block, without their ends. A block without lines takes the range away.
    pub blocks: Vec<Vec<String>>,
    /// The comment asks for more than its block: an agent gets the item too.
    pub asks_more: bool,
    /// Where the range is in the present head; `None` when GitHub calls it outdated.
    pub live: Option<LineRange>,
    /// Where it was in the commit that was reviewed.
    pub original: Option<LineRange>,
    /// The commit that was reviewed (`originalCommit`).
    pub commit: Option<String>,
    /// GitHub's diff hunk, raw; its last line is the last of the range.
    pub hunk: String,
    /// Who suggested it; several when comments that say the same were merged.
    pub authors: Vec<Actor>,
}
