//! `git prfix guard`: whether a push may go, from what git tells its pre-push hook (githooks(5)). Never uses the
//! network: it stands in the way of every push.

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Value, json};

use super::local::{self, LocalTeam};
use super::{CommandResult, Exit, Shell};
use crate::git::guard::{Facts, PushRefusal, Update, decide, parse_updates};
use crate::git::{Ancestry, Manager, Metadata, Worktree};
use crate::model::report::{GateStatus, Outcome};
use crate::model::text::short;
use crate::rules::PushVerdict;
use crate::state::{Effect, Replay};
use crate::ui::Say;
use crate::world::World;

#[derive(Debug, Subcommand)]
pub enum GuardCommand {
    /// Decide over the lines that git gives its pre-push hook on standard input
    PrePush(PrePushArgs),
}

#[derive(Debug, Args)]
pub struct PrePushArgs {
    /// The remote's name, or its URL when it has none
    pub remote: String,
    /// Where the push goes to
    pub url: String,
}

/// Why a push may not go, and the way on.
#[derive(Debug, Serialize)]
struct Refused {
    #[serde(rename = "ref")]
    remote_ref: Option<String>,
    rule: Option<String>,
    why: String,
    help: String,
}

/// Commits that a refusal names before it only counts.
const MOST_COMMITS: usize = 5;
/// Runs that are looked at for the gates of a commit.
const MOST_RUNS: usize = 20;

pub fn run(shell: &Shell, command: GuardCommand) -> CommandResult {
    let GuardCommand::PrePush(args) = command;
    let input = std::io::read_to_string(std::io::stdin()).unwrap_or_else(|_| "not text".to_owned());
    let refused = match parse_updates(&input) {
        Some(updates) if updates.is_empty() => Vec::new(),
        Some(updates) => judge(&shell.world()?, &args, &updates)?,
        None => vec![not_gits()],
    };
    if shell.global.json {
        let decision = if refused.is_empty() { "allow" } else { "refuse" };
        shell.print_json(&json!({"decision": decision, "refused": refused}))?;
    }
    for refusal in &refused {
        shell.ui.error(&miette::miette!(help = refusal.help.clone(), "the push is refused: {}", refusal.why));
    }
    Ok(if refused.is_empty() { Exit::Done } else { Exit::NotConverged })
}

fn not_gits() -> Refused {
    Refused {
        remote_ref: None,
        rule: None,
        why: "what came on standard input is not what git tells a pre-push hook".to_owned(),
        help: "let git call the hook; a hook that runs before this one must pass its input on".to_owned(),
    }
}

fn judge(world: &World, args: &PrePushArgs, updates: &[Update]) -> Result<Vec<Refused>, miette::Report> {
    let team = local::team(world, Some(&args.remote))?;
    let managed = Managed::find(world, &team)?;
    let mut refused = Vec::new();
    let mut refs = Vec::new();
    for update in updates {
        let contained = contained(world, update);
        if let Some(managed) = &managed
            && let Err(refusal) = managed.decide(world, update, contained)
        {
            let (why, help) = refusal.explain();
            refused.push(Refused { remote_ref: Some(update.remote_ref.clone()), rule: None, why, help });
        }
        refs.push(picture(world, update, contained));
    }
    let pr = managed.as_ref().and_then(|managed| managed.metadata.pr);
    let push = json!({"remote": args.remote, "url": args.url, "managed": managed.is_some(), "pr": pr, "refs": refs});
    refused.extend(ask_rules(world, &team, &push)?);
    Ok(refused)
}

/// Whether the remote's present commit is contained in the new one; what is created or deleted contains nothing.
fn contained(world: &World, update: &Update) -> Ancestry {
    if update.is_creation() || update.is_deletion() {
        return Ancestry::Yes;
    }
    world.repo.ancestry(&update.remote_oid, &update.local_oid)
}

/// An update as guard rules see it.
fn picture(world: &World, update: &Update, contained: Ancestry) -> Value {
    json!({
        "local_ref": update.local_ref, "local_oid": update.local_oid,
        "remote_ref": update.remote_ref, "remote_oid": update.remote_oid,
        "force": contained != Ancestry::Yes, "delete": update.is_deletion(),
        "gates_passed": gates_passed(world, &update.local_oid),
    })
}

