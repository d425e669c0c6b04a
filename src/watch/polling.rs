//! The loop over all watches of a process: one cheap request a poll, silent while nothing changes.

use std::time::Duration;

use jiff::Timestamp;

use crate::github::Client;
use crate::model::pr::PrState;
use crate::model::report::Report;
use crate::model::text::one_line;
use crate::model::watch::{EndReason, Poll};
use crate::pipeline::{self, Stop};
use crate::policy::watch::{changed, pause, unsettled};
use crate::ui::{Say, Task, end_line, quiet_line};

use super::session::{Lost, Watch};
use super::visit::{Desk, Visit, visit};
use super::waiting::wait_until;

/// Polls that are due within this time of each other are one, and stay one.
const TOGETHER: jiff::SignedDuration = jiff::SignedDuration::from_secs(30);

/// How a watch left this process.
#[derive(Debug)]
pub struct Closed {
    pub pr: u64,
    /// `None`: another process took it over, or its record was removed.
    pub reason: Option<EndReason>,
}

/// A watch with its place in the loop.
struct Turn {
    watch: Watch,
    next: Timestamp,
    /// Polls that failed in a row.
    failures: u32,
    /// Visits that failed in a row.
    troubles: u32,
    /// It was polled since the last step.
    polled: bool,
    /// A change was seen at this time and has not been looked at.
    dirty: Option<Timestamp>,
    settle: Duration,
}

/// One look and at most one round; the watch of a start of its own goes afterwards (W50).
pub fn once(desk: &Desk<'_>, watch: &mut Watch) -> Result<Option<Report>, Stop> {
    let number = watch.record.number;
    let visited = visit(desk, watch);
    let report = match visited? {
        Visit::Quiet { pending, lagging } => {
            desk.ui.say(&Say::Note(quiet_line(number, &pending, lagging)));
            None
        }
        Visit::Busy => return Err(miette::miette!("another run works on #{number}; nothing was done").into()),
        Visit::Round(report) => Some(*report),
        Visit::Ended(reason, report) => {
            desk.ui.say(&Say::Note(end_line(&watch.record, reason)));
            report.map(|report| *report)
        }
    };
    if watch.created {
        watch.file.update(|record| *record = None)?;
    }
    Ok(report)
}

/// Watches until every pull request has ended, or was taken from this process.
pub fn watch(desk: &Desk<'_>, watches: Vec<Watch>) -> Result<Vec<Closed>, Stop> {
    let Some(first) = watches.first() else { return Ok(Vec::new()) };
    let client = pipeline::find(desk.world, &first.argument)?.github;
    let now = desk.world.clock.now();
    let settings = desk.world.settings(None)?;
    let settle = settings.settle;
    // Rounds that are followed on the terminal would talk all at once.
    let followed = std::sync::Arc::ptr_eq(&desk.world.ui, &desk.ui);
    let at_once = if followed { 1 } else { settings.jobs.min(watches.len()) };
    let mut turns: Vec<Turn> = watches
        .into_iter()
        .map(|watch| Turn {
            watch,
            next: now,
            failures: 0,
            troubles: 0,
            polled: false,
            dirty: Some(Timestamp::MIN),
            settle,
        })
        .collect();
    let mut closed = Vec::new();
    let names: Vec<String> = turns.iter().map(|turn| format!("#{}", turn.watch.record.number)).collect();
    let live = desk.ui.options().live.then(|| desk.ui.task(&format!("watching {}", names.join(", "))));
    let (mut started, mut polls) = (false, 0);
    while !turns.is_empty() {
        wait(desk, &mut turns, &mut closed, live.as_ref())?;
        if turns.is_empty() {
            break;
        }
        polls += 1;
        poll(desk, &client, &mut turns, polls);
        step(desk, &mut turns, &mut closed, Talk { live: live.as_ref(), quiet: started, at_once })?;
        started = true;
    }
    live.into_iter().for_each(|task| task.finish("ended"));
    Ok(closed)
}

