//! Before a watch begins: what must hold, and the one question that is asked.

use jiff::Timestamp;

use crate::model::repo::PrArgument;
use crate::model::watch::{EndReason, Memory, Options, Record, SCHEMA};
use crate::pipeline::{self, Look, Stop};
use crate::policy::watch::INTERVALS;
use crate::state::{Driving, StateError, WatchFile};
use crate::ui::{Answer, Say, stranger_question, take_over_question, watch_question};

use super::session::{Watch, WatchError};
use super::visit::Desk;

/// What a start was told.
#[derive(Debug, Clone)]
pub struct Start {
    pub options: Options,
    pub once: bool,
    /// `--yes`: skips the question where that is allowed.
    pub yes: bool,
    pub take_over: bool,
    pub adopt: bool,
}

/// How a person was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// A person said yes, now.
    Confirmed,
    /// `--yes`, or a start that was confirmed before.
    Skipped,
}

/// A pull request that a start looked at.
struct Candidate {
    file: WatchFile,
    driving: Driving,
    before: Option<Record>,
    record: Record,
    look: Look,
}

/// Looks at each pull request, asks once, and takes the watches.
pub fn start(desk: &Desk<'_>, arguments: &[PrArgument], told: &Start) -> Result<Vec<Watch>, Stop> {
    if !INTERVALS.contains(&told.options.every) {
        return Err(WatchError::Interval { every: told.options.every }.into());
    }
    let mut candidates = Vec::new();
    for argument in arguments {
        candidates.push(candidate(desk, argument, told)?);
    }
    let asked = confirm(desk, &candidates, told)?;
    let now = desk.world.clock.now();
    let mut watches = Vec::new();
    for candidate in candidates {
        let Candidate { file, driving, before, mut record, look } = candidate;
        record.confirmed = match asked {
            Asked::Confirmed if !told.once => Some(now.to_string()),
            _ => before.filter(|before| before.options == record.options).and_then(|before| before.confirmed),
        };
        let mut watch = Watch::begin(file, driving, record, now)?;
        watch.stranger = !look.author_can_push;
        watches.push(watch);
    }
    Ok(watches)
}

fn candidate(desk: &Desk<'_>, argument: &PrArgument, told: &Start) -> Result<Candidate, Stop> {
    let target = pipeline::find(desk.world, argument)?;
    let argument = PrArgument::Url { repo: target.github.repo().clone(), number: target.number };
    let file = WatchFile::new(&desk.world.store, target.number);
    let before = file.load()?;
    let take = wants_to_take(desk, &file, told)?;
    let driving = drive(desk, &file, take)?;
    let memory = before.as_ref().map(|record| record.memory.clone()).unwrap_or_default();
    let look = pipeline::look(desk.world, &argument, &memory, None)?;
    if let Some(refused) = &look.refused {
        return Err(Stop::Blocked { reason: refused.reason, unblock: refused.unblock.clone() });
    }
    if look.unpushed > 0 {
        let text = format!(
            "your local branch `{}` has {} commits that are not on #{}; the watch does not see them",
            look.pr.head_branch, look.unpushed, target.number
        );
        desk.ui.say(&Say::Warning(text));
    }
    let mut record = fresh(&look, told.options.clone(), desk.world.clock.now());
    if let Some(before) = &before {
        keep_history(&mut record, before);
    } else if told.adopt {
        adopt(&mut record, &look);
        let text =
            format!("#{}: adopted; {} earlier pushes were found in our replies", record.number, record.pushed.len());
        desk.ui.say(&Say::Note(text));
    }
    Ok(Candidate { file, driving, before, record, look })
}

/// Another process's watch is taken only by a person on a terminal: with the flag, or asked (W16).
fn wants_to_take(desk: &Desk<'_>, file: &WatchFile, told: &Start) -> Result<bool, Stop> {
    let Some(held) = file.driver() else { return Ok(false) };
    if told.take_over && !desk.ui.options().interactive {
        return Err(WatchError::NeedsAPerson { pr: file.pr() }.into());
    }
    let ask = || desk.ui.ask(&take_over_question(file.pr(), held.pid, &held.since)) == Some(Answer(1));
    Ok(told.take_over || (!told.once && !told.yes && ask()))
}

