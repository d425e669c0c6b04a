//! The runner of `.prfix/tests/*.lua`.

use git_prfix::rules::{Source, SourceLayer};

use super::helpers::{load, repository};

fn test_file(text: &str) -> Source {
    Source {
        layer: SourceLayer::Repository,
        name: ".prfix/tests/a.lua".into(),
        text: format!("prfix.api = 1\n{text}\n"),
    }
}

#[test]
fn a_suite_passes_with_every_tool_in_use() {
    let suite = r#"
test("noise", function(t)
  t.dropped("Thanks!", "noise/social")
  t.dropped { body = "Coverage 92 %", kind = "comment", author = { login = "codecov", type = "Bot" } }
  t.kept("Please rename it.")
  t.kept { body = "Please rename it.", author = "author" }
  t.untrusted { body = "Please rename it.", author = { login = "eve", association = "NONE" } }
  t.untrusted { body = "Please rename it.", author = false }
end)
test("the rest", function(t)
  t.eq(t.hint("an SQL injection").risk, "high")
  t.eq(t.commands({ ["go.mod"] = "module x", ["a.go"] = "" }, { "a.go" }).narrow, { "go test .", "go vet ." })
  t.eq(t.protected(".github/workflows/ci.yml"), "ci")
  t.eq(t.text("commit", { number = 7 }), "fix(pr-7): address review feedback")
  t.ok(t.protected("src/a.rs") == nil)
end)
"#;
    let results = load(&[]).run_tests(&[test_file(suite)]).unwrap();
    let failures: Vec<_> = results.iter().filter_map(|test| test.failure.as_ref()).collect();
    assert!(failures.is_empty(), "{failures:?}");
    assert_eq!(results.iter().map(|test| test.name.as_str()).collect::<Vec<_>>(), ["noise", "the rest"]);
}

#[test]
fn a_failing_expectation_shows_the_line_and_both_values() {
    let suite = "test('kept', function(t)\n  t.kept('Thanks!')\nend)\n\
                 test('equal', function(t)\n  t.eq({ 1, a = 'x' }, { 1, a = 'y' })\nend)\n\
                 test('typo', function(t) t.kept { boddy = 'x' } end)";
    let results = load(&[]).run_tests(&[test_file(suite)]).unwrap();
    let failure = |at: usize| {
        let failure = results[at].failure.as_ref().unwrap();
        let (source, span) = (failure.source_code.as_ref().unwrap(), failure.span.unwrap());
        let line = source.inner()[..span.offset()].matches('\n').count() + 1;
        format!("{}:{line} {} | {}", source.name(), failure.message, failure.label)
    };
    assert!(
        failure(0).starts_with(
            ".prfix/tests/a.lua:3 test failed: kept | expected the comment to be kept; it was dropped by noise/social"
        ),
        "{}",
        failure(0)
    );
    assert!(
        failure(1).contains("a.lua:6") && failure(1).contains("got { 1, a = \"x\" }\nexpected { 1, a = \"y\" }"),
        "{}",
        failure(1)
    );
    assert!(failure(2).contains("no field 'boddy' (did you mean 'body'?)"), "{}", failure(2));
}

#[test]
fn a_rule_that_breaks_fails_the_test_that_met_it() {
    let broken =
        repository("bad", "prfix.noise { name = 'bad', why = 'x', drop = function(c) return c.nothing.x end }");
    let results =
        load(&[broken]).run_tests(&[test_file("test('x', function(t) t.kept('Please fix it.') end)")]).unwrap();
    let failure = results[0].failure.as_ref().unwrap();
    assert!(failure.label.contains("a rule failed: .prfix/bad.lua:2"), "{}", failure.label);
}

#[test]
fn an_endless_test_ends() {
    let results = load(&[])
        .run_tests(&[test_file(
            "test('x', function(t) while true do end end)\ntest('y', function(t) t.kept('a b') end)",
        )])
        .unwrap();
    assert!(results[0].failure.as_ref().unwrap().label.contains("ran longer"));
    assert!(results[1].failure.is_none());
}

#[test]
fn a_test_file_cannot_declare_rules() {
    let error = load(&[]).run_tests(&[test_file("prfix.off 'noise/social'")]).unwrap_err();
    assert!(error.label.contains("only while its file is loaded"), "{}", error.label);
}
