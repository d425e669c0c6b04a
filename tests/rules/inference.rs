//! One small repository for each ecosystem, as in-memory files: what sets it up, and what proves a change.

use expect_test::{Expect, expect};
use git_prfix::model::command::{ProjectCommand, ProjectCommands};
use git_prfix::rules::{FailingJob, Rules, Snapshot, Source, SourceLayer};

use super::helpers::load;

type Files<'a> = &'a [(&'a str, &'a str)];

fn snapshot(files: Files<'_>) -> Snapshot {
    Snapshot { files: files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect() }
}

fn infer_with(sources: &[Source], files: Files<'_>, touched: &[&str], failing: &[FailingJob]) -> ProjectCommands {
    let rules = Rules::load(sources).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)));
    let touched: Vec<String> = touched.iter().map(|path| (*path).to_owned()).collect();
    let commands = rules.commands(&snapshot(files), &touched, failing);
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
    commands
}

/// `(folder) words` of each command, one a line, each behind the name of its list.
fn shown(commands: &ProjectCommands) -> String {
    let list = |name: &str, list: &[ProjectCommand]| {
        list.iter().map(|command| format!("{name}: {command}\n")).collect::<String>()
    };
    [
        list("setup", &commands.setup),
        list("test", &commands.test),
        list("lint", &commands.lint),
        list("narrow", &commands.narrow),
    ]
    .concat()
}

#[expect(clippy::needless_pass_by_value, reason = "expectations are written in place")]
fn check(files: Files<'_>, touched: &[&str], expected: Expect) {
    expected.assert_eq(&shown(&infer_with(&[], files, touched, &[])));
}

fn job(name: &str, workflow: Option<&str>, step: Option<&str>) -> FailingJob {
    FailingJob { name: name.to_owned(), workflow: workflow.map(str::to_owned), step: step.map(str::to_owned) }
}

const NPM: Files<'_> = &[
    (
        "package.json",
        r#"{"scripts": {"test": "vitest run", "lint": "eslint ."}, "devDependencies": {"vitest": "3", "eslint": "9"}}"#,
    ),
    ("package-lock.json", "{}"),
    ("src/a.ts", ""),
];

