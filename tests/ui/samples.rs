//! One run's data, with hostile text where a stranger could put it.

use git_prfix::model::agent::Usage;
use git_prfix::model::pr::{Actor, ActorKind};
use git_prfix::model::report::{
    GateReport, GateStatus, ItemReport, Outcome, PrSummary, Reason, Report, SCHEMA, ThreadCounts, WorktreeReport,
};
use git_prfix::model::spec::{
    Dropped, ItemKind, ItemStatus, ProposedFix, Reference, Risk, Spec, SpecItem, Triage, Untrusted, Verdict,
};

pub const TOKEN: &str = "ghp_0123456789012345678901234567890123456789";
const PR: &str = "https://github.com/octo/demo/pull/7";

fn item(id: u32, kind: ItemKind, place: Option<(&str, u64)>, request: &str) -> SpecItem {
    let source = match kind {
        ItemKind::Check => "build / linux (stable)".to_owned(),
        _ => format!("{PR}#discussion_r{id}"),
    };
    let author = (kind != ItemKind::Check).then(|| Actor::new("alice", ActorKind::User));
    SpecItem {
        id,
        kind,
        references: vec![Reference { kind, source, thread: None, path: None, comments: Vec::new(), check: None }],
        author,
        path: place.map(|(path, _)| path.to_owned()),
        line: place.map(|(_, line)| line),
        start_line: None,
        side: None,
        outdated: id == 2,
        request: request.to_owned(),
        remarks: Vec::new(),
        diff_hunk: None,
        check: None,
        hint: None,
        suggestion: None,
    }
}

fn dropped() -> Vec<Dropped> {
    vec![Dropped {
        url: format!("{PR}#issuecomment-31"),
        author: "codecov".into(),
        rule: "noise.bots".into(),
        why: "a coverage table, which asks for nothing".into(),
    }]
}

fn untrusted() -> Vec<Untrusted> {
    vec![Untrusted { url: format!("{PR}#issuecomment-32"), author: "mallory".into() }]
}

pub fn spec() -> Spec {
    Spec {
        items: vec![
            item(1, ItemKind::Thread, Some(("src/range.rs", 12)), "The loop runs one step too far: use `<`, not `<=`."),
            item(
                2,
                ItemKind::Thread,
                Some(("src/日本語/名前.rs", 3)),
                "名前を変更してください。 \u{1b}]0;owned\u{7}Thanks!",
            ),
            item(3, ItemKind::Check, None, "build / linux (stable) failed"),
        ],
        dropped: dropped(),
        untrusted: untrusted(),
        warnings: vec!["the newest 100 comments were read, there are more".into()],
    }
}

pub fn verdicts() -> Vec<Triage> {
    vec![
        Triage {
            item_id: 1,
            verdict: Verdict::Valid,
            reasoning: "`i <= n` reads past the end (src/range.rs:12).".into(),
            proposed_fix: Some(ProposedFix {
                path: "src/range.rs".into(),
                location: "fn sum".into(),
                change: "compare with `<`".into(),
            }),
            risk: Some(Risk::Low),
        },
        Triage {
            item_id: 2,
            verdict: Verdict::AlreadyAddressed,
            reasoning: "Renamed in the head commit (src/日本語/名前.rs:3).".into(),
            proposed_fix: None,
            risk: None,
        },
    ]
}

fn line(id: u32, kind: ItemKind, verdict: Option<Verdict>, status: ItemStatus) -> ItemReport {
    ItemReport {
        id,
        kind,
        source: format!("{PR}#discussion_r{id}"),
        author: "alice".into(),
        path: Some("src/range.rs".into()),
        line: Some(12),
        request: "The loop runs one step too far: use `<`, not `<=`.".into(),
        verdict,
        reasoning: String::new(),
        risk: None,
        status,
        detail: String::new(),
        proof: git_prfix::model::proof::Proof::default(),
        reply_url: None,
        resolved: false,
    }
}

/// A pushed run, and the same run blocked by its gates.
pub fn report(blocked: bool) -> Report {
    let mut fixed = line(1, ItemKind::Thread, Some(Verdict::Valid), ItemStatus::Fixed);
    fixed.reasoning = "`i <= n` reads past the end (src/range.rs:12).".into();
    fixed.risk = Some(Risk::Low);
    fixed.detail = "fixed in 1a2b3c4: the loop compares with `<`".into();
    fixed.reply_url = Some(format!("{PR}#discussion_r101"));
    fixed.resolved = true;
    let mut hostile = line(2, ItemKind::Comment, Some(Verdict::Unclear), ItemStatus::NeedsHuman);
    hostile.author = "eve".into();
    hostile.path = None;
    hostile.request = format!("``` | <img src=x onerror=alert(1)> @octo/everyone\n````\n# {TOKEN}\u{1b}[2J</details>");
    hostile.detail = "Which of the two names is meant?".into();
    let gate = |command: &str, status, exit, before| GateReport {
        command: command.into(),
        status,
        exit,
        seconds: 75.2,
        before,
        flaky: false,
        log: "runs/pr7/gates/1.log".into(),
    };
    let last = if blocked { (GateStatus::Failed, Some(101)) } else { (GateStatus::Passed, Some(0)) };
    Report {
        schema: SCHEMA.into(),
        run: "pr7-20261201T023000Z-1a2b".into(),
        pr: PrSummary {
            number: 7,
            url: PR.into(),
            title: "Sum a range, faster | `unsafe`".into(),
            head_branch: "feature/range".into(),
            head_before: "0f1e2d3c4b5a69788796a5b4c3d2e1f001234567".into(),
            head_after: (!blocked).then(|| "1a2b3c4d5e6f708192a3b4c5d6e7f80912345678".into()),
        },
        outcome: if blocked { Outcome::Blocked } else { Outcome::Done },
        reason: if blocked { Reason::Gates } else { Reason::Pushed },
        unblock: blocked.then(|| "mend `cargo test` in the worktree, then run `git prfix --resume`".into()),
        commits: if blocked { Vec::new() } else { vec!["1a2b3c4d5e6f708192a3b4c5d6e7f80912345678".into()] },
        items: vec![fixed, hostile],
        dropped: dropped(),
        untrusted: untrusted(),
        gates: vec![
            gate("cargo fmt --check", GateStatus::Passed, Some(0), Some(GateStatus::Passed)),
            gate("cargo test", last.0, last.1, Some(GateStatus::Failed)),
        ],
        self_review: vec![],
        threads: ThreadCounts { unresolved_before: 2, unresolved_after: if blocked { 2 } else { 1 } },
        worktree: WorktreeReport {
            path: "~/.local/state/git-prfix/worktrees/demo/pr7-fix".into(),
            branch: "prfix/pr7-fix".into(),
            kept: blocked,
            why: if blocked { "locked: gates are red".into() } else { String::new() },
        },
        usage: Usage { agent_calls: 4, seconds: 61.0, input_tokens: 12_345, output_tokens: 678, cost_usd: Some(0.42) },
        warnings: vec!["2 local commits on feature/range are not on the remote".into()],
        reviewers: Vec::new(),
        sweeps: vec![],
    }
}
