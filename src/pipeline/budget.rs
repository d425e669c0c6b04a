//! What agents may cost: each run tells, the sum of a pull request's runs is limited.
//!
//! A limit is looked at before each call of an agent. What was paid for is still used.

use std::time::Duration;

use crate::model::agent::Usage;
use crate::model::report::Reason;

use super::context::{Context, Result, Stop};

/// What is left, of what is limited.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Allowance {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
}

impl Allowance {
    /// Whether another call may be made once this much more was spent.
    pub fn covers(&self, spent: &Usage) -> bool {
        self.usd.is_none_or(|left| spent.cost_usd.unwrap_or(0.0) < left)
            && self.tokens.is_none_or(|left| tokens(spent) < left)
            && self.seconds.is_none_or(|left| spent.seconds < left)
    }

    /// The time limit of one call.
    pub fn timeout(&self, limit: Duration) -> Duration {
        let left = self.seconds.and_then(|left| Duration::try_from_secs_f64(left).ok());
        left.map_or(limit, |left| limit.min(left.max(Duration::from_secs(1))))
    }
}

fn tokens(usage: &Usage) -> u64 {
    usage.input_tokens.saturating_add(usage.output_tokens)
}

/// What this pull request's agents may still cost.
pub fn left(ctx: &Context<'_>) -> Allowance {
    let (settings, spent) = (&ctx.settings, ctx.spent_on_pr());
    Allowance {
        usd: settings.budget_usd.map(|limit| (limit - spent.cost_usd.unwrap_or(0.0)).max(0.0)),
        tokens: settings.budget_tokens.map(|limit| limit.saturating_sub(tokens(&spent))),
        seconds: settings.budget_seconds.map(|limit| (limit - spent.seconds).max(0.0)),
    }
}

/// Blocks before a call that no budget covers.
pub fn check(ctx: &Context<'_>) -> Result<()> {
    let left = left(ctx);
    if left.covers(&Usage::default()) {
        return Ok(());
    }
    let spent = ctx.spent_on_pr();
    let (what, key) = if left.usd == Some(0.0) {
        let limit = ctx.settings.budget_usd.unwrap_or_default();
        (format!("${:.2} of ${limit:.2}", spent.cost_usd.unwrap_or(0.0)), "budgetUsd")
    } else if left.tokens == Some(0) {
        let limit = ctx.settings.budget_tokens.unwrap_or_default();
        (format!("{} of {limit} tokens", tokens(&spent)), "budgetTokens")
    } else {
        let limit = ctx.settings.budget_seconds.unwrap_or_default();
        (format!("{:.0} of {limit:.0} seconds", spent.seconds), "budgetSeconds")
    };
    Err(Stop::blocked(
        Reason::Agent,
        format!(
            "the budget of {} is used up ({what}); raise `prfix.{key}`, then run again",
            if ctx.number == super::loops::NO_PULL_REQUEST {
                "this loop".to_owned()
            } else {
                format!("pull request #{}, all of its runs together,", ctx.number)
            }
        ),
    ))
}

/// Says where the pull request stands, and what cannot be kept.
pub fn announce(ctx: &Context<'_>) {
    let spent = ctx.spent_on_pr();
    if let (Some(limit), Some(cost)) = (ctx.settings.budget_usd, spent.cost_usd) {
        ctx.note(format!("earlier runs on this pull request cost ${cost:.2} of ${limit:.2}"));
    }
}

/// A limit in dollars holds only for agents that tell what they cost.
pub fn warn_of_silence(ctx: &Context<'_>, usage: &Usage) {
    if ctx.settings.budget_usd.is_some() && usage.agent_calls > 0 && usage.cost_usd.is_none() {
        ctx.warn("`prfix.budgetUsd` limits nothing here: this agent does not tell what it costs; `prfix.budgetTokens` and `prfix.budgetSeconds` hold for more agents");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_limited_is_covered_and_what_is_used_up_is_not() {
        let spent = Usage { cost_usd: Some(2.0), input_tokens: 90, output_tokens: 10, seconds: 5.0, agent_calls: 1 };
        assert!(Allowance::default().covers(&spent));
        assert!(Allowance { usd: Some(2.5), tokens: Some(101), seconds: Some(6.0) }.covers(&spent));
        assert!(!Allowance { usd: Some(2.0), ..Allowance::default() }.covers(&spent));
        assert!(!Allowance { tokens: Some(100), ..Allowance::default() }.covers(&spent));
        assert!(!Allowance { seconds: Some(0.0), ..Allowance::default() }.covers(&Usage::default()));
    }

    #[test]
    fn a_call_ends_with_the_time_that_is_left() {
        let left = Allowance { seconds: Some(90.0), ..Allowance::default() };
        assert_eq!(left.timeout(Duration::from_secs(600)), Duration::from_secs(90));
        assert_eq!(left.timeout(Duration::from_secs(60)), Duration::from_secs(60));
        assert_eq!(Allowance::default().timeout(Duration::from_secs(60)), Duration::from_secs(60));
    }
}
