//! When a watch polls, waits and ends.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::model::text::digest;
use crate::model::watch::{Record, Seen};

/// Minutes that may stand between two polls.
pub const INTERVALS: &[u32] = &[1, 2, 5, 10, 15, 30, 60];
/// No wait between two polls is longer, however often they fail.
const LONGEST: Duration = Duration::from_secs(3600);
/// A poll is spread over this part of its interval, so that many watches don't ask at once.
const SPREAD: f64 = 0.1;

/// The wait before the next poll: the interval, doubled with every failure in a row, spread a little. `seed` is
/// what differs between watches and polls.
pub fn pause(every: u32, failures: u32, seed: &str) -> Duration {
    let base = Duration::from_secs(60 * u64::from(every)).saturating_mul(1 << failures.min(6));
    let base = base.min(LONGEST.max(Duration::from_secs(60 * u64::from(every))));
    let noise = u8::from_str_radix(&digest(seed)[..2], 16).unwrap_or_default();
    base.mul_f64(1.0 + SPREAD * f64::from(noise) / 255.0)
}

/// Whether a poll shows something that the last one did not. GitHub computes mergeability on demand: not yet
/// computed is no change (W59a).
pub fn changed(before: Option<&Seen>, now: &Seen) -> bool {
    before.is_none_or(|before| {
        before.digest != now.digest
            || now.conflicting.is_some_and(|now| before.conflicting.is_some_and(|before| before != now))
            || (before.conflicting.is_none() && now.conflicting == Some(true))
    })
}

/// How much longer it must be quiet before a round begins. A clock that was set back starts the time anew.
pub fn unsettled(since: Timestamp, now: Timestamp, settle: Duration) -> Option<Duration> {
    let quiet = now.duration_since(since);
    let quiet = Duration::try_from(quiet).unwrap_or_default();
    settle.checked_sub(quiet).filter(|left| !left.is_zero())
}

/// A poll or a round happened within the last two intervals (W28): whoever drives the watch probably still does.
pub fn checked_recently(record: &Record, now: Timestamp) -> bool {
    let Some(last) = record.last_check.as_deref().and_then(|text| text.parse::<Timestamp>().ok()) else { return false };
    let limit = SignedDuration::from_secs(2 * 60 * i64::from(record.options.every));
    now.duration_since(last).abs() <= limit
}

/// Where a watch stands, for `status` (W53).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Ended,
    /// A process holds its lock.
    Running,
    /// Nobody holds it.
    Idle,
}

pub fn standing(record: &Record, locked: bool) -> Standing {
    match (&record.ended, locked) {
        (Some(_), _) => Standing::Ended,
        (None, true) => Standing::Running,
        (None, false) => Standing::Idle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_with_failures_are_spread_and_have_an_end() {
        let wait = |every, failures| pause(every, failures, "x").as_secs();
        assert!((120..=132).contains(&wait(2, 0)) && (240..=264).contains(&wait(2, 1)));
        assert!((3600..=3960).contains(&wait(2, 60)) && (3600..=3960).contains(&wait(60, 3)));
        assert_ne!(pause(2, 0, "7 1"), pause(2, 0, "8 1"));
    }

    #[test]
    fn mergeability_that_is_not_computed_yet_is_no_change() {
        let seen = |digest: &str, conflicting| Seen { digest: digest.into(), conflicting };
        assert!(changed(None, &seen("a", None)) && changed(Some(&seen("a", None)), &seen("b", None)));
        assert!(!changed(Some(&seen("a", Some(false))), &seen("a", None)));
        assert!(!changed(Some(&seen("a", None)), &seen("a", Some(false))));
        assert!(changed(Some(&seen("a", Some(false))), &seen("a", Some(true))));
        assert!(changed(Some(&seen("a", None)), &seen("a", Some(true))));
    }

    #[test]
    fn a_clock_that_was_set_back_starts_the_quiet_time_anew() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let settle = Duration::from_secs(60);
        assert_eq!(unsettled(at(100), at(110), settle), Some(Duration::from_secs(50)));
        assert_eq!(unsettled(at(100), at(160), settle), None);
        assert_eq!(unsettled(at(1000), at(10), settle), Some(settle));
        assert_eq!(unsettled(at(100), at(100), Duration::ZERO), None);
    }
}
