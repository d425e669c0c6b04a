//! The bench that end-to-end tests stand on: real git, a simulated GitHub, a scripted agent that is a
//! real child process, and the real program.
//!
//! ```ignore
//! #[test]
//! fn a_thread_is_fixed_answered_and_resolved() {
//!     let bench = TestBench::new();
//!     let pr = bench.open_pr("feature").thread("src/a.rs:3", "off by one");
//!     bench.agent.fixes("src/a.rs", "i <= n", "i < n");
//!     let before = bench.snapshot();
//!
//!     let report = bench.prfix(["7", "--json"]).succeeds().json();
//!
//!     assert_eq!(report["reason"], "pushed");
//!     assert_eq!((pr.replies(), pr.unresolved()), (1, 0));
//!     before.assert_untouched();
//! }
//! ```
//!
//! - [`TestBench`]: folders, repositories, configuration, and [`TestBench::prfix`], which runs the program;
//! - [`Pr`]: threads, reviews, comments and checks; events (`push`, `merge`, `edit`); questions;
//! - [`github::FakeGithub`] (`bench.github`): faults and events by request (`on("Harvest").nth(2).fail(…)`), the log;
//! - [`bell::Bell`]: an event while the agent, a gate or a hook runs;
//! - [`agent::Agent`] (`bench.agent`): verdicts of probes, edits of the fix, rogue behaviour, recorded calls.
//!
//! What breaks the simulator's rules (an unknown request, an unused script) fails the test at its end.

#![allow(dead_code, unused_imports, reason = "a bench offers more than each test takes")]
#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the doors are the program's")]

pub mod agent;
pub mod bell;
pub mod bench;
pub mod git;
pub mod github;
pub mod run;
pub mod snapshot;
mod submodule;

mod selftest;

pub use bench::{TestBench, Transport};
pub use github::{Check, Fault, Pr, Thread};

/// Whether a test that needs something not every machine has may run. Says why not; with
/// `PRFIX_TEST_REQUIRE=all` a skip is a failure.
pub fn can(what: &str, there: bool) -> bool {
    if !there {
        let required = std::env::var("PRFIX_TEST_REQUIRE").is_ok_and(|value| value == "all");
        assert!(!required, "{what} is missing, and PRFIX_TEST_REQUIRE=all");
        eprintln!("skipped: {what} is missing");
    }
    there
}

/// Whether util-linux's script(1), which gives a program a terminal, is installed.
pub fn has_script() -> bool {
    let version = std::process::Command::new("script").arg("--version").output();
    can("script(1) of util-linux", version.is_ok_and(|output| output.status.success()))
}

/// Whether Debian's Chromium is installed.
pub fn has_chromium() -> bool {
    can("chromium", which::which("chromium").is_ok())
}

/// Whether `gh` is installed.
pub fn has_gh() -> bool {
    can("gh", which::which("gh").is_ok())
}
