//! Fix, commit, gates, and the review of our own change; again while something is wrong, until the cap.

use crate::model::command::ProjectCommand;
use crate::model::report::{GateStatus, Reason};
use crate::ui::Phase;

use super::context::{Context, Progress, Result, Stop};
use super::fix::{self, Desk, PassInput};
use super::verify::{self, Verdict};
use super::{Before, commands, commit, finish_baseline, selfreview};

/// Re-dispatches after red gates (A41); their counter is apart from the manifest's.
const GATE_ROUNDS: u32 = 2;

/// What the passes start from.
pub struct Start {
    pub before: Option<Before>,
    /// What the program did itself: the merge of a base that conflicted, suggestions.
    pub made: Option<String>,
}

/// The passes so far.
struct Passes {
    /// The last commit.
    head: Option<String>,
    /// The last commit that the gates passed on.
    green: Option<String>,
    /// What is wrong with the last one.
    complaints: Vec<String>,
    gates: Vec<ProjectCommand>,
    /// How much each review of our own change had sent back.
    audits: Vec<usize>,
}

/// Passes until the gates are green and our own review has nothing to send back. Returns the last commit.
pub fn run(ctx: &Context<'_>, progress: &mut Progress, desk: &Desk<'_>, start: Start) -> Result<Option<String>> {
    let Start { mut before, made } = start;
    let gates = commands::gates(desk.commands);
    let mut passes = Passes { head: made, green: None, complaints: Vec::new(), gates, audits: Vec::new() };
    if let Some(made) = passes.head.clone().filter(|_| progress.open_items().next().is_none()) {
        finish_baseline(ctx, progress, before.take())?;
        ctx.world.ui.phase(Phase::Verify);
        match verify::run(ctx, desk.worktree, progress, &passes.gates, &made)? {
            Verdict::Green => return Ok(Some(made)),
            Verdict::Red(why) => passes.complaints = why,
        }
    }
    // Without an agent, what is red stays red. A review that sends something back has a pass of its own.
    let mut last = if desk.agent.is_some() { GATE_ROUNDS + 1 } else { 0 };
    let mut pass = 0;
    while pass < last {
        pass += 1;
        match one(ctx, progress, desk, &mut passes, (pass, &mut before))? {
            Ended::Done(oid) => return Ok(oid),
            Ended::Red => {}
            Ended::SentBack => last += 1,
        }
    }
    progress.keep = Some(format!("git-prfix run {} is blocked: red gates", ctx.run.id));
    let red = progress.gates.iter().filter(|run| run.status != GateStatus::Passed);
    let red: Vec<String> = red.map(|run| format!("`{}` ({})", run.command, run.log)).collect();
    Err(Stop::blocked(
        Reason::Gates,
        if red.is_empty() {
            format!("mend this in the kept worktree and push, or run again: {}", passes.complaints.join("; "))
        } else {
            format!("make these gates pass in the kept worktree and push, or run again: {}", red.join(", "))
        },
    ))
}

/// How a pass ended.
enum Ended {
    /// With the commit to push, if there is one.
    Done(Option<String>),
    Red,
    /// The gates are green; our own review found something.
    SentBack,
}

