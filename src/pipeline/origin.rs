//! Who chose a command: where the file that one came from (a Makefile, a package script, a workflow) is changed by an
//! author who may not write to the repository, a person or the sandbox has to stand between.

use crate::git::Worktree;
use crate::github::Permission;
use crate::model::feedback::Harvest;
use crate::model::pr::Association;
use crate::model::report::Reason;
use crate::ui::{Answer, Prompt};

use super::context::{Context, Result, Stop};
use super::sandbox;

/// Where GitHub Actions' workflows are.
pub const WORKFLOWS: &str = ".github/workflows";

/// Those of the files (or folders) that the pull request changes, when its author may not write; else none.
pub fn foreign(ctx: &Context<'_>, worktree: &Worktree, harvest: &Harvest, sources: &[String]) -> Result<Vec<String>> {
    let mut changed = Vec::new();
    for source in sources {
        if differs(ctx, worktree, harvest, source)? {
            changed.push(source.clone());
        }
    }
    Ok(if changed.is_empty() || may_write(ctx, harvest) { Vec::new() } else { changed })
}

/// Not as on the default branch, and not as it was where the branch began. What cannot be compared differs.
fn differs(ctx: &Context<'_>, worktree: &Worktree, harvest: &Harvest, source: &str) -> Result<bool> {
    let repo = &ctx.world.repo;
    let default = harvest.pr.default_branch.as_ref().map_or(harvest.pr.base_oid.as_str(), |(_, oid)| oid.as_str());
    let began = repo.merge_base(default, &worktree.base);
    let present = read(ctx, &worktree.base, source)?;
    let same = |oid: &str| read(ctx, oid, source).is_ok_and(|there| there == present);
    Ok(!same(default) && !began.is_some_and(|oid| same(&oid)))
}

type Contents = std::collections::BTreeMap<String, Vec<u8>>;

fn read(ctx: &Context<'_>, oid: &str, source: &str) -> Result<Contents> {
    let repo = &ctx.world.repo;
    match repo.file_at(oid, source)? {
        Some(bytes) => Ok(Contents::from([(source.to_owned(), bytes)])),
        None => Ok(repo.files_at(oid, source)?),
    }
}

/// A branch of the repository itself was pushed by somebody who may write; a fork's author is asked about.
fn may_write(ctx: &Context<'_>, harvest: &Harvest) -> bool {
    let pr = &harvest.pr;
    let Some(author) = pr.author.as_ref().filter(|_| pr.cross_repository) else { return !pr.cross_repository };
    if author.same(&harvest.viewer) {
        return true;
    }
    match ctx.github.permission(&author.login) {
        Ok(Permission::Admin | Permission::Write) => true,
        Ok(Permission::Unknown) => matches!(pr.author_association, Association::Owner),
        _ => false,
    }
}

/// Lets the run go on where the sandbox holds, or where a person at the terminal says so, once for each file.
pub fn allow(ctx: &Context<'_>, harvest: &Harvest, foreign: &[String]) -> Result<()> {
    let new: Vec<&str> =
        foreign.iter().filter(|source| !ctx.told.borrow().contains(*source)).map(String::as_str).collect();
    if new.is_empty() {
        return Ok(());
    }
    let author = harvest.pr.author.as_ref().map_or("ghost", |author| author.login.as_str());
    let what =
        format!("@{author}, who may not write to this repository, changes what commands are run: {}", new.join(", "));
    if sandbox::holds(ctx) {
        ctx.warn(format!("{what}; they run in the sandbox"));
    } else if !asked(ctx, &what) {
        return Err(Stop::blocked(
            Reason::UntrustedAuthor,
            format!(
                "{what}; read the change, then run where the sandbox works, answer yes at a terminal, or name the commands yourself (`prfix.setupCommand`, `prfix.testCommand`, `prfix.lintCommand`)"
            ),
        ));
    }
    ctx.told.borrow_mut().extend(new.into_iter().map(str::to_owned));
    Ok(())
}

fn asked(ctx: &Context<'_>, what: &str) -> bool {
    let prompt = Prompt {
        question: "Run these commands without a sandbox?".to_owned(),
        details: vec![what.to_owned()],
        choices: vec!["no".to_owned(), "yes, I have read the change".to_owned()],
        default: Some(0),
    };
    ctx.world.ui.ask(&prompt) == Some(Answer(1))
}
