//! What the repository is made of, as far as a glance tells.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::commands::hook::Hooks;
use crate::model::command::{ProjectCommand, ProjectCommands};
use crate::rules::Rules;
use crate::world::World;

/// Folders below the root that are looked into.
const DEPTH: usize = 3;

/// Name or ending of a file that describes a project, and its language.
const MANIFESTS: &[(&str, &str)] = &[
    ("Cargo.toml", "Rust"),
    ("package.json", "JavaScript"),
    ("tsconfig.json", "TypeScript"),
    ("deno.json", "TypeScript"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("requirements.txt", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    (".csproj", "C#"),
    (".fsproj", "F#"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
    ("mix.exs", "Elixir"),
    ("Package.swift", "Swift"),
    ("CMakeLists.txt", "C or C++"),
    ("build.zig", "Zig"),
    ("pubspec.yaml", "Dart"),
    ("build.sbt", "Scala"),
    ("stack.yaml", "Haskell"),
    ("dune-project", "OCaml"),
];

/// Paths, or beginnings of paths, that belong to a CI service.
const CI: &[&str] = &[
    ".github/workflows/",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".travis.yml",
    ".buildkite/",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    ".cirrus.yml",
];

/// Files and folders of programs that manage hooks.
const HOOK_TOOLS: &[(&str, &str)] = &[
    (".husky", "husky"),
    ("lefthook.yml", "lefthook"),
    (".lefthook.yml", "lefthook"),
    (".pre-commit-config.yaml", "pre-commit"),
    ("prek.toml", "prek"),
];

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct Seen {
    pub languages: BTreeSet<&'static str>,
    pub commands: ProjectCommands,
    pub ci: BTreeSet<String>,
    /// Adapters whose program is installed.
    pub agents: Vec<String>,
    pub hooks: BTreeSet<String>,
    /// The push guard is installed.
    pub guarded: bool,
}

pub(super) fn at(world: &World, root: &Path, rules: &Rules, commands: ProjectCommands) -> Result<Seen, miette::Report> {
    let installed = |program: &str| which::which_in(program, world.env.get("PATH"), ".").is_ok();
    let agents = rules.agents().into_iter().filter(|(_, program)| installed(program)).map(|(name, _)| name);
    let hooks = Hooks::find(world)?;
    let mut seen = Seen {
        languages: BTreeSet::new(),
        commands,
        ci: BTreeSet::new(),
        agents: agents.collect(),
        hooks: hooks.names(),
        guarded: hooks.is_installed(),
    };
    let tools = HOOK_TOOLS.iter().filter(|(path, _)| root.join(path).exists());
    seen.hooks.extend(tools.map(|(_, tool)| (*tool).to_owned()));
    let walk = ignore::WalkBuilder::new(root).hidden(false).max_depth(Some(DEPTH)).build();
    for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else { continue };
        if !path.starts_with(".git/") {
            seen.take(path);
        }
    }
    Ok(seen)
}

impl Seen {
    fn take(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let fits = |known: &str| name == known || known.starts_with('.') && name.ends_with(known);
        self.languages.extend(MANIFESTS.iter().filter(|(known, _)| fits(known)).map(|(_, language)| *language));
        if CI.iter().any(|known| if known.ends_with('/') { path.starts_with(known) } else { path == *known }) {
            self.ci.insert(path.to_owned());
        }
    }

    /// For a person, one line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let commands = |list: &[ProjectCommand]| joined(list.iter().map(ToString::to_string), "; ");
        let hooks = joined(self.hooks.iter().cloned(), ", ").unwrap_or_else(|| "none".to_owned());
        let guard = if self.guarded { "with the push guard" } else { "`git prfix hook install` adds a push guard" };
        let line = |title: &str, found: Option<String>, otherwise: &str| {
            format!("{title:<11}{}", found.unwrap_or_else(|| otherwise.to_owned()))
        };
        vec![
            line("languages", joined(self.languages.iter().map(|name| (*name).to_owned()), ", "), "none that is known"),
            line("set-up", commands(&self.commands.setup), "nothing to prepare"),
            line("tests", commands(&self.commands.test), "none found: set `test_command`"),
            line("lints", commands(&self.commands.lint), "none found: set `lint_command`"),
            line("CI", joined(self.ci.iter().cloned(), ", "), "none"),
            line(
                "agents",
                joined(self.agents.iter().cloned(), ", "),
                "none is installed: `git prfix doctor` says more",
            ),
            line("hooks", Some(format!("{hooks}; {guard}")), ""),
        ]
    }
}

/// `None` when there is nothing to join.
fn joined(items: impl Iterator<Item = String>, by: &str) -> Option<String> {
    let all: Vec<String> = items.collect();
    (!all.is_empty()).then(|| all.join(by))
}
