//! How fast the rules are, as ratios to a compiled filter that knows the same phrases.
//!
//! Absolute times differ from machine to machine; ratios on one machine can be compared over years. The limits
//! that the project promises are printed beside the measurements.

#![allow(clippy::disallowed_macros, reason = "a benchmark prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use git_prfix::rules::{CommentView, Decision, PrView, Rules};
use regex::Regex;
use rustix::time::{ClockId, clock_gettime};

const COMMENTS: usize = 10_000;
const ROUNDS: usize = 7;

const BODIES: &[&str] = &[
    "LGTM!",
    "This leaks the file handle when `read` fails; close it in a guard and add a test for the error path please.",
    "## Coverage report\n\n92% (+0.1%)",
    "nit: rename `x` to `count`",
    "Why do we need the clone here?",
    "@dependabot rebase",
    "The retry loop never backs off. Under load this hammers the server, and the jitter below is computed but unused.\n\n\
     ```rust\nlet d = base * 2u32.pow(n);\n```\nConsider capping it as well.",
    "> quoted\n",
    "Please handle the None case",
    "thanks, great catch!",
];

fn comment(at: usize) -> CommentView<'static> {
    CommentView {
        id: "1",
        kind: if at.is_multiple_of(3) { "comment" } else { "thread" },
        login: if at % 10 == 2 { "codecov" } else { "kim" },
        bot: at % 10 == 2,
        association: "MEMBER",
        ghost: false,
        body: BODIES[at % BODIES.len()],
        path: None,
        line: None,
        outdated: false,
        resolved: false,
        minimized: None,
        review_state: None,
        own: false,
    }
}

/// A filter of the same kind with its patterns compiled in: what the rules would be without Lua.
struct Compiled {
    talk: Regex,
    command: Regex,
    report: Regex,
}

impl Compiled {
    fn new() -> Self {
        let regex = |pattern: &str| Regex::new(pattern).expect("a constant pattern");
        Self {
            talk: regex(
                r"(?i)^(?:(?:lgtm|thanks?|thank you|nice|great|good|catch|work|done|fixed|ok|👍|🎉)[\s,.!]*)+$",
            ),
            command: regex(r"^\s*(?:/[a-z][\w-]*|@[\w-]+ (?:rebase|review|merge|retry))"),
            report: regex(r"(?i)^[#\s]*(?:coverage report|bundle size|deploy preview)"),
        }
    }

    fn drops(&self, comment: &CommentView<'_>) -> bool {
        comment.bot && comment.kind == "comment"
            || comment.body.lines().all(|line| line.trim().is_empty() || line.starts_with('>'))
            || self.talk.is_match(comment.body)
            || self.command.is_match(comment.body)
            || self.report.is_match(comment.body)
    }
}

/// The median of several runs, by the clock and in processor time: the second does not count what a busy machine did
/// for others meanwhile.
fn median(mut run: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<(Duration, Duration)> = (0..ROUNDS)
        .map(|_| {
            let (started, busy) = (Instant::now(), processor_time());
            run();
            (started.elapsed(), processor_time().saturating_sub(busy))
        })
        .collect();
    times.sort_by_key(|(_, busy)| *busy);
    times[ROUNDS / 2]
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn load() -> Rules {
    Rules::load(&[]).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)))
}

fn main() {
    let compiled = Compiled::new();
    let baseline = median(|| {
        for at in 0..COMMENTS {
            black_box(compiled.drops(&comment(at)));
        }
    });
    let start = median(|| drop(black_box(load())));
    let rules = load();
    let decided = median(|| {
        for at in 0..COMMENTS {
            black_box(matches!(rules.decide(&comment(at), &PrView::unknown()), Decision::Drop { .. }));
        }
    });
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let line = |what: &str, (elapsed, busy): (Duration, Duration), limit: &str| {
        println!(
            "{what:28} {:9.2} ms ({:.2} ms by the clock)   {:7.1} × the compiled filter   promised: {limit}",
            milliseconds(busy),
            milliseconds(elapsed),
            busy.as_secs_f64() / baseline.1.as_secs_f64()
        );
    };
    println!("{:28} {:9.2} ms", "compiled filter, 10,000", milliseconds(baseline.1));
    line("start of the rule host", start, "under 5 ms");
    line("rules, 10,000 comments", decided, "under 200 ms");
}
