//! Flaky or real, the branch's fault or the base's.

use crate::support::git::commit_to;
use crate::support::{Check, TestBench};

/// A check that fails at its first run in each checkout and passes afterwards.
const ONCE: &str = "#!/bin/sh\nmark=$(git rev-parse --absolute-git-dir)/ran-$(cat src/a.rs | cksum | cut -c1-5)\nif [ -e \"$mark\" ]; then echo passed; exit 0; fi\n: >\"$mark\"\necho 'error: timed out waiting for a port'\nexit 1\n";

fn flaky_bench() -> TestBench {
    let bench = TestBench::new();
    // The mark lies in the git folder, which the sandbox protects.
    bench.config("prfix.sandbox", "off");
    bench
}

#[test]
fn a_check_that_fails_and_then_passes_with_nothing_changed_is_flaky_and_never_fixed() {
    let bench = flaky_bench();
    let pr = bench.open_pr("feature");
    pr.push(&[("check.sh", ONCE)]);
    let pr = pr.check(Check::failed("unit").log("error: timed out waiting for a port"));
    let head = pr.head();
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["items"][0]["status"], "rerun", "{report:#}");
    assert!(report["items"][0]["detail"].as_str().unwrap().contains("flaky"));
    assert_eq!((bench.agent.calls().len(), pr.head()), (0, head));
}

#[test]
fn a_gate_that_is_flaky_on_the_fix_is_said_and_does_not_block() {
    let bench = flaky_bench();
    let pr = bench.open_pr("feature");
    pr.push(&[("check.sh", ONCE)]);
    let pr = pr.thread("src/a.rs:3", "This loop is off by one, use `<`.");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(
        (report["gates"][0]["status"].as_str(), report["gates"][0]["flaky"].as_bool()),
        (Some("passed"), Some(true))
    );
    assert!(report["warnings"].to_string().contains("flaky: `sh check.sh`"));
    assert_eq!((bench.agent.calls_of("fix").len(), pr.unresolved()), (1, 0));
}

#[test]
fn a_check_that_fails_on_the_base_as_well_is_broken_on_base_by_githubs_word() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").check(Check::failed("unit").log("error: expired"));
    let head = pr.head();
    pr.check_of(
        &crate::support::git::read_ref(&bench.hub(), "main").unwrap(),
        &Check::failed("unit").log("error: expired"),
    );
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["items"][0]["status"], "out-of-scope", "{report:#}");
    assert!(report["items"][0]["detail"].as_str().unwrap().contains("broken on base"));
    assert_eq!((bench.agent.calls().len(), pr.head()), (0, head));
}

#[test]
fn a_check_that_fails_on_the_base_as_well_is_broken_on_base_by_our_own_run() {
    let bench = TestBench::new();
    commit_to(&bench.hub(), "main", "break", &[("src/old.rs", "// BROKEN on main\n")]);
    let pr = bench.open_pr("feature").check(Check::failed("unit").log("src/old.rs: BROKEN"));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert!(report["items"][0]["detail"].as_str().unwrap().contains("broken on base"), "{report:#}");
    assert!(bench.agent.calls().is_empty());
    drop(pr);
}

#[test]
fn a_branch_behind_a_base_that_has_repaired_the_check_is_offered_the_merge_and_gets_it() {
    let bench = TestBench::new();
    commit_to(&bench.hub(), "main", "break", &[("src/old.rs", "// BROKEN on main\n")]);
    let pr = bench.open_pr("feature").check(Check::failed("unit").log("src/old.rs: BROKEN"));
    commit_to(&bench.hub(), "main", "repair", &[("src/old.rs", "// fine\n")]);
    let head = pr.head();

    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["items"][0]["status"], "needs-human", "{report:#}");
    let detail = report["items"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("behind base") && detail.contains("--update-base merge"), "{detail}");
    assert_eq!(pr.head(), head);

    let report = bench.prfix(["7", "--json", "--update-base", "merge"]).succeeds().json();
    assert_eq!((report["reason"].as_str(), report["items"][0]["status"].as_str()), (Some("pushed"), Some("fixed")));
    assert_eq!(bench.file_at("feature", "src/old.rs"), "// fine\n");
    assert!(bench.agent.calls().is_empty(), "a merge needs no agent");
}

#[test]
fn a_check_that_only_the_branch_fails_is_the_agents() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature");
    pr.push(&[("src/c.rs", "// BROKEN here\n")]);
    let _pr = pr.check(Check::failed("unit").log("src/c.rs: BROKEN"));
    bench.agent.fix().write("src/c.rs", "// mended\n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["items"][0]["status"], "fixed");
    assert_eq!(report["items"][0]["proof"]["kind"], "red-green");
}
