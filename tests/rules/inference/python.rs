//! Python.

use expect_test::expect;

use super::check;

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
        &[("tox.ini", "[tox]\n"), ("a.py", ""), ("requirements.txt", "flask\n")],
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
