//! What a watch looks at before a round: no agent, no log, no worktree, nothing written.

use crate::git::{self, Ancestry};
use crate::github::{Permission, Transport};
use crate::model::feedback::Harvest;
use crate::model::pr::{ActorKind, Association, PullRequest};
use crate::model::repo::PrArgument;
use crate::model::spec::Spec;
use crate::model::watch::Memory;
use crate::policy::marker::Marker;
use crate::policy::preflight::{self, Intent, Refused};
use crate::policy::rounds::{self, Now};
use crate::settings::Settings;
use crate::world::World;

use super::context::{Context, Result, RunOptions};
use super::open::{Mode, Opened, open};
use super::target::{self, Target};
use super::{budget, harvest, isolate, round};

/// What there is to do on a pull request.
#[derive(Debug)]
pub struct Look {
    pub pr: PullRequest,
    /// Who the token belongs to.
    pub viewer: String,
    /// What a round would work on, people's decisions among it. Its logs are not read.
    pub spec: Spec,
    /// Names of checks that have not ended.
    pub pending: Vec<String>,
    pub lagging: bool,
    /// What GitHub did not give.
    pub gaps: Vec<String>,
    /// The author may push to the base repository, or is who runs this (W17).
    pub author_can_push: bool,
    /// Heads that our earlier replies speak of, oldest first.
    pub answered_heads: Vec<String>,
    /// Commits of a local branch of that name that the pull request lacks (W15).
    pub unpushed: u64,
    pub exhausted: bool,
    /// Why nothing could be pushed or answered (W14).
    pub refused: Option<Refused>,
    pub settings: Settings,
}

/// The client and the number of a pull request that was typed.
pub fn find(world: &World, argument: &PrArgument) -> Result<Target> {
    target::find(world, &world.settings(None)?, argument, None)
}

/// Numbers of the open pull requests of whom we act as; what GitHub withheld of the list is said.
pub fn mine(world: &World) -> Result<Vec<u64>> {
    let (_, github) = target::connect(world, &world.settings(None)?, None, None)?;
    let (numbers, gaps) = github.mine()?;
    gaps.into_iter().for_each(|gap| world.ui.say(&crate::ui::Say::Warning(gap)));
    Ok(numbers)
}

/// Looks at a pull request with what earlier rounds remember.
pub fn look(world: &World, argument: &PrArgument, memory: &Memory, given: Option<Box<dyn Transport>>) -> Result<Look> {
    let options = RunOptions::default();
    let opened = open(world, argument, &options, Mode::Look, given)?;
    let ctx = &opened.ctx;
    let read = &opened.harvest;
    let lagging = round::lags(ctx, read)?;
    let mut spec = harvest::without_logs(ctx, read);
    let mut ours = ctx.settings.identities.clone();
    ours.push(read.viewer.login.clone());
    rounds::select(&mut spec, memory, Now { head: &read.pr.head_oid, lagging, ours: &ours });
    let sorted = crate::policy::checks::sort(read);
    Ok(Look {
        pending: sorted.pending.iter().map(|check| check.name.clone()).collect(),
        spec,
        lagging,
        gaps: read.gaps.clone(),
        author_can_push: author_can_push(ctx, read)?,
        answered_heads: answered_heads(&opened),
        unpushed: unpushed(ctx, read)?,
        exhausted: !budget::left(ctx).covers(&crate::model::agent::Usage::default()),
        refused: preflight::check(read, Intent { push: true, reply: true }).err(),
        settings: ctx.settings.clone(),
        pr: read.pr.clone(),
        viewer: read.viewer.login.clone(),
    })
}

/// Whoever may push runs code of their own on every machine that checks the branch out; anybody else's code would
/// come near the operator's credentials by itself. What GitHub does not tell counts as no.
fn author_can_push(ctx: &Context<'_>, harvest: &Harvest) -> Result<bool> {
    let pr = &harvest.pr;
    let Some(author) = &pr.author else { return Ok(false) };
    if author.same(&harvest.viewer) || ctx.settings.identities.iter().any(|login| author.is(login)) {
        return Ok(true);
    }
    if author.kind == ActorKind::Bot {
        return Ok(!pr.cross_repository);
    }
    Ok(match ctx.github.permission(&author.login)? {
        Permission::Admin | Permission::Write => true,
        Permission::Read | Permission::None => false,
        Permission::Unknown => matches!(pr.author_association, Association::Owner | Association::Member),
    })
}

fn answered_heads(opened: &Opened<'_>) -> Vec<String> {
    let read = &opened.harvest;
    let own = |comment: &&crate::model::feedback::Comment| opened.ctx.wrote(&read.viewer, comment);
    let all = read.threads.iter().flat_map(|thread| &thread.comments).chain(&read.comments);
    let mut marks: Vec<(&str, Marker)> =
        all.filter(own).filter_map(|c| Some((c.created_at.as_str(), Marker::find(&c.body)?))).collect();
    marks.retain(|(_, mark)| mark.pr == read.pr.number);
    marks.sort_by(|a, b| a.0.cmp(b.0));
    let mut heads: Vec<String> = Vec::new();
    for (_, mark) in marks {
        if !heads.contains(&mark.head) {
            heads.push(mark.head);
        }
    }
    heads
}

fn unpushed(ctx: &Context<'_>, harvest: &Harvest) -> Result<u64> {
    let head = &harvest.pr.head_oid;
    if ctx.world.repo.ref_oid(&format!("refs/heads/{}", harvest.pr.head_branch)).is_none() {
        return Ok(0);
    }
    if ctx.world.repo.ancestry(head, head) != Ancestry::Yes {
        let remote = isolate::head_remote(ctx.world, &ctx.remote, harvest)?;
        let into = ctx.private_ref("head");
        git::fetch(&ctx.world.repo, &remote.fetch_url, &harvest.pr.head_branch, &into, ctx.world.fetch_limit())?;
    }
    Ok(ctx.world.repo.unpushed_local_commits(&harvest.pr.head_branch, head).unwrap_or(0))
}
