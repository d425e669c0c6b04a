//! A sweep over review threads (P27–P31): each unresolved one is checked against the present head, fixed or answered,
//! and resolved; also when nothing had to be pushed.

use crate::model::report::Reason;
use crate::model::review::{ReviewFinding, Severity};
use crate::model::spec::{Dropped, ItemKind, ItemStatus, Spec, Verdict};
use crate::model::text::for_prompt;
use crate::policy::findings;
use crate::policy::spec::plain_item;
use crate::ui::Phase;

use super::context::{Context, Progress, Result};
use super::{finish, reply};

/// What a caller hands in.
#[derive(Debug, Clone, Default)]
pub struct Sweep {
    /// Findings of a caller's reviewer, which need no thread.
    pub findings: Vec<ReviewFinding>,
}

/// Adds the findings to the spec of a sweep; those that are not acted on are listed as dropped.
pub fn add_findings(ctx: &Context<'_>, spec: &mut Spec) {
    let Some(sweep) = &ctx.options.sweep else { return };
    for finding in &sweep.findings {
        let source = format!("finding {}", finding.id);
        if let Some(why) = findings::left_out(finding, Severity::P1) {
            spec.dropped.push(Dropped { url: source, author: String::new(), rule: "findings".to_owned(), why });
            continue;
        }
        let mut request = format!("{}\n\n{}", finding.title, finding.body);
        for (name, text) in [("Criterion", &finding.criterion), ("Evidence", &finding.evidence)] {
            request += &text.as_ref().map(|text| format!("\n\n{name}: {text}")).unwrap_or_default();
        }
        let mut item = plain_item(ItemKind::Review, &source, for_prompt(&request));
        item.id = u32::try_from(spec.items.len() + 1).unwrap_or(u32::MAX);
        (item.path, item.line, item.start_line) = (finding.file.clone(), finding.line_start, None);
        if finding.line_end != finding.line_start {
            (item.start_line, item.line) = (finding.line_start, finding.line_end);
        }
        spec.items.push(item);
    }
}

/// What a probe could not decide is for a person and not for the fix agent.
pub fn leave_unclear(ctx: &Context<'_>, progress: &mut Progress) {
    if !ctx.sweep {
        return;
    }
    let unclear = progress.verdicts.values().filter(|triage| triage.verdict == Verdict::Unclear);
    let unclear: Vec<(u32, String)> = unclear.map(|triage| (triage.item_id, triage.reasoning.clone())).collect();
    for (id, why) in unclear {
        if !progress.endings.contains_key(&id) {
            progress.end(id, ItemStatus::NeedsHuman, why);
        }
    }
}

/// Answers and resolves what needs no push. Any other run says nothing then (A26).
pub fn answer(ctx: &Context<'_>, progress: &mut Progress) -> Result<()> {
    if !ctx.sweep || ctx.options.no_reply || ctx.options.no_push {
        return Ok(());
    }
    let Some(harvest) = progress.harvest.clone() else { return Ok(()) };
    ctx.world.ui.phase(Phase::Reply);
    let reports = finish::items(progress, Reason::AllTriagedOut);
    reply::run(ctx, &harvest, progress, &reports, None)?;
    progress.unresolved_after = Some(ctx.github.now(ctx.number)?.unresolved_threads);
    Ok(())
}
