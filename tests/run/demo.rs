//! `git prfix demo`: nothing but git.

use std::path::Path;
use std::process::Command;

fn demo(home: &Path, args: &[&str]) -> std::process::Output {
    std::fs::create_dir_all(home.join("tmp")).unwrap();
    let git = which::which("git").unwrap();
    let bin = home.join("bin");
    std::fs::create_dir(&bin).unwrap();
    for tool in ["git", "sh"] {
        std::os::unix::fs::symlink(if tool == "git" { git.clone() } else { "/bin/sh".into() }, bin.join(tool)).unwrap();
    }
    Command::new(env!("CARGO_BIN_EXE_git-prfix"))
        .arg("demo")
        .args(args)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("HOME", home)
        .env("TMPDIR", home.join("tmp"))
        .env("PRFIX_CLOCK", "2026-01-02T03:04:05Z")
        .current_dir(home)
        .output()
        .unwrap()
}

#[test]
fn it_ends_pushed_answered_and_resolved_without_account_agent_or_network() {
    let home = tempfile::tempdir().unwrap();
    let output = demo(home.path(), &["--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["outcome"].as_str(), report["reason"].as_str()), (Some("done"), Some("pushed")), "{report:#}");
    let status: Vec<&str> = report["items"].as_array().unwrap().iter().map(|i| i["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["fixed", "triaged-out", "fixed"]);
    assert_eq!(report["untrusted"].as_array().unwrap().len(), 1);
    assert!(report["dropped"].to_string().contains("noise/bots"));
    assert_eq!(
        (report["gates"][0]["before"].as_str(), report["gates"][0]["status"].as_str()),
        (Some("failed"), Some("passed"))
    );
    assert_eq!(report["threads"]["unresolved_after"], 0);
    assert_eq!(std::fs::read_dir(home.path().join("tmp")).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn kept_it_leaves_a_clone_and_a_remote_to_look_at() {
    let home = tempfile::tempdir().unwrap();
    let output = demo(home.path(), &["--keep"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("done: the fix is pushed") && text.contains("on the pull request now"), "{text}");
    let kept = std::fs::read_dir(home.path().join("tmp")).unwrap().next().unwrap().unwrap().path();
    assert!(kept.join("tally/.git").is_dir() && kept.join("octo/tally.git").is_dir());
}
