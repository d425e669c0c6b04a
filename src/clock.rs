//! The only door to the time of day. Tests fix it with `PRFIX_CLOCK`.

use std::time::Duration;

use jiff::Timestamp;

/// Wall-clock time, and waiting.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
    /// Waits, or returns early when the run is interrupted.
    fn sleep(&self, duration: Duration);
}

/// The machine's clock.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the door")]
    fn sleep(&self, duration: Duration) {
        let mut left = duration;
        while !left.is_zero() && !crate::process::interrupted() {
            let step = left.min(Duration::from_millis(100));
            std::thread::sleep(step);
            left -= step;
        }
    }
}

/// Starts at a given instant and moves only when somebody sleeps; sleeping takes no time.
#[derive(Debug)]
pub struct FixedClock(std::sync::Mutex<Timestamp>);

impl FixedClock {
    pub fn at(start: Timestamp) -> Self {
        Self(std::sync::Mutex::new(start))
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn sleep(&self, duration: Duration) {
        let mut now = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *now = now.saturating_add(duration).unwrap_or(*now);
    }
}

/// The machine's clock, or a fixed one when `PRFIX_CLOCK` holds an RFC 3339 time stamp.
pub fn from_env(env: &crate::env::Env) -> std::sync::Arc<dyn Clock> {
    match env.get("PRFIX_CLOCK").and_then(|text| text.parse().ok()) {
        Some(start) => std::sync::Arc::new(FixedClock::at(start)),
        None => std::sync::Arc::new(SystemClock),
    }
}
