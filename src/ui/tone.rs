//! The few colours, by meaning.

use anstyle::{AnsiColor, Style};

use crate::model::report::{GateStatus, Outcome};
use crate::model::spec::{ItemStatus, Risk, Verdict};

/// What a piece of text means to its reader; colour follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Bad,
    Attention,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Attention => AnsiColor::Yellow.on_default(),
        }
    }

    /// The text in this tone, or as it is without `color`.
    pub(super) fn paint(self, text: &str, color: bool) -> String {
        if !color || self == Self::Plain || text.is_empty() {
            return text.to_owned();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }
}

impl From<ItemStatus> for Tone {
    fn from(status: ItemStatus) -> Self {
        match status {
            ItemStatus::Fixed => Self::Good,
            ItemStatus::TriagedOut | ItemStatus::Rerun => Self::Plain,
            ItemStatus::OutOfScope | ItemStatus::Declined | ItemStatus::NeedsHuman => Self::Attention,
            ItemStatus::Unaddressed => Self::Bad,
        }
    }
}

impl From<Verdict> for Tone {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Valid => Self::Strong,
            Verdict::AlreadyAddressed | Verdict::Invalid => Self::Plain,
            Verdict::Unclear => Self::Attention,
        }
    }
}

impl From<Risk> for Tone {
    fn from(risk: Risk) -> Self {
        match risk {
            Risk::Low => Self::Plain,
            Risk::Medium => Self::Attention,
            Risk::High => Self::Bad,
        }
    }
}

impl From<GateStatus> for Tone {
    fn from(status: GateStatus) -> Self {
        match status {
            GateStatus::Passed => Self::Good,
            GateStatus::Failed | GateStatus::TimedOut => Self::Bad,
            GateStatus::Skipped => Self::Attention,
        }
    }
}

impl From<Outcome> for Tone {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Good,
            Outcome::Blocked => Self::Bad,
        }
    }
}
