//! Questions of the loop: a flag answers first, then a person on a terminal; unattended, nothing is widened.

use crate::model::loops::{Attempt, Choice};
use crate::model::review::ReviewFinding;
use crate::pipeline::context::Context;
use crate::ui::loop_page;

use super::LoopOptions;

/// An agent asks for more files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Approve,
    Reject,
    Defer,
}

/// Verification could not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inconclusive {
    Retry,
    Accept,
    /// The files are put back, and the findings are escalated.
    Revert,
}

/// A file of a finding has staged changes that are not ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staged {
    /// The fix is staged beside them.
    Proceed,
    /// A person commits or stashes them first.
    Defer,
}

pub fn scope(ctx: &Context<'_>, options: &LoopOptions, files: &[String], why: &str) -> Scope {
    let ask = || match ctx.world.ui.ask(&loop_page::scope_question(files, why))?.0 {
        0 => Some(Scope::Approve),
        1 => Some(Scope::Reject),
        _ => Some(Scope::Defer),
    };
    options.on_scope.or_else(ask).unwrap_or(Scope::Defer)
}

pub fn inconclusive(ctx: &Context<'_>, options: &LoopOptions, finding: &ReviewFinding, why: &str) -> Inconclusive {
    let ask = || match ctx.world.ui.ask(&loop_page::inconclusive_question(finding, why))?.0 {
        0 => Some(Inconclusive::Retry),
        1 => Some(Inconclusive::Accept),
        _ => Some(Inconclusive::Revert),
    };
    options.on_inconclusive.or_else(ask).unwrap_or(Inconclusive::Revert)
}

pub fn staged(ctx: &Context<'_>, options: &LoopOptions, files: &[String]) -> Staged {
    let ask = || match ctx.world.ui.ask(&loop_page::staged_question(files))?.0 {
        2 => Some(Staged::Proceed),
        _ => Some(Staged::Defer),
    };
    options.on_staged.or_else(ask).unwrap_or(Staged::Defer)
}

pub fn escalation(
    ctx: &Context<'_>,
    options: &LoopOptions,
    finding: &ReviewFinding,
    attempts: &[Attempt],
    remains: &str,
) -> Choice {
    let ask = || match ctx.world.ui.ask(&loop_page::escalation_question(finding, attempts, remains))?.0 {
        0 => Some(Choice::Manual),
        1 => Some(Choice::Another),
        _ => Some(Choice::Defer),
    };
    options.on_escalate.or_else(ask).unwrap_or(Choice::Defer)
}
