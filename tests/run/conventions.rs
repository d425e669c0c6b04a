//! What a git command is expected to respect: aliases, git's variables, ownership, bare repositories; and what is told
//! how loudly, with no secret in it.

use std::process::{Command, Output};

use crate::support::TestBench;

/// `git <args>` with the program among git's commands.
fn git(bench: &TestBench, args: &[&str]) -> Output {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_git-prfix"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("git");
    command.args(args).current_dir(bench.clone_dir()).env_clear().envs(bench.environment()).env("PATH", path);
    command.output().unwrap()
}

fn one(bench: &TestBench) {
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.");
}

#[test]
fn an_alias_and_a_setting_of_one_call_work() {
    let bench = TestBench::new();
    one(&bench);
    bench.config("alias.look", "prfix harvest");
    let output = git(&bench, &["look", "7", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("off by one"));
    let output = git(&bench, &["-c", "prfix.probes=many", "prfix", "harvest", "7"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("prfix.probes = many") && said.contains("this value"), "{said}");
}

#[test]
fn gits_variables_name_the_repository_and_a_bare_one_is_looked_at() {
    let bench = TestBench::new();
    one(&bench);
    let (dir, tree) = (bench.clone_dir().join(".git"), bench.clone_dir());
    let elsewhere = bench.prfix(["harvest", "7"]).cwd(bench.root());
    let elsewhere = elsewhere.env("GIT_DIR", &dir.to_string_lossy()).env("GIT_WORK_TREE", &tree.to_string_lossy());
    elsewhere.succeeds().says("off by one");
    let bare = bench.root().join("bare.git");
    bench.git(&["clone", "-q", "--bare", ".", &bare.to_string_lossy()]);
    crate::support::git::git(&bare, &["remote", "set-url", "origin", "https://github.com/octo/demo.git"]);
    bench.prfix(["harvest", "7"]).cwd(&bare).succeeds().says("off by one");
}

const TOKEN: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

#[test]
fn quiet_says_less_verbose_and_the_log_more_and_none_of_them_a_secret() {
    let bench = TestBench::new();
    one(&bench);
    let url = format!("https://octavia:{TOKEN}@github.com/octo/demo.git");
    bench.git(&["remote", "set-url", "origin", &url]);
    let hub = bench.hub().to_string_lossy().into_owned();
    bench.config(&format!("url.{hub}.insteadOf"), &url);
    bench.config("http.extraHeader", &format!("Authorization: Bearer {TOKEN}"));
    let look = |flags: &[&str], log: &str| {
        let run = bench.prfix([&["7", "--dry-run"], flags].concat());
        let run = run.env("GH_TOKEN", TOKEN).env("PRFIX_LOG", log).run();
        assert!(!(run.stdout + &run.stderr).contains(TOKEN), "{flags:?} {log}: {}", run.stderr);
        run.stderr
    };
    let (quiet, plain, verbose) = (look(&["-q"], ""), look(&[], ""), look(&["-v"], ""));
    assert!(quiet.is_empty(), "{quiet}");
    assert!(plain.lines().all(|line| line.starts_with("03:04:05 ")), "no time: {plain}");
    assert!(verbose.len() >= plain.len(), "{verbose}");
    let log = look(&[], "debug");
    let line = log.lines().find(|line| line.contains("prfix::process")).unwrap_or_else(|| panic!("no log: {log}"));
    assert!(line.starts_with("03:04:05 ") && !line.contains("2026-"), "the time, once: {line}");
    assert!(look(&[], "prfix=loud").contains("`PRFIX_LOG` is not used"));
}
