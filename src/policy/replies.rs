//! Which thread gets which answer, and which of them is resolved (P22, W48, Part 3 of the requirements).

use serde::Serialize;

use crate::model::report::ItemReport;
use crate::model::spec::{ItemKind, ItemStatus, SpecItem, Verdict};

/// Which threads are resolved after their reply (`prfix.resolve`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResolvePolicy {
    /// Fixed or not applicable, and just answered.
    Answered,
    Fixed,
    Never,
}

/// What a reply is made from; the text rules see it as a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplyContext {
    pub id: u32,
    pub status: &'static str,
    pub verdict: Option<&'static str>,
    /// The pushed commit, short; only for what is fixed.
    pub sha: Option<String>,
    pub detail: String,
    pub reasoning: String,
    /// What shows that it is fixed, in one line.
    pub proof: Option<String>,
    pub request: String,
    pub kind: &'static str,
    pub source: String,
    pub path: Option<String>,
    pub line: Option<u64>,
}

/// One thread to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadAnswer {
    pub thread: String,
    pub item: u32,
    pub context: ReplyContext,
    pub resolve: bool,
}

/// Everything to be posted after a push.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    pub threads: Vec<ThreadAnswer>,
    /// Items without a thread, for the one summary comment.
    pub summary: Vec<ReplyContext>,
}

/// Plans the answers for items that ended. `pushed` is the commit on the remote; without one
/// nothing is called fixed.
pub fn plan(items: &[(&SpecItem, &ItemReport)], pushed: Option<&str>, policy: ResolvePolicy) -> Plan {
    let mut plan = Plan::default();
    let mut feedback_without_thread = false;
    for (item, report) in items {
        if !answerable(report.status, pushed) {
            continue;
        }
        let context = context(item, report, pushed);
        for thread in item.threads() {
            plan.threads.push(ThreadAnswer {
                thread: thread.to_owned(),
                item: item.id,
                context: context.clone(),
                resolve: resolves(report, policy),
            });
        }
        if item.references.iter().any(|r| r.thread.is_none()) {
            feedback_without_thread |=
                item.references.iter().any(|r| matches!(r.kind, ItemKind::Review | ItemKind::Comment));
            plan.summary.push(context);
        }
    }
    if !feedback_without_thread {
        plan.summary.clear();
    }
    plan
}

/// An item that was left alone, or that claims a fix which nobody can see, gets no answer.
fn answerable(status: ItemStatus, pushed: Option<&str>) -> bool {
    match status {
        ItemStatus::Fixed => pushed.is_some(),
        ItemStatus::TriagedOut | ItemStatus::OutOfScope | ItemStatus::Declined | ItemStatus::NeedsHuman => true,
        ItemStatus::Rerun | ItemStatus::Unaddressed => false,
    }
}

fn resolves(report: &ItemReport, policy: ResolvePolicy) -> bool {
    match policy {
        ResolvePolicy::Never => false,
        ResolvePolicy::Fixed => report.status == ItemStatus::Fixed,
        ResolvePolicy::Answered => matches!(report.status, ItemStatus::Fixed | ItemStatus::TriagedOut),
    }
}

fn context(item: &SpecItem, report: &ItemReport, pushed: Option<&str>) -> ReplyContext {
    ReplyContext {
        id: item.id,
        status: report.status.as_str(),
        verdict: report.verdict.map(Verdict::as_str),
        sha: (report.status == ItemStatus::Fixed)
            .then(|| pushed.map(|oid| crate::model::text::short(oid).to_owned()))
            .flatten(),
        detail: report.detail.clone(),
        reasoning: report.reasoning.clone(),
        proof: (report.status == ItemStatus::Fixed).then(|| report.proof.line()).flatten(),
        request: item.request.clone(),
        kind: item.kind.as_str(),
        source: item.source().to_owned(),
        path: item.path.clone(),
        line: item.line,
    }
}

/// The reply when no rule has an opinion: one short line with its evidence.
pub fn default_reply(context: &ReplyContext) -> String {
    let because = if context.detail.is_empty() { &context.reasoning } else { &context.detail };
    let line = match (context.status, &context.sha) {
        ("fixed", Some(sha)) if because.is_empty() => return format!("Fixed in {sha}."),
        ("fixed", Some(sha)) => format!("Fixed in {sha}: {because}"),
        ("needs-human", _) => format!("Needs a decision: {because}"),
        _ if context.verdict == Some("already-addressed") => format!("Not changed, already addressed: {because}"),
        _ => format!("Not changed: {because}"),
    };
    line.trim_end_matches([':', ' ']).to_owned()
}

