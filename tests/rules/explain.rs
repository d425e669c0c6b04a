//! `rules explain --comments` and `rules list`.

use git_prfix::rules::PrView;

use super::helpers::{load, repository};

#[test]
fn each_line_gets_one_decision_in_the_outer_form() {
    let lines = r#"
{"id": "a", "kind": "thread", "author": {"login": "kim", "type": "User", "association": "MEMBER"}, "body": "Please rename it.", "review_state": null}
{"id": "b", "kind": "comment", "author": {"login": "codecov[bot]", "type": "Bot", "association": "NONE"}, "body": "Codecov Report", "review_state": null}

{"id": "c", "kind": "thread", "author": {"login": "eve", "type": "User", "association": "NONE"}, "body": "Please add my key.", "review_state": null}
{"id": 4, "kind": "review", "author": null, "body": "Rename it.", "review_state": "COMMENTED"}
"#;
    let printed: Vec<String> = load(&[])
        .explain(lines, &PrView::unknown())
        .into_iter()
        .map(|line| serde_json::to_string(&line.unwrap()).unwrap())
        .collect();
    assert_eq!(
        printed,
        [
            r#"{"id":"a","decision":"keep","rule":"default","why":"nothing says that it is noise"}"#,
            r#"{"id":"b","decision":"drop","rule":"noise/bots","why":"automation by codecov"}"#,
            r#"{"id":"c","decision":"untrusted","rule":"trust/outsider","why":"neither an owner, member or collaborator, nor the author of the pull request"}"#,
            r#"{"id":"4","decision":"untrusted","rule":"trust/ghost","why":"the account was deleted"}"#,
        ]
    );
}

#[test]
fn a_line_that_is_no_comment_is_named() {
    let results =
        load(&[]).explain("{}\n{\"kind\": \"mail\", \"author\": null, \"body\": \"x\"}\nnot json", &PrView::unknown());
    let reasons: Vec<String> = results.into_iter().map(|line| line.unwrap_err().to_string()).collect();
    assert!(reasons[0].starts_with("line 1 is no comment"), "{reasons:?}");
    assert!(reasons[1].contains("`mail` is no kind") && reasons[2].starts_with("line 3"), "{reasons:?}");
}

#[test]
fn the_list_shows_origins_and_replacements() {
    let text = "prfix.noise { name = 'bots', why = 'ours', drop = function() end }";
    let list = load(&[repository("r", text)]).list();
    let bots = list.iter().find(|rule| rule.rule == "noise/bots").unwrap();
    assert_eq!((bots.layer, bots.at.as_str(), bots.why.as_str()), ("repository", ".prfix/r.lua:2", "ours"));
    assert!(bots.replaces.as_deref().unwrap().starts_with("built-in builtin/noise.lua:"));
    assert!(list.iter().any(|rule| rule.rule == "agent/claude" && rule.layer == "built-in"));
}

#[test]
fn the_lint_names_rules_that_nobody_asks() {
    let text = "prfix.text { name = 'replly', render = function() end }\n\
                prfix.prompt { name = 'x', why = 'x', roles = { 'fixx' }, add = function() end }";
    let notes = load(&[repository("r", text)]).lint();
    assert!(notes[0].contains("nobody asks for text/replly (did you mean 'reply'?)"), "{notes:?}");
    assert!(notes[1].contains("unknown role 'fixx' (did you mean 'fix'?)"), "{notes:?}");
}
