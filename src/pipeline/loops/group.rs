//! One group of findings: at most two rounds, each fixed, staged and verified; then resolved, or a person's turn.

use std::collections::BTreeMap;

use crate::model::loops::{Attempt, Buckets, Choice, Deferred, Demoted, Escalated, Left, Resolved};
use crate::model::review::ReviewFinding;
use crate::model::text::one_line;
use crate::pipeline::context::{Context, Result};
use crate::policy::loops::{Group, Tests, Verified, by_verifier, lacks_evidence, spot, without_agent};
use crate::state::{Effect, Event};

use super::Bench;
use super::ask::{self, Inconclusive};
use super::attempt::{self, Ground, Made};
use super::before::Before;
use super::restore;
use super::seat::Seat;
use super::verifier::{self, Looked};
use super::verify;

/// Never a third (L13).
const ROUNDS: u32 = 2;
/// Verifications that are tried again without anybody saying so each time.
const RETRIES: u32 = 2;

/// What a group leaves.
#[derive(Default)]
pub struct Outcome {
    pub buckets: Buckets,
    pub new: Vec<ReviewFinding>,
    pub checks_run: Vec<String>,
    pub staged: Vec<String>,
    /// With the evidence: what did not hold before anything was changed.
    pub rejected: BTreeMap<u32, String>,
}

/// The words of one verification, by finding.
type Words = BTreeMap<u32, Verified>;

struct Rounds<'a, 'c> {
    ctx: &'a Context<'c>,
    bench: &'a Bench<'a>,
    seat: &'a mut Seat,
    number: u32,
    before: Before,
    /// State of the worktree before the first round.
    start: String,
    files: Vec<String>,
    open: Vec<ReviewFinding>,
    attempts: Vec<Attempt>,
    ours: Vec<String>,
    out: Outcome,
}

/// Works on a group. When the program has to stop in the middle, its files are put back first.
pub fn run(
    ctx: &Context<'_>,
    bench: &Bench<'_>,
    seat: &mut Seat,
    numbered: (u32, &Group),
    ours: &[String],
) -> Result<Outcome> {
    let (number, group) = numbered;
    let start = seat.worktree.base.clone();
    let mut rounds = Rounds {
        ctx,
        bench,
        seat,
        number,
        before: Before::new(number),
        start,
        files: Vec::new(),
        open: group.findings.clone(),
        attempts: Vec::new(),
        ours: ours.to_vec(),
        out: Outcome::default(),
    };
    if let Err(stop) = rounds.all(&group.files) {
        if rounds.before.restore(ctx, rounds.seat).is_err() {
            let dir = ctx.run.dir.join("before");
            ctx.warn(format!("files could not be put back; as they were, they are in {}", dir.display()));
        }
        return Err(stop);
    }
    Ok(rounds.out)
}

impl Rounds<'_, '_> {
    fn all(&mut self, files: &[String]) -> Result<()> {
        let refusal = {
            let (ctx, bench) = (self.ctx, self.bench);
            attempt::enter(ctx, bench, &mut self.ground(), files)?
        };
        if let Some(why) = refusal {
            self.defer(&why, &[]);
            return Ok(());
        }
        self.look_before()?;
        for round in 1..=ROUNDS {
            if self.open.is_empty() {
                return Ok(());
            }
            self.ctx.check_interrupt()?;
            if !self.round(round)? {
                return Ok(());
            }
        }
        if self.open.is_empty() {
            return Ok(());
        }
        let remains = self.attempts.last().map(|attempt| attempt.verification.clone()).unwrap_or_default();
        self.escalate(&remains)
    }

    /// What nobody gave evidence for is looked at before anything is changed; what does not hold is dropped (L18).
    fn look_before(&mut self) -> Result<()> {
        let bare: Vec<ReviewFinding> = self.open.iter().filter(|finding| lacks_evidence(finding)).cloned().collect();
        if bare.is_empty() {
            return Ok(());
        }
        let answer = match verifier::ask_before(self.ctx, self.bench, self.seat, &bare)? {
            Looked::Answered(answer) => answer,
            Looked::Unreadable(why) | Looked::CannotRun(why) => {
                self.ctx
                    .warn(format!("findings without evidence are taken as they are, nobody could look at them: {why}"));
                return Ok(());
            }
        };
        self.out.checks_run.extend(answer.checks_run.iter().map(|check| one_line(check, 300)));
        for (id, word) in by_verifier(&bare, self.bench.known, &answer).words {
            match word {
                Verified::Resolved(evidence) => {
                    let why = format!("it did not hold before the fix: {}", one_line(&evidence, 500));
                    self.out.buckets.dropped.push(Left { id, why });
                    self.out.rejected.insert(id, evidence);
                }
                Verified::Demoted(severity, why) => self.out.buckets.demoted.push(Demoted { id, severity, why }),
                Verified::Persists(_) | Verified::Inconclusive(_) => continue,
            }
            self.open.retain(|finding| finding.id != id);
        }
        Ok(())
    }

