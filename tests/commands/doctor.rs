//! `doctor`.

use serde_json::Value;

use crate::support::{Fault, TestBench, Transport, has_gh};

/// State and finding of one check.
fn check(report: &Value, name: &str) -> (String, String) {
    let all = report["checks"].as_array().expect("checks");
    let found = all.iter().find(|check| check["check"] == name).unwrap_or_else(|| panic!("{name}: {report:#}"));
    (found["state"].as_str().unwrap().to_owned(), found["found"].as_str().unwrap().to_owned())
}

#[test]
fn a_set_up_that_works_is_told_line_by_line_and_nothing_is_written() {
    let bench = TestBench::new();
    let before = bench.snapshot();
    let report = bench.prfix(["doctor", "--json"]).succeeds().json();
    assert_eq!(report["ok"], true, "{report:#}");
    for name in ["git", "settings", "rules", "remote", "sign-in", "scopes", "access", "agent", "worktree root", "runs"]
    {
        assert_eq!(check(&report, name).0, "ok", "{name}: {report:#}");
    }
    assert!(check(&report, "sign-in").1.contains("octavia"), "{report:#}");
    assert!(check(&report, "git").1.starts_with("git version"), "{report:#}");
    before.assert_untouched();
    assert!(bench.agent.calls().is_empty(), "a doctor starts no agent");
    bench.prfix(["doctor"]).succeeds().says("ready");
}

#[test]
fn offline_asks_nobody() {
    let bench = TestBench::new();
    let report = bench.prfix(["doctor", "--offline", "--json"]).succeeds().json();
    assert!(report["checks"].as_array().unwrap().iter().all(|check| check["check"] != "sign-in"));
    assert_eq!(bench.github.count("Viewer"), 0);
}

#[test]
fn what_makes_a_run_impossible_is_a_problem_with_a_remedy() {
    let bench = TestBench::new();
    bench.unset("prfix.agentCommand");
    bench.config("prfix.sandbox", "auto");
    bench.write("../.config/git-prfix/rules/mine.lua", "prfix.api = 1\nthis is not Lua\n");
    let report = bench.prfix(["doctor", "--offline", "--json"]).fails_with(2).json();
    assert_eq!(report["ok"], false);
    assert_eq!(check(&report, "rules").0, "problem");
    std::fs::remove_file(bench.home().join(".config/git-prfix/rules/mine.lua")).unwrap();
    let report = bench.prfix(["doctor", "--offline", "--json"]).fails_with(2).json();
    assert_eq!(check(&report, "agent").0, "problem");
    let all = report["checks"].as_array().unwrap();
    assert!(all.iter().all(|check| check["state"] == "ok" || check["help"].is_string()), "{report:#}");
    bench.config("prfix.probes", "many");
    bench.prfix(["doctor", "--offline"]).fails_with(2).says("`many` is no value for `probes`");
}

/// A CLI that says its version, and fails the test's purpose if it is asked anything else.
fn fake_cli(bench: &TestBench, name: &str) {
    use std::os::unix::fs::PermissionsExt;
    let file = bench.root().join("clis").join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let log = bench.root().join("asked");
    let text = format!("#!/bin/sh\necho \"{name} $*\" >> {}\necho {name} 9.8.7\n", log.display());
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn agents_are_told_with_versions_and_sign_in_and_none_is_asked_for_work() {
    let mut bench = TestBench::new();
    bench.unset("prfix.agentCommand");
    for name in ["codex", "gemini"] {
        fake_cli(&bench, name);
    }
    let path = format!("{}:{}", bench.root().join("clis").display(), std::env::var("PATH").unwrap());
    bench.env("PATH", &path);
    let doctor = |bench: &TestBench| bench.prfix(["doctor", "--offline", "--json"]).succeeds().json();
    bench.config("prfix.agent", "codex");
    let report = doctor(&bench);
    assert_eq!(check(&report, "agent"), ("ok".into(), "codex".into()), "{report:#}");
    let installed = check(&report, "installed").1;
    assert!(installed.contains("codex (codex 9.8.7)") && installed.contains("gemini (gemini 9.8.7)"), "{installed}");
    assert_eq!(check(&report, "agent sign-in").0, "warning", "{report:#}");
    bench.write("../.codex/auth.json", "{}");
    assert_eq!(check(&doctor(&bench), "agent sign-in").0, "ok");
    bench.config("prfix.agent", "gemini");
    assert_eq!(check(&doctor(&bench), "agent sign-in").0, "warning");
    bench.env("GEMINI_API_KEY", "key-of-the-test");
    let report = doctor(&bench);
    assert!(check(&report, "agent sign-in").1.contains("GEMINI_API_KEY"), "{report:#}");
    assert!(!report.to_string().contains("key-of-the-test"));
    let asked = std::fs::read_to_string(bench.root().join("asked")).unwrap();
    assert!(asked.lines().all(|line| line.ends_with(" --version")), "{asked}");
}

#[test]
fn the_strength_of_the_sandbox_is_told() {
    use git_prfix::agent::Strength;
    let bench = TestBench::new();
    let doctor = || bench.prfix(["doctor", "--offline", "--json"]).run().json();
    let state = |mode: &str| {
        bench.config("prfix.sandbox", mode);
        check(&doctor(), "sandbox").0
    };
    let (auto, require) = match Strength::here() {
        Strength::Full => ("ok", "ok"),
        Strength::Weaker(_) => ("warning", "warning"),
        Strength::None(_) => ("warning", "problem"),
    };
    assert_eq!((state("auto"), state("require"), state("off")), (auto.into(), require.into(), "warning".into()));
}

#[test]
fn a_token_that_github_refuses_is_a_problem() {
    let mut bench = TestBench::new();
    // Nobody waits before the second try.
    bench.clock("2026-11-30T10:00:00Z");
    bench.github.on("Viewer").times(2).fail(Fault::status(401));
    let report = bench.prfix(["doctor", "--json"]).fails_with(2).json();
    assert_eq!(check(&report, "sign-in").0, "problem", "{report:#}");
    assert!(report.to_string().contains("gh auth login"), "{report:#}");
}

#[test]
fn the_way_through_gh_is_named() {
    if !has_gh() {
        return;
    }
    let mut bench = TestBench::new();
    bench.transport(Transport::Gh);
    let report = bench.prfix(["doctor", "--json"]).succeeds().json();
    assert!(check(&report, "sign-in").1.contains("gh"), "{report:#}");
    assert!(check(&report, "gh").1.starts_with("gh version"), "{report:#}");
}

#[test]
fn a_run_that_died_is_named_with_the_way_to_go_on() {
    let bench = TestBench::new();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one.");
    bench.prfix(["7"]).dies_before("Reply", 1);
    let report = bench.prfix(["doctor", "--offline", "--json"]).succeeds().json();
    let (state, found) = check(&report, "runs");
    assert!(state == "warning" && found.contains("pr7-"), "{report:#}");
    bench.prfix(["doctor", "--offline"]).succeeds().says("git prfix --resume pr7-");
}

#[test]
fn outside_of_a_repository_the_rest_is_still_said() {
    let bench = TestBench::new();
    let report = bench.prfix(["doctor", "--offline", "--json"]).cwd(bench.home()).fails_with(2).json();
    assert_eq!((check(&report, "git").0.as_str(), check(&report, "repository").0.as_str()), ("ok", "problem"));
}
