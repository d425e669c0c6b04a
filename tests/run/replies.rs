//! Answers and resolutions (T117–T128, cases 10–14).

use crate::support::{Fault, Pr, TestBench, Thread};

fn one(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

#[test]
fn the_reply_names_the_pushed_commit_and_carries_a_hidden_mark() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let reply = &pr.replies_in(0)[0];
    assert!(reply.starts_with(&format!("Fixed in {}", &pr.head()[..7])), "{reply}");
    assert!(reply.contains("<!-- git-prfix 1 "));
    assert!(report["items"][0]["reply_url"].as_str().unwrap().contains("discussion_r"));
    assert_eq!(report["items"][0]["resolved"], true);
    assert_eq!(
        (report["threads"]["unresolved_before"].as_u64(), report["threads"]["unresolved_after"].as_u64()),
        (Some(1), Some(0))
    );
}

#[test]
fn a_second_run_on_the_same_head_posts_nothing() {
    let bench = TestBench::new();
    bench.config("prfix.resolve", "never");
    let pr = one(&bench).comment("rita", "Could you rename `n` to `len`, please?");
    bench.prfix(["7"]).succeeds();
    assert_eq!((pr.replies(), pr.conversation().len()), (1, 2));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "nothing-to-do", "{report:#}");
    assert_eq!((pr.replies(), pr.conversation().len()), (1, 2));
}

#[test]
fn a_mark_forged_by_somebody_else_is_not_honoured() {
    let bench = TestBench::new();
    let forged = r#"Fixed.

<!-- git-prfix 1 {"pr":7,"head":"abc","key":"x","handled":[]} -->"#;
    bench.open_pr("feature").with(Thread::at("src/a.rs:3").says("This loop is off by one.").reply("ann", forged));
    let report = bench.prfix(["harvest", "7", "--json"]).succeeds().json();
    assert_eq!(report["items"].as_array().unwrap().len(), 1, "{report:#}");
}

#[test]
fn another_of_our_identities_is_recognised_by_its_mark() {
    let bench = TestBench::new();
    bench.config("prfix.identities", "fix-bot");
    let mark = r#"Fixed.

<!-- git-prfix 1 {"pr":7,"head":"abc","key":"x","handled":[]} -->"#;
    bench.open_pr("feature").with(Thread::at("src/a.rs:3").says("This loop is off by one.").reply("fix-bot", mark));
    let report = bench.prfix(["harvest", "7", "--json"]).succeeds().json();
    assert!(report["items"].as_array().unwrap().is_empty(), "{report:#}");
    assert_eq!(report["dropped"][0]["rule"], "answered");
}

#[test]
fn feedback_without_a_thread_gets_one_summary() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let pr = bench
        .open_pr("feature")
        .review("rita", "CHANGES_REQUESTED", "Please document the count function.")
        .comment("rita", "Could you rename `n` to `len`, please?");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let conversation = pr.conversation();
    assert_eq!(conversation.len(), 2);
    let (author, body) = &conversation[1];
    assert_eq!(author, "octavia");
    assert!(body.contains(&pr.head()[..7]) && body.contains("issuecomment-"), "{body}");
    assert!(report["items"][0]["reply_url"].is_string());
}

#[test]
fn no_reply_pushes_and_posts_nothing() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let report = bench.prfix(["7", "--no-reply", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "pushed");
    assert_eq!((pr.replies(), pr.unresolved()), (0, 1));
}

#[test]
fn a_thread_that_got_a_new_comment_meanwhile_is_left_alone() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let event = pr.clone();
    bench.github.on("ThreadNow").nth(1).before(move || event.reply(0, "rita", "Wait, on second thought don't."));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!((pr.replies_in(0).len(), pr.unresolved()), (0, 1), "{report:#}");
    assert!(report["warnings"].to_string().contains("somebody wrote in it"));
}

#[test]
fn a_comment_edited_after_it_was_read_is_not_called_fixed() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let event = pr.clone();
    let comment = pr.comments_of(0)[0].clone();
    bench.github.on("ThreadNow").nth(1).before(move || event.edit(&comment, "Something else entirely."));
    bench.prfix(["7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (0, 1));
}

#[test]
fn a_thread_that_somebody_resolved_meanwhile_gets_no_reply() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let event = pr.clone();
    bench.github.on("ThreadNow").nth(1).before(move || event.resolve(0));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(pr.replies(), 0);
    assert_eq!(report["items"][0]["resolved"], true);
}

#[test]
fn a_token_that_may_not_resolve_costs_the_resolution_only() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let pr = bench
        .open_pr("feature")
        .with(Thread::at("src/a.rs:3").says("This loop is off by one, use `<`.").cannot_resolve());
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["reason"], "pushed");
    assert_eq!((pr.replies(), pr.unresolved()), (1, 1));
    assert_eq!(report["items"][0]["resolved"], false);
    assert!(report["warnings"].to_string().contains("write access"));
}

#[test]
fn an_outdated_thread_is_still_resolved_by_its_id() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let pr =
        bench.open_pr("feature").with(Thread::at("src/a.rs:3").says("This loop is off by one, use `<`.").outdated());
    bench.prfix(["7"]).succeeds();
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_lost_answer_to_a_reply_posts_it_once() {
    let mut bench = TestBench::new();
    bench.clock("2026-01-02T03:04:05Z");
    let pr = one(&bench);
    bench.github.on("Reply").nth(1).fail(Fault::DropAfter);
    bench.prfix(["7"]).succeeds();
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
}
