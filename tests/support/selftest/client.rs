//! The program's own client against the simulated GitHub, over both transports: what one of the two gets
//! wrong shows here, before a whole run is built on them.

use std::sync::Arc;

use git_prfix::clock::{Clock, FixedClock};
use git_prfix::env::Env;
use git_prfix::github::{Client, Permission, RerunOutcome, choose};
use git_prfix::model::feedback::CheckState;
use git_prfix::model::repo::RepoId;

use crate::support::bench::{OPERATOR, TestBench};
use crate::support::github::{Check, Pr, Thread};

/// Spaces between writes and waits for checks take no time.
fn still() -> Arc<dyn Clock> {
    Arc::new(FixedClock::at("2026-11-30T12:00:00Z".parse().unwrap()))
}

/// A client as the program builds it, for each transport that this machine has.
fn each_client(bench: &TestBench, test: impl Fn(&Client)) {
    for transport in ["http", "gh"] {
        if transport == "gh" && !crate::support::has_gh() {
            continue;
        }
        let env = Env::from_pairs(bench.environment());
        let transport = choose(&env, "github.com", Some(transport)).unwrap();
        test(&Client::new(transport, RepoId::new("github.com", "octo", "demo"), still()));
    }
}

fn busy(bench: &TestBench) -> Pr {
    bench
        .open_pr("feature")
        .thread("src/a.rs:3", "off by one")
        .with(Thread::at("src/b.rs:3").by("coderabbitai[bot]").says("typo").reply("ann", "true"))
        .review("rita", "CHANGES_REQUESTED", "see inline")
        .comment("mallory", "do as I say")
        .check(Check::failed("build").log("error: expected `;`").annotation("src/a.rs", 3, "expected `;`").required())
        .check(Check::passed("lint"))
        .check(Check::failed("docs").huge_log(5_000_000, "warning: broken link"))
        .check(Check::status("ci/legacy", "PENDING"))
}

#[test]
fn the_client_reads_everything_that_the_simulator_holds() {
    let bench = TestBench::new();
    let pr = busy(&bench);
    each_client(&bench, |client| {
        let mut harvest = client.harvest(7).unwrap();
        assert_eq!(harvest.pr.head_oid, pr.head());
        assert_eq!((harvest.threads.len(), harvest.comments.len()), (2, 1));
        assert_eq!(harvest.threads[1].comments[0].author.as_ref().unwrap().login, "coderabbitai");
        assert!(harvest.reviews.iter().any(|review| review.comment.body == "see inline"));
        assert_eq!(harvest.viewer.login, OPERATOR);
        assert_eq!((harvest.gaps.len(), harvest.pending_review), (0, false));
        client.read_failures(&mut harvest.checks).unwrap();
        let check = |name: &str| harvest.checks.list.iter().find(|check| check.name == name).unwrap();
        assert_eq!(check("build").state, CheckState::Failed);
        assert_eq!(check("build").annotations[0].message, "expected `;`");
        let log = check("build").log.as_ref().unwrap();
        assert!(log.text.contains("error: expected `;`"), "{log:?}");
        assert!(check("docs").log.as_ref().unwrap().text.contains("broken link"));
        assert_eq!(check("ci/legacy").state, CheckState::Pending);
    });
}

#[test]
fn the_client_writes_what_the_simulator_then_shows() {
    let bench = TestBench::new();
    let pr = busy(&bench);
    let expected = if crate::support::has_gh() { 2 } else { 1 };
    each_client(&bench, |client| {
        let harvest = client.harvest(7).unwrap();
        let thread = &harvest.threads[0].id;
        let reply = client.reply(thread, "Fixed.\n<!-- marker-1 -->", "marker-1").unwrap();
        assert_eq!(reply.state, "SUBMITTED");
        client.resolve(thread).unwrap();
        assert!(client.thread(thread).unwrap().resolved);
        assert_eq!(client.now(7).unwrap().unresolved_threads, 1);
        client.comment(&harvest.pr, "Summary", "marker-2").unwrap();
        assert_eq!(client.permission("rita").unwrap(), Permission::Write);
        assert_eq!(client.pull_requests_of_branch("feature", None).unwrap().len(), 1);
    });
    assert_eq!(pr.replies(), expected);
    assert_eq!(pr.conversation().len(), 1 + expected);
}

#[test]
fn the_client_starts_failed_jobs_again_once() {
    let bench = TestBench::new();
    busy(&bench);
    let first = std::cell::Cell::new(true);
    each_client(&bench, |client| {
        let run = client.harvest(7).unwrap().checks.list.iter().find_map(|check| check.run_id).unwrap();
        let expected = if first.replace(false) { RerunOutcome::Started } else { RerunOutcome::AlreadyRunning };
        assert_eq!(client.rerun_failed_jobs(run).unwrap(), expected);
    });
}

#[test]
fn an_older_enterprise_server_is_read_without_the_fields_it_lacks() {
    let mut bench = TestBench::new();
    bench.env("GH_ENTERPRISE_TOKEN", "enterprise-token");
    bench.github.lacks(&["Ref.rules", "PullRequest.mergeStateStatus"]);
    let pr = busy(&bench);
    for transport in ["http", "gh"] {
        if transport == "gh" && !crate::support::has_gh() {
            continue;
        }
        let transport = choose(&Env::from_pairs(bench.environment()), "ghe.example", Some(transport)).unwrap();
        let client = Client::new(transport, RepoId::new("ghe.example", "octo", "demo"), still());
        let before = bench.github.count("Detect");
        assert_eq!(client.harvest(7).unwrap().pr.head_oid, pr.head());
        assert_eq!(client.harvest(7).unwrap().threads.len(), 2);
        assert_eq!(bench.github.count("Detect"), before + 1);
    }
}
