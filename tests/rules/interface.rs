//! The interface, its type stubs and its manual name the same things; what `init` writes is sound.

use git_prfix::rules::{Decision, Rules, SCAFFOLD, Source, SourceLayer, TeamFiles};

use super::helpers::{decide, load, member, repository};

const STUBS: &str = include_str!("../../scripts/types/prfix.lua");
const MANUAL: &str = include_str!("../../man/git-prfix-rules.5");

/// Names of all functions of `prfix`, as a rule sees them.
fn functions() -> Vec<String> {
    let text = "local names = {}\nfor name in pairs(prfix) do names[#names + 1] = name end\n\
                prfix.text { name = 'commit', render = function() return table.concat(names, ' ') end }";
    let names = load(&[repository("names", text)]).text("commit", &serde_json::json!({})).unwrap();
    names.split(' ').map(str::to_owned).collect()
}

#[test]
fn the_stubs_and_the_manual_describe_every_function_and_no_other() {
    let functions = functions();
    assert!(functions.len() >= 20, "{functions:?}");
    for name in &functions {
        assert!(STUBS.contains(&format!("function prfix.{name}(")), "no stub of prfix.{name}");
        let described = MANUAL.contains(&format!(".Ss prfix.{name}\n")) || MANUAL.contains(&format!("prfix.{name} "));
        assert!(described, "prfix.{name} is not in the manual");
    }
    for line in STUBS.lines().filter_map(|line| line.strip_prefix("function prfix.")) {
        let name = line.split('(').next().unwrap();
        assert!(functions.iter().any(|function| function == name), "the stub of prfix.{name} describes nothing");
    }
}

/// The built-in rules as a repository's own: they load in the environment that everybody gets, and do the same there.
#[test]
fn the_built_in_rules_need_nothing_that_a_repositorys_would_not_get() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.ends_with(".lua") {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            for used in text.split("prfix.").skip(1).map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_'))
            {
                let word = used.clone().next().unwrap_or_default();
                assert!(
                    word == "api" || word.is_empty() || STUBS.contains(&format!("function prfix.{word}(")),
                    "{name}: {word}"
                );
            }
            sources.push(Source { layer: SourceLayer::Repository, name: format!(".prfix/{name}"), text });
        }
    }
    assert!(sources.len() >= 10, "{} files", sources.len());
    let rules = load(&sources);
    assert!(rules.list().iter().all(|rule| rule.layer == "repository"), "a built-in rule was not declared again");
    assert!(matches!(decide(&rules, &member("Thanks!")), Decision::Drop { rule, .. } if rule == "noise/social"));
    assert!(matches!(decide(&rules, &member("Please rename it.")), Decision::Keep { .. }));
    assert_eq!(rules.agents(), load(&[]).agents());
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
}

#[test]
fn what_init_writes_loads_and_passes_its_own_tests() {
    let files =
        TeamFiles::from_files(SCAFFOLD.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())));
    let rules = Rules::load(&files.rules()).unwrap();
    assert_eq!(rules.lint(), Vec::<String>::new());
    let results = rules.run_tests(&files.tests()).unwrap();
    assert!(results.len() >= 2 && results.iter().all(|test| test.failure.is_none()), "{results:?}");
}

#[test]
fn the_manuals_examples_load() {
    let mut examples = MANUAL.split(".Bd -literal -offset indent\n").skip(1);
    let mut loaded = 0;
    for example in &mut examples {
        let text = example.split(".Ed").next().unwrap();
        let text = if text.starts_with("prfix.api") { text.to_owned() } else { format!("prfix.api = 1\n{text}") };
        let source = Source { layer: SourceLayer::Repository, name: ".prfix/manual.lua".into(), text };
        if source.text.contains("\ntest(") {
            load(&[]).run_tests(&[source]).unwrap();
        } else {
            load(&[source]);
        }
        loaded += 1;
    }
    assert!(loaded >= 4, "{loaded} examples");
}
