//! Texts that would tell about somebody's machine.

use regex::Regex;

use super::{files, root};

#[test]
fn no_file_names_a_path_of_somebodys_machine_or_a_registry_host() {
    // Written in pieces, so that this file does not name them either.
    let hosts = [["index.", "crates.io"], ["static.", "crates.io"], ["registry.", "npmjs"], ["pypi", ".org"]];
    let hosts = hosts.map(|pair| regex::escape(&pair.concat())).join("|");
    let ours = Regex::new(&format!(r"(?:^|[^\w.~*-])/(?:work|root)/|{hosts}")).unwrap();
    let mut faults = Vec::new();
    for path in files("").into_iter().filter(|path| !path.ends_with("Cargo.lock")) {
        // What is no text has no paths to tell.
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| ours.is_match(line)) {
            faults.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_readme_shows_the_two_commands_exactly() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for command in ["cargo run --release -- demo", "cargo test"] {
        assert_eq!(readme.lines().filter(|line| *line == command).count(), 1, "`{command}` in README.md");
    }
}
