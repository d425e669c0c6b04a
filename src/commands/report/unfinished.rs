//! The report of a run whose process is gone or still works: what its journal and its specification tell.

use crate::model::proof::Proof;
use crate::model::report::{
    GateReport, ItemReport, Outcome, PrSummary, Reason, Report, SCHEMA, ThreadCounts, WorktreeReport,
};
use crate::model::spec::{ItemStatus, Spec, SpecItem};
use crate::policy::spec::login;
use crate::state::{Effect, Held, Replay, RunDir};

/// `alive`: who works on its pull request right now.
pub fn report(run: &RunDir, past: &Replay, alive: Option<&Held>) -> Report {
    let spec: Spec = run.read_json("spec.json").unwrap_or_default();
    let commits = past.passes.values().filter_map(|pass| pass.oid.clone()).collect();
    let pushed = past.done.keys().find_map(|step| match step {
        Effect::Push { oid } => Some(oid.clone()),
        _ => None,
    });
    Report {
        schema: SCHEMA.to_owned(),
        run: run.id.clone(),
        pr: PrSummary {
            number: run.pr().unwrap_or(past.pr),
            head_before: past.head.clone(),
            head_after: pushed,
            ..PrSummary::default()
        },
        outcome: Outcome::Blocked,
        reason: Reason::Interrupted,
        unblock: Some(unblock(run, past, alive)),
        commits,
        items: spec.items.iter().map(|item| item_report(item, past)).collect(),
        dropped: spec.dropped,
        untrusted: spec.untrusted,
        gates: gates(past),
        self_review: past.reviews.last().map(|(_, findings)| findings.clone()).unwrap_or_default(),
        threads: ThreadCounts::default(),
        worktree: worktree(past),
        usage: past.usage,
        warnings: spec.warnings,
        reviewers: Vec::new(),
        sweeps: Vec::new(),
    }
}

fn unblock(run: &RunDir, past: &Replay, alive: Option<&Held>) -> String {
    match alive {
        Some(held) => format!("wait: process {} works on it, since {}", held.pid, held.since),
        None if past.newer => {
            "another version of git-prfix wrote it; go on with that one, or start over with `--fresh`".to_owned()
        }
        None => format!("its process ended before the run did; go on with it: `git prfix --resume {}`", run.id),
    }
}

fn item_report(item: &SpecItem, past: &Replay) -> ItemReport {
    let verdict = past.triage.get(&item.id);
    let threads = || item.references.iter().filter_map(|reference| reference.thread.clone());
    let url = threads().find_map(|thread| past.done.get(&Effect::Reply { thread }).cloned().flatten());
    let resolved = threads().any(|thread| past.done.contains_key(&Effect::Resolve { thread }));
    let (status, detail) = past.excused.get(&item.id).cloned().unwrap_or((ItemStatus::Unaddressed, String::new()));
    ItemReport {
        id: item.id,
        kind: item.kind,
        source: item.source().to_owned(),
        author: item.author.as_ref().map_or_else(String::new, |author| login(Some(author))),
        path: item.path.clone(),
        line: item.line,
        request: item.request.clone(),
        verdict: verdict.map(|triage| triage.verdict),
        reasoning: verdict.map(|triage| triage.reasoning.clone()).unwrap_or_default(),
        risk: verdict.and_then(|triage| triage.risk),
        status,
        detail,
        proof: Proof::none("the run has not ended"),
        reply_url: url,
        resolved,
    }
}

fn gates(past: &Replay) -> Vec<GateReport> {
    let before = past.baseline.as_deref().unwrap_or_default();
    past.verified.iter().flat_map(|(_, gates)| gates).map(|run| run.report(before)).collect()
}

fn worktree(past: &Replay) -> WorktreeReport {
    let Some((path, branch, _)) = &past.worktree else { return WorktreeReport::default() };
    let kept = path.exists();
    let why = if kept { "the run has not ended" } else { "it is gone" };
    WorktreeReport { path: path.to_string_lossy().into_owned(), branch: branch.clone(), kept, why: why.to_owned() }
}
