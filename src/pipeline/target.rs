//! From what was typed to one pull request on one remote.

use std::sync::{Arc, Mutex, PoisonError};

use miette::Diagnostic;
use thiserror::Error;

use crate::clock::Clock;
use crate::git::Remote;
use crate::github::{self, Client, Transport, Waiting};
use crate::model::pr::PullRequest;
use crate::model::repo::{PrArgument, RepoId};
use crate::policy::remote;
use crate::settings::Settings;
use crate::ui::{Task, Ui};
use crate::world::World;

use super::context::Stop;

#[derive(Debug, Error, Diagnostic)]
pub enum TargetError {
    #[error("no open pull request has the head branch `{branch}` in {repo}")]
    #[diagnostic(
        code(prfix::target::no_pull_request),
        help("push the branch and open one, or name the pull request: `git prfix <number>`")
    )]
    NoPullRequest { branch: String, repo: String },
    #[error("several open pull requests have the head branch `{branch}`: {}", urls.join(", "))]
    #[diagnostic(code(prfix::target::several), help("name one by its number or URL"))]
    Several { branch: String, urls: Vec<String> },
    #[error("no branch is checked out")]
    #[diagnostic(code(prfix::target::detached), help("name the pull request: `git prfix <number>`"))]
    Detached,
}

/// The pull request that a command is about.
pub struct Target {
    pub github: Client,
    pub remote: Remote,
    pub number: u64,
}

/// Finds the remote, connects, and looks the number up when a branch was typed. `given` is the
/// demo's embedded GitHub.
pub fn find(
    world: &World,
    settings: &Settings,
    argument: &PrArgument,
    given: Option<Box<dyn Transport>>,
) -> Result<Target, Stop> {
    let wanted = match argument {
        PrArgument::Url { repo, .. } => Some(repo),
        _ => None,
    };
    let (remote, github) = connect(world, settings, wanted, given)?;
    let number = match argument {
        PrArgument::Number(number) | PrArgument::Url { number, .. } => *number,
        PrArgument::Branch(branch) => of_branch(&github, branch, None)?,
        PrArgument::CurrentBranch => of_current_branch(world, &github)?,
    };
    Ok(Target { github, remote, number })
}

/// The remote, and GitHub as its repository sees it; `wanted` is the repository of a PR URL.
pub fn connect(
    world: &World,
    settings: &Settings,
    wanted: Option<&RepoId>,
    given: Option<Box<dyn Transport>>,
) -> Result<(Remote, Client), Stop> {
    let (remote, repo) = choose_remote(world, settings, wanted)?;
    let transport = match given {
        Some(transport) => transport,
        None => github::choose(&world.env, &repo.host, settings.transport.as_deref())?,
    };
    let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
    let pace = world.env.state_dir().map(|dir| dir.join(format!("writes-{}", repo.host.replace(':', "-"))));
    Ok((remote, Client::new(transport, repo, clock).on_wait(countdown(&world.ui)).paced_by(pace)))
}

/// Shows a wait for GitHub's rate limit as a running task that counts down.
fn countdown(ui: &Arc<Ui>) -> impl Fn(Waiting) + Send + Sync + 'static {
    let (ui, shown) = (Arc::clone(ui), Mutex::new(None::<Task>));
    move |wait| {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        if wait.left.is_zero() {
            return shown.take().into_iter().for_each(|task| task.finish("over"));
        }
        let begin = || ui.task(&format!("GitHub's rate limit: waiting {} s", wait.whole.as_secs()));
        shown.get_or_insert_with(begin).line(&format!("{} s left", wait.left.as_secs()));
    }
}

/// The remote of the base repository; `wanted` is that of a PR URL.
pub fn choose_remote(world: &World, settings: &Settings, wanted: Option<&RepoId>) -> Result<(Remote, RepoId), Stop> {
    let candidates = world.remote_candidates()?;
    let hosts = world.github_hosts();
    let (chosen, repo) =
        remote::choose(&candidates, wanted, settings.remote.as_deref(), &hosts).map_err(miette::Report::from)?;
    let name = chosen.name.clone();
    let found = world.repo.remotes()?.into_iter().find(|remote| remote.name == name);
    let gone = || miette::Report::from(remote::RemoteError::NoRemote);
    Ok((found.ok_or_else(gone)?, repo))
}

/// The branch's upstream decides, so that a local branch of another name finds its pull request.
fn of_current_branch(world: &World, github: &Client) -> Result<u64, Stop> {
    let branch = world.repo.current_branch().ok_or_else(|| miette::Report::from(TargetError::Detached))?;
    let Some((remote, merge)) = world.repo.upstream(&branch) else {
        return of_branch(github, &branch, None);
    };
    let owner =
        world.repo.remotes()?.into_iter().find(|r| r.name == remote).and_then(|r| r.repo).map(|repo| repo.owner);
    of_branch(github, &merge, owner.as_deref())
}

fn of_branch(github: &Client, branch: &str, owner: Option<&str>) -> Result<u64, Stop> {
    let found: Vec<PullRequest> = github.pull_requests_of_branch(branch, owner)?;
    match found.as_slice() {
        [one] => Ok(one.number),
        [] => {
            let repo = github.repo().full_name();
            Err(miette::Report::from(TargetError::NoPullRequest { branch: branch.to_owned(), repo }).into())
        }
        several => {
            let urls = several.iter().map(|pr| pr.url.clone()).collect();
            Err(miette::Report::from(TargetError::Several { branch: branch.to_owned(), urls }).into())
        }
    }
}
