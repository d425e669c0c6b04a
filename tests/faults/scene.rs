//! The run that everything here is done to: a thread that is fixed, a thread that is triaged out, a request in the
//! conversation, and a red check.

use crate::support::agent::Plan;
use crate::support::git::git;
use crate::support::run::Prfix;
use crate::support::{Check, Pr, TestBench, Thread, Transport};

pub struct Scene {
    pub bench: TestBench,
    pub pr: Pr,
    /// The head as its author left it.
    pub head: String,
}

impl Scene {
    pub fn new() -> Self {
        let mut bench = TestBench::new();
        // The journal does not know what carries the requests, and a process for each takes its time.
        bench.transport(Transport::Http);
        // The same commit at every try, so that what names it can be compared as it is.
        for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            bench.env(name, "2026-11-29T12:00:00Z");
        }
        let pr = bench.open_pr("feature");
        let head = pr.push(&[("src/c.rs", "fn answer() -> u32 {\n    41 // BROKEN\n}\n")]);
        let pr = pr
            .thread("src/a.rs:3", "This loop is off by one, use `<`.")
            .with(Thread::at("src/a.rs:6").says("Please return early here."))
            .comment("rita", "There is a typo in src/b.rs: it should greet with `Hello`.")
            .check(Check::failed("test").log("error: something is broken"));
        // A gate that changes what is tracked: a scratch worktree that is left is not clean, and there is a warning.
        bench.config("prfix.testCommand", "sh -c 'echo >>README.md; sh check.sh'");
        bench.agent.verdict(2, "invalid", "src/a.rs:6 returns already");
        drop(Self::scripted(bench.agent.fix()));
        // What the branch was, and when, is on record.
        git(&bench.hub(), &["config", "core.logAllRefUpdates", "always"]);
        Self { bench, pr, head }
    }

    /// What the fix agent does, at the end of what it does otherwise.
    pub fn scripted(fix: Plan<'_>) -> Plan<'_> {
        fix.replace("src/a.rs", "i <= n", "i < n")
            .replace("src/b.rs", "Helo", "Hello")
            .replace("src/c.rs", "41 // BROKEN", "42")
            .for_items("src/a.rs", &[1])
            .for_items("src/b.rs", &[3])
            .for_items("src/c.rs", &[4])
    }

    pub fn run(&self) -> Prfix<'_> {
        self.bench.prfix(["7", "--json"])
    }
}
