//! Questions for a person, only ever on a terminal.

#[derive(Debug, Clone)]
pub struct Prompt {
    pub question: String,
    /// What the answer means, one line each.
    pub details: Vec<String>,
    /// Choices; the first is the default when `default` is set.
    pub choices: Vec<String>,
    pub default: Option<usize>,
}

/// Index of the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer(pub usize);
