//! Waiting for a due time while the wall clock may jump and the machine may sleep.

use std::time::Duration;

use jiff::Timestamp;

use crate::clock::Clock;

/// Between two looks at the world: `stop` takes effect within this time, and a machine that slept notices the time
/// that went by.
const SLICE: Duration = Duration::from_secs(15);

/// Waits until `due`, or until as much was slept as was left at the beginning: a clock that is set back is not waited
/// for, and time that a machine slept through is not waited again. `look` is called before each slice with what is
/// left, and ends the wait by returning `true`.
pub fn wait_until<E>(
    clock: &dyn Clock,
    due: Timestamp,
    mut look: impl FnMut(Duration) -> Result<bool, E>,
) -> Result<(), E> {
    let mut left = Duration::try_from(due.duration_since(clock.now())).unwrap_or_default();
    loop {
        let enough = look(left)?;
        if enough || left.is_zero() || clock.now() >= due {
            return Ok(());
        }
        let slice = left.min(SLICE);
        clock.sleep(slice);
        left -= slice;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Jumps by so many seconds with the nth sleep.
    struct Jumping {
        now: Mutex<(Timestamp, u32)>,
        at: u32,
        by: i64,
    }

    impl Jumping {
        fn new(at: u32, by: i64) -> Self {
            Self { now: Mutex::new((Timestamp::from_second(1_000_000).unwrap(), 0)), at, by }
        }

        fn slept(&self) -> u32 {
            self.now.lock().unwrap().1
        }
    }

    impl Clock for Jumping {
        fn now(&self) -> Timestamp {
            self.now.lock().unwrap().0
        }

        fn sleep(&self, duration: Duration) {
            let mut now = self.now.lock().unwrap();
            now.1 += 1;
            now.0 = now.0.saturating_add(duration).unwrap();
            if now.1 == self.at {
                now.0 = now.0.saturating_add(jiff::SignedDuration::from_secs(self.by)).unwrap();
            }
        }
    }

    fn waited(clock: &Jumping, seconds: i64) -> u32 {
        let due = clock.now().saturating_add(jiff::SignedDuration::from_secs(seconds)).unwrap();
        wait_until::<()>(clock, due, |_| Ok(false)).unwrap();
        clock.slept()
    }

    #[test]
    fn a_machine_that_slept_looks_at_once_and_once_only() {
        let clock = Jumping::new(2, 8 * 3600);
        assert_eq!(waited(&clock, 600), 2, "two slices, then the night was over");
    }

    #[test]
    fn a_clock_that_is_set_back_is_not_waited_for() {
        assert_eq!(waited(&Jumping::new(1, -86_400), 600), 40, "ten minutes in slices, not a day");
        assert_eq!(waited(&Jumping::new(0, 0), 600), 40);
        assert_eq!(waited(&Jumping::new(0, 0), -5), 0);
    }

    #[test]
    fn what_ends_meanwhile_ends_the_wait() {
        let clock = Jumping::new(0, 0);
        let due = clock.now().saturating_add(jiff::SignedDuration::from_secs(600)).unwrap();
        wait_until::<()>(&clock, due, |left| Ok(left < Duration::from_secs(580))).unwrap();
        assert_eq!(clock.slept(), 2);
        assert_eq!(wait_until(&clock, due, |_| Err("gone")), Err("gone"));
    }
}
