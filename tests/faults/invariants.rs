//! What holds whatever fails, read from the records of the simulated GitHub, of the remote, and of the runs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ending::runs;
use super::scene::Scene;
use crate::support::git::{git, try_git};
use crate::support::run::Finished;

/// Fails with `what` when anything was done twice, in the wrong order, unverified, or said without being so.
pub fn hold(scene: &Scene, finished: &Finished, what: &str) {
    one_reply_for_a_thread_and_head(scene, what);
    no_resolve_without_its_reply(scene, what);
    only_verified_commits_on_the_branch(scene, what);
    nothing_is_fixed_that_is_not_there(scene, finished, what);
    each_end_is_one_that_a_person_can_go_on_from(scene, finished, what);
}

/// The head that the mark of one of our comments speaks of.
fn head_of(body: &str) -> String {
    let mark = body.lines().last().unwrap_or_default();
    mark.split("\"head\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
}

fn one_reply_for_a_thread_and_head(scene: &Scene, what: &str) {
    let threads = (0..scene.pr.threads().len()).map(|n| scene.pr.replies_in(n));
    let summary = scene.pr.conversation().into_iter().filter(|(login, _)| login == crate::support::bench::OPERATOR);
    for replies in threads.chain([summary.map(|(_, body)| body).collect()]) {
        let mut heads: BTreeMap<String, usize> = BTreeMap::new();
        replies.iter().for_each(|body| *heads.entry(head_of(body)).or_default() += 1);
        assert!(heads.values().all(|count| *count == 1), "{what}: answered more than once: {replies:#?}");
    }
}

fn no_resolve_without_its_reply(scene: &Scene, what: &str) {
    let writes = scene.bench.github.writes();
    for (at, (name, thread)) in writes.iter().enumerate().filter(|(_, (name, _))| name == "resolveReviewThread") {
        let answered = |(name, other): &(String, String)| name == "addPullRequestReviewThreadReply" && other == thread;
        assert!(writes[..at].iter().any(answered), "{what}: {name} without a reply: {writes:#?}");
    }
}

/// Each commit that the branch ever had, other than by its author's push, passed the gates before the push was tried.
fn only_verified_commits_on_the_branch(scene: &Scene, what: &str) {
    let record = scene.bench.hub().join("logs/refs/heads/feature");
    let record = std::fs::read_to_string(record).unwrap_or_default();
    for line in record.lines().filter(|line| line.contains("\tpush")) {
        let oid = line.split(' ').nth(1).unwrap_or_default();
        assert!(verified(scene, oid), "{what}: {oid} was pushed and not verified");
    }
    let ours = git(&scene.bench.hub(), &["log", "--format=%H", &format!("{}..feature", scene.head)]);
    if let Some(tip) = ours.lines().next() {
        assert!(verified(scene, tip), "{what}: {tip} is on the branch and was not verified");
    }
}

fn verified(scene: &Scene, oid: &str) -> bool {
    runs(&scene.bench).iter().any(|dir| {
        let journal = std::fs::read_to_string(dir.join("journal.jsonl")).unwrap_or_default();
        let events: Vec<Value> = journal.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let verified = events.iter().position(|event| {
            let gates = event["gates"].as_array().into_iter().flatten();
            event["event"] == "verified" && event["oid"] == oid && gates.clone().all(|gate| gate["status"] == "passed")
        });
        let pushed = |event: &Value| event["event"] == "trying" && event["step"]["oid"] == oid;
        verified.is_some_and(|at| !events[..at].iter().any(pushed))
    })
}

/// `fixed` is said of what is on the pull request, in the documents that were printed and in those that were kept.
fn nothing_is_fixed_that_is_not_there(scene: &Scene, finished: &Finished, what: &str) {
    let printed = serde_json::from_str(&finished.stdout).ok();
    let kept = runs(&scene.bench).into_iter().filter_map(|dir| std::fs::read(dir.join("report.json")).ok());
    let kept = kept.filter_map(|text| serde_json::from_slice(&text).ok());
    for report in printed.into_iter().chain(kept) {
        let report: Value = report;
        let fixed = report["items"].as_array().into_iter().flatten().any(|item| item["status"] == "fixed");
        let head = report["pr"]["head_after"].as_str().unwrap_or_default();
        let there = || try_git(&scene.bench.hub(), &["merge-base", "--is-ancestor", head, "feature"]).is_ok();
        assert!(!fixed || there(), "{what}: fixed, but not on the pull request: {report:#}");
        let said = report["outcome"] == "done" && report["reason"] == "pushed";
        assert!(!said || there(), "{what}: done, but not on the pull request: {report:#}");
    }
}

/// Done, blocked with what to do about it, or cut off with the run still open. Never without a word.
fn each_end_is_one_that_a_person_can_go_on_from(scene: &Scene, finished: &Finished, what: &str) {
    let status = finished.status.code().unwrap_or(-1);
    assert!(!finished.stderr.contains("panicked"), "{what}: {finished}");
    let document: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
    let said = document["unblock"].is_string() || document["error"].is_object();
    match status {
        0 => assert_eq!(document["outcome"], "done", "{what}: {finished}"),
        // Nothing was begun that could be left half done.
        2 => assert!(said && scene.bench.github.writes().is_empty(), "{what}: {finished}"),
        1 | 3 | 130 => assert!(said, "{what}: nothing says what to do: {finished}"),
        _ => panic!("{what}: {finished}"),
    }
}
