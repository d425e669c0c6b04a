//! git for the bench itself: the real program with a fixed identity, fixed dates and no configuration
//! but the repository's.

use std::path::Path;
use std::process::Command;

/// Runs git in `dir` and returns what it printed.
///
/// # Panics
/// When git fails, with what it said.
pub fn git(dir: &Path, args: &[&str]) -> String {
    try_git(dir, args).unwrap_or_else(|error| panic!("git {args:?} in {}: {error}", dir.display()))
}

/// Like [`git`], for what may fail.
pub fn try_git(dir: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "Ann Author")
        .env("GIT_AUTHOR_EMAIL", "ann@example.com")
        .env("GIT_AUTHOR_DATE", "2026-11-29T10:00:00Z")
        .env("GIT_COMMITTER_NAME", "Ann Author")
        .env("GIT_COMMITTER_EMAIL", "ann@example.com")
        .env("GIT_COMMITTER_DATE", "2026-11-29T10:00:00Z")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Commits `files` (path, contents) on top of `branch` of a bare repository, without a work tree, and
/// returns the commit. A branch that does not exist starts at `main`.
pub fn commit_to(bare: &Path, branch: &str, message: &str, files: &[(&str, &str)]) -> String {
    let refname = format!("refs/heads/{branch}");
    let parent = read_ref(bare, branch).or_else(|| read_ref(bare, "main"));
    let mut stream = format!("commit {refname}\ncommitter Ann Author <ann@example.com> 1795946400 +0000\n");
    stream.push_str(&format!("data {}\n{message}\n", message.len()));
    if let Some(parent) = &parent {
        stream.push_str(&format!("from {parent}\n"));
    }
    for (path, contents) in files {
        let mode = if path.ends_with(".sh") { "100755" } else { "100644" };
        stream.push_str(&format!("M {mode} inline {path}\ndata {}\n{contents}\n", contents.len()));
    }
    feed(bare, &["fast-import", "--quiet", "--force", "--date-format=raw"], &stream);
    read_ref(bare, branch).expect("the branch that was just written")
}

/// The commit of a branch of a bare repository, read without starting git.
pub fn read_ref(disk: &Path, branch: &str) -> Option<String> {
    let name = format!("refs/heads/{branch}");
    if let Ok(text) = std::fs::read_to_string(disk.join(&name)) {
        return Some(text.trim().to_owned());
    }
    let packed = std::fs::read_to_string(disk.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| line.strip_suffix(&name)?.strip_suffix(' ').map(str::to_owned))
}

fn feed(dir: &Path, args: &[&str], input: &str) {
    use std::io::Write;
    let mut child = Command::new("git")
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("git starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("git reads");
    assert!(child.wait().expect("git ends").success(), "git {args:?} failed");
}
