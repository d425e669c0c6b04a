//! `git prfix rules`: what the rules say here, whether they load, and which local ones are trusted.
//!
//! Without a pull request these commands look at the rules of the work tree: they only print. A run
//! uses the default branch's, or local ones that were trusted.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use super::{CommandResult, Exit, Shell, stopped};
use crate::model::repo::PrArgument;
use crate::pipeline::{self, Mode, RunOptions, Stop};
use crate::rules::{PrView, Rules, TeamFiles, diff};
use crate::ui::{Prompt, Say};
use crate::world::World;

#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Load all rules and lint them
    Check,
    /// All rules, with where they come from
    List,
    /// Run .prfix/tests/*.lua
    Test,
    /// Show for each comment which rule decided, and why
    Explain(ExplainArgs),
    /// Show which commands would be run here, and which rule says so
    Commands(CommandsArgs),
    /// Where the rules of the work tree differ from the default branch's
    Diff,
    /// Let the rules of the work tree count, as they are now
    Trust(TrustArgs),
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The pull request; or use --comments
    #[arg(value_name = "PR", conflicts_with = "comments")]
    pub pr: Option<String>,
    /// A file with one comment a line, as JSON
    #[arg(long, value_name = "FILE")]
    pub comments: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CommandsArgs {
    /// A path that the change touches (repeatable)
    #[arg(long, value_name = "PATH")]
    pub touched: Vec<String>,
}

#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The digest that `rules diff` printed, where no question can be asked
    #[arg(value_name = "DIGEST")]
    pub digest: Option<String>,
}

#[derive(Debug, Error, Diagnostic)]
enum RulesError {
    #[error("`{}` cannot be read: {source}", path.display())]
    #[diagnostic(code(prfix::rules::file), help("name a file with one comment a line, as JSON; `-` is standard input"))]
    File { path: PathBuf, source: std::io::Error },
    #[error("line {line} is no comment: {why}")]
    #[diagnostic(code(prfix::rules::comment), help("man git-prfix describes the form"))]
    Comment { line: usize, why: String },
    #[error("there are no rules in `.prfix` to trust")]
    #[diagnostic(code(prfix::rules::nothing), help("`git prfix init` writes an example"))]
    Nothing,
    #[error("nobody can be asked here")]
    #[diagnostic(
        code(prfix::rules::ask),
        help("read `git prfix rules diff`, then run `git prfix rules trust {digest}`")
    )]
    Ask { digest: String },
    #[error("`{given}` is not the digest of the rules as they are now")]
    #[diagnostic(
        code(prfix::rules::digest),
        help("they changed: read `git prfix rules diff` again; now it is {digest}")
    )]
    Digest { given: String, digest: String },
}

pub fn run(shell: &Shell, command: RulesCommand) -> CommandResult {
    let world = shell.world()?;
    match command {
        RulesCommand::Check => check(shell, &world),
        RulesCommand::List => list(shell, &world),
        RulesCommand::Test => test(shell, &world),
        RulesCommand::Explain(args) => explain(shell, &world, &args),
        RulesCommand::Commands(args) => commands(shell, &world, &args),
        RulesCommand::Diff => show_diff(shell, &world),
        RulesCommand::Trust(args) => trust(shell, &world, &args),
    }
}

/// `.prfix` of the work tree; a bare repository has none.
fn local(world: &World) -> Result<TeamFiles, miette::Report> {
    Ok(world.repo.work_dir().map(TeamFiles::from_work_tree).transpose()?.unwrap_or_default())
}

fn load(world: &World, files: &TeamFiles) -> Result<Rules, miette::Report> {
    pipeline::load_rules(world, files).map_err(|stop| match stop {
        Stop::Fault(error) => error,
        other => miette::miette!("the rules could not be loaded: {other:?}"),
    })
}

fn check(shell: &Shell, world: &World) -> CommandResult {
    let files = local(world)?;
    let rules = load(world, &files)?;
    world.settings(files.config().as_deref())?;
    let notes = rules.lint();
    if shell.global.json {
        shell.print_json(&json!({"rules": rules.list().len(), "notes": notes}))?;
    } else {
        notes.iter().for_each(|note| shell.ui.print(note));
        shell.ui.print(&format!("{} rules load, {} notes", rules.list().len(), notes.len()));
    }
    Ok(Exit::Done)
}