/// Waits for the next poll. Watches that were stopped or taken over meanwhile leave.
fn wait(desk: &Desk<'_>, turns: &mut Vec<Turn>, closed: &mut Vec<Closed>, live: Option<&Task>) -> Result<(), Stop> {
    let clock = &desk.world.clock;
    let Some(due) = turns.iter().map(|turn| turn.next).min() else { return Ok(()) };
    wait_until(clock.as_ref(), due, |left| {
        release(desk, turns, closed)?;
        if crate::process::interrupted() {
            return Err(Stop::Interrupted);
        }
        live.into_iter().for_each(|task| task.line(&format!("next look in {} s", left.as_secs())));
        Ok(turns.is_empty())
    })?;
    // A clock that was set back is not waited for.
    let now = clock.now();
    turns.iter_mut().filter(|turn| turn.next == due).for_each(|turn| turn.next = turn.next.min(now));
    Ok(())
}

/// Lets go of what is not this process's any more, with one line each.
fn release(desk: &Desk<'_>, turns: &mut Vec<Turn>, closed: &mut Vec<Closed>) -> Result<(), Stop> {
    let mut kept = Vec::new();
    for mut turn in turns.drain(..) {
        let lost = turn.watch.lost()?;
        let Some(lost) = lost else {
            kept.push(turn);
            continue;
        };
        let record = &turn.watch.record;
        let (line, reason) = match lost {
            Lost::Ended(reason) => (end_line(record, reason), Some(reason)),
            Lost::Removed => (end_line(record, EndReason::Stopped), None),
            Lost::TakenOver(pid) => {
                let by = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
                (format!("#{}: {by} watches it now; `git prfix resume {0}` takes it back", record.number), None)
            }
        };
        desk.ui.say(&Say::Note(line));
        closed.push(Closed { pr: record.number, reason });
    }
    *turns = kept;
    Ok(())
}

/// Asks the gate about everything that is due, in one request.
fn poll(desk: &Desk<'_>, client: &Client, turns: &mut [Turn], polls: u64) {
    let now = desk.world.clock.now();
    // The same for all, so that they stay together.
    let seed = format!("{} {polls}", turns.first().map_or(0, |turn| turn.watch.record.number));
    let due = |turn: &&mut Turn| turn.next <= now.saturating_add(TOGETHER).unwrap_or(now);
    let mut due: Vec<&mut Turn> = turns.iter_mut().filter(due).collect();
    let ids: Vec<String> = due.iter().map(|turn| turn.watch.record.node_id.clone()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    match client.gate(&ids) {
        Ok(answer) => due.iter_mut().for_each(|turn| turn.take(&answer, now, &seed)),
        Err(error) => {
            let first = due.iter().all(|turn| turn.failures == 0);
            if first && !crate::process::interrupted() {
                let said = one_line(&error.to_string(), 300);
                desk.ui.say(&Say::Warning(format!("the pull requests could not be read: {said}; trying again later")));
            }
            due.iter_mut().for_each(|turn| turn.failed(now, &seed));
        }
    }
}

impl Turn {
    /// Compares a poll's answer with the last one.
    fn take(&mut self, answer: &Poll, now: Timestamp, seed: &str) {
        let Some(polled) = answer.list.iter().find(|polled| polled.node_id == self.watch.record.node_id) else {
            return self.failed(now, seed);
        };
        (self.failures, self.polled) = (0, true);
        let before = self.watch.record.seen.as_ref();
        let at_once = polled.state != PrState::Open || self.dirty == Some(Timestamp::MIN);
        // The first poll after a visit also shows what the visit itself did.
        if at_once || changed(before, &polled.seen) {
            self.dirty = Some(if at_once { Timestamp::MIN } else { now });
        }
        let mut seen = polled.seen.clone();
        seen.conflicting = seen.conflicting.or(before.and_then(|before| before.conflicting));
        let noted = self.watch.update(|record| {
            record.seen = Some(seen);
            record.last_check = Some(now.to_string());
        });
        if let Err(error) = noted {
            tracing::warn!(target: "prfix::watch", %error, "the poll could not be written down");
        }
        self.schedule(now, seed);
    }

    fn failed(&mut self, now: Timestamp, seed: &str) {
        self.failures += 1;
        self.schedule(now, seed);
    }

    /// Whether a change has been quiet for long enough, and GitHub answered since the last trouble.
    fn is_ready(&mut self, now: Timestamp) -> bool {
        let settled = self.dirty.is_some_and(|since| unsettled(since, now, self.settle).is_none());
        let ready = settled && self.failures == 0 && (self.troubles == 0 || self.polled);
        self.polled = false;
        ready
    }

    /// The next poll; sooner when a change only waits for quiet.
    fn schedule(&mut self, now: Timestamp, seed: &str) {
        let record = &self.watch.record;
        let mut wait = pause(record.options.every, self.failures.max(self.troubles), seed);
        let unsettled = self.dirty.and_then(|since| unsettled(since, now, self.settle));
        if let (Some(left), 0) = (unsettled, self.troubles) {
            wait = wait.min(left);
        }
        self.next = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
    }
}

/// How much a step says.
#[derive(Clone, Copy)]
struct Talk<'a> {
    live: Option<&'a Task>,
    /// That there is nothing to do is said at the start only.
    quiet: bool,
    /// Visits at the same time.
    at_once: usize,
}

