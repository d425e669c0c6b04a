//! The team's own rules and settings: read from the default branch of the base repository, never
//! from the pull request.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::feedback::Harvest;
use crate::rules::{Rules, Source, SourceLayer};
use crate::world::World;

use super::context::Result;

/// What `.prfix/` holds on the default branch.
#[derive(Debug, Default)]
pub struct Team {
    /// `.prfix/config.toml`.
    pub config: Option<String>,
    /// `.prfix/*.lua`.
    pub rules: Vec<Source>,
    /// `.worktreeinclude`, whose patterns are copied like `prfix.copy`.
    pub include: Vec<String>,
    pub warnings: Vec<String>,
}

/// Reads them; a default branch that is not here yet is fetched into a private ref.
pub fn read(world: &World, url: &str, harvest: &Harvest) -> Result<Team> {
    let Some((branch, oid)) = &harvest.pr.default_branch else { return Ok(Team::default()) };
    let into = format!("refs/prfix/pr-{}/default", harvest.pr.number);
    let have = |oid: &str| world.repo.tree_of(oid).is_ok();
    let commit = if have(oid) { oid.clone() } else { crate::git::fetch(&world.repo, url, branch, &into, FETCH_LIMIT)? };
    let files = world.repo.files_at(&commit, ".prfix/")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let is_rule = |path: &str| path.ends_with(".lua") && path.matches('/').count() == 1;
    let include = world.repo.file_at(&commit, ".worktreeinclude")?;
    Ok(Team {
        config: files.get(".prfix/config.toml").map(|bytes| text(bytes)),
        rules: files
            .iter()
            .filter(|(path, _)| is_rule(path))
            .map(|(path, bytes)| Source { layer: SourceLayer::Repository, name: path.clone(), text: text(bytes) })
            .collect(),
        include: include.map(|bytes| text(&bytes).lines().map(str::to_owned).collect()).unwrap_or_default(),
        warnings: untrusted_edits(world, &files),
    })
}

/// Time limit of a fetch.
pub const FETCH_LIMIT: Duration = Duration::from_secs(600);

/// Names the operator's own edits of `.prfix`, which a run does not use before they are trusted.
fn untrusted_edits(world: &World, trusted: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let Some(root) = world.repo.work_dir() else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(root.join(".prfix")) else { return Vec::new() };
    let mut differs: Vec<String> = entries
        .filter_map(std::result::Result::ok)
        .filter_map(|entry| Some((format!(".prfix/{}", entry.file_name().to_str()?), entry.path())))
        .filter(|(name, _)| name.ends_with(".lua") || name.ends_with(".toml"))
        .filter(|(name, path)| std::fs::read(path).ok().as_ref() != trusted.get(name))
        .map(|(name, _)| name)
        .collect();
    differs.sort();
    if differs.is_empty() {
        return Vec::new();
    }
    vec![format!("{} differs from the default branch and is not used", differs.join(", "))]
}

/// Built-in rules, the user's, the team's.
pub fn load_rules(world: &World, team: &Team) -> Result<Rules> {
    let mut sources = match world.env.config_dir() {
        Some(dir) => Rules::user_sources(&dir)?,
        None => Vec::new(),
    };
    sources.extend(team.rules.iter().cloned());
    Ok(Rules::load(&sources)?)
}