/// Takes the lock; with `--take-over` the process that has it is told to let go, and given the time to.
fn drive(desk: &Desk<'_>, file: &WatchFile, take_over: bool) -> Result<Driving, Stop> {
    let now = desk.world.clock.now();
    let held = match file.drive(now) {
        Err(StateError::Watched { pid, .. }) if take_over => pid,
        other => return Ok(other?),
    };
    // Whoever drives it looks at this between two steps.
    file.update(|record| {
        if let Some(owner) = record.as_mut().and_then(|record| record.owner.as_mut()) {
            "taken-over".clone_into(&mut owner.session);
            owner.pid = std::process::id();
        }
    })?;
    for _ in 0..PATIENCE {
        desk.world.clock.sleep(std::time::Duration::from_secs(1));
        match file.drive(desk.world.clock.now()) {
            Err(StateError::Watched { .. }) if !crate::process::interrupted() => {}
            other => return Ok(other?),
        }
    }
    Err(WatchError::StillDriven { pr: file.pr(), pid: held }.into())
}

/// Seconds that a process is given to let go of its watch.
const PATIENCE: u32 = 30;

fn fresh(look: &Look, options: Options, now: Timestamp) -> Record {
    let pr = &look.pr;
    let target = pr.head_repo.as_ref().map_or_else(|| pr.repo.full_name(), |head| head.id.full_name());
    Record {
        schema: SCHEMA.to_owned(),
        number: pr.number,
        repo: pr.repo.clone(),
        node_id: pr.node_id.clone(),
        title: pr.title.clone(),
        head_branch: pr.head_branch.clone(),
        push_target: target,
        head: pr.head_oid.clone(),
        options,
        confirmed: None,
        owner: None,
        pushed: Vec::new(),
        max_pushes: look.settings.max_pushes,
        started_at: now.to_string(),
        last_check: None,
        last_round: None,
        last_run: None,
        round: None,
        seen: None,
        memory: Memory::default(),
        needs_human: Vec::new(),
        ended: None,
    }
}

/// Everything but what this start says anew (W16).
fn keep_history(record: &mut Record, before: &Record) {
    record.pushed.clone_from(&before.pushed);
    record.started_at.clone_from(&before.started_at);
    record.last_check.clone_from(&before.last_check);
    record.last_round.clone_from(&before.last_round);
    record.last_run.clone_from(&before.last_run);
    record.round.clone_from(&before.round);
    record.memory = before.memory.clone();
    record.needs_human.clone_from(&before.needs_human);
    record.owner.clone_from(&before.owner);
}

/// What our own replies tell of a watch whose machine is lost: which heads were pushed. What they answered is left
/// out of every round by the same marks.
fn adopt(record: &mut Record, look: &Look) {
    record.pushed.clone_from(&look.answered_heads);
}

/// Asks where a person has to be asked, and refuses where there is none (W12, W17–W19).
fn confirm(desk: &Desk<'_>, candidates: &[Candidate], told: &Start) -> Result<Asked, Stop> {
    for candidate in candidates.iter().filter(|candidate| !candidate.look.author_can_push) {
        stranger(desk, candidate, told)?;
    }
    let first = candidates.first().map_or(0, |candidate| candidate.record.number);
    let stopped = candidates.iter().find(|candidate| was_stopped(candidate.before.as_ref()));
    let interactive = desk.ui.options().interactive;
    if let (Some(candidate), false) = (stopped, interactive) {
        return Err(WatchError::WasStopped { pr: candidate.record.number }.into());
    }
    let strangers = candidates.iter().any(|candidate| !candidate.look.author_can_push);
    if strangers || (told.yes && stopped.is_none() && (told.once || interactive)) {
        // `--yes` on a terminal is a person's word as well.
        let word = interactive && told.yes && !strangers;
        return Ok(if word { Asked::Confirmed } else { Asked::Skipped });
    }
    if !interactive {
        let known = |candidate: &Candidate| {
            candidate
                .before
                .as_ref()
                .is_some_and(|before| before.confirmed.is_some() && before.options == candidate.record.options)
        };
        let all = !told.once && candidates.iter().all(known);
        return if all { Ok(Asked::Skipped) } else { Err(WatchError::NeedsAPerson { pr: first }.into()) };
    }
    let records: Vec<&Record> = candidates.iter().map(|candidate| &candidate.record).collect();
    let viewer = candidates.first().map_or("", |candidate| candidate.look.viewer.as_str());
    let notes: Vec<String> = candidates.iter().flat_map(notes).collect();
    match desk.ui.ask(&watch_question(&records, viewer, &notes)) {
        Some(Answer(0)) => Ok(Asked::Confirmed),
        _ => Err(WatchError::Cancelled { pr: first }.into()),
    }
}

