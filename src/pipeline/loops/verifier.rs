//! A read-only agent that answers with the envelope: before round 1 about findings without evidence, in round 2 about
//! what is staged of the group's files.

use serde_json::json;

use crate::agent::loops::{VerifierInput, holding, verifier};
use crate::agent::{Failure, schema};
use crate::git::{changed_paths, staged_diff};
use crate::model::agent::Role;
use crate::model::loops::Attempt;
use crate::model::review::{Envelope, ReviewFinding};
use crate::model::text::{end, mask_secrets, start};
use crate::pipeline::agents::{self, Question};
use crate::pipeline::contain::contained;
use crate::pipeline::context::{Context, Progress, Result, Stop};
use crate::pipeline::triage::{Shared, nonce};

use super::Bench;
use super::seat::Seat;

/// Bytes of a diff that a prompt quotes; of a longer one, the beginning and the end.
const DIFF: usize = 200_000;

/// What is to be verified.
pub struct Change<'a> {
    pub files: &'a [String],
    pub history: &'a [Attempt],
}

/// What became of the question.
pub enum Looked {
    Answered(Envelope),
    /// It answered, and nobody can read it: the round has failed.
    Unreadable(String),
    /// It did not come to an answer.
    CannotRun(String),
}

pub fn ask(
    ctx: &Context<'_>,
    bench: &Bench<'_>,
    seat: &Seat,
    findings: &[ReviewFinding],
    change: &Change<'_>,
) -> Result<Looked> {
    let Change { files, history } = *change;
    let diff = shortened(&mask_secrets(&staged_diff(&seat.root, files)?));
    let round = free_round(ctx);
    let nonce = nonce(ctx, 5000 + round);
    let prompt = verifier(&VerifierInput { findings, files, history, diff: &diff, nonce: &nonce });
    let brief = json!({
        "schema": "git-prfix.brief/1", "role": "verify", "task": "loop", "findings": findings, "files": files,
        "history": history, "diff": diff,
    });
    call(ctx, bench, seat, (round, prompt, brief))
}

/// Asks about findings that came without evidence, before anything is changed.
pub fn ask_before(ctx: &Context<'_>, bench: &Bench<'_>, seat: &Seat, findings: &[ReviewFinding]) -> Result<Looked> {
    let round = free_round(ctx);
    let prompt = holding(findings, &nonce(ctx, 5000 + round));
    let brief = json!({"schema": "git-prfix.brief/1", "role": "verify", "task": "loop-before", "findings": findings});
    call(ctx, bench, seat, (round, prompt, brief))
}

fn free_round(ctx: &Context<'_>) -> u32 {
    let taken = |round: &u32| ctx.run.dir.join(format!("probes/verify-{round}")).exists();
    (1..).find(|round| !taken(round)).unwrap_or(u32::MAX)
}

fn call(
    ctx: &Context<'_>,
    bench: &Bench<'_>,
    seat: &Seat,
    (round, prompt, brief): (u32, String, serde_json::Value),
) -> Result<Looked> {
    let question = Question {
        role: Role::Verify,
        item: None,
        round,
        prompt,
        brief,
        schema: schema::review(),
        checks: &[],
        anew: false,
    };
    let ready = agents::prepare(ctx, bench.agent, &seat.worktree, question)?;
    let shared = Shared::of(ctx);
    let work = || Ok(agents::run::<Envelope>(&shared, &ready));
    let called = contained(ctx, &seat.worktree, &Progress::default(), "the verifier", work)?;
    agents::spent(ctx, &ready, &called)?;
    if !changed_paths(&seat.worktree.path)?.is_empty() {
        seat.reset(ctx)?;
        return Ok(Looked::CannotRun(
            "the verifier changed files, which was undone; its answer does not count".to_owned(),
        ));
    }
    Ok(match called.result {
        Ok(envelope) => Looked::Answered(envelope),
        Err(Failure::Interrupted) => return Err(Stop::Interrupted),
        Err(failure @ Failure::Misfit { .. }) => Looked::Unreadable(agents::describe(&failure)),
        Err(failure) => Looked::CannotRun(agents::describe(&failure)),
    })
}

fn shortened(diff: &str) -> String {
    if diff.len() <= DIFF {
        return diff.to_owned();
    }
    format!("{}\n[… left out …]\n{}", start(diff, DIFF / 2), end(diff, DIFF / 2))
}