fn one(
    ctx: &Context<'_>,
    progress: &mut Progress,
    desk: &Desk<'_>,
    passes: &mut Passes,
    (pass, before): (u32, &mut Option<Before>),
) -> Result<Ended> {
    ctx.world.ui.phase(Phase::Fix);
    let parent = passes.head.clone().unwrap_or_else(|| desk.worktree.base.clone());
    let input = PassInput { number: pass, head: &parent, complaints: &passes.complaints };
    let fixed = fix::run(ctx, desk, progress, &input);
    finish_baseline(ctx, progress, before.take())?;
    let accepted = match (fixed, &passes.green) {
        (Err(Stop::Blocked { unblock, .. }), Some(green)) if passes.head.as_ref() == Some(green) => {
            return fall_back(ctx, progress, desk, (green, &unblock));
        }
        (fixed, _) => fixed?,
    };
    ctx.world.ui.phase(Phase::Commit);
    let committed = commit::run(ctx, desk.worktree, progress, &accepted, &parent)?;
    let oid = match (committed, &passes.head) {
        (Some(oid), _) => oid,
        (None, None) => return Ok(Ended::Done(None)),
        // Our review asked, and the agent stands by what it did.
        (None, Some(head)) if passes.green.as_ref() == Some(head) => return Ok(Ended::Done(Some(head.clone()))),
        // What the program did itself is all that this pass leaves.
        (None, Some(made)) if pass == 1 && passes.complaints.is_empty() => made.clone(),
        // Nothing changed: the iteration is spent, and the gates would say the same again (A41).
        (None, Some(_)) => return Ok(Ended::Red),
    };
    passes.head = Some(oid.clone());
    if pass == 1 {
        passes.gates = gates_for(ctx, desk, progress, &accepted.files)?;
    }
    if ctx.past.passes.contains_key(&(pass + 1)) {
        // A run that is resumed: the worktree is at a later pass already.
        let Some(findings) = ctx.past.reviewed(&oid) else { return Ok(Ended::Red) };
        progress.findings = findings.to_vec();
        passes.audits.push(findings.iter().filter(|finding| finding.sent_back).count());
        passes.green = Some(oid);
        return Ok(Ended::SentBack);
    }
    check(ctx, progress, desk, passes, &oid)
}

/// The gates, then our own review.
fn check(ctx: &Context<'_>, progress: &mut Progress, desk: &Desk<'_>, passes: &mut Passes, oid: &str) -> Result<Ended> {
    ctx.world.ui.phase(Phase::Verify);
    match verify::run(ctx, desk.worktree, progress, &passes.gates, oid)? {
        Verdict::Red(why) => {
            passes.complaints = why;
            return Ok(Ended::Red);
        }
        Verdict::Green if passes.audits.len() == audits(ctx) => return Ok(Ended::Done(Some(oid.to_owned()))),
        Verdict::Green => passes.green = Some(oid.to_owned()),
    }
    passes.complaints = selfreview::run(ctx, desk, progress, oid)?;
    let (found, before) = (passes.complaints.len(), passes.audits.last().copied());
    passes.audits.push(found);
    if found == 0 {
        return Ok(Ended::Done(Some(oid.to_owned())));
    }
    let last = ctx.sweep && passes.audits.len() == audits(ctx);
    if last || before.is_some_and(|before| found > before) {
        let how = if last { "still finds" } else { "finds more than before" };
        progress.keep = Some(format!("git-prfix run {} is blocked: the audit is not converging", ctx.run.id));
        return Err(Stop::blocked(
            Reason::Invariants,
            format!(
                "the audit of our own change is not converging: it {how}: {}; mend it in the kept worktree and push, or run again with --no-self-review",
                passes.complaints.join("; ")
            ),
        ));
    }
    Ok(Ended::SentBack)
}

/// Reviews of our own change: a run has one, and what comes of it is verified by the gates; a sweep's own audit goes on
/// until nothing is found (P13).
fn audits(ctx: &Context<'_>) -> usize {
    if ctx.sweep { 3 } else { 1 }
}

/// A pass that only our own review asked for came to nothing: the verified commit stands.
fn fall_back(ctx: &Context<'_>, progress: &mut Progress, desk: &Desk<'_>, (green, why): (&str, &str)) -> Result<Ended> {
    ctx.warn(format!("what our own review found was not put right ({why}); the change stays as it was verified"));
    fix::take_back(ctx, desk, green)?;
    progress.keep = None;
    Ok(Ended::Done(Some(green.to_owned())))
}

/// The full gates, found again now that the touched files are known.
fn gates_for(ctx: &Context<'_>, desk: &Desk<'_>, progress: &Progress, files: &[String]) -> Result<Vec<ProjectCommand>> {
    let mut touched = commands::spec_paths(&progress.spec);
    touched.extend(files.iter().cloned());
    touched.sort();
    touched.dedup();
    let found = commands::find(ctx, desk.worktree, progress, &touched)?;
    Ok(commands::gates(&found))
}
