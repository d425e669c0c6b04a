//! Rules of the team in whole runs: each kind changes what a run does, and one that fails is in the report.

use crate::support::git::{commit_to, git};
use crate::support::{Pr, TestBench, Thread};

/// Publishes `.prfix/rules.lua` on the default branch.
fn publish(bench: &TestBench, rules: &str) {
    commit_to(&bench.hub(), "main", "Rules", &[(".prfix/rules.lua", &format!("prfix.api = 1\n{rules}\n"))]);
}

fn one(bench: &TestBench) -> Pr {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

#[test]
fn a_triage_rule_sets_priority_risk_and_verdict_and_what_it_settles_is_not_probed() {
    let bench = TestBench::new();
    publish(
        &bench,
        r#"prfix.triage { name = "house", why = "house rule", judge = function(c)
            if c.body:find("later", 1, true) then return { priority = "low" } end
            if c.body:find("leaks", 1, true) then return { priority = "high", risk = "high" } end
            if c.body:find("v1", 1, true) then return { verdict = "invalid", why = "v1 is frozen" } end
        end }"#,
    );
    let pr = bench
        .open_pr("feature")
        .thread("src/b.rs:3", "Rename it, later is fine.")
        .thread("src/a.rs:3", "Please keep the spelling of v1 here.")
        .thread("src/a.rs:4", "This leaks the handle.");
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").for_items("src/a.rs", &[1, 3]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let place =
        |at: usize| format!("{}:{}", report["items"][at]["path"].as_str().unwrap(), report["items"][at]["line"]);
    assert_eq!([place(0), place(1), place(2)], ["src/a.rs:4", "src/a.rs:3", "src/b.rs:3"], "{report:#}");
    let mut probed: Vec<u32> = bench.agent.calls_of("probe").iter().map(|call| call.item).collect();
    probed.sort_unstable();
    assert_eq!(probed, [1, 3]);
    assert_eq!(
        (report["items"][0]["risk"].as_str(), report["items"][1]["verdict"].as_str()),
        (Some("high"), Some("invalid"))
    );
    assert!(pr.replies_in(1)[0].contains("v1 is frozen"), "{:?}", pr.replies_in(1));
}

#[test]
fn the_most_urgent_items_are_the_ones_that_a_limited_run_takes() {
    let bench = TestBench::new();
    publish(
        &bench,
        r#"prfix.triage { name = "urgent", judge = function(c) if c.body:find("leaks", 1, true) then return { priority = "high" } end end }"#,
    );
    bench.open_pr("feature").thread("src/b.rs:3", "Please rename it.").thread("src/a.rs:4", "This leaks the handle.");
    let report = bench.prfix(["7", "--dry-run", "--max-items", "1", "--json"]).succeeds().json();
    assert!(report["items"][0]["request"].as_str().unwrap().contains("leaks"), "{report:#}");
}

#[test]
fn items_that_a_triage_rule_merges_are_one_item_and_every_thread_is_answered() {
    let bench = TestBench::new();
    publish(
        &bench,
        r#"prfix.triage { name = "greeting", why = "one spelling", judge = function(c)
            if c.body:lower():find("hel", 1, true) then return { merge = "greeting" } end
        end }"#,
    );
    let pr = bench
        .open_pr("feature")
        .thread("src/b.rs:3", "Typo: should be Hello.")
        .thread("src/a.rs:3", "The loop is off by one, use `<`.")
        .with(Thread::at("src/b.rs:1").by("rita").says("The doc should say Hello, too."));
    bench.agent.fix().replace("src/b.rs", "Helo", "Hello").replace("src/a.rs", "i <= n", "i < n");
    bench.agent.fix().for_items("src/b.rs", &[1]).for_items("src/a.rs", &[2]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(report["items"].as_array().unwrap().len(), 2, "{report:#}");
    let prompt = &bench.agent.calls_of("fix")[0].prompt;
    assert!(prompt.contains("Also at src/b.rs:1: The doc should say Hello"), "{prompt}");
    assert_eq!((pr.replies(), pr.unresolved()), (3, 0));
    bench.prfix(["7"]).succeeds();
    assert_eq!(pr.replies(), 3, "a second run answers nothing twice");
}

#[test]
fn what_a_triage_rule_leaves_to_a_person_reaches_no_agent() {
    let bench = TestBench::new();
    publish(
        &bench,
        r#"prfix.triage { name = "api", why = "the API is the owners'", judge = function(c)
            if c.body:find("public", 1, true) then return { needs_human = true } end
        end }"#,
    );
    one(&bench).thread("src/b.rs:3", "Should this be public?");
    bench.agent.fix().for_items("src/a.rs", &[1]);
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["items"][1]["status"], "needs-human", "{report:#}");
    assert!(bench.agent.calls().iter().all(|call| !call.prompt.contains("Should this be public?")));
}