#[test]
fn npm_with_a_lock_file() {
    check(
        NPM,
        &["src/a.ts"],
        expect![[r#"
        setup: npm ci
        test: npm test
        lint: npm run lint
        narrow: npx --no-install vitest related --run src/a.ts
        narrow: npx --no-install eslint src/a.ts
    "#]],
    );
    check(
        NPM,
        &[],
        expect![[r#"
        setup: npm ci
        test: npm test
        lint: npm run lint
    "#]],
    );
}

#[test]
fn npms_placeholder_script_is_no_test() {
    let script = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    check(&[("package.json", script), ("index.js", "")], &["index.js"], expect![[""]]);
}

#[test]
fn a_pnpm_workspace_checks_the_package_narrowly_and_everything_at_the_gate() {
    let files: Files<'_> = &[
        (
            "package.json",
            r#"{"packageManager": "pnpm@9.1.0", "scripts": {"test": "turbo run test", "lint": "turbo run lint"}}"#,
        ),
        ("pnpm-workspace.yaml", "packages: ['packages/*']"),
        ("pnpm-lock.yaml", ""),
        (
            "packages/ui/package.json",
            r#"{"name": "ui", "scripts": {"test": "jest"}, "devDependencies": {"jest": "29", "typescript": "5"}}"#,
        ),
        ("packages/ui/tsconfig.json", "{}"),
        ("packages/ui/src/b.tsx", ""),
    ];
    check(
        files,
        &["packages/ui/src/b.tsx"],
        expect![[r#"
            setup: pnpm install --frozen-lockfile
            test: pnpm test
            lint: (packages/ui) pnpm exec tsc --noEmit -p tsconfig.json
            lint: pnpm run lint
            narrow: (packages/ui) pnpm exec jest --findRelatedTests --passWithNoTests src/b.tsx
            narrow: (packages/ui) pnpm exec tsc --noEmit -p tsconfig.json
        "#]],
    );
    check(
        files,
        &[],
        expect![[r#"
            setup: pnpm install --frozen-lockfile
            test: pnpm test
            lint: pnpm run lint
        "#]],
    );
}

#[test]
fn both_generations_of_yarn() {
    let package = r#"{"scripts": {"test": "jest"}}"#;
    check(
        &[("package.json", package), ("yarn.lock", "# yarn lockfile v1\n")],
        &[],
        expect![[r#"
            setup: yarn install --frozen-lockfile
            test: yarn test
        "#]],
    );
    check(
        &[("package.json", package), ("yarn.lock", "__metadata:\n"), (".yarnrc.yml", "")],
        &[],
        expect![[r#"
            setup: yarn install --immutable
            test: yarn test
        "#]],
    );
}

#[test]
fn bun() {
    check(
        &[("package.json", r#"{"scripts": {"test": "bun test"}}"#), ("bun.lock", "")],
        &[],
        expect![[r#"
        setup: bun install --frozen-lockfile
        test: bun run test
    "#]],
    );
}

#[test]
fn a_watching_test_script_is_replaced() {
    let package = r#"{"scripts": {"test": "vitest --watch"}, "devDependencies": {"vitest": "3"}}"#;
    check(
        &[("package.json", package), ("package-lock.json", "{}")],
        &[],
        expect![[r#"
            setup: npm ci
            test: npx --no-install vitest run
        "#]],
    );
}

#[test]
fn task_runners() {
    let makefile =
        ".PHONY: test lint\nTEST := 1\ntest: build ## runs all\n\tgo test ./...\nlint:\n\tgolangci-lint run\n";
    check(
        &[("Makefile", makefile), ("main.c", "")],
        &["main.c"],
        expect![[r#"
        test: make test
        lint: make lint
        narrow: make test
        narrow: make lint
    "#]],
    );
    check(
        &[("justfile", "test arg='':\n  cargo test\n@lint:\n  x\nx := '1'\n")],
        &[],
        expect![[r#"
            test: just test
            lint: just lint
        "#]],
    );
    check(
        &[("Taskfile.yml", "version: 3\ntasks:\n  test: {cmds: [x]}\n  lint: {cmds: [x]}\n")],
        &[],
        expect![[r#"
        test: task test
        lint: task lint
    "#]],
    );
    check(
        &[("mise.toml", "[tasks.test]\nrun = 'x'\n")],
        &[],
        expect![[r#"
        test: mise run test
    "#]],
    );
}

#[test]
fn a_task_runners_target_stands_for_its_folder() {
    let files: Files<'_> = &[("Makefile", "test:\n\tx\n"), ("go.mod", "module x"), ("a/b.go", "")];
    check(
        files,
        &["a/b.go"],
        expect![[r#"
        setup: go mod download
        test: make test
        lint: go vet ./...
        narrow: go test ./a
        narrow: go vet ./a
    "#]],
    );
}

#[test]
fn a_makefile_variable_is_no_target() {
    check(&[("Makefile", "test := 1\nlint ?= 2\nall:\n\tcc\n")], &[], expect![[""]]);
}

#[test]
fn python_managers() {
    let project = "[project]\nname = 'a'\n[dependency-groups]\ndev = ['pytest', 'ruff', 'mypy']\n";
    let tests = [("src/a/x.py", ""), ("tests/test_x.py", "")];
    check(
        &[("pyproject.toml", project), ("uv.lock", ""), tests[0], tests[1]],
        &["src/a/x.py"],
        expect![[r#"
        setup: uv sync
        test: uv run pytest
        lint: uv run ruff check .
        lint: uv run mypy .
        narrow: uv run pytest tests/test_x.py
        narrow: uv run ruff check src/a/x.py
        narrow: uv run mypy .
    "#]],
    );
    let poetry = "[tool.poetry]\nname = 'a'\n[tool.poetry.group.dev.dependencies]\npytest = '*'\n";
    check(
        &[("pyproject.toml", poetry), ("poetry.lock", ""), tests[1]],
        &[],
        expect![[r#"
        setup: poetry install
        test: poetry run pytest
    "#]],
    );
    let pdm = "[project]\nname = 'a'\n[tool.pdm.dev-dependencies]\ntest = ['pytest']\n";
    check(
        &[("pyproject.toml", pdm), ("pdm.lock", ""), tests[1]],
        &[],
        expect![[r#"
        setup: pdm install
        test: pdm run pytest
    "#]],
    );
    let hatch = "[project]\nname = 'a'\n[tool.hatch.envs.default]\ndependencies = ['pytest']\n[tool.hatch.envs.default.scripts]\ntest = 'pytest {args}'\n";
    check(
        &[("pyproject.toml", hatch), tests[1]],
        &[],
        expect![[r#"
        test: hatch run test
    "#]],
    );
}

#[test]
fn python_without_a_manager() {
    check(
        &[
            ("requirements.txt", "flask\n"),
            ("requirements-dev.txt", "pytest\nflake8\n"),
            ("test_app.py", ""),
            ("app.py", ""),
        ],
        &["app.py"],
        expect![[r#"
            setup: pip install -r requirements.txt
            setup: pip install -r requirements-dev.txt
            test: pytest
            lint: flake8
            narrow: pytest test_app.py
            narrow: flake8 app.py
        "#]],
    );
    check(
        &[("setup.py", ""), ("tests/test_a.py", "import unittest\n")],
        &[],
        expect![[r#"
        test: python3 -m unittest
    "#]],
    );
    check(
        &[("tox.ini", "[tox]\n"), ("a.py", "")],
        &[],
        expect![[r#"
        test: tox
    "#]],
    );
    check(
        &[("noxfile.py", "import nox\n")],
        &[],
        expect![[r#"
        test: nox
    "#]],
    );
}

#[test]
fn a_project_without_tests_gets_no_test_command() {
    check(&[("pyproject.toml", "[project]\nname = 'a'\n"), ("a.py", "")], &[], expect![[""]]);
}

#[test]
fn cargo() {
    let workspace: Files<'_> = &[
        ("Cargo.toml", "[workspace]\nmembers = ['crates/*']\n"),
        ("Cargo.lock", ""),
        (".config/nextest.toml", ""),
        ("crates/core/Cargo.toml", "[package]\nname = 'core'\n"),
        ("crates/core/src/lib.rs", ""),
    ];
    check(
        workspace,
        &["crates/core/src/lib.rs"],
        expect![[r#"
        setup: cargo fetch --locked
        test: cargo nextest run --workspace
        lint: cargo clippy --workspace --all-targets -- -D warnings
        lint: cargo fmt --all --check
        narrow: cargo nextest run -p core
        narrow: cargo clippy -p core --all-targets -- -D warnings
    "#]],
    );
    check(
        &[("Cargo.toml", "[package]\nname = 'a'\n"), ("src/main.rs", "")],
        &["src/main.rs"],
        expect![[r#"
        setup: cargo fetch
        test: cargo test
        lint: cargo clippy --all-targets -- -D warnings
        lint: cargo fmt --check
        narrow: cargo test
    "#]],
    );
}

#[test]
fn go() {
    let files: Files<'_> = &[("go.mod", "module x"), (".golangci.yml", ""), ("main.go", ""), ("pkg/a/a.go", "")];
    check(
        files,
        &["pkg/a/a.go", "main.go"],
        expect![[r#"
        setup: go mod download
        test: go test ./...
        lint: go vet ./...
        lint: golangci-lint run
        narrow: go test ./pkg/a .
        narrow: go vet ./pkg/a .
    "#]],
    );
}

#[test]
fn the_jvm() {
    let maven: Files<'_> =
        &[("pom.xml", "<modules/>"), ("mvnw", ""), ("core/pom.xml", ""), ("core/src/main/java/x/Parser.java", "")];
    check(
        maven,
        &["core/src/main/java/x/Parser.java"],
        expect![[r#"
        setup: ./mvnw -B -q dependency:go-offline
        test: ./mvnw -B test
        narrow: ./mvnw -B -pl core -am '-Dsurefire.failIfNoSpecifiedTests=false' '-DfailIfNoTests=false' '-Dtest=ParserTest' test
    "#]],
    );
    let gradle: Files<'_> = &[
        ("settings.gradle.kts", ""),
        ("gradlew", ""),
        ("build.gradle.kts", "plugins { id(\"com.diffplug.spotless\") }"),
        ("app/build.gradle.kts", ""),
        ("app/src/A.kt", ""),
    ];
    check(
        gradle,
        &["app/src/A.kt"],
        expect![[r#"
        test: ./gradlew test
        lint: ./gradlew spotlessCheck
        narrow: ./gradlew :app:test
    "#]],
    );
    check(
        &[("build.sbt", ""), ("src/A.scala", "")],
        &[],
        expect![[r#"
        setup: sbt update
        test: sbt test
    "#]],
    );
}

#[test]
fn dotnet() {
    let files: Files<'_> =
        &[("App.sln", ""), ("src/App/App.csproj", ""), ("tests/App.Tests/App.Tests.csproj", ""), ("src/App/A.cs", "")];
    check(
        files,
        &["src/App/A.cs"],
        expect![[r#"
        setup: dotnet restore
        test: dotnet test
        narrow: dotnet test
    "#]],
    );
}

#[test]
fn ruby() {
    let rspec: Files<'_> =
        &[("Gemfile", "gem 'rspec'\ngem 'rubocop'\n"), ("Gemfile.lock", ""), ("lib/a.rb", ""), ("spec/a_spec.rb", "")];
    check(
        rspec,
        &["lib/a.rb"],
        expect![[r#"
        setup: bundle install
        test: bundle exec rspec
        lint: bundle exec rubocop
        narrow: bundle exec rspec spec/a_spec.rb
        narrow: bundle exec rubocop --force-exclusion lib/a.rb
    "#]],
    );
    let rails: Files<'_> = &[
        ("Gemfile", "gem 'rails'\n"),
        ("bin/rails", ""),
        ("app/models/user.rb", ""),
        ("test/models/user_test.rb", ""),
    ];
    check(
        rails,
        &["app/models/user.rb"],
        expect![[r#"
        setup: bundle install
        test: bin/rails test
        narrow: bin/rails test test/models/user_test.rb
    "#]],
    );
}

#[test]
fn php() {
    let json = r#"{"require-dev": {"phpunit/phpunit": "11"}, "scripts": {"lint": "phpcs"}}"#;
    check(
        &[("composer.json", json), ("phpunit.xml", ""), ("phpstan.neon", "")],
        &[],
        expect![[r#"
        setup: composer install --no-interaction
        test: vendor/bin/phpunit
        lint: composer run-script lint
        lint: vendor/bin/phpstan analyse
    "#]],
    );
}

#[test]
fn elixir() {
    let files: Files<'_> =
        &[("mix.exs", "{:credo, \"~> 1.0\"}"), (".formatter.exs", ""), ("lib/a/b.ex", ""), ("test/a/b_test.exs", "")];
    check(
        files,
        &["lib/a/b.ex"],
        expect![[r#"
        setup: mix deps.get
        test: mix test
        lint: mix format --check-formatted
        lint: mix credo
        narrow: mix test test/a/b_test.exs
        narrow: mix format --check-formatted
        narrow: mix credo
    "#]],
    );
}

#[test]
fn swift_and_zig() {
    check(
        &[("Package.swift", ".testTarget(name: \"ATests\")"), ("Sources/A.swift", "")],
        &[],
        expect![[r#"
        setup: swift package resolve
        test: swift test
    "#]],
    );
    check(
        &[("build.zig", "b.step(\"test\", \"\")"), ("src/a.zig", "")],
        &["src/a.zig"],
        expect![[r#"
        test: zig build test
        lint: zig fmt --check .
        narrow: zig build test
        narrow: zig fmt --check src/a.zig
    "#]],
    );
}

#[test]
fn c_and_cpp() {
    let presets = r#"{"configurePresets": [{"name": "dev"}], "buildPresets": [{"name": "dev"}], "testPresets": [{"name": "dev"}]}"#;
    check(
        &[("CMakePresets.json", presets), ("CMakeLists.txt", ""), ("a.c", "")],
        &["a.c"],
        expect![[r#"
        setup: cmake --preset dev
        test: cmake --build --preset dev
        test: ctest --preset dev --output-on-failure
        narrow: cmake --build --preset dev
        narrow: ctest --preset dev --output-on-failure
    "#]],
    );
    check(
        &[("CMakeLists.txt", "enable_testing()\n"), ("a.c", "")],
        &[],
        expect![[r#"
        setup: cmake -S . -B build
        test: cmake --build build
        test: ctest --test-dir build --output-on-failure
    "#]],
    );
    check(
        &[("meson.build", "project('a', 'c')"), ("a.c", "")],
        &[],
        expect![[r#"
        setup: meson setup build
        test: meson test -C build
    "#]],
    );
}

#[test]
fn bazel() {
    let files: Files<'_> = &[("MODULE.bazel", ""), (".bazelversion", "8"), ("lib/BUILD.bazel", ""), ("lib/a.cc", "")];
    check(
        files,
        &["lib/a.cc"],
        expect![[r#"
        test: bazelisk test //...
        narrow: bazelisk test //lib/...
    "#]],
    );
}

#[test]
fn deno() {
    let files: Files<'_> = &[("deno.json", "{ // tasks\n}"), ("a.ts", ""), ("a_test.ts", "")];
    check(
        files,
        &["a.ts"],
        expect![[r#"
        test: deno test
        lint: deno lint
        lint: deno check .
        narrow: deno lint
        narrow: deno check .
        narrow: deno test a_test.ts
    "#]],
    );
}

#[test]
fn hook_runners_check_the_touched_files_and_everything() {
    check(
        &[(".pre-commit-config.yaml", ""), ("a.py", "")],
        &["a.py"],
        expect![[r#"
        lint: pre-commit run --all-files
        narrow: pre-commit run --files a.py
    "#]],
    );
    check(
        &[("prek.toml", ""), ("a.py", "")],
        &[],
        expect![[r#"
        lint: prek run --all-files
    "#]],
    );
    check(
        &[("lefthook.yml", "pre-commit:\n"), ("a.py", "")],
        &["a.py"],
        expect![[r#"
        lint: lefthook run pre-commit --all-files
        narrow: lefthook run pre-commit --file a.py
    "#]],
    );
}

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