    fn ground(&mut self) -> Ground<'_> {
        Ground { seat: self.seat, before: &mut self.before, files: &mut self.files, ours: &self.ours }
    }

    /// One round; whether there may be another.
    fn round(&mut self, round: u32) -> Result<bool> {
        let (ctx, bench, open, history) = (self.ctx, self.bench, self.open.clone(), self.attempts.clone());
        let made = match attempt::run(ctx, bench, &mut self.ground(), &open, &history)? {
            Made::Tried(made) => made,
            Made::Deferred { why, files } => {
                self.leave(&why, &files)?;
                return Ok(false);
            }
        };
        if let Some(file) = self.stage(round, &made.files_changed)? {
            self.leave(&format!("`{file}` was changed by somebody else while the loop worked"), &[])?;
            return Ok(false);
        }
        self.attempts.push(made);
        let Some((words, accepted)) = self.verified(round)? else { return Ok(false) };
        self.settle(round, &words, accepted);
        Ok(true)
    }

    /// Writes what changed into the checkout and stages exactly that. `Some`: somebody else changed that file.
    fn stage(&mut self, round: u32, files: &[String]) -> Result<Option<String>> {
        if files.is_empty() {
            return Ok(None);
        }
        let step = Effect::Stage { group: self.number, round };
        self.ctx.record(Event::Trying { step: step.clone() })?;
        restore::will_write(self.ctx, self.seat, files)?;
        let conflict = self.seat.deliver(files)?;
        self.ctx.record(Event::Did { step, url: None })?;
        if conflict.is_none() {
            let known = &mut self.out.staged;
            known.extend(files.iter().cloned());
            known.sort();
            known.dedup();
        }
        Ok(conflict)
    }

    /// Verifies until there is a word on each finding. `None`: a person had everything put back. The flag says that
    /// what could not be verified is accepted all the same.
    fn verified(&mut self, round: u32) -> Result<Option<(Words, bool)>> {
        for retry in 0..=RETRIES {
            let words = if round < ROUNDS { self.without_agent()? } else { self.by_verifier()? };
            let doubt = self.open.iter().find_map(|finding| match words.get(&finding.id) {
                Some(Verified::Inconclusive(why)) => Some((finding.clone(), why.clone())),
                _ => None,
            });
            let Some((finding, why)) = doubt else { return Ok(Some((words, false))) };
            let decision = ask::inconclusive(self.ctx, self.bench.options, &finding, &why);
            match decision {
                Inconclusive::Retry if retry < RETRIES => {}
                Inconclusive::Accept => return Ok(Some((words, true))),
                Inconclusive::Retry | Inconclusive::Revert => {
                    self.before.restore(self.ctx, self.seat)?;
                    self.out.staged.clear();
                    // It was no attempt, and the files are as they were.
                    self.give_up(&format!("it could not be verified: {why}"), Choice::Another);
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    fn tests(&mut self) -> Result<Tests> {
        verify::tests(self.ctx, self.seat, &self.files, &self.start, &mut self.out.checks_run)
    }

    fn without_agent(&mut self) -> Result<Words> {
        let changed = self.attempts.iter().any(|attempt| !attempt.files_changed.is_empty());
        let tests = if changed { self.tests()? } else { Tests::None };
        let word = |finding: &ReviewFinding| {
            let (before, after) = match &finding.file {
                Some(file) => (self.before.state(file).text(), self.seat.state(file).text()),
                None => (String::new(), String::new()),
            };
            let spot = spot(&before, &after, finding.line_start, finding.line_end);
            (finding.id, without_agent(changed, &tests, spot))
        };
        Ok(self.open.iter().map(word).collect())
    }

    fn by_verifier(&mut self) -> Result<Words> {
        let every = |word: &Verified, open: &[ReviewFinding]| -> Words {
            open.iter().map(|finding| (finding.id, word.clone())).collect()
        };
        if let Tests::Worse(why) = self.tests()? {
            return Ok(every(&Verified::Persists(why), &self.open));
        }
        let change = verifier::Change { files: &self.files, history: &self.attempts };
        let answer = match verifier::ask(self.ctx, self.bench, self.seat, &self.open, &change)? {
            Looked::Answered(answer) => answer,
            Looked::Unreadable(why) => {
                return Ok(every(
                    &Verified::Persists(format!("the verifier's answer is unreadable: {why}")),
                    &self.open,
                ));
            }
            Looked::CannotRun(why) => return Ok(every(&Verified::Inconclusive(why), &self.open)),
        };
        self.out.checks_run.extend(answer.checks_run.iter().map(|check| one_line(check, 300)));
        let judged = by_verifier(&self.open, self.bench.known, &answer);
        self.out.new.clone_from(&judged.new);
        if let Some(worst) = judged.severe.first() {
            let why = format!("the verifier sees a new {}: {}", worst.severity, one_line(&worst.title, 200));
            return Ok(every(&Verified::Persists(why), &self.open));
        }
        Ok(judged.words)
    }

    fn settle(&mut self, round: u32, words: &Words, accepted: bool) {
        let mut left = Vec::new();
        let mut rest = Vec::new();
        for finding in std::mem::take(&mut self.open) {
            let id = finding.id;
            match words.get(&id) {
                Some(Verified::Resolved(evidence)) => {
                    self.out.buckets.resolved.push(Resolved { id, round, evidence: evidence.clone(), verified: true });
                }
                Some(Verified::Inconclusive(why)) if accepted => {
                    let evidence = format!("accepted unverified: {why}");
                    self.out.buckets.resolved.push(Resolved { id, round, evidence, verified: false });
                }
                Some(Verified::Demoted(severity, why)) => {
                    self.out.buckets.demoted.push(Demoted { id, severity: *severity, why: why.clone() });
                }
                Some(Verified::Persists(why) | Verified::Inconclusive(why)) => {
                    rest.push(format!("finding {id}: {why}"));
                    left.push(finding);
                }
                None => left.push(finding),
            }
        }
        self.open = left;
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.verification = if rest.is_empty() { "resolved".to_owned() } else { rest.join("; ") };
        }
    }

    fn defer(&mut self, why: &str, files: &[String]) {
        for finding in std::mem::take(&mut self.open) {
            self.out.buckets.deferred.push(Deferred {
                id: finding.id,
                why: why.to_owned(),
                additional_files: files.to_vec(),
            });
        }
    }

    /// Defers what is open. The files stay as round 1 left them when that resolved a finding beside it.
    fn leave(&mut self, why: &str, files: &[String]) -> Result<()> {
        if self.out.buckets.resolved.is_empty() {
            self.before.restore(self.ctx, self.seat)?;
            self.out.staged.clear();
        }
        self.defer(why, files);
        Ok(())
    }

    /// Two rounds are over: a person decides, finding by finding.
    fn escalate(&mut self, remains: &str) -> Result<()> {
        let mut another = false;
        for finding in std::mem::take(&mut self.open) {
            let choice = ask::escalation(self.ctx, self.bench.options, &finding, &self.attempts, remains);
            another |= choice == Choice::Another;
            self.push_escalated(finding.id, remains, choice);
        }
        if another {
            self.before.restore(self.ctx, self.seat)?;
            self.out.staged.clear();
            self.unresolve("its file was put back for another approach to a finding beside it");
        }
        let staged = self.out.staged.clone();
        self.out.buckets.escalated.iter_mut().for_each(|one| one.staged.clone_from(&staged));
        Ok(())
    }

    fn give_up(&mut self, remains: &str, choice: Choice) {
        for finding in std::mem::take(&mut self.open) {
            self.push_escalated(finding.id, remains, choice);
        }
        self.unresolve("its file was put back, since a finding beside it could not be verified");
    }

    fn push_escalated(&mut self, id: u32, remains: &str, choice: Choice) {
        let (attempts, staged) = (self.attempts.clone(), Vec::new());
        self.out.buckets.escalated.push(Escalated { id, attempts, remains: remains.to_owned(), staged, choice });
    }

    /// A fix that was put back together with others fixes nothing.
    fn unresolve(&mut self, why: &str) {
        for one in std::mem::take(&mut self.out.buckets.resolved) {
            self.out.buckets.deferred.push(Deferred { id: one.id, why: why.to_owned(), additional_files: Vec::new() });
        }
        for one in std::mem::take(&mut self.out.buckets.demoted) {
            self.out.buckets.deferred.push(Deferred { id: one.id, why: why.to_owned(), additional_files: Vec::new() });
        }
    }
}
