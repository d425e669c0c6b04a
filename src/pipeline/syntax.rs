//! Changed files that their language cannot read any more go back to the agent before any gate is run (P11).

use std::path::Path;

use crate::agent::gate_env;
use crate::git::Worktree;
use crate::model::command::ProjectCommand;
use crate::model::text::{mask_secrets, one_line};
use crate::policy::syntax::fault;
use crate::rules::{Reader, SyntaxCheck};

use super::context::{Context, Progress, Result};
use super::gates::Bench;
use super::verify;

/// Bytes of a data file that is read; a bigger one is no configuration.
const BIGGEST: u64 = 1 << 20;

/// What the checks of the rules say about the files that the passes changed, one entry a file. What could not be read
/// before either is nobody's fault here.
pub fn faults(ctx: &Context<'_>, worktree: &Worktree, progress: &Progress) -> Result<Vec<String>> {
    let checks = ctx.rules.syntax();
    let logs = ctx.run.subdir("gates")?;
    let bench = verify::bench(ctx, worktree, &logs, "")?;
    let mut faults = Vec::new();
    for path in progress.touched.keys() {
        ctx.check_interrupt()?;
        let is_file = worktree.path.join(path).symlink_metadata().is_ok_and(|meta| meta.is_file());
        let Some(check) = checks.iter().find(|check| is_file && check.is_for(path) && installed(&bench, check)) else {
            continue;
        };
        if let Some(said) = refusal(&bench, check, Path::new(path))
            && reads_before(ctx, worktree, &bench, (check, path))?
        {
            let said = one_line(&mask_secrets(&said), 1000);
            faults.push(format!("`{path}` cannot be read any more ({}): {said}", check.rule));
        }
    }
    Ok(faults)
}

fn installed(bench: &Bench, check: &SyntaxCheck) -> bool {
    let Reader::Program(argv) = &check.reader else { return true };
    let vars = gate_env(&bench.env, &bench.tmp);
    let path = vars.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    which::which_in(&argv[0], path, &bench.worktree).is_ok()
}

/// What the check says against the file; nothing when it has nothing to say.
fn refusal(bench: &Bench, check: &SyntaxCheck, path: &Path) -> Option<String> {
    let mut argv = match &check.reader {
        Reader::Program(argv) => argv.clone(),
        Reader::Own(format) => {
            let file = bench.worktree.join(path);
            let small = file.metadata().is_ok_and(|meta| meta.len() <= BIGGEST);
            return small.then(|| std::fs::read_to_string(file).ok()).flatten().and_then(|text| fault(*format, &text));
        }
    };
    // No name looks like an option.
    argv.push(Path::new(".").join(path).to_string_lossy().into_owned());
    bench.refusal(&ProjectCommand { argv, cwd: String::new() })
}

/// Whether the file was sound, or was not there, on the untouched head.
fn reads_before(
    ctx: &Context<'_>,
    worktree: &Worktree,
    bench: &Bench,
    (check, path): (&SyntaxCheck, &str),
) -> Result<bool> {
    let Some(before) = ctx.world.repo.file_at(&worktree.base, path)? else { return Ok(true) };
    let dir = bench.tmp.join("before");
    let file = dir.join(path);
    let write = || {
        std::fs::create_dir_all(file.parent().unwrap_or(&dir))?;
        std::fs::write(&file, &before)
    };
    write().map_err(|error: std::io::Error| miette::miette!("`{}` could not be written: {error}", file.display()))?;
    let there = Bench { worktree: dir, ..bench.clone() };
    Ok(refusal(&there, check, Path::new(path)).is_none())
}
