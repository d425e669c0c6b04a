//! Before the push, a read-only agent looks at our own change. What it is sure of goes back to the fix agent once.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent::self_review::{SelfReviewInput, prompt, schema};
use crate::git::{changed_paths, diff_text};
use crate::model::agent::Role;
use crate::model::finding::{Confidence, Finding};
use crate::model::spec::{ItemStatus, SpecItem};
use crate::model::text::{end, mask_secrets, one_line, start};
use crate::state::Event;

use super::agents::{self, Question};
use super::budget;
use super::contain::contained;
use super::context::{Context, Progress, Result, Stop};
use super::fix::Desk;
use super::triage::{Shared, brief_item, nonce};

/// Bytes of a diff that a prompt quotes; of a longer one, the beginning and the end.
const DIFF: usize = 200_000;

#[derive(Deserialize, Serialize)]
struct Answer {
    results: Vec<Word>,
}

#[derive(Deserialize, Serialize)]
struct Word {
    path: String,
    holds: bool,
    why: String,
    item: Option<u32>,
    kind: Option<String>,
    confidence: Option<Confidence>,
}

/// Reviews the verified commit `oid`; returns what goes back to the fix agent. Never stops a run but for an interrupt:
/// a review that did not come about is said.
pub fn run(ctx: &Context<'_>, desk: &Desk<'_>, progress: &mut Progress, oid: &str) -> Result<Vec<String>> {
    if let Some(findings) = ctx.past.reviewed(oid) {
        progress.findings = findings.to_vec();
        return Ok(complaints(findings));
    }
    if ctx.options.no_self_review {
        return Ok(Vec::new());
    }
    if budget::check(ctx).is_err() {
        ctx.warn("the change was not reviewed before the push: the budget is used up");
        return Ok(Vec::new());
    }
    ctx.world.ui.phase(crate::ui::Phase::SelfReview);
    let Some(mut findings) = ask(ctx, desk, progress, oid)? else { return Ok(Vec::new()) };
    for finding in &mut findings {
        finding.sent_back = finding.confidence == Confidence::High;
        let back = if finding.sent_back { "; it goes back to the agent" } else { "" };
        ctx.warn(format!("our own review, {} in `{}`: {}{back}", finding.kind, finding.path, finding.why));
    }
    ctx.record(Event::Reviewed { oid: oid.to_owned(), findings: findings.clone() })?;
    let complaints = complaints(&findings);
    progress.findings = findings;
    Ok(complaints)
}

fn complaints(findings: &[Finding]) -> Vec<String> {
    let high = findings.iter().filter(|finding| finding.sent_back);
    high.map(|finding| {
        let item = finding.item.map_or_else(String::new, |id| format!(", item {id}"));
        format!(
            "a review of your change found in `{}` ({}{item}): {}. Put it right; where it is mistaken, leave the code as it is and give the whole answer again",
            finding.path, finding.kind, finding.why
        )
    })
    .collect()
}

fn ask(ctx: &Context<'_>, desk: &Desk<'_>, progress: &Progress, oid: &str) -> Result<Option<Vec<Finding>>> {
    let Some(agent) = desk.agent else { return Ok(None) };
    let worktree = desk.worktree;
    let diff = mask_secrets(&diff_text(&worktree.path, &worktree.base, oid)?);
    let question = question(ctx, progress, &shortened(&diff));
    let ready = agents::prepare(ctx, agent, worktree, question)?;
    let before = changed_paths(&worktree.path)?;
    let shared = Shared::of(ctx);
    let called =
        contained(ctx, worktree, progress, "the reviewing agent", || Ok(agents::run::<Answer>(&shared, &ready)))?;
    agents::spent(ctx, &ready, &called)?;
    if matches!(called.result, Err(crate::agent::Failure::Interrupted)) {
        return Err(Stop::Interrupted);
    }
    if changed_paths(&worktree.path)? != before {
        super::isolate::manager(ctx).restore(worktree, oid)?;
        ctx.warn("the reviewing agent changed files, which was undone; its answer does not count");
        return Ok(None);
    }
    match called.result {
        Ok(answer) => Ok(Some(answer.results.into_iter().filter(|word| !word.holds).map(finding).collect())),
        Err(failure) => {
            ctx.warn(format!("the change was not reviewed before the push: {}", agents::describe(&failure)));
            Ok(None)
        }
    }
}

fn question(ctx: &Context<'_>, progress: &Progress, diff: &str) -> Question<'static> {
    let fixed = |item: &&SpecItem| progress.endings.get(&item.id).is_some_and(|end| end.status == ItemStatus::Fixed);
    let items: Vec<&SpecItem> = progress.spec.items.iter().filter(fixed).collect();
    let claims: Vec<(String, String)> = progress.claims.clone().into_iter().collect();
    let taken = |round: &u32| ctx.run.dir.join(format!("probes/verify-{round}")).exists();
    let round = (1..).find(|round| !taken(round)).unwrap_or(u32::MAX);
    let nonce = nonce(ctx, 3000 + round);
    let brief = json!({
        "schema": "git-prfix.brief/1", "role": "verify", "task": "self-review", "pr": ctx.number, "diff": diff,
        "items": items.iter().map(|item| brief_item(item)).collect::<Vec<_>>(), "made": claims,
    });
    let prompt = prompt(&SelfReviewInput { items: &items, diff, claims: &claims, nonce: &nonce });
    Question { role: Role::Verify, item: None, round, prompt, brief, schema: schema(), checks: &[], anew: false }
}

fn shortened(diff: &str) -> String {
    if diff.len() <= DIFF {
        return diff.to_owned();
    }
    format!("{}\n[… left out …]\n{}", start(diff, DIFF / 2), end(diff, DIFF / 2))
}

fn finding(word: Word) -> Finding {
    Finding {
        path: one_line(&word.path, 200),
        item: word.item,
        kind: one_line(word.kind.as_deref().unwrap_or("fault"), 40),
        confidence: word.confidence.unwrap_or(Confidence::Medium),
        why: one_line(&word.why, 500),
        sent_back: false,
    }
}
