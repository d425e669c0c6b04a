//! A closer look at one pull request, and a round when there is work. Asks nobody anything.

use std::sync::Arc;

use crate::model::pr::PrState;
use crate::model::report::{Outcome, Reason, Report};
use crate::model::spec::{ItemStatus, Spec};
use crate::model::watch::{Decision, EndReason, Memory, Options, Record};
use crate::pipeline::{self, Ended, Look, Mode, Round, RoundEnd, RunOptions, Stop};
use crate::policy::manifest::Allowed;
use crate::policy::rounds;
use crate::state::StateError;
use crate::ui::{Say, Ui, round_line};
use crate::world::World;

use super::notify::{self, About, Kind};
use super::session::Watch;

/// Decisions that a record keeps, newest last.
const DECISIONS: usize = 200;

/// Where watches work: rounds talk on the world's own terminal, which may be mute; the watch itself on `ui`.
pub struct Desk<'w> {
    pub world: &'w World,
    pub ui: Arc<Ui>,
}

/// What a visit came to.
pub enum Visit {
    /// Nothing to do; what is still running, and whether GitHub's API lags.
    Quiet {
        pending: Vec<String>,
        lagging: bool,
    },
    /// A run that is not the watch's works on the pull request.
    Busy,
    Round(Box<Report>),
    /// The watch has ended; with the round's report when there was one.
    Ended(EndReason, Option<Box<Report>>),
}

/// How one round went.
enum Went {
    Done(Box<Report>, RoundEnd),
    Busy,
}

/// Looks, and works when there is something to do.
pub fn visit(desk: &Desk<'_>, watch: &mut Watch) -> Result<Visit, Stop> {
    reconcile(desk, watch)?;
    let look = pipeline::look(desk.world, &watch.argument, &watch.record.memory, None)?;
    note_look(desk, watch, &look)?;
    tell_gaps(desk, watch, &look);
    if let Some(reason) = over(watch, &look) {
        return end(desk, watch, &look, reason, None);
    }
    if look.spec.items.is_empty() && !unfinished(desk, watch)? {
        return Ok(Visit::Quiet { pending: look.pending, lagging: look.lagging });
    }
    if look.exhausted {
        return end(desk, watch, &look, EndReason::Budget, None);
    }
    let (report, round) = match rounds(desk, watch)? {
        Went::Done(report, round) => (report, round),
        Went::Busy => return Ok(Visit::Busy),
    };
    if report.reason == Reason::Interrupted {
        return Err(Stop::Interrupted);
    }
    // Nothing was tried, or the run is still open; a person or time has to mend it.
    let open = report.reason == Reason::Auth || (!round.tried && !round.exhausted);
    if report.outcome == Outcome::Blocked && open {
        return Err(Stop::blocked(report.reason, report.unblock.clone().unwrap_or_default()));
    }
    note_round(desk, watch, &report, &round)?;
    tell(desk, watch, &look, (&report, &round));
    let reason = match report.reason {
        Reason::MergedDuringRun => Some(EndReason::Merged),
        Reason::ClosedDuringRun => Some(EndReason::Closed),
        _ if round.moved => Some(EndReason::SomeoneElsePushes),
        _ if pushes(&watch.record) >= watch.record.max_pushes => Some(EndReason::MaxPushes),
        _ if round.exhausted => Some(EndReason::Budget),
        _ => None,
    };
    match reason {
        Some(reason) => end(desk, watch, &look, reason, Some(report)),
        None => Ok(Visit::Round(report)),
    }
}

/// A round of ours died; it goes on where it stopped, whatever there is to do otherwise.
fn unfinished(desk: &Desk<'_>, watch: &Watch) -> Result<bool, StateError> {
    Ok(desk.world.store.unfinished(watch.record.number)?.is_some_and(|(run, _)| run.is_round()))
}

/// Why there is nothing more to be done on the pull request.
fn over(watch: &Watch, look: &Look) -> Option<EndReason> {
    match look.pr.state {
        PrState::Merged => return Some(EndReason::Merged),
        PrState::Closed => return Some(EndReason::Closed),
        PrState::Open => {}
    }
    if !look.author_can_push && !watch.stranger {
        return Some(EndReason::AuthorCannotPush);
    }
    (pushes(&watch.record) >= watch.record.max_pushes).then_some(EndReason::MaxPushes)
}

fn pushes(record: &Record) -> u32 {
    u32::try_from(record.pushed.len()).unwrap_or(u32::MAX)
}

fn end(
    desk: &Desk<'_>,
    watch: &mut Watch,
    look: &Look,
    reason: EndReason,
    report: Option<Box<Report>>,
) -> Result<Visit, Stop> {
    watch.end(desk.world, reason)?;
    let about = About { record: &watch.record, at: desk.world.clock.now(), reason: Some(reason), needs_human: &[] };
    let kind = if reason == EndReason::Budget { Kind::BudgetReached } else { Kind::Stopped };
    notify::tell(&desk.ui, look.settings.notify.as_ref(), kind, &about);
    Ok(Visit::Ended(reason, report))
}

/// One round, and one more when the branch moved under the first (W46).
fn rounds(desk: &Desk<'_>, watch: &mut Watch) -> Result<Went, Stop> {
    let at = desk.world.clock.now().to_string();
    watch.update(|record| record.round = Some(at))?;
    let first = round(desk, watch)?;
    match &first {
        Went::Done(report, end) if end.moved && report.reason == Reason::PushRejected => {
            desk.ui.say(&Say::Note(format!("#{}: the branch moved; the round starts over", watch.record.number)));
            round(desk, watch)
        }
        _ => Ok(first),
    }
}

