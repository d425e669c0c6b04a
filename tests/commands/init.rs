//! `init`.

use serde_json::Value;

use crate::support::TestBench;

fn states(report: &Value) -> Vec<(String, String)> {
    let files = report["files"].as_array().expect("files");
    files.iter().map(|f| (f["path"].as_str().unwrap().to_owned(), f["state"].as_str().unwrap().to_owned())).collect()
}

/// A small Rust project with CI and hooks.
fn project() -> TestBench {
    let bench = TestBench::new();
    bench.unset("prfix.testCommand");
    bench.write("Cargo.toml", "[package]\nname = \"demo\"\nversion = \"0.1.0\"\n");
    bench.write("src/lib.rs", "");
    bench.write(".github/workflows/ci.yml", "on: push\njobs: {}\n");
    bench.write(".pre-commit-config.yaml", "repos: []\n");
    bench
}

#[test]
fn what_is_there_is_seen_and_a_settings_file_and_a_tested_rule_are_written() {
    let bench = project();
    let report = bench.prfix(["init", "--json"]).succeeds().json();
    let seen = &report["seen"];
    assert_eq!(seen["languages"][0], "Rust", "{report:#}");
    assert_eq!(seen["ci"][0], ".github/workflows/ci.yml");
    assert_eq!(seen["commands"]["test"][0]["argv"][0], "cargo", "{report:#}");
    assert!(seen["hooks"].as_array().unwrap().iter().any(|hook| hook == "pre-commit"), "{report:#}");
    assert!(states(&report).iter().all(|(_, state)| state == "written"), "{report:#}");
    let config = std::fs::read_to_string(bench.clone_dir().join(".prfix/config.toml")).unwrap();
    assert!(config.contains("# test_command = [\"cargo test"), "{config}");
    bench.prfix(["rules", "check"]).succeeds();
    bench.prfix(["rules", "test"]).succeeds().says("0 failed").says("[no-prfix]");
}

#[test]
fn what_was_there_stays_unless_force_is_given() {
    let bench = project();
    bench.write(".prfix/config.toml", "probes = 3\n");
    let read = || std::fs::read_to_string(bench.clone_dir().join(".prfix/config.toml")).unwrap();
    let report = bench.prfix(["init", "--json"]).succeeds().json();
    assert_eq!(states(&report)[0], (".prfix/config.toml".to_owned(), "kept".to_owned()));
    assert_eq!(read(), "probes = 3\n");
    bench.prfix(["init"]).succeeds().says("kept .prfix/rules.lua").says("--force").says("next: `git prfix rules test`");
    bench.prfix(["init", "--force"]).succeeds().says("wrote .prfix/config.toml");
    assert!(!read().contains("probes = 3"));
}

#[test]
fn nothing_but_the_folder_of_its_own_is_written() {
    let bench = project();
    let before = bench.snapshot();
    bench.prfix(["init"]).succeeds();
    let others: Vec<String> = before.changes().into_iter().filter(|path| !path.contains(" .prfix")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn a_link_leads_no_file_out_of_the_work_tree() {
    let bench = project();
    let outside = bench.root().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, bench.clone_dir().join(".prfix")).unwrap();
    bench.prfix(["init", "--force"]).fails_with(2).says("symbolic link");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_bare_repository_is_told_from_a_clone() {
    let bench = TestBench::new();
    bench.prfix(["init"]).cwd(bench.hub()).fails_with(2).says("bare repository");
}

#[test]
fn a_file_where_the_folder_should_be_is_named() {
    let bench = TestBench::new();
    bench.write(".prfix", "mine\n");
    bench.prfix(["init"]).fails_with(2).says("`.prfix` is a file").says("move the file away");
    assert_eq!(std::fs::read_to_string(bench.clone_dir().join(".prfix")).unwrap(), "mine\n");
}
