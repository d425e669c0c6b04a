//! The manual and the command line say the same.

use std::collections::{BTreeMap, BTreeSet};

use clap::CommandFactory;
use git_prfix::cli::Cli;
use git_prfix::commands::manual;
use git_prfix::settings::KEYS;
use regex::Regex;

fn page(name: &str) -> String {
    std::fs::read_to_string(super::root().join("man").join(name)).expect("a manual page")
}

/// Long options with the command they belong to, and the commands; hidden ones are nobody's business.
fn model() -> (BTreeMap<String, String>, BTreeSet<String>) {
    fn walk(command: &clap::Command, path: &str, options: &mut BTreeMap<String, String>, paths: &mut BTreeSet<String>) {
        for option in command.get_arguments().filter(|option| !option.is_hide_set()) {
            if let Some(long) = option.get_long() {
                options.entry(long.to_owned()).or_insert_with(|| path.to_owned());
            }
        }
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            let path = format!("{path} {}", inner.get_name()).trim().to_owned();
            walk(inner, &path, options, paths);
            paths.insert(path);
        }
    }
    let (mut options, mut paths) = (BTreeMap::new(), BTreeSet::new());
    let mut command = Cli::command();
    command.build();
    walk(&command, "", &mut options, &mut paths);
    (options, paths)
}

/// `.It Cm rules explain Ar pr` → `rules explain`, from the section of commands.
fn documented_commands(page: &str) -> BTreeSet<String> {
    let start = page.find("\n.Sh COMMANDS").expect("a section of commands");
    let end = page[start + 1..].find("\n.Sh ").map_or(page.len(), |end| start + 1 + end);
    let item = Regex::new(r"(?m)^\.It Cm ([a-z -]+?)(?: (?:Ar|Op|Fl|Ns)\b.*)?$").unwrap();
    item.captures_iter(&page[start..end]).map(|found| found[1].to_owned()).collect()
}

fn documented_options(page: &str) -> BTreeSet<String> {
    let option = Regex::new(r"Fl -([a-z][a-z-]+)").unwrap();
    option.captures_iter(page).map(|found| found[1].to_owned()).collect()
}

#[test]
fn every_command_and_option_stands_in_the_manual() {
    let (options, commands) = model();
    let page = page("git-prfix.1");
    let (in_page, commands_in_page) = (documented_options(&page), documented_commands(&page));
    let settings: BTreeSet<String> = KEYS.iter().map(|key| key.flag()).collect();
    let missing: Vec<String> = (options.iter())
        .filter(|(option, _)| !in_page.contains(*option) && !settings.contains(*option))
        .map(|(option, command)| format!("--{option} of `{command}`"))
        .chain(commands.iter().filter(|path| is_leaf(path, &commands) && !commands_in_page.contains(*path)).cloned())
        .collect();
    assert!(missing.is_empty(), "not in man/git-prfix.1: {}", missing.join(", "));
}

/// `rules` has commands of its own; `rules list` is one.
fn is_leaf(path: &str, commands: &BTreeSet<String>) -> bool {
    let prefix = format!("{path} ");
    !commands.iter().any(|other| other.starts_with(&prefix))
}

#[test]
fn the_manual_names_no_command_or_option_that_is_not_there() {
    let (options, commands) = model();
    let page = page("git-prfix.1");
    let stale: Vec<String> = (documented_commands(&page).into_iter())
        .filter(|command| !commands.contains(command))
        .chain(
            documented_options(&page)
                .into_iter()
                .filter(|option| !options.contains_key(option))
                .map(|o| format!("--{o}")),
        )
        .collect();
    assert!(stale.is_empty(), "in man/git-prfix.1, but not in the program: {}", stale.join(", "));
}

/// Commands whose options are too many for `git-prfix.1` alone, with the page that has them.
fn own_pages() -> Vec<(String, BTreeSet<String>)> {
    fn walk(command: &clap::Command, path: &str, pages: &mut Vec<(String, BTreeSet<String>)>) {
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            let path = format!("{path}-{}", inner.get_name());
            let own = inner.get_arguments().filter(|option| !option.is_hide_set() && !option.is_global_set());
            let options: BTreeSet<String> = own.filter_map(clap::Arg::get_long).map(str::to_owned).collect();
            walk(inner, &path, pages);
            // `help` is every command's.
            if options.iter().filter(|option| *option != "help").count() > 5 {
                pages.push((path, options));
            }
        }
    }
    let mut pages = Vec::new();
    // Not built: options of every command are then the root's alone.
    walk(&Cli::command(), "git-prfix", &mut pages);
    assert!(pages.iter().any(|(path, _)| path == "git-prfix-watch"), "{pages:?}");
    pages
}

#[test]
fn a_command_with_more_than_five_options_has_a_page_with_all_of_them_and_no_other() {
    let (known, _) = model();
    for (name, options) in own_pages() {
        let page = page(&format!("{name}.1"));
        let documented = documented_options(&page);
        let missing: Vec<_> = options.difference(&documented).collect();
        let stale: Vec<_> = documented.iter().filter(|option| !known.contains_key(*option)).collect();
        assert!(missing.is_empty() && stale.is_empty(), "man/{name}.1: missing {missing:?}, stale {stale:?}");
    }
}

#[test]
fn help_in_full_knows_the_page_of_each_command_that_has_one() {
    for (name, _) in own_pages() {
        let command = name.strip_prefix("git-prfix-").unwrap();
        let words = ["git-prfix", command, "--help"].map(std::ffi::OsString::from);
        assert_eq!(manual::page_of(&words), Some(name.as_str()));
    }
}

#[test]
fn every_setting_stands_in_the_manual_and_no_other() {
    let page = page("git-prfix-config.5");
    let item = Regex::new(r"(?m)^\.It Va prfix\.(\w+)$").unwrap();
    let documented: BTreeSet<&str> = item.captures_iter(&page).map(|found| found.extract::<1>().1[0]).collect();
    let known: BTreeSet<&str> = KEYS.iter().map(|key| key.name).collect();
    assert_eq!(documented, known);
}

#[test]
fn every_default_in_the_manual_is_the_programs_own() {
    let page = page("git-prfix-config.5");
    for key in KEYS {
        // `Time limit of a probe (600)`
        let Some((_, default)) = key.about.rsplit_once('(') else { continue };
        let default = default.trim_end_matches(')');
        let start = page.find(&format!("\n.It Va prfix.{}\n", key.name)).expect(key.name);
        let entry = &page[start + 1..start + 1 + page[start + 1..].find("\n.It ").unwrap_or(400)];
        assert!(entry.contains(default), "prfix.{}: the default {default} is not in its entry", key.name);
    }
}
