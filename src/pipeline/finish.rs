//! The report, and the worktree's end: removed after success, kept and locked otherwise (A51–A53).

use crate::git::Worktree;
use crate::model::proof::Proof;
use crate::model::report::{
    GateReport, ItemReport, Outcome, PrSummary, Reason, Report, SCHEMA, ThreadCounts, WorktreeReport,
};
use crate::model::spec::{ItemStatus, SpecItem};
use crate::model::timeline::Span;
use crate::policy::spec::login;
use crate::state::Event;
use crate::ui::{Page, report_page};

use super::context::{Context, Progress, Result, Stop};
use super::gates::tail;
use super::isolate::manager;

/// Lines of a gate's output on the page.
const PAGE_TAIL: usize = 40;

/// How a run ended, before it is written down.
pub struct End {
    pub outcome: Outcome,
    pub reason: Reason,
    pub unblock: Option<String>,
}

impl End {
    pub fn of(stop: &Stop) -> Self {
        match stop {
            Stop::Done(reason) => Self { outcome: Outcome::Done, reason: *reason, unblock: None },
            Stop::Blocked { reason, unblock } => {
                Self { outcome: Outcome::Blocked, reason: *reason, unblock: Some(unblock.clone()) }
            }
            Stop::Interrupted => Self {
                outcome: Outcome::Blocked,
                reason: Reason::Interrupted,
                unblock: Some("run the same command again; it goes on where it stopped".to_owned()),
            },
            Stop::Fault(error) => {
                let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
                Self {
                    outcome: Outcome::Blocked,
                    reason: Reason::Interrupted,
                    unblock: Some(format!(
                        "{error}{help}; then run the same command again, it goes on where it stopped"
                    )),
                }
            }
        }
    }
}

/// The items as they stand. `fixed` is said of what is on the pull request, and of what `--no-push`
/// left in the worktree as asked; a fix that got stuck on its way is not one.
pub fn items(progress: &Progress, reason: Reason) -> Vec<ItemReport> {
    let mut reports: Vec<ItemReport> = progress.spec.items.iter().map(|item| item_report(item, progress)).collect();
    if progress.pushed.is_none() && reason != Reason::NoPush {
        for report in reports.iter_mut().filter(|r| r.status == ItemStatus::Fixed) {
            report.status = ItemStatus::Unaddressed;
            report.detail = format!("fixed in the worktree, not pushed: {}", report.detail);
        }
    }
    reports
}

fn item_report(item: &SpecItem, progress: &Progress) -> ItemReport {
    let verdict = progress.verdicts.get(&item.id);
    let ending = progress.endings.get(&item.id);
    let (reply_url, resolved) = progress.answers.get(&item.id).cloned().unwrap_or((None, false));
    ItemReport {
        id: item.id,
        kind: item.kind,
        source: item.source().to_owned(),
        author: item.author.as_ref().map_or_else(String::new, |author| login(Some(author))),
        path: item.path.clone(),
        line: item.line,
        request: item.request.clone(),
        verdict: verdict.map(|v| v.verdict),
        reasoning: verdict.map(|v| v.reasoning.clone()).unwrap_or_default(),
        risk: verdict.and_then(|v| v.risk),
        status: ending.map_or(ItemStatus::Unaddressed, |e| e.status),
        detail: ending.map(|e| e.detail.clone()).unwrap_or_default(),
        proof: progress.proofs.get(&item.id).cloned().unwrap_or_else(|| Proof::none("nothing was changed for it")),
        reply_url: reply_url.filter(|url| !url.is_empty()),
        resolved,
    }
}

/// Ends the worktree, writes the report, and (unless the run is to be resumed) closes the journal.
pub fn run(ctx: &Context<'_>, progress: &mut Progress, stop: &Stop) -> Result<Report> {
    let mut end = End::of(stop);
    if let (Stop::Blocked { .. }, Some(unblock)) =
        (stop, end.unblock.as_mut().filter(|_| can_go_on(ctx, progress, stop)))
        && !unblock.contains("goes on where it stopped")
    {
        unblock.push_str("; then run the same command again, it goes on where it stopped");
    }
    // What broke in rules that were asked late: replies, summaries, reviewers.
    for warning in ctx.rules.take_warnings() {
        ctx.warn(warning);
    }
    let worktree = end_worktree(ctx, progress, &end, can_go_on(ctx, progress, stop));
    ctx.instant();
    let report = report(ctx, progress, &end, worktree);
    ctx.run.write_json("report.json", &report)?;
    ctx.run.write("report.md", crate::ui::report_markdown(&report).as_bytes())?;
    write_page(ctx, progress, &report)?;
    ctx.instant();
    if can_go_on(ctx, progress, stop) {
        // The fault itself is what is to be said, also when it was the disk.
        let _ = ctx.record(Event::Stopped { reason: end.reason, unblock: end.unblock.clone().unwrap_or_default() });
    } else {
        ctx.record(Event::Finished { outcome: end.outcome, reason: end.reason, unblock: end.unblock.clone() })?;
        let _ = std::fs::remove_dir_all(ctx.run.dir.join("tmp"));
        let _ = std::fs::remove_dir_all(ctx.run.dir.join("tmp-before"));
        ctx.forget_private_refs();
        ctx.world.store.prune(ctx.settings.keep_runs);
    }
    Ok(report)
}

