//! The team's own rules and settings: read from the default branch of the base repository, never
//! from the pull request; a local edit counts only when the operator trusted it.

use crate::model::feedback::Harvest;
use crate::rules::{Published, Rules, Source, TeamFiles, TrustRecord, choose};
use crate::world::World;

use super::context::Result;

/// What steers a run besides the operator's own settings.
#[derive(Debug, Default)]
pub struct Team {
    pub files: TeamFiles,
    /// `.worktreeinclude` of the default branch, whose patterns are copied like `prfix.copy`.
    pub include: Vec<String>,
    pub warnings: Vec<String>,
}

/// Reads them; a default branch that is not here yet is fetched into a private ref.
pub fn read(world: &World, url: &str, harvest: &Harvest) -> Result<Team> {
    let Some((branch, oid)) = &harvest.pr.default_branch else { return Ok(Team::default()) };
    let into = format!("refs/prfix/pr-{}/default", harvest.pr.number);
    let here = world.repo.tree_of(oid).is_ok();
    let commit =
        if here { oid.clone() } else { crate::git::fetch(&world.repo, url, branch, &into, world.fetch_limit())? };
    let published = TeamFiles::from_files(world.repo.files_at(&commit, ".prfix/")?);
    let include = world.repo.file_at(&commit, ".worktreeinclude")?;
    let include = include.map(|bytes| String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect());
    let mut team = Team { files: published, include: include.unwrap_or_default(), warnings: Vec::new() };
    if let Some(root) = world.repo.work_dir() {
        let record = trust_record(world)?;
        let from = Published { branch, files: Some(&team.files) };
        let choice = choose(from, &TeamFiles::from_work_tree(root), &harvest.pr.repo.to_string(), &record);
        (team.files, team.warnings) = (choice.files, choice.warnings);
    }
    Ok(team)
}

/// Which local sets of `.prfix` the operator trusts.
pub fn trust_record(world: &World) -> Result<TrustRecord> {
    let dir = world.env.state_dir().unwrap_or_else(|| world.store.root().to_owned());
    TrustRecord::open(&dir).map_err(|error| miette::Report::from(error).into())
}

/// Built-in rules, the user's, the team's.
pub fn load_rules(world: &World, team: &TeamFiles) -> Result<Rules> {
    let mut sources: Vec<Source> = match world.env.config_dir() {
        Some(dir) => Rules::user_sources(&dir)?,
        None => Vec::new(),
    };
    sources.extend(team.rules());
    Ok(Rules::load(&sources)?)
}