fn list(shell: &Shell, world: &World) -> CommandResult {
    let rules = load(world, &local(world)?)?.list();
    if shell.global.json {
        shell.print_json(&rules)?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = rules
        .into_iter()
        .map(|rule| {
            let note =
                rule.off.map(|at| format!("off: {at}")).or_else(|| rule.replaces.map(|at| format!("replaces {at}")));
            vec![rule.rule, rule.layer.to_owned(), rule.at, note.unwrap_or(rule.why)]
        })
        .collect();
    shell.print_table(&["rule", "from", "at", "why"], &rows);
    Ok(Exit::Done)
}

fn test(shell: &Shell, world: &World) -> CommandResult {
    let files = local(world)?;
    let rules = load(world, &files)?;
    let results = rules.run_tests(&files.tests())?;
    let failed = results.iter().filter(|result| result.failure.is_some()).count();
    if shell.global.json {
        let all: Vec<_> = results
            .iter()
            .map(|r| json!({"file": r.file, "name": r.name, "passed": r.failure.is_none(), "why": r.failure.as_ref().map(|f| f.label.clone())}))
            .collect();
        shell.print_json(&json!({"tests": all, "failed": failed}))?;
    } else {
        for result in &results {
            let word = if result.failure.is_some() { "FAILED" } else { "ok" };
            shell.ui.print(&format!("{word:<6} {}: {}", result.file, result.name));
        }
    }
    let passed = results.len() - failed;
    results.into_iter().filter_map(|result| result.failure).for_each(|failure| shell.ui.error(&failure.into()));
    if !shell.global.json {
        shell.ui.print(&format!("{passed} passed, {failed} failed"));
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::Fault })
}

fn explain(shell: &Shell, world: &World, args: &ExplainArgs) -> CommandResult {
    match &args.comments {
        Some(path) => explain_file(shell, world, path),
        None => explain_pr(shell, world, args.pr.as_deref()),
    }
}

fn explain_file(shell: &Shell, world: &World, path: &std::path::Path) -> CommandResult {
    let failed = |source| RulesError::File { path: path.to_owned(), source };
    let text = if path == std::path::Path::new("-") {
        std::io::read_to_string(std::io::stdin()).map_err(failed)?
    } else {
        std::fs::read_to_string(path).map_err(failed)?
    };
    let rules = load(world, &local(world)?)?;
    for explained in rules.explain(&text, &PrView::unknown()) {
        let explained = explained.map_err(|bad| RulesError::Comment { line: bad.line, why: bad.reason })?;
        if shell.global.json {
            let line = json!({"id": explained.id, "decision": explained.decision, "rule": explained.rule, "why": explained.why});
            shell.ui.print(&line.to_string());
        } else {
            shell
                .ui
                .print(&format!("{}: {} by {} ({})", explained.id, explained.decision, explained.rule, explained.why));
            explained
                .steps
                .iter()
                .for_each(|step| shell.ui.print(&format!("    {} {}: {}", step.rule, step.at, step.outcome)));
        }
    }
    warn(shell, rules.take_warnings());
    Ok(Exit::Done)
}

fn explain_pr(shell: &Shell, world: &World, pr: Option<&str>) -> CommandResult {
    let options = RunOptions::default();
    let argument = pr.map_or(PrArgument::CurrentBranch, PrArgument::parse);
    let opened = match pipeline::open(world, &argument, &options, Mode::Look, None) {
        Ok(opened) => opened,
        Err(stop) => return stopped(shell, stop),
    };
    let explained = match pipeline::explain(&opened) {
        Ok(explained) => explained,
        Err(stop) => return stopped(shell, stop),
    };
    for one in explained {
        if shell.global.json {
            let line = json!({"id": one.explained.id, "url": one.url, "decision": one.explained.decision, "rule": one.explained.rule, "why": one.explained.why});
            shell.ui.print(&line.to_string());
        } else {
            shell.ui.print(&format!(
                "{} by {}: {} by {} ({})",
                one.url, one.author, one.explained.decision, one.explained.rule, one.explained.why
            ));
            one.explained
                .steps
                .iter()
                .for_each(|step| shell.ui.print(&format!("    {} {}: {}", step.rule, step.at, step.outcome)));
        }
    }
    warn(shell, opened.ctx.rules.take_warnings());
    Ok(Exit::Done)
}

