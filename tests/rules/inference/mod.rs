//! One small repository for each ecosystem, as in-memory files: what sets it up, and what proves a change.

mod compiled;
mod javascript;
mod python;
mod runners;
mod scripted;
mod whole;

use expect_test::Expect;
use git_prfix::model::command::{ProjectCommand, ProjectCommands};
use git_prfix::rules::{FailingJob, Rules, Snapshot, Source};

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
