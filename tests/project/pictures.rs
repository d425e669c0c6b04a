//! The README's pictures are the demo's own output. `UPDATE_EXPECT=1 cargo test --test it project::pictures` makes them
//! anew.

use std::process::Command;

use expect_test::expect_file;
use regex::Regex;

use super::{root, svg};

/// The end of the run that the demo prints on a terminal of 80 columns; what differs from run to run is made the same.
fn shown() -> String {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_git-prfix"))
        .args(["demo", "--color", "always"])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .env("COLUMNS", "80")
        .env("PRFIX_CLOCK", "2026-11-30T12:00:00Z")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let commit = Regex::new(r"commits[^\n]*? ([0-9a-f]{7})\n").unwrap().captures(&text).unwrap()[1].to_owned();
    let text = text.replace(&commit, "5f1c357");
    let text = Regex::new(r"\b\d+\.\ds").unwrap().replace_all(&text, "0.1s").into_owned();
    let text = Regex::new(r"(pr7-\d+T\d+Z)-[0-9a-f]{4}").unwrap().replace_all(&text, "$1-1a2b").into_owned();
    let starts = |line: &str, with: &str| svg::plain(line).starts_with(with);
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.iter().position(|line| starts(line, "PR #7")).unwrap();
    let to = lines.iter().position(|line| starts(line, "done:")).unwrap();
    lines[from..=to].iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_pictures_show_what_the_demo_prints() {
    let shown = format!("$ git prfix demo\n{}", shown());
    expect_file![root().join("docs/pictures/demo-light.svg")].assert_eq(&svg::picture(&shown, svg::LIGHT));
    expect_file![root().join("docs/pictures/demo-dark.svg")].assert_eq(&svg::picture(&shown, svg::DARK));
}

#[test]
fn the_text_in_the_readme_is_what_the_demo_prints() {
    let plain = svg::plain(&shown());
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (before, rest) = readme.split_once("```text\n").unwrap();
    let (_, after) = rest.split_once("```\n").unwrap();
    let lines: String = plain.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let whole = format!("{before}```text\n$ git prfix demo\n{lines}```\n{after}");
    expect_file![root().join("README.md")].assert_eq(&whole);
}
