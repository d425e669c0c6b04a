//! `--help`: the manual page, as git shows those of its own commands.
//!
//! `git prfix --help` never comes here: git itself opens git-prfix(1). `-h` is clap's short help.

use std::ffi::OsString;

use crate::process::{self, Run};

/// Pages of commands that have one; all others stand in git-prfix(1).
const PAGES: &[(&str, &str)] = &[
    ("loop", "git-prfix-loop"),
    ("sweep", "git-prfix-sweep"),
    ("watch", "git-prfix-watch"),
    ("status", "git-prfix-watch"),
    ("resume", "git-prfix-watch"),
    ("stop", "git-prfix-watch"),
];

/// The page that these words ask for; `None` where nobody typed `--help`.
pub fn page_of(words: &[OsString]) -> Option<&'static str> {
    let words: Vec<&str> = words.iter().skip(1).map_while(|word| word.to_str().filter(|word| *word != "--")).collect();
    if !words.contains(&"--help") {
        return None;
    }
    let page = words.iter().find_map(|word| PAGES.iter().find(|(command, _)| command == word));
    Some(page.map_or("git-prfix", |(_, page)| page))
}

/// Becomes man(1) with the page that was asked for. Returns where there is no `--help`, no man, or no such page.
pub fn show(words: &[OsString]) {
    let Some(page) = page_of(words) else { return };
    let found = Run::new("man").args(["-w", page]).run();
    if found.is_ok_and(|output| output.success()) {
        process::become_program("man", &[page]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &[&str]) -> Option<&'static str> {
        page_of(&[&["git-prfix"], words].concat().into_iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_page_is_the_commands_own_or_the_programs() {
        assert_eq!(page(&["watch", "7", "--help"]), Some("git-prfix-watch"));
        assert_eq!(page(&["--json", "stop", "--help"]), Some("git-prfix-watch"));
        assert_eq!(page(&["rules", "list", "--help"]), Some("git-prfix"));
        assert_eq!(page(&["watch", "-h"]), None);
        assert_eq!(page(&["7", "--", "--help"]), None);
    }
}
