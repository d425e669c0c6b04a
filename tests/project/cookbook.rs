//! The rules of `docs/cookbook.md` load, and do what is said of them.

use git_prfix::rules::{Rules, Source, SourceLayer};

/// Kinds that a rule test cannot ask; such a recipe is only loaded.
const NOT_ASKED: &[&str] = &["prfix.syntax", "prfix.guard", "prfix.prompt", "prfix.retrigger"];

struct Recipe {
    title: String,
    /// The rule, then its test if there is one.
    blocks: Vec<String>,
}

fn recipes() -> Vec<Recipe> {
    let page = std::fs::read_to_string(super::root().join("docs/cookbook.md")).expect("the cookbook");
    let mut recipes: Vec<Recipe> = Vec::new();
    let mut block: Option<String> = None;
    for line in page.lines() {
        match (&mut block, line) {
            (Some(_), "```") => {
                let recipe = recipes.last_mut().expect("a block stands in a recipe");
                recipe.blocks.extend(block.take());
            }
            (Some(text), line) => *text += &format!("{line}\n"),
            (None, "```lua") => block = Some("prfix.api = 1\n".to_owned()),
            (None, line) => {
                let title = line.strip_prefix("### ").map(str::to_owned);
                recipes.extend(title.map(|title| Recipe { title, blocks: Vec::new() }));
            }
        }
    }
    recipes
}

fn source(name: &str, text: &str) -> Source {
    Source { layer: SourceLayer::Repository, name: format!(".prfix/{name}"), text: text.to_owned() }
}

/// How many tests of the recipe fail under these rules, with what they say.
fn failures(recipe: &Recipe, rules: &[Source]) -> Vec<String> {
    let rules = Rules::load(rules).unwrap_or_else(|error| panic!("{}: {error:?}", recipe.title));
    let tests: Vec<Source> = recipe.blocks[1..].iter().map(|text| source("tests/a.lua", text)).collect();
    let results = rules.run_tests(&tests).unwrap_or_else(|error| panic!("{}: {error:?}", recipe.title));
    let failures = results.into_iter().filter_map(|test| test.failure);
    failures.map(|failure| format!("{}: {}", recipe.title, failure.label)).collect()
}

#[test]
fn each_of_the_twenty_rules_passes_its_test_which_fails_without_it() {
    let recipes = recipes();
    assert_eq!(recipes.len(), 20);
    for recipe in &recipes {
        let rule = source("a.lua", &recipe.blocks[0]);
        let asked = !NOT_ASKED.iter().any(|kind| recipe.blocks[0].contains(kind));
        assert_eq!(recipe.blocks.len(), if asked { 2 } else { 1 }, "{}", recipe.title);
        assert_eq!(failures(recipe, &[rule]), [""; 0]);
        assert!(!asked || !failures(recipe, &[]).is_empty(), "{}: its test passes without it", recipe.title);
    }
}
