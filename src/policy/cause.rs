//! Whose fault a failing check is: the branch's, the base's, or nobody's that a change of code could mend.

/// What is known of a check at one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Failed,
    Passed,
    Unknown,
}

/// Where the cause of a failing check lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// As far as anybody can tell: the agent's work.
    Branch,
    /// It failed, then passed with nothing changed.
    Flaky,
    /// It fails on the base branch's head as well.
    Base,
    /// It was broken where the branch began; the base has repaired it since.
    BehindBase,
}

/// What was found out about a check that fails on the head.
#[derive(Debug, Clone, Copy)]
pub struct Findings {
    /// A local run of it failed, and passed when it was repeated.
    pub flaky: bool,
    pub base: State,
    pub merge_base: State,
    /// The branch contains the base's head.
    pub up_to_date: bool,
}

pub fn cause(found: Findings) -> Cause {
    match found {
        Findings { flaky: true, .. } => Cause::Flaky,
        Findings { base: State::Failed, .. } => Cause::Base,
        Findings { base: State::Passed, merge_base: State::Failed, up_to_date: false, .. } => Cause::BehindBase,
        _ => Cause::Branch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_takes_a_check_from_the_agent() {
        use State::{Failed, Passed, Unknown};
        for (flaky, base, merge_base, up_to_date, expected) in [
            (true, Failed, Failed, false, Cause::Flaky),
            (false, Failed, Unknown, true, Cause::Base),
            (false, Failed, Passed, false, Cause::Base),
            (false, Passed, Failed, false, Cause::BehindBase),
            (false, Passed, Failed, true, Cause::Branch),
            (false, Passed, Passed, false, Cause::Branch),
            (false, Passed, Unknown, false, Cause::Branch),
            (false, Unknown, Failed, false, Cause::Branch),
            (false, Unknown, Unknown, false, Cause::Branch),
        ] {
            assert_eq!(cause(Findings { flaky, base, merge_base, up_to_date }), expected);
        }
    }
}
