//! What belongs to this repository: settings, rules, hooks, worktrees and what dead runs left behind.

use std::collections::BTreeSet;
use std::path::Path;

use super::Check;
use crate::commands::disk_size;
use crate::commands::hook::Hooks;
use crate::commands::local::LocalTeam;
use crate::git::Manager;
use crate::rules::Rules;
use crate::settings::Settings;
use crate::world::World;

/// Free bytes below which a worktree will hardly fit, and below which it is worth a word.
const TOO_LITTLE: u64 = 64 << 20;
const LITTLE: u64 = 2 << 30;

pub(super) fn settings(team: &LocalTeam, error: Option<&miette::Report>) -> Check {
    const CHECK: &str = "settings";
    match (error, team.files.config(), &team.from) {
        (Some(error), ..) => Check::failed(CHECK, error),
        (None, Some(_), Some(from)) => {
            Check::ok(CHECK, format!("git's configuration, and .prfix/config.toml of {from}"))
        }
        (None, ..) => Check::ok(CHECK, "git's configuration; the team has no .prfix/config.toml"),
    }
}

pub(super) fn rules(team: &LocalTeam, rules: &Result<Rules, miette::Report>) -> Vec<Check> {
    const CHECK: &str = "rules";
    let rules = match rules {
        Ok(rules) => rules,
        Err(error) => return vec![Check::failed(CHECK, error)],
    };
    let count = |layer: &str| rules.list().iter().filter(|rule| rule.layer == layer && rule.off.is_none()).count();
    let found =
        format!("{} built in, {} of your own, {} of the team", count("built-in"), count("user"), count("repository"));
    let mut checks = vec![Check::ok(CHECK, found)];
    let lint = rules.lint().into_iter();
    checks.extend(lint.map(|note| Check::warning(CHECK, note, "`git prfix rules check` shows all notes")));
    checks.extend(team.warnings.iter().map(|warning| {
        let (what, help) = warning.split_once("\n  help: ").unwrap_or((warning, "`git prfix rules diff` shows it"));
        Check::warning("team's files", what, help)
    }));
    checks
}

pub(super) fn hook(world: &World) -> Check {
    const CHECK: &str = "push guard";
    match Hooks::find(world) {
        Err(error) => Check::failed(CHECK, &error.into()),
        Ok(hooks) if hooks.is_installed() => Check::ok(CHECK, "in the pre-push hook"),
        Ok(hooks) if hooks.is_displaced() => {
            Check::warning(CHECK, "another program has taken its place", "put it back: `git prfix hook install`")
        }
        Ok(_) => Check::ok(CHECK, "not installed; `git prfix hook install` guards other pushes as well"),
    }
}

/// The root for worktrees, the disk below it, and what is left of runs that died.
pub(super) fn worktrees(world: &World, settings: &Settings) -> Vec<Check> {
    let root = world.worktree_root(settings);
    let manager = Manager::new(&world.repo, root.clone());
    let mut checks = vec![place(&root)];
    let listed = match manager.list(world.clock.now()) {
        Ok(listed) => listed,
        Err(error) => {
            checks.push(Check::failed("worktrees", &error.into()));
            return checks;
        }
    };
    let alive: BTreeSet<&str> = listed
        .iter()
        .filter(|worktree| worktree.owner_alive)
        .filter_map(|worktree| worktree.owner.as_deref())
        .collect();
    let removable = listed.iter().filter(|worktree| worktree.state.is_removable()).count();
    let size = disk_size(listed.iter().map(|worktree| worktree.bytes).sum());
    let found = format!("{} managed, {size}", listed.len());
    checks.push(match removable {
        0 => Check::ok("worktrees", found),
        some => Check::warning("worktrees", format!("{found}; {some} left over"), "`git prfix worktree clean`"),
    });
    checks.push(dead_runs(world, &alive));
    checks
}

fn place(root: &Path) -> Check {
    const CHECK: &str = "worktree root";
    let elsewhere = "set `prfix.worktreeRoot` to a folder that you may write to";
    if root.is_symlink() {
        return Check::problem(CHECK, format!("{} is a symbolic link", root.display()), elsewhere);
    }
    let Some(there) = root.ancestors().find(|folder| folder.is_dir()) else {
        return Check::problem(CHECK, format!("{} cannot be made", root.display()), elsewhere);
    };
    use rustix::fs::Access;
    if rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return Check::problem(CHECK, format!("{} is not writable", there.display()), elsewhere);
    }
    let free = rustix::fs::statvfs(there).map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    let found = |free| format!("{}, {} free", root.display(), disk_size(free));
    match free {
        Ok(free) if free < TOO_LITTLE => Check::problem(CHECK, found(free), format!("free some space, or {elsewhere}")),
        Ok(free) if free < LITTLE => Check::warning(CHECK, found(free), "`git prfix worktree clean` may free some"),
        Ok(free) => Check::ok(CHECK, found(free)),
        Err(_) => Check::ok(CHECK, root.display().to_string()),
    }
}

/// The newest run of a pull request, begun and not ended, whose process is gone.
fn dead_runs(world: &World, alive: &BTreeSet<&str>) -> Check {
    const CHECK: &str = "runs";
    let dead: Vec<String> =
        world.store.all_unfinished().map(|run| run.id).filter(|run| !alive.contains(run.as_str())).collect();
    match dead.first() {
        None => Check::ok(CHECK, "none is left unfinished"),
        Some(first) => {
            let help = format!("go on with it: `git prfix --resume {first}`; or start over with `--fresh`");
            Check::warning(CHECK, format!("unfinished: {}", dead.join(", ")), help)
        }
    }
}
