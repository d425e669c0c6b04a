//! One small repository for each ecosystem, as in-memory files.

use git_prfix::model::command::{ProjectCommand, ProjectCommands};
use git_prfix::rules::{FailingJob, Rules, Snapshot};

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    Snapshot { files: files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect() }
}

fn infer(files: &[(&str, &str)], touched: &[&str]) -> ProjectCommands {
    let rules = Rules::load(&[]).expect("the built-in rules load");
    let touched: Vec<String> = touched.iter().map(|path| (*path).to_owned()).collect();
    let commands = rules.commands(&snapshot(files), &touched, &[]);
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
    commands
}

/// `(folder) words` of each command, one a line, each list behind its name.
fn shown(commands: &ProjectCommands) -> String {
    let list = |name: &str, list: &[ProjectCommand]| {
        list.iter().map(|command| format!("{name}: {command}\n")).collect::<String>()
    };
    list("setup", &commands.setup)
        + &list("test", &commands.test)
        + &list("lint", &commands.lint)
        + &list("narrow", &commands.narrow)
}

#[test]
fn dump() {
    let r = |files: &[(&str, &str)], touched: &[&str]| println!("{}", shown(&infer(files, touched)));
    r(
        &[
            (
                "package.json",
                r#"{"scripts":{"test":"vitest","lint":"eslint ."},"devDependencies":{"vitest":"1","eslint":"9"}}"#,
            ),
            ("package-lock.json", "{}"),
            ("src/a.ts", ""),
        ],
        &["src/a.ts"],
    );
    r(
        &[("Makefile", "test: build\n\tgo test\nlint:\n\tx\nX := 1\n"), ("go.mod", "module x"), ("a/b.go", "")],
        &["a/b.go"],
    );
    r(
        &[
            ("Cargo.toml", "[workspace]\nmembers=['a']"),
            ("Cargo.lock", ""),
            ("a/Cargo.toml", "[package]\nname='a'"),
            ("a/src/lib.rs", ""),
        ],
        &["a/src/lib.rs"],
    );
    r(&[("Cargo.toml", "[package]\nname='a'"), ("src/lib.rs", "")], &[]);
    r(
        &[
            ("pyproject.toml", "[project]\nname='a'\n[dependency-groups]\ndev=['pytest','ruff']"),
            ("uv.lock", ""),
            ("src/x.py", ""),
            ("tests/test_x.py", ""),
        ],
        &["src/x.py"],
    );
    let _ = FailingJob { name: String::new(), workflow: None, step: None };
}