fn warn(shell: &Shell, warnings: Vec<String>) {
    warnings.into_iter().for_each(|warning| shell.ui.say(&Say::Warning(warning)));
}

fn commands(shell: &Shell, world: &World, args: &CommandsArgs) -> CommandResult {
    let rules = load(world, &local(world)?)?;
    let settings = world.settings(None)?;
    let found = pipeline::commands_here(world, &settings, &rules, &args.touched)?;
    warn(shell, rules.take_warnings());
    let words = |list: &[crate::model::command::ProjectCommand]| -> Vec<serde_json::Value> {
        let one = |c: &crate::model::command::ProjectCommand| {
            if c.cwd.is_empty() { json!(c.argv) } else { json!({"argv": c.argv, "cwd": c.cwd}) }
        };
        list.iter().map(one).collect()
    };
    if shell.global.json {
        shell.print_json(&json!({
            "setup": words(&found.setup), "test": words(&found.test), "lint": words(&found.lint),
            "narrow": words(&found.narrow), "rule": found.rule,
        }))?;
        return Ok(Exit::Done);
    }
    for (name, list) in
        [("setup", &found.setup), ("test", &found.test), ("lint", &found.lint), ("narrow", &found.narrow)]
    {
        list.iter().for_each(|command| shell.ui.print(&format!("{name:<7} {command}")));
    }
    shell.ui.print(&format!("by {}", if found.rule.is_empty() { "no rule: nothing was found" } else { &found.rule }));
    Ok(Exit::Done)
}

/// The repository's name for the trust record, and the default branch's files as they are known here.
fn published(world: &World) -> Result<(String, TeamFiles), miette::Report> {
    let settings = world.settings(None)?;
    let (remote, repo) = pipeline::choose_remote(world, &settings, None).map_err(|stop| match stop {
        Stop::Fault(error) => error,
        other => miette::miette!("no remote was found: {other:?}"),
    })?;
    let tip = world.repo.ref_oid(&format!("refs/remotes/{}/HEAD", remote.name));
    let files = tip.map(|tip| world.repo.files_at(&tip, ".prfix/")).transpose()?.unwrap_or_default();
    Ok((repo.to_string(), TeamFiles::from_files(files)))
}

fn show_diff(shell: &Shell, world: &World) -> CommandResult {
    let (repository, base) = published(world)?;
    let files = local(world)?;
    if files == base {
        shell.ui.print("the rules of the work tree are the default branch's");
        return Ok(Exit::Done);
    }
    shell.ui.print(&diff(&base, &files));
    shell.ui.print(&format!("digest {}", files.digest(&repository)));
    Ok(Exit::Done)
}

fn trust(shell: &Shell, world: &World, args: &TrustArgs) -> CommandResult {
    let (repository, base) = published(world)?;
    let files = local(world)?;
    if files.is_empty() {
        return Err(RulesError::Nothing.into());
    }
    let rules = load(world, &files)?;
    let digest = files.digest(&repository);
    match &args.digest {
        Some(given) if *given == digest => {}
        Some(given) => return Err(RulesError::Digest { given: given.clone(), digest }.into()),
        None => {
            shell.ui.print(&diff(&base, &files));
            let settings = world.settings(files.config().as_deref())?;
            let reach = pipeline::commands_here(world, &settings, &rules, &[])?;
            let all = reach.setup.iter().chain(&reach.test).chain(&reach.lint).map(|c| format!("would run: {c}"));
            let prompt = Prompt {
                question: "Let these rules choose what runs?".into(),
                details: all.chain([format!("digest {digest}")]).collect(),
                choices: vec!["no".into(), "yes, as they are now".into()],
                default: Some(0),
            };
            match shell.ui.ask(&prompt) {
                Some(answer) if answer.0 == 1 => {}
                Some(_) => return Ok(Exit::Done),
                None => return Err(RulesError::Ask { digest }.into()),
            }
        }
    }
    let mut record = pipeline::trust_record(world).map_err(|stop| match stop {
        Stop::Fault(error) => error,
        other => miette::miette!("the trust record could not be opened: {other:?}"),
    })?;
    record.trust(&repository, &files)?;
    shell.ui.print(&format!("trusted for {repository} until they change: {}", &digest[..12]));
    Ok(Exit::Done)
}
