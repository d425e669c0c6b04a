//! From feedback to a pushed, answered, resolved fix.

use crate::support::TestBench;

#[test]
fn a_thread_is_fixed_verified_pushed_answered_and_resolved() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "This is off by one, please use `<`.");
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let before = bench.snapshot();

    let report = bench.prfix(["7", "--json"]).succeeds().json();

    assert_eq!(report["outcome"], "done", "{report:#}");
    assert_eq!(report["reason"], "pushed");
    assert_eq!(report["items"][0]["status"], "fixed");
    assert_eq!(report["pr"]["head_after"], pr.head().as_str());
    assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
    assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
    before.assert_untouched();
}
