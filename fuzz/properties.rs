//! What must hold for any input of what reads foreign text. A function here is the body of a fuzz target, and the
//! test `project::fuzz` feeds every file of `fuzz/corpus/` to it, so that an input that was found stays a test.

#![allow(dead_code, reason = "each target uses one of them")]

use git_prfix::agent::{extract, schema};
use git_prfix::git::guard::{Update, parse_updates};
use git_prfix::model::manifest::Manifest;
use git_prfix::model::spec::Triage;
use git_prfix::policy::suggestion;
use git_prfix::rules::{CommentView, PrView, Rules, Source, SourceLayer};
use git_prfix::state::fold;

/// The first byte chooses how the output is read. An answer that was found is found again in what it prints as.
pub fn answer(data: &[u8]) {
    const FORMS: &[&str] =
        &["text", "claude-json", "codex-jsonl", "qwen-json", "gemini-json", "opencode-jsonl", "unknown"];
    let Some((form, rest)) = data.split_first() else { return };
    let form = FORMS[usize::from(*form) % FORMS.len()];
    let text = String::from_utf8_lossy(rest);
    if let Ok(manifest) = extract::<Manifest>(&text, form, &schema::manifest()) {
        let printed = serde_json::to_string(&manifest).expect("a manifest is JSON");
        let again = extract::<Manifest>(&printed, "text", &schema::manifest());
        assert_eq!(again.as_ref(), Ok(&manifest), "{printed}");
    }
    let _ = extract::<Triage>(&text, form, &schema::probe());
}

/// A journal is read whatever happened to it, and a torn last line adds nothing.
pub fn journal(data: &[u8]) {
    let whole = fold(data);
    let mut torn = data.to_vec();
    if !torn.is_empty() && !torn.ends_with(b"\n") {
        let end = torn.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        torn.truncate(end);
    }
    assert_eq!(fold(&torn), whole);
    torn.extend_from_slice(b"{\"v\":1,\"at\":\"2026-01-01T00:00:00Z\",\"event\":\"did\",\"step\":{\"effect\":\"summ");
    assert_eq!(fold(&torn), whole);
}

/// What is taken for git's lines is just that: written down again it reads the same.
pub fn pre_push(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some(updates) = parse_updates(&text) else { return };
    let line = |u: &Update| format!("{} {} {} {}\n", u.local_ref, u.local_oid, u.remote_ref, u.remote_oid);
    let written: String = updates.iter().map(line).collect();
    assert_eq!(parse_updates(&written).as_ref(), Some(&updates));
    for update in &updates {
        assert!(
            update.remote_ref.starts_with("refs/")
                && !update.remote_ref.contains(|c: char| c == ' ' || c.is_ascii_control())
        );
    }
}

/// What is shown of a log has a limit, and nothing in it steers a terminal. The first byte says whether its beginning
/// was cut off.
pub fn log(data: &[u8]) {
    let Some((cut, raw)) = data.split_first() else { return };
    let total = (cut % 2 == 1).then_some(raw.len() as u64 + 1);
    let tail = git_prfix::github::log_tail(raw, total);
    assert!(tail.text.len() <= (64 << 10) + 1024, "{} bytes", tail.text.len());
    for text in [tail.text.as_str(), tail.step.as_deref().unwrap_or_default()] {
        let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert!(!text.contains(steers), "{text:?}");
    }
}

/// A block's lines come from the body, and prose has none of them hidden in it.
pub fn suggestion(data: &[u8]) {
    let body = String::from_utf8_lossy(data);
    let Some(parsed) = suggestion::parse(&body) else { return };
    assert!(!parsed.blocks.is_empty());
    for line in parsed.blocks.iter().flatten() {
        assert!(!line.contains('\n') && body.contains(line.as_str()), "{line:?}");
    }
    suggestion::asks_more(&parsed.prose);
}

/// A team's rule file loads or is refused, in bounded time and memory; and whatever it then says about a comment is
/// a decision.
pub fn rules(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let source = Source { layer: SourceLayer::Repository, name: ".prfix/fuzz.lua".into(), text };
    let Ok(rules) = Rules::load(&[source]) else { return };
    let comment = CommentView {
        id: "C1",
        kind: "comment",
        login: "rita",
        bot: false,
        association: "MEMBER",
        ghost: false,
        body: "Please rename this.",
        path: Some("src/a.rs"),
        line: Some(3),
        outdated: false,
        resolved: false,
        minimized: None,
        review_state: None,
        own: false,
    };
    let pr =
        PrView { number: 7, author: Some("ann"), title: "Add counting", base: "main", head: "feature", draft: false };
    let _ = rules.decide(&comment, &pr);
    let _ = rules.protection(".github/workflows/ci.yml");
    rules.take_warnings();
}