/// A run recorded that all gates passed on this very commit.
fn gates_passed(world: &World, oid: &str) -> bool {
    world.store.runs().iter().take(MOST_RUNS).any(|run| {
        let verified = crate::state::replay(&run.journal()).ok().and_then(|past| past.verified);
        verified.is_some_and(|(commit, gates)| {
            commit == oid && !gates.is_empty() && gates.iter().all(|gate| gate.status == GateStatus::Passed)
        })
    })
}

/// A guard rule that says no, or fails.
fn ask_rules(world: &World, team: &LocalTeam, push: &Value) -> Result<Option<Refused>, miette::Report> {
    let rules = team.rules(world)?;
    let verdict = rules.guard(push);
    for warning in rules.take_warnings() {
        world.ui.say(&Say::Warning(warning));
    }
    Ok(match verdict {
        PushVerdict::Allow => None,
        PushVerdict::Deny { rule, why } => Some(Refused {
            remote_ref: None,
            why: format!("{why} ({rule})"),
            help: format!("do what the rule asks for, or change it: `git prfix rules list` says where {rule} stands"),
            rule: Some(rule),
        }),
    })
}

/// The managed worktree that the push comes from.
struct Managed {
    metadata: Metadata,
    past: Replay,
}

impl Managed {
    fn find(world: &World, team: &LocalTeam) -> Result<Option<Self>, miette::Report> {
        let Some(path) = world.repo.work_dir() else { return Ok(None) };
        let manager = Manager::new(&world.repo, world.worktree_root(&team.settings(world)?));
        let worktree = Worktree { path: path.to_owned(), branch: String::new(), base: String::new() };
        let Some(metadata) = manager.metadata(&worktree) else { return Ok(None) };
        let past = match world.store.run(&metadata.owner) {
            Ok(run) => crate::state::replay(&run.journal())?,
            Err(_) => Replay::default(),
        };
        Ok(Some(Self { metadata, past }))
    }

    fn decide(&self, world: &World, update: &Update, contained: Ancestry) -> Result<(), PushRefusal> {
        // A commit that is not here says nothing about whose it is.
        let foreign = if update.is_deletion() { Ok(Vec::new()) } else { self.foreign(world, update) };
        let fast_forward = if foreign.is_ok() { contained } else { Ancestry::Unknown };
        let foreign = foreign.unwrap_or_default();
        let facts = Facts {
            managed_head: Some(&self.metadata.base_branch),
            watched: false,
            fast_forward,
            foreign_commits: &foreign,
        };
        decide(update, &facts)
    }

    /// Commits that the push would add and that the run did not make. A run that was blocked has handed its worktree
    /// to a person, whose commits are as good as its own.
    fn foreign(&self, world: &World, update: &Update) -> Result<Vec<String>, crate::git::GitError> {
        if matches!(self.past.finished, Some((Outcome::Blocked, _))) {
            return Ok(Vec::new());
        }
        let own = self.own_commits();
        if own.contains(&update.local_oid.as_str()) || update.local_oid == self.metadata.base_oid {
            return Ok(Vec::new());
        }
        let from = if update.is_creation() { &self.metadata.base_oid } else { &update.remote_oid };
        let added = world.repo.commits_between(from, &update.local_oid)?;
        let is_own = |commit: &str| own.iter().any(|tip| world.repo.ancestry(commit, tip) == Ancestry::Yes);
        let foreign = added.iter().filter(|commit| !is_own(commit)).take(MOST_COMMITS);
        Ok(foreign.map(|commit| short(commit).to_owned()).collect())
    }

    /// What the run's journal says that it made; their ancestors were there before, or are its own as well.
    fn own_commits(&self) -> Vec<&str> {
        let committed = self.past.passes.values().filter_map(|pass| pass.oid.as_deref());
        let rebased = self.past.rebased.iter().map(|(_, oid)| oid.as_str());
        let verified = self.past.verified.iter().map(|(oid, _)| oid.as_str());
        let pushed = self.past.tried.iter().filter_map(|effect| match effect {
            Effect::Push { oid } => Some(oid.as_str()),
            _ => None,
        });
        committed.chain(rebased).chain(verified).chain(pushed).collect()
    }
}
