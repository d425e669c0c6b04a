//! Which commands prepare and check this project: configured, else inferred by the rules.

use std::path::Path;

use crate::git::Worktree;
use crate::model::command::{ProjectCommand, ProjectCommands};
use crate::model::feedback::Check;
use crate::model::spec::{Spec, SpecItem};
use crate::rules::{FailingJob, Rules, Snapshot};
use crate::settings::Settings;
use crate::world::World;

use super::context::{Context, Progress, Result};
use super::origin;

/// Settings first, rules for what they leave open, and what the failing jobs themselves ran before all. `touched`:
/// paths that the change is about.
pub fn find(
    ctx: &Context<'_>,
    worktree: &Worktree,
    progress: &Progress,
    touched: &[String],
) -> Result<ProjectCommands> {
    let files = snapshot(ctx, worktree)?;
    let mut jobs = failing_jobs(&progress.spec);
    if let Some(harvest) = &progress.harvest {
        if !jobs.is_empty() && !origin::foreign(ctx, worktree, harvest, &[origin::WORKFLOWS.to_owned()])?.is_empty() {
            ctx.warn("the steps of failing jobs are not run: somebody who may not write changes the workflows");
            jobs.clear();
        }
        let used = sources(ctx, &files, touched, &jobs);
        origin::allow(ctx, harvest, &origin::foreign(ctx, worktree, harvest, &used)?)?;
    }
    let inferred = ctx.rules.commands(&files, touched, &jobs);
    for warning in ctx.rules.take_warnings() {
        ctx.warn(warning);
    }
    let own = own_steps(ctx, &files, &jobs);
    for command in own.iter().filter(|command| ctx.told.borrow_mut().insert(command.to_string())) {
        ctx.note(format!("the failing job's own step will be run: `{command}`"));
    }
    let mut commands = configured(&ctx.settings, inferred);
    commands.lint.retain(|command| !own.contains(command));
    commands.test.retain(|command| !own.contains(command));
    commands.test.splice(0..0, own);
    Ok(commands)
}

/// The files that decide about commands which nobody has configured.
fn sources(ctx: &Context<'_>, files: &Snapshot, touched: &[String], jobs: &[FailingJob]) -> Vec<String> {
    let set = &ctx.settings;
    let all_set = set.setup_command.is_some() && set.test_command.is_some() && set.lint_command.is_some();
    if all_set && jobs.is_empty() { Vec::new() } else { ctx.rules.command_sources(files, touched, jobs) }
}

/// What the failing steps of these jobs run, as the workflows of the head say.
fn own_steps(ctx: &Context<'_>, files: &Snapshot, jobs: &[FailingJob]) -> Vec<ProjectCommand> {
    if jobs.is_empty() {
        return Vec::new();
    }
    let others = gates(&ctx.rules.commands(files, &[], &[]));
    let with = gates(&ctx.rules.commands(files, &[], jobs));
    drop(ctx.rules.take_warnings());
    with.into_iter().filter(|command| !others.contains(command)).collect()
}

/// The commands of one failing check's own step, as they are written.
pub fn of_check(ctx: &Context<'_>, worktree: &Worktree, check: &Check) -> Result<Vec<String>> {
    let own = own_steps(ctx, &snapshot(ctx, worktree)?, &[job(check)]);
    Ok(own.iter().map(ToString::to_string).collect())
}

/// The narrowest checks for these files, whatever is configured for all of them.
pub fn narrow_for(ctx: &Context<'_>, worktree: &Worktree, files: &[String]) -> Result<Vec<ProjectCommand>> {
    let mut snapshot = snapshot(ctx, worktree)?;
    for file in files {
        snapshot.files.entry(file.clone()).or_default();
    }
    let found = ctx.rules.commands(&snapshot, files, &[]);
    drop(ctx.rules.take_warnings());
    Ok(found.narrow)
}

/// What prepares and checks a worktree whose change is about these files, where there is no pull request.
pub fn about(ctx: &Context<'_>, worktree: &Worktree, files: &[String]) -> Result<ProjectCommands> {
    let mut snapshot = snapshot(ctx, worktree)?;
    for file in files {
        snapshot.files.entry(file.clone()).or_default();
    }
    let found = ctx.rules.commands(&snapshot, files, &[]);
    for warning in ctx.rules.take_warnings() {
        ctx.warn(warning);
    }
    Ok(configured(&ctx.settings, found))
}

