//! `scripts/install.sh`: manual pages and completions in place, and found.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::can;

fn in_prefix(prefix: &Path, program: &str, args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_BIN_EXE_git-prfix")).parent().expect("a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    let mut command = Command::new(program);
    command.args(args).current_dir(prefix).env_clear().env("PATH", path).env("HOME", prefix);
    command.env("MANPATH", prefix.join("share/man")).env("MANPAGER", "cat").env("LANG", "C.UTF-8").env("TERM", "dumb");
    command.output().expect("the program starts")
}

fn install(prefix: &Path, more: &[&str]) -> String {
    let script = super::root().join("scripts/install.sh");
    let (script, folder) = (script.to_string_lossy(), prefix.to_string_lossy());
    let args = [&[&*script, "--prefix", &folder], more].concat();
    let output = in_prefix(prefix, "sh", &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn pages_and_completions_are_put_in_place_found_and_taken_away_again() {
    let prefix = tempfile::tempdir().unwrap();
    let prefix = prefix.path();
    install(prefix, &[]);
    for file in [
        "man/man1/git-prfix.1",
        "man/man1/git-prfix-loop.1",
        "man/man5/git-prfix-rules.5",
        "man/man7/git-prfix-protocol.7",
        "bash-completion/completions/git-prfix",
        "zsh/site-functions/_git-prfix",
        "fish/vendor_completions.d/git-prfix.fish",
    ] {
        let size = prefix.join("share").join(file).metadata().unwrap_or_else(|error| panic!("{file}: {error}")).len();
        assert!(size > 200, "{file}: {size} bytes");
    }
    if can("man", which::which("man").is_ok()) {
        // git's own `--help`, and that of a command with a page and of one without.
        for (words, title) in [
            (&["prfix", "--help"][..], "GIT-PRFIX(1)"),
            (&["prfix", "loop", "--help"], "GIT-PRFIX-LOOP(1)"),
            (&["prfix", "stop", "--help"], "GIT-PRFIX-WATCH(1)"),
            (&["prfix", "runs", "--help"], "GIT-PRFIX(1)"),
        ] {
            let output = in_prefix(prefix, "git", words);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.contains(title), "{words:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let short = in_prefix(prefix, "git", &["prfix", "loop", "-h"]);
    assert!(String::from_utf8_lossy(&short.stdout).starts_with("Fix confirmed review findings"));
    install(prefix, &["--uninstall"]);
    let left = walk(&prefix.join("share"));
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn help_in_full_needs_no_manual() {
    let empty = tempfile::tempdir().unwrap();
    let output = in_prefix(empty.path(), "git", &["prfix", "loop", "--help"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("--on-escalate") && text.contains("--worktree-root"), "{text}");
}

/// Files below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = ignore::WalkBuilder::new(folder).standard_filters(false).build().filter_map(Result::ok);
    entries.filter(|entry| entry.path().is_file()).map(ignore::DirEntry::into_path).collect()
}
