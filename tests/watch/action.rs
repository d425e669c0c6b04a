//! The script of the GitHub action, with stand-ins for `gh` and the program.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn put(dir: &Path, name: &str, script: &str) {
    let file = dir.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs the round for a pull request whose head lies in `head`; the program ends with `status`.
fn round(dir: &Path, head: &str, status: i32, variables: &[(&str, &str)]) -> Output {
    put(dir, "gh", &format!("[ \"$1\" = auth ] || echo {head}"));
    put(dir, "git-prfix", &format!("printf '%s\\n' \"$@\" > {}/words; echo '{{}}'; exit {status}", dir.display()));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/github-action/round.sh");
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap_or_default());
    let fixed = [("PATH", path.as_str()), ("GITHUB_REPOSITORY", "octo/demo"), ("HOME", dir.to_str().unwrap())];
    let places = [("RUNNER_TEMP", dir.to_path_buf()), ("GITHUB_OUTPUT", dir.join("output"))];
    Command::new("sh")
        .arg(script)
        .current_dir(dir)
        .env_clear()
        .envs(fixed)
        .envs(places)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn text(dir: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(dir.join(name)).ok()
}

#[test]
fn a_forks_code_is_never_run() {
    let dir = tempfile::tempdir().unwrap();
    for head in ["stranger/demo", "''"] {
        let output = round(dir.path(), head, 0, &[("PRFIX_ACTION_PR", "7")]);
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("comes from a fork"));
    }
    assert!(text(dir.path(), "words").is_none(), "the program was not started");
}

#[test]
fn inputs_are_words_and_never_commands() {
    let dir = tempfile::tempdir().unwrap();
    let hostile = "x'; touch hacked; \"$(touch hacked)\" `touch hacked`";
    let output = round(dir.path(), "octo/demo", 0, &[("PRFIX_ACTION_PR", "7"), ("PRFIX_ACTION_INSTRUCTIONS", hostile)]);
    assert!(output.status.success(), "{output:?}");
    let words = text(dir.path(), "words").unwrap();
    let want = ["watch", "7", "--once", "--yes", "--adopt", "--json", "--", hostile];
    assert_eq!(words.lines().collect::<Vec<_>>(), want);
    let refused = round(dir.path(), "octo/demo", 0, &[("PRFIX_ACTION_PR", "7; touch hacked")]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(dir.path(), "hacked").is_none());
}

#[test]
fn a_round_that_needs_a_person_fails_the_job_only_when_asked_to() {
    let dir = tempfile::tempdir().unwrap();
    let pr = ("PRFIX_ACTION_PR", "7");
    let green = round(dir.path(), "octo/demo", 3, &[pr]);
    assert!(green.status.success() && String::from_utf8_lossy(&green.stdout).contains("needs a person"));
    assert!(text(dir.path(), "output").unwrap().contains("status=3"));
    assert_eq!(round(dir.path(), "octo/demo", 3, &[pr, ("PRFIX_ACTION_FAIL", "true")]).status.code(), Some(3));
    assert_eq!(round(dir.path(), "octo/demo", 1, &[pr]).status.code(), Some(1));
    assert!(round(dir.path(), "octo/demo", 1, &[]).status.success(), "no pull request, nothing to do");
}
