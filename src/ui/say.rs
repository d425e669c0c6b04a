//! Every sentence that a run says while it works.

use crate::model::agent::Usage;
use crate::model::report::Reason;

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
    SelfReview,
    Proof,
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
            Self::SelfReview => "self-review",
            Self::Proof => "proof",
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
    /// What happened; not shown with `-q`.
    Note(String),
    /// Only with `-v`.
    Detail(String),
    /// Always shown.
    Warning(String),
}

/// Why a run ended, in a user's words.
pub fn reason_sentence(reason: Reason) -> &'static str {
    match reason {
        Reason::Pushed => "the fix is pushed",
        Reason::NothingToDo => "no feedback to act on, and nothing is red",
        Reason::AllTriagedOut => "nothing to change: each item is addressed already or does not apply",
        Reason::NoPush => "stopped before the push, as asked",
        Reason::DryRun => "nothing was written, as asked",
        Reason::MergedDuringRun => "the pull request was merged meanwhile; nothing was pushed",
        Reason::ClosedDuringRun => "the pull request was closed meanwhile; nothing was pushed",
        Reason::Auth => "GitHub did not accept the sign-in",
        Reason::NotOpen => "the pull request is not open",
        Reason::ForkNoPush => "the head branch lives where you may not push",
        Reason::UntrustedAuthor => "the pull request's author may not push to this repository",
        Reason::Manifest => "what the agent says it changed is not what it changed",
        Reason::Invariants => "what the agent claims about its changes could not be confirmed",
        Reason::Gates => "the project's own checks are red",
        Reason::PushRejected => "the push was rejected",
        Reason::Agent => "the agent gave no usable answer",
        Reason::NoCommit => "there was nothing to commit",
        Reason::NeedsHuman => "a person has to decide",
        Reason::Conflict => "the branch conflicts with its base",
        Reason::Guard => "the push guard refused",
        Reason::Interrupted => "interrupted; nothing is lost",
    }
}

/// `4 agent calls, 1m 01s, 12.3k tokens in, 4.5k out, $0.42`.
pub fn usage_sentence(usage: &Usage) -> String {
    let calls = if usage.agent_calls == 1 { "agent call" } else { "agent calls" };
    let mut parts = vec![format!("{} {calls}", usage.agent_calls)];
    if usage.seconds > 0.0 {
        parts.push(duration(usage.seconds));
    }
    if usage.input_tokens + usage.output_tokens > 0 {
        parts.push(format!("{} tokens in, {} out", count(usage.input_tokens), count(usage.output_tokens)));
    }
    if let Some(cost) = usage.cost_usd {
        parts.push(format!("${cost:.2}"));
    }
    parts.join(", ")
}

/// Seconds as `0.4s`, `12s`, `3m 05s` or `2h 07m`.
pub fn duration(seconds: f64) -> String {
    let whole = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    match whole {
        0..=9 => format!("{seconds:.1}s"),
        10..=59 => format!("{whole}s"),
        60..=3599 => format!("{}m {:02}s", whole / 60, whole % 60),
        _ => format!("{}h {:02}m", whole / 3600, whole % 3600 / 60),
    }
}

/// Whole seconds that run on: `7s`, `1:05`, `1:02:03`.
pub(super) fn clock(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds % 3600 / 60, seconds % 60),
    }
}

fn count(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        _ => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_reads_like_a_sentence() {
        let usage =
            Usage { agent_calls: 4, seconds: 61.2, input_tokens: 12_345, output_tokens: 999, cost_usd: Some(0.416) };
        assert_eq!(usage_sentence(&usage), "4 agent calls, 1m 01s, 12.3k tokens in, 999 out, $0.42");
        assert_eq!(usage_sentence(&Usage { agent_calls: 1, ..Usage::default() }), "1 agent call");
    }

    #[test]
    fn durations_have_two_figures_at_any_size() {
        assert_eq!([0.0, 0.44, 12.9, 185.0, 7620.0].map(duration), ["0.0s", "0.4s", "12s", "3m 05s", "2h 07m"]);
        assert_eq!([7, 65, 3723].map(clock), ["7s", "1:05", "1:02:03"]);
    }
}
