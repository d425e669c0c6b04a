//! Files, layers and replacement.

use git_prfix::rules::Rules;

#[test]
fn the_built_in_rules_load_on_their_own() {
    let rules = Rules::load(&[]).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    assert_eq!(rules.agents()[0], ("claude".to_owned(), "claude".to_owned()));
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
}
