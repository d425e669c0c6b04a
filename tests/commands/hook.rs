//! `hook install` and `hook uninstall`, with real pushes through real hooks.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::kept;
use crate::support::TestBench;

fn write_hook(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A hook that notes its arguments and its input, and then says yes or no.
fn noting(bench: &TestBench, status: u8) -> String {
    let note = bench.root().join("noted");
    format!("#!/bin/sh\nprintf '%s\\n' \"$(basename \"$0\") $*\" >>'{0}'\ncat >>'{0}'\nexit {status}\n", note.display())
}

fn noted(bench: &TestBench) -> String {
    std::fs::read_to_string(bench.root().join("noted")).unwrap_or_default()
}

/// `git push` with the operator's environment.
fn push(bench: &TestBench, cwd: &Path, refspec: &str) -> Output {
    let home = bench.home();
    Command::new("git")
        .args(["push", "origin", refspec])
        .current_dir(cwd)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .env("XDG_STATE_HOME", home.join(".local/state"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git starts")
}

#[track_caller]
fn pushes(bench: &TestBench, cwd: &Path, refspec: &str) {
    let output = push(bench, cwd, refspec);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[track_caller]
fn is_refused(bench: &TestBench, cwd: &Path, refspec: &str, why: &str) {
    let output = push(bench, cwd, refspec);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains(why), "{stderr}");
}

fn plain_hook(bench: &TestBench) -> PathBuf {
    bench.clone_dir().join(".git/hooks/pre-push")
}

#[test]
fn an_installed_guard_refuses_a_push_of_another_ref_from_a_managed_worktree() {
    let bench = TestBench::new();
    let (path, _) = kept(&bench);
    bench.prfix(["hook", "install"]).succeeds().says("is in place");
    bench.prfix(["hook", "install"]).succeeds().says("was in place already");
    is_refused(&bench, &path, "HEAD:refs/heads/elsewhere", "is not the pull request's head");
    pushes(&bench, &path, "HEAD:refs/heads/feature");
    pushes(&bench, &bench.clone_dir(), "HEAD:refs/heads/topic");
    bench.prfix(["hook", "uninstall"]).succeeds().says("is taken out");
    assert!(!plain_hook(&bench).exists());
    bench.prfix(["hook", "uninstall"]).succeeds().says("not installed");
    pushes(&bench, &path, "HEAD:refs/heads/elsewhere");
}

#[test]
fn a_run_pushes_through_the_installed_guard() {
    let bench = TestBench::new();
    bench.prfix(["hook", "install"]).succeeds();
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one.");
    assert_eq!(bench.prfix(["7", "--json"]).succeeds().json()["reason"], "pushed");
}

#[test]
fn a_hook_that_is_there_runs_first_with_its_input_and_comes_back_byte_for_byte() {
    let bench = TestBench::new();
    let text = noting(&bench, 0);
    write_hook(&plain_hook(&bench), &text);
    bench.prfix(["hook", "install"]).succeeds().says("before it runs");
    let report = bench.prfix(["hook", "install", "--json"]).succeeds().json();
    assert_eq!((report["installed"].as_bool(), report["changed"].as_bool()), (Some(true), Some(false)));
    let head = bench.git(&["rev-parse", "HEAD"]);
    pushes(&bench, &bench.clone_dir(), "HEAD:refs/heads/topic");
    let seen = noted(&bench);
    assert!(seen.contains("origin") && seen.contains(&format!("HEAD {} refs/heads/topic", head.trim())), "{seen}");

    bench.prfix(["hook", "uninstall"]).succeeds();
    assert_eq!(std::fs::read_to_string(plain_hook(&bench)).unwrap(), text);
    assert_eq!(plain_hook(&bench).metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let left: Vec<_> = std::fs::read_dir(plain_hook(&bench).parent().unwrap()).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().contains("prfix")), "{left:?}");
}

#[test]
fn what_the_first_hook_refuses_stays_refused() {
    let bench = TestBench::new();
    write_hook(&plain_hook(&bench), &noting(&bench, 1));
    bench.prfix(["hook", "install"]).succeeds();
    is_refused(&bench, &bench.clone_dir(), "HEAD:refs/heads/topic", "failed to push");
}

#[test]
fn a_hooks_path_is_chained_and_its_files_are_not_touched() {
    let bench = TestBench::new();
    let (path, _) = kept(&bench);
    // As husky lays them out: a tracked folder, hooks that look at their own name.
    let hooks = bench.clone_dir().join(".husky");
    write_hook(&hooks.join("pre-push"), &noting(&bench, 0));
    write_hook(&hooks.join("pre-commit"), &noting(&bench, 0));
    bench.git(&["config", "core.hooksPath", ".husky"]);
    let config = std::fs::read(bench.clone_dir().join(".git/config")).unwrap();
    let before = std::fs::read(hooks.join("pre-push")).unwrap();

    bench.prfix(["hook", "install"]).succeeds().says(".husky/pre-push");
    bench.prfix(["hook", "install"]).succeeds().says("was in place already");
    pushes(&bench, &bench.clone_dir(), "HEAD:refs/heads/topic");
    bench.git(&["commit", "-q", "--allow-empty", "-m", "hooks run"]);
    let seen = noted(&bench);
    assert!(seen.contains("pre-push origin") && seen.contains("pre-commit"), "{seen}");
    is_refused(&bench, &path, "HEAD:refs/heads/elsewhere", "is not the pull request's head");
    // A hook that is added later runs as well.
    write_hook(&hooks.join("commit-msg"), &noting(&bench, 1));
    assert!(crate::support::git::try_git(&bench.clone_dir(), &["commit", "--allow-empty", "-m", "x"]).is_err());

    bench.prfix(["hook", "uninstall"]).succeeds();
    assert_eq!(std::fs::read(bench.clone_dir().join(".git/config")).unwrap(), config);
    assert_eq!(std::fs::read(hooks.join("pre-push")).unwrap(), before);
    assert!(!bench.clone_dir().join(".git/prfix/hooks").exists());
}

#[test]
fn a_global_hooks_path_is_chained_for_this_repository_only() {
    let bench = TestBench::new();
    let shared = bench.home().join("my hooks");
    write_hook(&shared.join("pre-push"), &noting(&bench, 0));
    bench.config("core.hooksPath", "~/my hooks");
    let config = std::fs::read(bench.clone_dir().join(".git/config")).unwrap();
    bench.prfix(["hook", "install"]).succeeds();
    pushes(&bench, &bench.clone_dir(), "HEAD:refs/heads/topic");
    assert!(noted(&bench).starts_with("pre-push origin"), "{}", noted(&bench));
    assert_eq!(std::fs::read_dir(&shared).unwrap().count(), 1);
    bench.prfix(["hook", "uninstall"]).succeeds();
    assert_eq!(std::fs::read(bench.clone_dir().join(".git/config")).unwrap(), config);
}

#[test]
fn a_tool_that_sets_its_hooks_path_anew_has_the_last_word() {
    let bench = TestBench::new();
    bench.git(&["config", "core.hooksPath", ".husky/_"]);
    bench.prfix(["hook", "install"]).succeeds();
    bench.git(&["config", "core.hooksPath", ".husky/_"]);
    bench.prfix(["doctor", "--offline"]).run().says("taken its place");
    bench.prfix(["hook", "install"]).succeeds().says("is in place");
    bench.git(&["config", "core.hooksPath", "elsewhere"]);
    bench.prfix(["hook", "uninstall"]).succeeds();
    assert_eq!(bench.git(&["config", "core.hooksPath"]).trim(), "elsewhere");
}

#[test]
fn a_hook_that_was_set_aside_is_never_overwritten() {
    let bench = TestBench::new();
    write_hook(&plain_hook(&bench), "#!/bin/sh\n# first\n");
    bench.prfix(["hook", "install"]).succeeds();
    write_hook(&plain_hook(&bench), "#!/bin/sh\n# second\n");
    bench.prfix(["hook", "install"]).fails_with(2).says("is in the way");
    let aside = plain_hook(&bench).with_file_name("pre-push.before-prfix");
    assert_eq!(std::fs::read_to_string(aside).unwrap(), "#!/bin/sh\n# first\n");
    assert_eq!(std::fs::read_to_string(plain_hook(&bench)).unwrap(), "#!/bin/sh\n# second\n");
}
