//! Protected paths, and files set aside while an agent runs.

use git_prfix::rules::{Reader, SyntaxCheck};

use super::helpers::{load, repository};

#[test]
fn each_class_covers_its_files() {
    let rules = load(&[]);
    let class = |path: &str| rules.protection(path).map(|(class, _)| class);
    for (path, expected) in [
        (".github/workflows/ci.yml", "ci"),
        (".GITHUB/Workflows/ci.yml", "ci"),
        (".github/actions/setup/action.yml", "ci"),
        (".gitlab-ci.yml", "ci"),
        (".circleci/config.yml", "ci"),
        ("Jenkinsfile", "ci"),
        ("azure-pipelines.yml", "ci"),
        (".buildkite/pipeline.yml", "ci"),
        (".prfix/rules.lua", "prfix"),
        (".prfix/config.toml", "prfix"),
        (".husky/pre-commit", "hooks"),
        ("lefthook.yml", "hooks"),
        (".pre-commit-config.yaml", "hooks"),
        (".env", "secrets"),
        ("deploy/prod.pem", "secrets"),
        ("CODEOWNERS", "ci"),
        (".claude/settings.json", "hooks"),
        ("tests/a.rs", "tests"),
        ("src/parser_test.go", "tests"),
        ("src/a.test.tsx", "tests"),
        ("spec/models/user_spec.rb", "tests"),
        ("app/src/test/java/ATest.java", "tests"),
        ("pkg/test_a.py", "tests"),
    ] {
        assert_eq!(class(path).as_deref(), Some(expected), "{path}");
    }
    for path in [
        "src/a.rs",
        "README.md",
        "docs/ci.md",
        "src/testing.rs",
        "src/environment.ts",
        "package.json",
        "src/Audit.java",
        "src/Commit.kt",
        "CLAUDE.md",
    ] {
        assert_eq!(class(path), None, "{path}");
    }
}

#[test]
fn a_stricter_class_goes_before_tests() {
    assert_eq!(load(&[]).protection("tests/.env").map(|(class, _)| class).as_deref(), Some("secrets"));
}

#[test]
fn a_repository_protects_more_under_a_class_of_its_own() {
    let rules =
        load(&[repository("p", "prfix.protect { name = 'schema', why = 'x', globs = { 'db/migrations/**' } }")]);
    assert_eq!(rules.protection("db/migrations/1.sql"), Some(("schema".into(), "protect/schema".into())));
    assert!(rules.protected_globs().contains(&"db/migrations/**".to_owned()));
    assert!(!rules.protected_globs().contains(&"**/tests/**".to_owned()));
}

#[test]
fn files_that_agents_obey_are_named() {
    let files = load(&[]).agent_files();
    for name in [".claude", ".mcp.json", ".codex", ".qwen", ".gemini", ".opencode", "opencode.json", ".cursor", ".env"]
    {
        assert!(files.contains(&name.to_owned()), "{name}");
    }
}

#[test]
fn a_check_of_syntax_is_found_by_the_files_name() {
    let checks = load(&[]).syntax();
    let named = |check: &SyntaxCheck| match &check.reader {
        Reader::Program(argv) => argv[0].clone(),
        Reader::Own(format) => format!("{format:?}"),
    };
    let program = |path: &str| checks.iter().find(|check| check.is_for(path)).map(named);
    for (path, wanted) in [
        ("a.py", Some("python3")),
        ("lib/a.rb", Some("ruby")),
        ("x/y.sh", Some("bash")),
        ("main.go", Some("gofmt")),
        ("index.mjs", Some("node")),
        ("package.json", Some("Json")),
        (".github/workflows/ci.yml", Some("Yaml")),
        ("README.md", None),
    ] {
        assert_eq!(program(path).as_deref(), wanted, "{path}");
    }
    for how in ["argv = 'x -n'", "parse = 'ini'", "parse = 'json', argv = { 'x' }", ""] {
        let bad = repository("s", &format!("prfix.syntax {{ name = 'x', why = 'y', globs = {{ '**/*.x' }}, {how} }}"));
        assert!(git_prfix::rules::Rules::load(&[bad]).is_err(), "{how}");
    }
}