#[test]
fn commit_message_reply_summary_and_prompts_are_the_teams_where_it_says_so() {
    let bench = TestBench::new();
    publish(
        &bench,
        r#"prfix.text { name = "commit", render = function(x) return "PROJ-" .. x.number .. ": " .. #x.items .. " remarks" end }
        prfix.text { name = "reply", render = function(x) return "House reply for " .. x.status end }
        prfix.text { name = "summary", render = function(x) return "House summary of " .. #x.items end }
        prfix.prompt { name = "all", add = function(role) return "House rule for " .. role .. "." end }
        prfix.prompt { name = "fix", roles = { "fix" }, add = function() return "Only while fixing." end }"#,
    );
    let pr = one(&bench).comment("rita", "Could you rename `n` to `len`, please?");
    bench.prfix(["7"]).succeeds();
    assert_eq!(git(&bench.hub(), &["log", "-1", "--format=%s", "feature"]).trim(), "PROJ-7: 2 remarks");
    assert!(pr.replies_in(0)[0].starts_with("House reply for fixed"), "{:?}", pr.replies_in(0));
    let conversation = pr.conversation();
    assert!(conversation.last().unwrap().1.starts_with("House summary of 1"), "{conversation:?}");
    let (probe, fix) = (&bench.agent.calls_of("probe")[0].prompt, &bench.agent.calls_of("fix")[0].prompt);
    assert!(probe.contains("House rule for probe.") && !probe.contains("Only while fixing."));
    assert!(fix.contains("House rule for fix.") && fix.contains("Only while fixing."));
}

#[test]
fn a_path_that_the_team_protects_is_refused_and_one_that_it_frees_is_not() {
    let bench = TestBench::new();
    publish(&bench, r#"prfix.protect { name = "generated", globs = { "src/gen/**" } }"#);
    one(&bench);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write("src/gen/x.rs", "x\n");
    for round in [2, 3] {
        bench.agent.fix_round(round).claims("src/a.rs").claims("src/gen/x.rs");
    }
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(report["reason"], "manifest", "{report:#}");
    assert!(report["unblock"].as_str().unwrap().contains("generated"), "{report:#}");
    assert!(bench.agent.calls_of("fix")[0].prompt.contains("src/gen/**"));

    let bench = TestBench::new();
    publish(&bench, r#"prfix.off "protect/ci""#);
    one(&bench);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").write(".github/workflows/ci.yml", "x: 1\n");
    bench.prfix(["7"]).succeeds();
}

#[test]
fn a_team_brings_an_agent_of_its_own() {
    let bench = TestBench::new();
    let words: Vec<String> = bench.agent.command().split(' ').map(|word| format!("{word:?}")).collect();
    publish(
        &bench,
        &format!(
            r#"prfix.agent {{ name = "house", needs = "sh", invoke = function(input)
                return {{ argv = {{ {} }}, env = {{ HOUSE = input.role }}, state_dirs = {{ ".cache/scripted-agent" }} }}
            end }}"#,
            words.join(", ")
        ),
    );
    one(&bench);
    bench.prfix(["7", "--agent", "house"]).succeeds();
    assert_eq!(bench.agent.calls_of("fix")[0].env.get("HOUSE").map(String::as_str), Some("fix"));
}

#[test]
fn the_teams_commands_are_the_gates() {
    let bench = TestBench::new();
    bench.unset("prfix.testCommand");
    publish(
        &bench,
        r#"prfix.commands { name = "house", manifests = { "check.sh" }, commands = function(x)
            return { { kind = "test", run = { "sh", "check.sh" } }, { kind = "lint", run = { "grep", "-q", "fn", "src/a.rs" } } }
        end }"#,
    );
    one(&bench);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let gates: Vec<&str> =
        report["gates"].as_array().unwrap().iter().map(|gate| gate["command"].as_str().unwrap()).collect();
    assert_eq!(gates, ["sh check.sh", "grep -q fn src/a.rs"], "{report:#}");
}

#[test]
fn rules_that_break_drop_nothing_decide_nothing_and_are_in_the_report() {
    let bench = TestBench::new();
    publish(
        &bench,
        r#"prfix.noise { name = "odd-noise", order = 1, drop = function(c) return c.no.such.thing end }
        prfix.triage { name = "odd-triage", judge = function() return { priority = "soon" } end }
        prfix.prompt { name = "odd-prompt", add = function() error("no paragraph") end }
        prfix.text { name = "commit", render = function(x) return x.no.such.thing end }
        prfix.text { name = "reply", render = function() return 7 end }"#,
    );
    let pr = one(&bench).thread("src/b.rs:3", "Typo: should be Hello.");
    bench.agent.fix().for_items("src/a.rs", &[1, 2]);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!((report["items"].as_array().unwrap().len(), pr.unresolved()), (2, 0), "{report:#}");
    let warnings = report["warnings"].to_string();
    for rule in ["noise/odd-noise", "triage/odd-triage", "prompt/odd-prompt", "text/commit", "text/reply"] {
        assert!(warnings.contains(rule), "{rule} is not in {warnings}");
    }
    assert!(warnings.contains(".prfix/rules.lua:2"), "{warnings}");
    assert!(pr.replies_in(0)[0].starts_with("Fixed in"), "{:?}", pr.replies_in(0));
}
