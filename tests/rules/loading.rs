//! Files, layers and replacement.

use git_prfix::rules::{CommentView, Decision, PrView, Rules, Source, SourceLayer};

use super::helpers::{decide, load, member, repository, user};

#[test]
fn the_built_in_rules_load_on_their_own() {
    let rules = load(&[]);
    assert_eq!(rules.agents()[0], ("claude".to_owned(), "claude".to_owned()));
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
    assert_eq!(rules.lint(), Vec::<String>::new());
}

#[test]
fn a_new_bot_is_taught_in_one_line() {
    let rules = load(&[repository(
        "bots",
        "prfix.noise { name = 'acme', why = 'coverage', drop = function(c) return c.author.login == 'acme-cov' or nil end }",
    )]);
    let decision = decide(&rules, &CommentView { login: "acme-cov", ..member("Please look at the coverage.") });
    assert_eq!(decision, Decision::Drop { rule: "noise/acme".into(), why: "coverage".into() });
}

#[test]
fn a_bots_conversation_comments_can_be_kept_by_a_rule() {
    let rule = "prfix.noise { name = 'claude', why = 'reviews here', drop = function(c) if c.author.login == 'claude' then return false end end }";
    let comment =
        CommentView { login: "claude", bot: true, association: "NONE", kind: "comment", ..member("Found 2 issues.") };
    assert!(matches!(decide(&load(&[]), &comment), Decision::Drop { .. }));
    let rules = load(&[repository("bots", rule)]);
    assert!(matches!(decide(&rules, &comment), Decision::Keep { .. }));
    assert!(rules.trusted(&comment, &PrView::unknown()));
    assert!(!load(&[]).trusted(&comment, &PrView::unknown()));
}

#[test]
fn the_nearest_layer_replaces_a_rule_of_the_same_name_and_may_wrap_it() {
    let wrap = "local base = prfix.base 'noise/social'\n\
                prfix.noise { name = 'social', why = 'but owners count', drop = function(c, pr)\n\
                if c.author.association ~= 'OWNER' then return base.drop(c, pr) end end }";
    let rules = load(&[user("mine", wrap)]);
    assert!(matches!(decide(&rules, &member("Thanks!")), Decision::Drop { .. }));
    assert!(matches!(
        decide(&rules, &CommentView { association: "OWNER", ..member("Thanks!") }),
        Decision::Keep { rule: None, .. }
    ));
    let notes = rules.lint();
    assert!(notes[0].contains("noise/social replaces the built-in rule at builtin/talk.lua:"), "{notes:?}");
}

#[test]
fn the_repositorys_rule_wins_over_the_users() {
    let says = |why: &str| {
        format!("prfix.noise {{ name = 'x', why = '{why}', order = 1, drop = function() return true end }}")
    };
    let rules = load(&[repository("a", &says("team")), user("b", &says("me"))]);
    assert_eq!(
        decide(&rules, &member("Please fix it.")),
        Decision::Drop { rule: "noise/x".into(), why: "team".into() }
    );
}

#[test]
fn rules_are_switched_off_by_name_or_pattern() {
    let rules = load(&[repository("off", "prfix.off 'noise/so*'")]);
    assert!(matches!(decide(&rules, &member("Thanks!")), Decision::Keep { .. }));
    let listed = rules.list();
    let off = listed.iter().find(|rule| rule.rule == "noise/social").expect("it is listed");
    assert_eq!(off.off.as_deref(), Some(".prfix/off.lua:2"));
}

#[test]
fn order_decides_within_a_layer() {
    let rule = |name: &str, order: i64| {
        format!(
            "prfix.noise {{ name = '{name}', why = '{name}', order = {order}, drop = function() return true end }}\n"
        )
    };
    let rules = load(&[repository("o", &(rule("late", 20) + &rule("early", 10)))]);
    assert!(matches!(decide(&rules, &member("x")), Decision::Drop { rule, .. } if rule == "noise/early"));
}

#[test]
fn a_broken_noise_rule_drops_nothing_and_is_reported_once() {
    let rules = load(&[repository(
        "bad",
        "prfix.noise { name = 'bad', why = 'x', drop = function(c) return c.path:match('/') .. nil end }",
    )]);
    for _ in 0..3 {
        assert!(matches!(decide(&rules, &member("Thanks!")), Decision::Keep { .. }));
    }
    let warnings = rules.take_warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with(".prfix/bad.lua:2: rule noise/bad failed:"), "{warnings:?}");
}

