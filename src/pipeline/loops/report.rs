//! The document of a loop: the findings with the verdicts that they ended with, and the buckets.

use crate::model::loops::{LoopReport, SCHEMA};
use crate::model::review::{Envelope, ReviewFinding, VERSION, Word};
use crate::pipeline::context::Context;

use super::group::Outcome;

pub fn make(ctx: &Context<'_>, envelope: &Envelope, out: Outcome) -> LoopReport {
    let findings = envelope.findings.iter().map(|finding| judged(finding, &out)).collect();
    let mut checks_run = envelope.checks_run.clone();
    checks_run.extend(out.checks_run);
    let mut staged = out.staged;
    staged.sort();
    staged.dedup();
    LoopReport {
        schema: SCHEMA.to_owned(),
        schema_version: VERSION.to_owned(),
        run: ctx.run.id.clone(),
        dir: ctx.run.dir.display().to_string(),
        converged: out.buckets.converged(),
        findings,
        new_findings: out.new,
        checks_run,
        buckets: out.buckets,
        staged,
        usage: ctx.total_usage(),
        warnings: ctx.take_warnings(),
    }
}

/// A resolved finding holds no more, so it is rejected; what was not worked on keeps the word that it came with.
fn judged(finding: &ReviewFinding, out: &Outcome) -> ReviewFinding {
    let mut judged = finding.clone();
    let buckets = &out.buckets;
    let mut say = |verdict: Word, evidence: &str| {
        judged.verdict = Some(verdict);
        judged.evidence = Some(evidence.to_owned());
    };
    if let Some(one) = buckets.resolved.iter().find(|one| one.id == finding.id) {
        say(Word::Rejected, &one.evidence);
    } else if let Some(one) = buckets.escalated.iter().find(|one| one.id == finding.id) {
        say(Word::Confirmed, &one.remains);
    } else if let Some(evidence) = out.rejected.get(&finding.id) {
        say(Word::Rejected, evidence);
    } else if let Some(one) = buckets.demoted.iter().find(|one| one.id == finding.id) {
        say(Word::Demoted, &one.why);
        judged.severity = one.severity;
    }
    judged
}