/// `report.html`. The time line goes on over the processes of a run that was resumed.
fn write_page(ctx: &Context<'_>, progress: &Progress, report: &Report) -> Result<()> {
    let mut timeline: Vec<Span> = ctx.run.read_json("timeline.json").unwrap_or_default();
    let so_far = timeline.iter().map(|span| span.start + span.seconds).fold(0.0, f64::max);
    let spans = ctx.world.ui.take_timeline();
    timeline.extend(spans.into_iter().map(|span| Span { start: span.start + so_far, ..span }));
    ctx.run.write_json("timeline.json", &timeline)?;
    let logs = report.gates.iter().map(|gate| (gate.log.clone(), tail(&gate.log, PAGE_TAIL))).collect();
    let page = Page { report, items: &progress.spec.items, timeline: &timeline, logs: &logs };
    ctx.run.write("report.html", report_page(&page).as_bytes())?;
    Ok(())
}

/// The report of a look: what exists by then.
pub fn preview(ctx: &Context<'_>, progress: &Progress) -> Report {
    let end = End { outcome: Outcome::Done, reason: Reason::DryRun, unblock: None };
    report(ctx, progress, &end, WorktreeReport::default())
}

/// The run stays open, and the next one takes up its work; where there is any.
fn can_go_on(ctx: &Context<'_>, progress: &Progress, stop: &Stop) -> bool {
    match stop {
        Stop::Done(_) => false,
        // A round has said that it could not do it, and has taken its work away.
        Stop::Blocked { .. } if ctx.open.get() && ctx.options.round.is_none() => true,
        Stop::Blocked { .. } if progress.spec.items.is_empty() => false,
        stop => stop.is_from_outside(),
    }
}

fn end_worktree(ctx: &Context<'_>, progress: &mut Progress, end: &End, goes_on: bool) -> WorktreeReport {
    let Some(worktree) = progress.worktree.clone() else { return WorktreeReport::default() };
    let mut kept = progress.keep.clone();
    if kept.is_none() && end.outcome == Outcome::Blocked && (!progress.commits.is_empty() && progress.pushed.is_none())
    {
        kept = Some(format!("git-prfix run {} is blocked", ctx.run.id));
    }
    if kept.is_none() && goes_on {
        kept = Some(format!("git-prfix run {} can be resumed", ctx.run.id));
    }
    let why = match kept {
        Some(reason) => keep(ctx, &worktree, reason),
        None => match manager(ctx).remove(&worktree, progress.pushed.as_deref(), false) {
            Ok(()) => return describe(&worktree, false, "removed; the branch stays"),
            Err(refusal) => keep(ctx, &worktree, refusal.to_string()),
        },
    };
    describe(&worktree, true, &why)
}

fn keep(ctx: &Context<'_>, worktree: &Worktree, reason: String) -> String {
    if let Err(error) = manager(ctx).keep(worktree, &reason) {
        ctx.warn(format!("the worktree could not be locked: {error}"));
    }
    reason
}

fn describe(worktree: &Worktree, kept: bool, why: &str) -> WorktreeReport {
    WorktreeReport {
        path: worktree.path.to_string_lossy().into_owned(),
        branch: worktree.branch.clone(),
        kept,
        why: why.to_owned(),
    }
}

fn report(ctx: &Context<'_>, progress: &Progress, end: &End, worktree: WorktreeReport) -> Report {
    let now = progress.harvest.as_ref().map_or(0, super::open::unresolved);
    let unresolved_before = ctx.past.unresolved.unwrap_or(now);
    let mut warnings = progress.spec.warnings.clone();
    warnings.extend(ctx.take_warnings());
    Report {
        schema: SCHEMA.to_owned(),
        run: ctx.run.id.clone(),
        pr: pr_summary(ctx, progress),
        outcome: end.outcome,
        reason: end.reason,
        unblock: end.unblock.clone(),
        commits: progress.commits.clone(),
        items: items(progress, end.reason),
        dropped: progress.spec.dropped.clone(),
        untrusted: progress.spec.untrusted.clone(),
        gates: gates(progress),
        self_review: progress.findings.clone(),
        threads: ThreadCounts { unresolved_before, unresolved_after: progress.unresolved_after.unwrap_or(now) },
        worktree,
        usage: ctx.total_usage(),
        warnings,
        reviewers: progress.reviewers.clone(),
        sweeps: Vec::new(),
    }
}

fn pr_summary(ctx: &Context<'_>, progress: &Progress) -> PrSummary {
    let Some(harvest) = &progress.harvest else { return PrSummary { number: ctx.number, ..PrSummary::default() } };
    let before = if ctx.past.head.is_empty() { &harvest.pr.head_oid } else { &ctx.past.head };
    PrSummary {
        number: ctx.number,
        url: harvest.pr.url.clone(),
        title: harvest.pr.title.clone(),
        head_branch: harvest.pr.head_branch.clone(),
        head_before: before.clone(),
        head_after: progress.pushed.clone(),
    }
}

/// Gates after the fix with what they were before; without a fix, those of the untouched head.
fn gates(progress: &Progress) -> Vec<GateReport> {
    progress.gates.iter().map(|run| run.report(&progress.baseline)).collect()
}
