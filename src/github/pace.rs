//! The pace of writes: one at a time and a second apart, over all processes of this user that write to the same host.
//!
//! Rule: GitHub's "Best practices for using the REST API": requests that create content are made serially, with at least
//! a second between them, or a secondary rate limit is hit.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::clock::Clock;

const PACE: Duration = Duration::from_secs(1);
/// Between two looks whether another process's write has ended.
const LOOK: Duration = Duration::from_millis(20);

/// When this user wrote last.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Holds the time of the last write, and is locked during one. Without it only this process's writes count.
    pub file: Option<PathBuf>,
    last: Mutex<Option<Timestamp>>,
}

/// The turn to write; the next one comes a second after its end.
pub(super) struct Turn<'a> {
    pace: &'a Pace,
    clock: &'a dyn Clock,
    file: Option<File>,
}

impl Pace {
    /// Waits for the turn. A file that cannot be used is no reason not to write.
    pub fn turn<'a>(&'a self, clock: &'a dyn Clock) -> Turn<'a> {
        let mut file = self.file.as_ref().and_then(locked);
        let last = file.as_mut().and_then(stamp).max(*self.last.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(last) = last {
            let since = Duration::try_from(clock.now().duration_since(last)).unwrap_or_default();
            // A time to come is that of a clock that was set back since: no longer than a second either.
            let wait = PACE.saturating_sub(since);
            if !wait.is_zero() {
                clock.sleep(wait);
            }
        }
        Turn { pace: self, clock, file }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let now = self.clock.now();
        *self.pace.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        if let Some(file) = &mut self.file {
            let _ =
                file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(now.to_string().as_bytes()));
        }
    }
}

/// The file with its lock, which ends with the process that has it. `None` when a person asks to stop meanwhile.
fn locked(path: &PathBuf) -> Option<File> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).ok()?;
    while let Err(error) = file.try_lock() {
        if matches!(error, std::fs::TryLockError::Error(_)) || crate::process::interrupted() {
            return None;
        }
        crate::process::nap(LOOK);
    }
    Some(file)
}

fn stamp(file: &mut File) -> Option<Timestamp> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FixedClock;

    fn clock(seconds: i64) -> FixedClock {
        FixedClock::at(Timestamp::from_second(1_000_000 + seconds).unwrap())
    }

    fn slept(clock: &FixedClock, from: i64) -> i64 {
        clock.now().as_second() - 1_000_000 - from
    }

    #[test]
    fn writes_of_one_process_are_a_second_apart() {
        let (pace, clock) = (Pace::default(), clock(0));
        drop(pace.turn(&clock));
        assert_eq!(slept(&clock, 0), 0);
        drop(pace.turn(&clock));
        assert_eq!(slept(&clock, 0), 1);
        clock.sleep(Duration::from_secs(5));
        drop(pace.turn(&clock));
        assert_eq!(slept(&clock, 0), 6);
    }

    #[test]
    fn writes_of_another_process_count_too() {
        let dir = tempfile::tempdir().unwrap();
        let pace = || Pace { file: Some(dir.path().join("state/writes-github.com")), ..Pace::default() };
        let (first, second, late, early) = (clock(0), clock(0), clock(9), clock(-900));
        drop(pace().turn(&first));
        drop(pace().turn(&second));
        assert_eq!((slept(&first, 0), slept(&second, 0)), (0, 1));
        drop(pace().turn(&late));
        assert_eq!(slept(&late, 9), 0);
        drop(pace().turn(&early));
        assert_eq!(slept(&early, -900), 1, "a clock that was set back");
    }

    #[test]
    fn one_turn_waits_for_the_other_to_end() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("writes");
        let (one, other) =
            (Pace { file: Some(file.clone()), ..Pace::default() }, Pace { file: Some(file), ..Pace::default() });
        let (here, there) = (clock(0), clock(0));
        let turn = one.turn(&here);
        let (sender, taken) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                drop(other.turn(&there));
                sender.send(slept(&there, 0)).unwrap();
            });
            here.sleep(Duration::from_secs(3));
            assert!(taken.try_recv().is_err(), "it is not its turn yet");
            drop(turn);
            // It ended at second 3, which is to come for the other's clock.
            assert_eq!(taken.recv().unwrap(), 1);
        });
    }

    #[test]
    fn a_place_that_cannot_be_used_stops_nothing() {
        let pace = Pace { file: Some("/dev/null/x/y".into()), ..Pace::default() };
        let clock = clock(0);
        drop(pace.turn(&clock));
        drop(pace.turn(&clock));
        assert_eq!(slept(&clock, 0), 1);
    }
}
