//! What an agent is asked, how its CLI is called, and what it cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What an agent is there for. Only `Fix` may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Probe,
    Fix,
    Verify,
}

impl Role {
    /// The value of `PRFIX_ROLE`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Fix => "fix",
            Self::Verify => "verify",
        }
    }

    pub fn may_write(self) -> bool {
        self == Self::Fix
    }
}

/// What an adapter rule is told, to make an [`Invocation`] of it.
#[derive(Debug, Clone, Serialize)]
pub struct AdapterInput {
    pub role: Role,
    /// Absolute path of the worktree.
    pub worktree: String,
    pub model: Option<String>,
    pub max_turns: u32,
    /// What the call may still cost in US dollars, for CLIs that can be told.
    pub budget_usd: Option<f64>,
    /// The program's own sandbox will really hold the call; a CLI's own may then not work inside of it.
    pub sandboxed: bool,
    /// Absolute path of the JSON schema of the expected answer, and its text.
    pub schema_file: String,
    pub schema: String,
    /// Absolute path of a file that holds the prompt.
    pub prompt_file: String,
    /// An empty folder for the CLI's output files.
    pub scratch: String,
    /// Commands that the fix agent is told to run.
    pub checks: Vec<Vec<String>>,
}

/// How the prompt reaches the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptBy {
    Stdin,
    /// The adapter has put it (or its file) among the words already.
    Argument,
}

/// A call of an agent CLI, as an adapter rule made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    /// `claude`, `codex`, `command`, …
    pub adapter: String,
    pub argv: Vec<String>,
    pub prompt: PromptBy,
    /// Set in addition to the allow-listed environment.
    pub env: BTreeMap<String, String>,
    /// Names that the CLI needs from the operator's environment (its keys, its configuration folder);
    /// a trailing `*` matches a prefix.
    pub pass_env: Vec<String>,
    /// Folders, relative to HOME, that the CLI writes its own state to.
    pub state_dirs: Vec<String>,
    /// How the output is read: `text`, `claude-json`, `codex-jsonl`, `qwen-json`, `gemini-json`, `opencode-jsonl`, …
    pub output: String,
}

/// What one or many agent calls cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    pub agent_calls: u32,
    pub seconds: f64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when no CLI said.
    pub cost_usd: Option<f64>,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.agent_calls += other.agent_calls;
        self.seconds += other.seconds;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
        };
    }
}
