//! The team's files as far as this clone has them: from the remote-tracking ref of the default branch, without the
//! network. What a run uses is read afresh from GitHub instead.

use super::as_error;
use crate::git::Remote;
use crate::pipeline;
use crate::rules::{Published, Rules, TeamFiles, choose};
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
    let from = Some(name.clone());
    let (Some(repository), Some(root)) = (&remote.repo, world.repo.work_dir()) else {
        return Ok(LocalTeam { files: published, from, warnings: Vec::new() });
    };
    let record = pipeline::trust_record(world).map_err(as_error)?;
    let here = Published { branch: &name, files: Some(&published) };
    let choice = choose(here, &TeamFiles::from_work_tree(root), &repository.to_string(), &record);
    Ok(LocalTeam { files: choice.files, from, warnings: choice.warnings })
}

fn is_meant(known: &Remote, wanted: &str) -> bool {
    known.name == wanted || [&known.url, &known.fetch_url, &known.push_url].into_iter().any(|url| url == wanted)
}

fn default_branch(world: &World, remote: &str) -> Option<String> {
    let names = std::iter::once("HEAD").chain(USUAL_BRANCHES.iter().copied());
    names.map(|name| format!("refs/remotes/{remote}/{name}")).find(|name| world.repo.ref_oid(name).is_some())
}

impl LocalTeam {
    /// Built-in rules, the user's, the team's.
    pub fn rules(&self, world: &World) -> Result<Rules, miette::Report> {
        pipeline::load_rules(world, &self.files).map_err(as_error)
    }

    pub fn settings(&self, world: &World) -> Result<Settings, miette::Report> {
        world.settings(self.files.config().as_deref())
    }
}