/// The summary comment when no rule has an opinion.
pub fn default_summary(pushed: Option<&str>, items: &[ReplyContext]) -> String {
    let head = match pushed {
        Some(oid) => format!("Pushed {} for this feedback:", crate::model::text::short(oid)),
        None => "About this feedback:".to_owned(),
    };
    let lines = items.iter().map(|item| {
        let request = crate::model::text::one_line(&item.request, 100);
        format!("- {request}: {}", default_reply(item))
    });
    std::iter::once(head).chain([String::new()]).chain(lines).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::spec::Reference;

    fn item(id: u32, kind: ItemKind, thread: Option<&str>) -> SpecItem {
        let mut item: SpecItem = serde_json::from_value(serde_json::json!({
            "id": id, "kind": kind, "references": [], "author": null, "path": null, "line": null, "start_line": null,
            "side": null, "outdated": false, "request": "r", "remarks": [], "diff_hunk": null, "check": null, "hint": null
        }))
        .unwrap();
        item.references.push(Reference {
            kind,
            source: "s".into(),
            thread: thread.map(Into::into),
            path: None,
            comments: vec![],
            check: None,
        });
        item
    }

    fn report(id: u32, status: ItemStatus) -> ItemReport {
        ItemReport {
            id,
            kind: ItemKind::Thread,
            source: "s".into(),
            author: "a".into(),
            path: None,
            line: None,
            request: "r".into(),
            verdict: None,
            reasoning: "because".into(),
            risk: None,
            status,
            detail: String::new(),
            proof: crate::model::proof::Proof::default(),
            reply_url: None,
            resolved: false,
        }
    }

    #[test]
    fn nothing_is_called_fixed_without_a_pushed_commit() {
        let thread = item(1, ItemKind::Thread, Some("T"));
        let fixed = report(1, ItemStatus::Fixed);
        assert!(plan(&[(&thread, &fixed)], None, ResolvePolicy::Answered).threads.is_empty());
        let plan = plan(&[(&thread, &fixed)], Some("0123456789"), ResolvePolicy::Answered);
        assert_eq!(plan.threads[0].context.sha.as_deref(), Some("0123456"));
        assert!(plan.threads[0].resolve);
        assert_eq!(default_reply(&plan.threads[0].context), "Fixed in 0123456: because");
    }

    #[test]
    fn what_needs_a_person_stays_open_and_what_was_left_alone_gets_no_answer() {
        let a = item(1, ItemKind::Thread, Some("A"));
        let b = item(2, ItemKind::Thread, Some("B"));
        let (human, left) = (report(1, ItemStatus::NeedsHuman), report(2, ItemStatus::Unaddressed));
        let plan = plan(&[(&a, &human), (&b, &left)], Some("0123456789"), ResolvePolicy::Answered);
        assert_eq!(plan.threads.len(), 1);
        assert!(!plan.threads[0].resolve);
    }

    #[test]
    fn the_policy_decides_what_is_resolved() {
        let out = report(1, ItemStatus::TriagedOut);
        let fixed = report(1, ItemStatus::Fixed);
        for (policy, want) in [
            (ResolvePolicy::Answered, (true, true)),
            (ResolvePolicy::Fixed, (false, true)),
            (ResolvePolicy::Never, (false, false)),
        ] {
            assert_eq!((resolves(&out, policy), resolves(&fixed, policy)), want);
        }
    }

    #[test]
    fn feedback_without_a_thread_gets_one_summary_and_checks_alone_get_none() {
        let review = item(1, ItemKind::Review, None);
        let check = item(2, ItemKind::Check, None);
        let (a, b) = (report(1, ItemStatus::Fixed), report(2, ItemStatus::Fixed));
        assert_eq!(plan(&[(&review, &a), (&check, &b)], Some("0123456789"), ResolvePolicy::Answered).summary.len(), 2);
        assert!(plan(&[(&check, &b)], Some("0123456789"), ResolvePolicy::Answered).summary.is_empty());
    }
}
