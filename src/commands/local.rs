//! The team's files as far as this clone has them: from the remote-tracking ref of the default branch, without the
//! network. What a run uses is read afresh from GitHub instead.

use std::path::Path;

use crate::git::Remote;
use crate::rules::{Published, Rules, TeamFiles, TrustRecord, choose};
use crate::settings::Settings;
use crate::world::World;

/// Branches that count as the default when the remote's `HEAD` was never recorded (`git remote set-head`).
const USUAL_BRANCHES: &[&str] = &["main", "master"];

/// `.prfix` of the default branch, or the work tree's own where the operator trusts it.
#[derive(Debug, Default)]
pub struct LocalTeam {
    pub files: TeamFiles,
    /// The ref that it was read from.
    pub from: Option<String>,
    pub warnings: Vec<String>,
}

/// Reads them. `remote`: a name or a URL, as git tells a hook; without it, the configured remote or `origin`.
pub fn team(world: &World, remote: Option<&str>) -> Result<LocalTeam, miette::Report> {
    let configured = world.settings(None)?.remote;
    let remotes = world.repo.remotes()?;
    let wanted = [configured.as_deref(), remote, Some("origin")];
    let found = wanted.into_iter().flatten().find_map(|wanted| {
        let remote = remotes.iter().find(|known| is_meant(known, wanted))?;
        default_branch(world, &remote.name).map(|name| (remote, name))
    });
    let Some((remote, name)) = found else { return Ok(LocalTeam::default()) };
    let commit = world.repo.ref_oid(&name).unwrap_or_default();
    let published = TeamFiles::from_files(world.repo.files_at(&commit, ".prfix/")?);
    let Some((repository, record)) = trusted(world, remote)? else {
        return Ok(LocalTeam { files: published, from: Some(name), warnings: Vec::new() });
    };
    let work_tree = TeamFiles::from_work_tree(world.repo.work_dir().unwrap_or(Path::new("")));
    let choice = choose(Published { branch: &name, files: Some(&published) }, &work_tree, &repository, &record);
    Ok(LocalTeam { files: choice.files, from: Some(name), warnings: choice.warnings })
}

fn is_meant(known: &Remote, wanted: &str) -> bool {
    known.name == wanted || [&known.url, &known.fetch_url, &known.push_url].into_iter().any(|url| url == wanted)
}

fn default_branch(world: &World, remote: &str) -> Option<String> {
    let names = std::iter::once("HEAD").chain(USUAL_BRANCHES.iter().copied());
    names.map(|name| format!("refs/remotes/{remote}/{name}")).find(|name| world.repo.ref_oid(name).is_some())
}

/// The record of trusted copies, and the name that this repository has in it; `None` where nothing can be trusted.
fn trusted(world: &World, remote: &Remote) -> Result<Option<(String, TrustRecord)>, miette::Report> {
    let (Some(repo), Some(state), Some(_)) = (&remote.repo, world.env.state_dir(), world.repo.work_dir()) else {
        return Ok(None);
    };
    Ok(Some((repo.to_string(), TrustRecord::open(&state)?)))
}

impl LocalTeam {
    /// Built-in rules, the user's, the team's.
    pub fn rules(&self, world: &World) -> Result<Rules, miette::Report> {
        let mut sources = match world.env.config_dir() {
            Some(dir) => Rules::user_sources(&dir)?,
            None => Vec::new(),
        };
        sources.extend(self.files.rules());
        Ok(Rules::load(&sources)?)
    }

    pub fn settings(&self, world: &World) -> Result<Settings, miette::Report> {
        world.settings(self.files.config().as_deref())
    }
}
