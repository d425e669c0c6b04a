//! Items that ask for the same are one; items that ask for opposites are a person's.

use serde_json::json;

use crate::support::TestBench;

#[test]
fn opposite_requests_for_a_line_reach_no_agent_and_both_are_quoted() {
    let bench = TestBench::new();
    let pr = bench
        .open_pr("feature")
        .thread("src/a.rs:3", "Use `<` instead of `<=` here.")
        .thread("src/a.rs:3", "Please use `<=` rather than `<`!")
        .thread("src/b.rs:3", "Typo: should be Hello.");
    bench.agent.fix().replace("src/b.rs", "Helo", "Hello").for_items("src/b.rs", &[3]);
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "needs-human");
    for (item, other) in [(0, "Please use `<=` rather"), (1, "Use `<` instead")] {
        assert_eq!(report["items"][item]["status"], "needs-human");
        assert!(report["items"][item]["detail"].as_str().unwrap().contains(other), "{report:#}");
    }
    assert!(!bench.agent.calls_of("fix")[0].prompt.contains("rather than"));
    assert_eq!((pr.replies(), pr.unresolved()), (3, 2), "each side is told, the rest is done");
    assert!(pr.replies_in(0)[0].contains("Please use"), "{:?}", pr.replies_in(0));
}

#[test]
fn a_contradiction_that_the_agent_sees_is_answered_on_both_sides() {
    let bench = TestBench::new();
    bench
        .open_pr("feature")
        .thread("src/a.rs:3", "Count one less here.")
        .thread("src/a.rs:4", "All of them have to be counted.")
        .thread("src/b.rs:3", "Typo: should be Hello.");
    let one_sided = bench.agent.fix_round(1).replace("src/b.rs", "Helo", "Hello").for_items("src/b.rs", &[2, 3]);
    one_sided.needs_human(1, "contradicts item 2: which one?");
    let again = bench.agent.fix_round(2).claims("src/b.rs").for_items("src/b.rs", &[3]);
    let claim = json!({"claim": "it greets", "line": 3, "contains": "Hello"});
    again
        .invariant("src/b.rs", &claim)
        .needs_human(1, "contradicts item 2: which one?")
        .needs_human(2, "contradicts item 1: which one?");
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    let second = &bench.agent.calls_of("fix")[1].prompt;
    assert!(second.contains("item 1 is said to contradict item 2"), "{second}");
    assert!(report["items"][0]["detail"].as_str().unwrap().contains("All of them have to be counted"), "{report:#}");
    assert!(report["items"][1]["detail"].as_str().unwrap().contains("Count one less here"));
}

#[test]
fn one_request_in_three_places_is_one_item_and_every_thread_is_answered() {
    let bench = TestBench::new();
    let text = "This loop is off by one, use `<`.";
    let pr = bench.open_pr("feature").thread("src/a.rs:3", text).thread("src/a.rs:3", text).review(
        "rita",
        "COMMENTED",
        text,
    );
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["items"].as_array().unwrap().len(), 1);
    assert_eq!((pr.replies(), pr.unresolved()), (2, 0));
    assert!(pr.conversation().iter().any(|(login, _)| login == "octavia"), "the review is answered as well");
}