/// Visits what changed and has been quiet since, `prfix.jobs` pull requests at a time.
fn step(desk: &Desk<'_>, turns: &mut Vec<Turn>, closed: &mut Vec<Closed>, talk: Talk<'_>) -> Result<(), Stop> {
    let now = desk.world.clock.now();
    let ready = turns.iter_mut().filter_map(|turn| turn.is_ready(now).then_some(turn));
    let begun = ready.take_while(|_| !crate::process::interrupted());
    let visited = crate::process::each(begun, talk.at_once, |turn| {
        let number = turn.watch.record.number;
        Ok(closer(desk, turn, talk)?.map(|reason| Closed { pr: number, reason: Some(reason) }))
    });
    let ended: Vec<Closed> = visited.into_iter().filter_map(Result::transpose).collect::<Result<_, Stop>>()?;
    turns.retain(|turn| ended.iter().all(|ended| ended.pr != turn.watch.record.number));
    closed.extend(ended);
    Ok(())
}

/// One visit, and what it means for the next; with a reason when the watch has ended.
fn closer(desk: &Desk<'_>, turn: &mut Turn, talk: Talk<'_>) -> Result<Option<EndReason>, Stop> {
    turn.dirty = None;
    talk.live.into_iter().for_each(|task| task.line(&format!("#{}: looking closer", turn.watch.record.number)));
    let visited = if talk.at_once == 1 { visit(desk, &mut turn.watch) } else { apart(desk, &mut turn.watch) };
    match visited {
        Ok(Visit::Ended(reason, _)) => {
            desk.ui.say(&Say::Note(end_line(&turn.watch.record, reason)));
            return Ok(Some(reason));
        }
        Ok(Visit::Quiet { pending, lagging }) => {
            if !talk.quiet {
                desk.ui.say(&Say::Note(quiet_line(turn.watch.record.number, &pending, lagging)));
            }
            turn.troubles = 0;
        }
        Ok(Visit::Busy) => turn.dirty = Some(desk.world.clock.now()),
        Ok(Visit::Round(_)) => turn.troubles = 0,
        Err(Stop::Interrupted) => return Err(Stop::Interrupted),
        Err(stop) => {
            turn.troubles += 1;
            turn.dirty = Some(Timestamp::MIN);
            if turn.troubles == 1 {
                desk.ui.say(&Say::Warning(trouble(turn.watch.record.number, &stop)));
            }
            turn.schedule(desk.world.clock.now(), "");
        }
    }
    Ok(None)
}

/// A visit beside others: what it tells its own report must not mix with theirs.
fn apart(desk: &Desk<'_>, watch: &mut Watch) -> Result<Visit, Stop> {
    let world = desk.world.silent()?;
    visit(&Desk { world: &world, ui: std::sync::Arc::clone(&desk.ui) }, watch)
}

fn trouble(number: u64, stop: &Stop) -> String {
    let why = match stop {
        Stop::Blocked { unblock, .. } => unblock.clone(),
        Stop::Fault(error) => error.to_string(),
        other => format!("{other:?}"),
    };
    format!("#{number}: the round could not be done: {}; trying again later", one_line(&why, 400))
}
