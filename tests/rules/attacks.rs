//! Attacks on the sandbox, each a file under `attacks/` that is run as the body of a rule.
//!
//! The first line of a file says how it must end: with a part of the message that the rule failed with (where several
//! limits compete, with one of several parts), or with `nothing` when the attack runs and achieves nothing. That every
//! test ends at all is half of the proof.

use git_prfix::rules::{CommentView, Decision, PrView, Rules, Source, SourceLayer};

use super::helpers::member;

fn repository(name: &str, text: String) -> Source {
    Source { layer: SourceLayer::Repository, name: format!(".prfix/{name}.lua"), text }
}

/// The attack as a rule that is asked first, beside one that must go on working.
fn attacking(name: &str, body: &str) -> Rules {
    let text = format!(
        "prfix.api = 1\nlocal function attack(c)\n{body}\nend\n\
         prfix.noise {{ name = 'attack', why = 'x', order = 1, drop = function(c) if c.id == '1' then attack(c) end end }}\n"
    );
    Rules::load(&[repository(name, text)]).unwrap_or_else(|error| panic!("{name}: {:?}", miette::Report::new(error)))
}

fn decide(rules: &Rules, id: &str) -> Decision {
    rules.decide(&CommentView { id, ..member("Thanks!") }, &PrView::unknown())
}

fn ends_as_it_says(name: &str, body: &str) {
    let expected = body.lines().next().and_then(|line| line.strip_prefix("-- expect: ")).expect("a first line");
    let rules = attacking(name, body);
    match decide(&rules, "1") {
        Decision::Keep { why, .. } => {
            assert!(expected.split(" or ").any(|end| why.contains(end)), "{name}: {why}");
        }
        Decision::Drop { rule, .. } => assert_eq!((expected, rule.as_str()), ("nothing", "noise/social"), "{name}"),
        Decision::Untrusted { why, .. } => panic!("{name}: {why}"),
    }
    let after = decide(&rules, "2");
    assert!(matches!(&after, Decision::Drop { rule, .. } if rule == "noise/social"), "{name}, afterwards: {after:?}");
}

#[test]
fn every_attack_ends_within_its_limits_and_leaves_the_machine_usable() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules/attacks");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path()).collect();
    files.sort();
    assert!(files.len() >= 46, "{} attacks", files.len());
    for file in files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        ends_as_it_says(&name, &std::fs::read_to_string(&file).expect("a text"));
    }
}

fn refused(name: &str, text: String, expected: &str) {
    let error = match Rules::load(&[repository(name, text)]) {
        Ok(_) => panic!("{name} was loaded"),
        Err(error) => error,
    };
    let said = format!("{} {}", error.message, error.label);
    assert!(said.contains(expected), "{name}: {said}");
}

#[test]
fn a_file_that_is_too_deep_for_the_parser_is_refused() {
    let deep =
        |open: &str, close: &str, n: usize| format!("prfix.api = 1\nreturn {}1{}", open.repeat(n), close.repeat(n));
    refused("parens", deep("(", ")", 1_000_000), "overflow");
    refused("concat", deep("''..", "", 1_000_000), "overflow");
    refused("blocks", format!("local a = 1 {} {}", "if a then ".repeat(100_000), "end ".repeat(100_000)), "overflow");
}

#[test]
fn bytecode_is_refused() {
    refused("bytecode", "\u{1b}LuaT\0\x19".to_owned(), "binary");
}

#[test]
fn a_file_that_never_ends_is_refused() {
    refused(
        "endless",
        "prfix.api = 1\nwhile true do pcall(function() while true do end end) end".to_owned(),
        "ran longer",
    );
}

#[test]
fn patterns_of_the_regular_expression_helper_are_bounded() {
    refused("huge", "prfix.api = 1\nprfix.re(('a'):rep(100000))".to_owned(), "over");
    let text = "prfix.api = 1\nlocal R = prfix.re('((a{100}){100}){100}')\n\
                prfix.noise { name = 'big', why = 'x', drop = function(c) return R:test(c.body) end }";
    let rules = Rules::load(&[repository("big", text.to_owned())]).expect("it is compiled when used");
    let Decision::Keep { why, .. } = decide(&rules, "1") else { panic!("a broken noise rule dropped") };
    assert!(why.contains("size limit"), "{why}");
}
