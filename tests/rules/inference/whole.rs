//! What holds for every ecosystem: several at once, what CI ran, rules of a repository.

use expect_test::expect;
use git_prfix::model::command::ProjectCommand;
use git_prfix::rules::{FailingJob, Rules, Source, SourceLayer};

use super::{Files, NPM, check, infer_with, job, shown, snapshot};
use crate::rules::helpers::load;

#[test]
fn a_repository_of_two_ecosystems_is_checked_for_both() {
    let files: Files<'_> = &[
        ("backend/pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("backend/uv.lock", ""),
        ("backend/app.py", ""),
        ("backend/tests/test_app.py", ""),
        ("frontend/package.json", r#"{"scripts": {"test": "vitest run"}}"#),
        ("frontend/package-lock.json", "{}"),
    ];
    check(
        files,
        &["backend/app.py"],
        expect![[r#"
        setup: (backend) uv sync
        test: (backend) uv run pytest
        narrow: (backend) uv run pytest tests/test_app.py
    "#]],
    );
    check(
        files,
        &[],
        expect![[r#"
        setup: (frontend) npm ci
        setup: (backend) uv sync
        test: (frontend) npm test
        test: (backend) uv run pytest
    "#]],
    );
    check(
        files,
        &["README.md"],
        expect![[r#"
        setup: (frontend) npm ci
        setup: (backend) uv sync
        test: (frontend) npm test
        test: (backend) uv run pytest
        narrow: (frontend) npm test
        narrow: (backend) uv run pytest
    "#]],
    );
}

#[test]
fn nothing_known_is_nothing_proposed() {
    check(&[("README.md", "# x"), ("notes.txt", "")], &["notes.txt"], expect![[""]]);
}

const WORKFLOW: &str = "
name: CI
on: [pull_request]
jobs:
  unit:
    name: Unit (${{ matrix.node }})
    strategy:
      matrix:
        node: [20, 22]
    runs-on: ubuntu-latest
    defaults: {run: {working-directory: web}}
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - name: Test
        run: |
          npm test -- --shard ${{ matrix.node }}
          echo $SECRET | cat
      - name: Deploy
        run: npm publish
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: npm run lint
  shared:
    uses: ./.github/workflows/shared.yml
";

#[test]
fn the_failing_jobs_own_steps_are_run_first() {
    let files: Files<'_> = &[
        (".github/workflows/ci.yml", WORKFLOW),
        (".github/workflows/shared.yml", "jobs:\n  e2e:\n    steps:\n      - run: make e2e\n"),
        ("package.json", r#"{"scripts": {"test": "vitest run"}}"#),
    ];
    let run = |failing: &[FailingJob]| shown(&infer_with(&[], files, &[], failing));
    expect![[r#"
        test: (web) npm test -- --shard 22
        test: npm test
    "#]]
    .assert_eq(&run(&[job("Unit (22)", Some("CI"), Some("Test"))]));
    expect![[r#"
        test: npm test
        lint: npm run lint
    "#]]
    .assert_eq(&run(&[job("lint", Some("CI"), None)]));
    expect![[r#"
        test: make e2e
        test: npm test
    "#]]
    .assert_eq(&run(&[job("shared / e2e", Some("CI"), None)]));
    expect![[r#"
        test: npm test
    "#]]
    .assert_eq(&run(&[job("Unit (22)", Some("CI"), Some("Deploy"))]));
}

#[test]
fn a_repositorys_own_rule_beats_the_inference() {
    let text = "prfix.api = 1\nprfix.commands { name = 'web', why = 'documented', manifests = { 'package.json' },\n\
                commands = function(x) return { { kind = 'test', run = { 'make', 'ci-test' } } } end }";
    let source = Source { layer: SourceLayer::Repository, name: ".prfix/rules.lua".into(), text: text.into() };
    let commands = infer_with(&[source], NPM, &["src/a.ts"], &[]);
    expect![[r#"
        setup: npm ci
        test: make ci-test
        lint: npm run lint
        narrow: npx --no-install eslint src/a.ts
        narrow: make ci-test
    "#]]
    .assert_eq(&shown(&commands));
    assert!(commands.rule.contains("commands/web"), "{}", commands.rule);
}

#[test]
fn a_failing_commands_rule_is_skipped_with_a_warning() {
    let text = "prfix.api = 1\nprfix.commands { name = 'web', why = 'x', manifests = { 'package.json' },\n\
                commands = function(x) return { { kind = 'tset', run = { 'x' } } } end }";
    let source = Source { layer: SourceLayer::Repository, name: ".prfix/rules.lua".into(), text: text.into() };
    let rules = Rules::load(&[source]).expect("it loads");
    let commands = rules.commands(&snapshot(NPM), &[], &[]);
    assert_eq!(commands.test, [ProjectCommand::new(&["npm", "test"])]);
    let warnings = rules.take_warnings();
    assert!(warnings[0].contains(".prfix/rules.lua:2") && warnings[0].contains("kind"), "{warnings:?}");
}

#[test]
fn the_files_that_commands_came_from_are_named() {
    let files: Files<'_> = &[("Makefile", "test:\n\tx\n"), ("web/package.json", r#"{"scripts": {"test": "jest"}}"#)];
    let sources = load(&[]).command_sources(&snapshot(files), &["web/a.js".to_owned()], &[]);
    assert_eq!(sources, ["Makefile", "web/package.json"]);
}

#[test]
fn a_path_that_looks_like_an_option_reaches_no_command() {
    let commands = infer_with(&[], NPM, &["--help.ts"], &[]);
    assert!(!shown(&commands).contains("--help.ts"));
}