#[test]
fn a_broken_trust_rule_trusts_nobody() {
    let rules = load(&[repository(
        "bad",
        "prfix.trust { name = 'bad', why = 'x', level = function(a) return a.nothing.at.all end }",
    )]);
    assert!(matches!(decide(&rules, &member("Please fix it.")), Decision::Untrusted { .. }));
    let nonsense =
        load(&[repository("bad", "prfix.trust { name = 'bad', why = 'x', level = function(a) return 'admin' end }")]);
    assert!(matches!(decide(&nonsense, &member("Please fix it.")), Decision::Untrusted { .. }));
}

#[test]
fn user_rules_are_found_in_the_configuration_folder() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Rules::user_sources(folder.path()).unwrap().is_empty());
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    std::fs::write(folder.path().join("rules/b.lua"), "prfix.api = 1").unwrap();
    std::fs::write(folder.path().join("rules/a.lua"), "prfix.api = 1").unwrap();
    std::fs::write(folder.path().join("rules/notes.txt"), "no").unwrap();
    let sources = Rules::user_sources(folder.path()).unwrap();
    let names: Vec<&str> = sources.iter().map(|source| source.name.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["a.lua", "b.lua"]);
    assert!(sources.iter().all(|source| source.layer == SourceLayer::User));
}

/// The error of loading one repository file, as `title | label | help`.
fn refusal(text: &str) -> String {
    let source = Source { layer: SourceLayer::Repository, name: ".prfix/x.lua".into(), text: text.into() };
    let Err(error) = Rules::load(&[source]) else { panic!("loaded: {text}") };
    let (file, span) = (error.source_code.as_ref(), error.span.as_ref());
    let marked = file
        .zip(span)
        .map_or(String::new(), |(file, span)| file.inner()[span.offset()..span.offset() + span.len()].to_owned());
    format!("{} | {} | `{marked}` | {}", error.message, error.label, error.help.unwrap_or_default())
}

#[test]
fn mistakes_are_shown_with_their_place_and_advice() {
    let cases = [
        ("prfix.api = 1\nprfix.nois { name = 'x' }", "did you mean 'noise'", "prfix.nois"),
        ("prfix.api = 3", "update git-prfix", "prfix.api = 3"),
        ("prfix.noise { name = 'x', drop = function() end }", "the first statement must be", ""),
        ("prfix.api = 1\nlocal R = prfix.re [=[(?i)(foo]=]", "unclosed group", ""),
        ("prfix.api = 1\ncount = 0", "global 'count' assigned", "count"),
        ("prfix.api = 1\nlocal f = io.open('/etc/passwd')", "rules are pure", "io"),
        ("prfix.api = 1\nprfix.off 'noise/socail'", "did you mean 'noise/social'", "noise/socail"),
        ("prfix.api = 1\nif a != b then end", "\"not equal\" as ~=", "!"),
        ("prfix.api = 1\nprfix.noise { name = 'x', dorp = function() end }", "did you mean 'drop'", "dorp"),
        ("prfix.api = 1\nprfix.noise { name = 'x', drop = 3 }", "must be a function", ""),
        ("prfix.api = 1\nprfix.noise { drop = function() end }", "a rule needs a name", ""),
        ("prfix.api = 1\nlocal x = function() if a then\n", "a block is not closed", ""),
        ("prfix.api = 1\nprfix.protect { name = 'x', globs = { '[' } }", "unclosed character class", ""),
        ("prfix.api = 1\nprfix.protect { name = 'x', globs = 'db/**' }", "must be a list", ""),
        ("prfix.api = 1\nlocal t = prfix.base 'noise/nothing'", "no rule 'noise/nothing'", "noise/nothing"),
    ];
    for (text, expected, marked) in cases {
        let said = refusal(text);
        assert!(said.contains(expected), "{text}\n{said}");
        assert!(marked.is_empty() || said.contains(&format!("`{marked}`")), "{text}\n{said}");
    }
}

#[test]
fn one_name_stands_once_in_a_layer() {
    let rule = "prfix.noise { name = 'x', why = 'x', drop = function() end }\n";
    let said = refusal(&format!("prfix.api = 1\n{rule}{rule}"));
    assert!(said.contains("already declared at .prfix/x.lua:2"), "{said}");
}

#[test]
fn the_report_of_a_mistake_has_a_caret() {
    let source = Source {
        layer: SourceLayer::Repository,
        name: ".prfix/x.lua".into(),
        text: "prfix.api = 1\nprfix.noise { name = 'x', dorp = 1 }".into(),
    };
    let Err(error) = Rules::load(&[source]) else { panic!("loaded") };
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
    let mut page = String::new();
    handler.render_report(&mut page, &error).unwrap();
    assert!(page.contains(".prfix/x.lua:2:") && page.contains("──"), "{page}");
}
