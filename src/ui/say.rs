//! Every sentence that a run says while it works.

/// A phase of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Preflight,
    Harvest,
    Isolate,
    Triage,
    Fix,
    Commit,
    Verify,
    Push,
    Reply,
    ReReview,
    Finish,
}

impl Phase {
    pub fn title(self) -> &'static str {
        match self {
            Self::Preflight => "preflight",
            Self::Harvest => "harvest",
            Self::Isolate => "worktree",
            Self::Triage => "triage",
            Self::Fix => "fix",
            Self::Commit => "commit",
            Self::Verify => "gates",
            Self::Push => "push",
            Self::Reply => "reply",
            Self::ReReview => "re-review",
            Self::Finish => "finish",
        }
    }
}

/// One sentence. Foreign text in it is cleaned by [`super::Ui::say`].
#[derive(Debug, Clone)]
pub enum Say {
    Note(String),
    Warning(String),
}