/// What would be run in the present checkout, its uncommitted files included.
pub fn here(
    world: &World,
    settings: &Settings,
    rules: &Rules,
    touched: &[String],
) -> std::result::Result<ProjectCommands, miette::Report> {
    let root = world.repo.work_dir().ok_or_else(|| miette::miette!("a bare repository has no checkout"))?;
    let walk = ignore::WalkBuilder::new(root).hidden(false).filter_entry(|entry| entry.file_name() != ".git").build();
    let files = walk.filter_map(std::result::Result::ok).filter(|entry| entry.file_type().is_some_and(|t| t.is_file()));
    let files = files.filter_map(|entry| {
        let path = entry.path().strip_prefix(root).ok()?.to_str()?.to_owned();
        let bytes = if describes_a_project(&path) { read_small(entry.path()) } else { Vec::new() };
        Some((path, bytes))
    });
    Ok(configured(settings, rules.commands(&Snapshot { files: files.collect() }, touched, &[])))
}

fn configured(settings: &Settings, inferred: ProjectCommands) -> ProjectCommands {
    ProjectCommands {
        setup: settings.setup_command.clone().unwrap_or(inferred.setup),
        test: settings.test_command.clone().unwrap_or(inferred.test),
        lint: settings.lint_command.clone().unwrap_or(inferred.lint),
        narrow: if settings.test_command.is_some() { Vec::new() } else { inferred.narrow },
        rule: inferred.rule,
    }
}

/// Tests, then linters: what has to be green before a push.
pub fn gates(commands: &ProjectCommands) -> Vec<ProjectCommand> {
    commands.test.iter().chain(&commands.lint).cloned().collect()
}

/// Paths that the spec is about, as far as it names them.
pub fn spec_paths(spec: &Spec) -> Vec<String> {
    let of_item = |item: &SpecItem| {
        let merged = item.references.iter().map(|reference| reference.path.clone());
        std::iter::once(item.path.clone()).chain(merged).collect::<Vec<_>>()
    };
    let mut paths: Vec<String> = spec.items.iter().flat_map(of_item).flatten().collect();
    paths.sort();
    paths.dedup();
    paths
}

fn failing_jobs(spec: &Spec) -> Vec<FailingJob> {
    let checks = spec.items.iter().filter(|item| item.hint.is_none()).filter_map(|item| item.check.as_ref());
    checks.map(job).collect()
}

fn job(check: &Check) -> FailingJob {
    FailingJob {
        name: check.name.clone(),
        workflow: check.workflow.clone(),
        step: check.log.as_ref().and_then(|log| log.step.clone()),
    }
}

/// Every path of the commit; contents only of what describes a project.
pub fn snapshot(ctx: &Context<'_>, worktree: &Worktree) -> Result<Snapshot> {
    let paths = ctx.world.repo.paths_at(&worktree.base)?;
    let files = paths.into_keys().map(|path| {
        let bytes = if describes_a_project(&path) { read_small(&worktree.path.join(&path)) } else { Vec::new() };
        (path, bytes)
    });
    Ok(Snapshot { files: files.collect() })
}

/// Manifests, lock files, task files, workflows: small files by which a project says how it is built.
pub fn describes_a_project(path: &str) -> bool {
    const NAMES: &[&str] = &[
        "makefile",
        "gnumakefile",
        "justfile",
        "gemfile",
        "gemfile.lock",
        "rakefile",
        "procfile",
        "build",
        "build.bazel",
        "workspace",
        "cmakelists.txt",
        "pom.xml",
        "go.mod",
        "go.work",
        "mix.exs",
        "requirements.txt",
        "dockerfile",
    ];
    const ENDINGS: &[&str] = &[
        ".json", ".jsonc", ".toml", ".yml", ".yaml", ".gradle", ".kts", ".cfg", ".ini", ".sln", ".slnx", ".csproj",
        ".fsproj", ".lock", ".txt", ".zig", ".zon", ".swift", ".gemspec", ".neon", ".xml",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let deep = path.matches('/').count() > 6 || path.split('/').any(|part| part == "node_modules" || part == "vendor");
    !deep && (NAMES.contains(&name.as_str()) || ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

fn read_small(path: &Path) -> Vec<u8> {
    let plain = path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= 1 << 20);
    if plain { std::fs::read(path).unwrap_or_default() } else { Vec::new() }
}