fn round(desk: &Desk<'_>, watch: &mut Watch) -> Result<Went, Stop> {
    let options = run_options(&watch.record.options, &watch.record.memory);
    let opened = match pipeline::open(desk.world, &watch.argument, &options, Mode::Run, None) {
        Err(Stop::Fault(error)) if is_locked(&error) => return Ok(Went::Busy),
        other => other?,
    };
    let Ended { report, fault, round } = pipeline::run(opened)?;
    match fault {
        Some(fault) => Err(Stop::Fault(fault)),
        None => Ok(Went::Done(Box::new(report), round.unwrap_or_default())),
    }
}

fn is_locked(error: &miette::Report) -> bool {
    matches!(error.downcast_ref::<StateError>(), Some(StateError::Locked { .. }))
}

fn run_options(options: &Options, memory: &Memory) -> RunOptions {
    let allows = |what: &str| options.allow.iter().any(|allowed| allowed == what);
    RunOptions {
        no_reply: !options.reply,
        allowed: Allowed { ci: allows("ci"), tests: allows("tests"), prfix: allows("prfix") },
        allow_unverified: options.allow_unverified,
        accept_red_baseline: options.accept_red_baseline,
        instructions: options.instructions.clone(),
        round: Some(Round { memory: memory.clone() }),
        ..RunOptions::default()
    }
}

/// A round that was killed after its run had ended is counted now.
fn reconcile(desk: &Desk<'_>, watch: &mut Watch) -> Result<(), StateError> {
    if watch.record.round.is_none() {
        return Ok(());
    }
    let number = watch.record.number;
    let newest = desk.world.store.runs().into_iter().find(|run| run.pr() == Some(number));
    let lost = newest.filter(|run| Some(&run.id) != watch.record.last_run.as_ref()).and_then(|run| {
        let ended = crate::state::replay(&run.journal()).ok()?.finished.is_some();
        let report = ended.then(|| run.read_json::<Report>("report.json")).flatten()?;
        let spec = run.read_json::<Spec>("spec.json")?;
        Some((end_of(&report, &spec), report))
    });
    match lost {
        Some((round, report)) => note_round(desk, watch, &report, &round),
        None => Ok(()),
    }
}

/// What a round would have told, from what it left on disk.
fn end_of(report: &Report, spec: &Spec) -> RoundEnd {
    let mut end = RoundEnd { head: report.pr.head_before.clone(), ..RoundEnd::default() };
    for item in &spec.items {
        let Some(told) = report.items.iter().find(|told| told.id == item.id) else { continue };
        rounds::remember(&mut end.memory, item, told.status, &end.head);
        if told.status == ItemStatus::NeedsHuman {
            end.needs_human.push((told.source.clone(), told.detail.clone()));
        }
    }
    end
}

fn note_look(desk: &Desk<'_>, watch: &mut Watch, look: &Look) -> Result<(), StateError> {
    let at = desk.world.clock.now().to_string();
    watch.update(|record| {
        record.last_check = Some(at);
        record.head.clone_from(&look.pr.head_oid);
        record.title.clone_from(&look.pr.title);
        record.max_pushes = look.settings.max_pushes;
    })
}

fn note_round(desk: &Desk<'_>, watch: &mut Watch, report: &Report, round: &RoundEnd) -> Result<(), StateError> {
    let at = desk.world.clock.now().to_string();
    watch.update(|record| {
        record.last_round = Some(at.clone());
        record.last_run = Some(report.run.clone());
        record.round = None;
        record.memory.extend(&round.memory);
        if let Some(oid) = &report.pr.head_after {
            record.head.clone_from(oid);
            if !record.pushed.contains(oid) {
                record.pushed.push(oid.clone());
            }
        }
        if round.left {
            record.seen = None;
        }
        record.needs_human.extend(decisions(round, &at));
        let surplus = record.needs_human.len().saturating_sub(DECISIONS);
        record.needs_human.drain(..surplus);
    })
}

fn decisions(round: &RoundEnd, at: &str) -> Vec<Decision> {
    let each = round.needs_human.iter().map(|(source, what)| Decision {
        source: source.clone(),
        what: what.clone(),
        head: round.head.clone(),
        at: at.to_owned(),
    });
    each.collect()
}

/// What GitHub did not give is said when it is new, also when there is nothing to do (W37).
fn tell_gaps(desk: &Desk<'_>, watch: &mut Watch, look: &Look) {
    for gap in look.gaps.iter().filter(|gap| !watch.gaps.contains(gap)) {
        desk.ui.say(&Say::Warning(format!("#{}: {gap}", watch.record.number)));
    }
    watch.gaps.clone_from(&look.gaps);
}

/// The one line of the round, and its events.
fn tell(desk: &Desk<'_>, watch: &Watch, look: &Look, (report, round): (&Report, &RoundEnd)) {
    desk.ui.say(&Say::Note(round_line(report)));
    let at = desk.world.clock.now();
    let needs_human = decisions(round, &at.to_string());
    let about = About { record: &watch.record, at, reason: None, needs_human: &needs_human };
    let command = look.settings.notify.as_ref();
    if report.pr.head_after.is_some() {
        notify::tell(&desk.ui, command, Kind::Pushed, &about);
    }
    if !needs_human.is_empty() {
        notify::tell(&desk.ui, command, Kind::NeedsHuman, &about);
    }
}
