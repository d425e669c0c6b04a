//! The manual and the command line say the same.

use std::collections::{BTreeMap, BTreeSet};

use clap::CommandFactory;
use git_prfix::cli::Cli;
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