fn was_stopped(before: Option<&Record>) -> bool {
    before.and_then(|record| record.ended.as_ref()).is_some_and(|end| end.reason == EndReason::Stopped)
}

/// Code of somebody without push rights: never watched, and once only after a person said so. `--yes` is no answer.
fn stranger(desk: &Desk<'_>, candidate: &Candidate, told: &Start) -> Result<(), Stop> {
    let pr = candidate.record.number;
    let refused = || Stop::from(WatchError::AuthorCannotPush { pr });
    if !told.once {
        if candidate.before.is_some() {
            candidate.file.update(|record| *record = None)?;
        }
        return Err(refused());
    }
    let author = crate::policy::spec::login(candidate.look.pr.author.as_ref());
    match desk.ui.ask(&stranger_question(&candidate.record, &author)) {
        Some(Answer(1)) => Ok(()),
        Some(_) => Err(WatchError::Cancelled { pr }.into()),
        None => Err(refused()),
    }
}

fn notes(candidate: &Candidate) -> Vec<String> {
    let pr = candidate.record.number;
    let mut notes = Vec::new();
    let Some(before) = &candidate.before else { return notes };
    if was_stopped(Some(before)) {
        notes.push(format!("#{pr}: `git prfix stop` had ended this watch and kept its worktree"));
    }
    if before.round.is_some() {
        notes.push(format!("#{pr}: an earlier round did not end; it is continued, or its work is given up"));
    }
    if before.options != candidate.record.options {
        notes.push(format!("#{pr}: these options replace those of the earlier start"));
    }
    notes
}

/// Goes on with watches as they were started: their options, pushes, history and budgets (W54). Asks once for all.
pub fn resume(desk: &Desk<'_>, records: Vec<(WatchFile, Record)>, named: bool) -> Result<Vec<Watch>, Stop> {
    if !desk.ui.options().interactive {
        return Err(WatchError::ResumeAsks.into());
    }
    let first = records.first().map_or(0, |(_, record)| record.number);
    let listed: Vec<&Record> = records.iter().map(|(_, record)| record).collect();
    let target = pipeline::find(desk.world, &PrArgument::Number(first))?;
    let viewer = target.github.viewer()?.login;
    let notes: Vec<String> = records.iter().filter_map(|(file, record)| driven(file, record)).collect();
    if desk.ui.ask(&watch_question(&listed, &viewer, &notes)) != Some(Answer(0)) {
        return Err(WatchError::Cancelled { pr: first }.into());
    }
    let mut watches = Vec::new();
    for (file, shown) in records {
        let driving = drive(desk, &file, named)?;
        let Some(mut record) = file.load()? else { continue };
        if record.options != shown.options || record.ended.is_some() {
            let text = format!("#{}: changed since the question; left as it is, resume it again", record.number);
            desk.ui.say(&Say::Warning(text));
            continue;
        }
        let now = desk.world.clock.now();
        record.confirmed = Some(now.to_string());
        watches.push(Watch::begin(file, driving, record, now)?);
    }
    Ok(watches)
}

fn driven(file: &WatchFile, record: &Record) -> Option<String> {
    let held = file.driver()?;
    Some(format!(
        "#{}: process {} watches it now, since {}; it lets go when its round has ended",
        record.number, held.pid, held.since
    ))
}
