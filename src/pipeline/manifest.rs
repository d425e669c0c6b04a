//! Gathers the evidence by which a manifest is judged: what git sees, what the files say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::agent::{prompt, schema};
use crate::git::{ChangeKind, Worktree, changed_paths};
use crate::model::agent::Role;
use crate::model::manifest::Manifest;
use crate::policy::manifest::{Changed, Claim, Evidence, Kind, Violation, check_claim, normal, violations};
use crate::policy::tests_guard::weakened;

use super::agents::{self, Agent, Question};
use super::contain::contained;
use super::context::{Context, Progress, Result};
use super::triage::{Shared, nonce};

/// Where and against what a manifest is checked.
pub struct Check<'a> {
    /// Asked about claims that name no line; without one they stay unverified.
    pub agent: Option<&'a Agent>,
    pub worktree: &'a Worktree,
    pub progress: &'a Progress,
    /// Commit that the change is made on.
    pub head: &'a str,
    /// Copied into the worktree by the program: not part of any change.
    pub copied: &'a [String],
    pub open: &'a BTreeSet<u32>,
    pub known: &'a BTreeSet<u32>,
    pub round: u32,
}

/// What was found: the changed paths, and everything that is wrong.
pub struct Judged {
    pub changes: Vec<Changed>,
    pub violations: Vec<Violation>,
}

/// Checks a manifest against the worktree; every violation is found at once.
pub fn judge(ctx: &Context<'_>, check: &Check<'_>, manifest: &Manifest) -> Result<Judged> {
    let changes = changes(ctx, check)?;
    let claims = claims(ctx, check, manifest, &changes)?;
    let evidence = Evidence {
        manifest,
        changes: &changes,
        open: check.open,
        known: check.known,
        allowed: ctx.options.allowed,
        claims: &claims,
    };
    let violations = violations(&evidence);
    Ok(Judged { changes, violations })
}

/// What git sees, with what the rules and the files say about each path.
pub fn changes(ctx: &Context<'_>, check: &Check<'_>) -> Result<Vec<Changed>> {
    let copied: BTreeSet<&str> = check.copied.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    for change in changed_paths(&check.worktree.path)? {
        let path = change.path.to_string();
        if copied.contains(path.as_str()) && change.kind == ChangeKind::Untracked {
            continue;
        }
        let kind = match change.kind {
            ChangeKind::Deleted => Kind::Deleted,
            ChangeKind::Submodule => Kind::Submodule,
            _ if path.ends_with('/') => Kind::Submodule,
            _ => Kind::Written,
        };
        let full = check.worktree.path.join(crate::git::to_path(change.path.as_ref()));
        let protection = ctx.rules.protection(&path);
        let is_test = protection.as_ref().is_some_and(|(class, _)| class == "tests");
        let before = ctx.world.repo.file_at(check.head, &path)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let after = (kind == Kind::Written).then(|| std::fs::read_to_string(&full).unwrap_or_default());
        let weakens_tests =
            if kind == Kind::Submodule { None } else { weakened(before.as_deref(), after.as_deref(), is_test) };
        out.push(Changed { kind, protection, weakens_tests, escapes: escapes(&check.worktree.path, &full), path });
    }
    Ok(out)
}

/// A symbolic link whose target lies outside of the worktree.
fn escapes(root: &Path, path: &Path) -> bool {
    let Ok(target) = std::fs::read_link(path) else { return false };
    let from = path.parent().unwrap_or(root);
    let mut at = std::path::PathBuf::new();
    for part in from.join(target).components() {
        match part {
            std::path::Component::ParentDir => {
                at.pop();
            }
            std::path::Component::CurDir => {}
            other => at.push(other),
        }
    }
    !at.starts_with(root)
}

/// Claims with a line are checked here; those that only claim go to a read-only probe, all in one call.
fn claims(
    ctx: &Context<'_>,
    check: &Check<'_>,
    manifest: &Manifest,
    changes: &[Changed],
) -> Result<BTreeMap<String, Claim>> {
    let mut claims = BTreeMap::new();
    let mut bare = Vec::new();
    for (path, invariant) in &manifest.invariant_per_file {
        let path = normal(path);
        if !changes.iter().any(|c| c.path == path && c.kind == Kind::Written) {
            continue;
        }
        let bytes = std::fs::read(check.worktree.path.join(path)).unwrap_or_default();
        match check_claim(invariant, &String::from_utf8_lossy(&bytes)) {
            Some(claim) => {
                claims.insert(path.to_owned(), claim);
            }
            None => bare.push((path.to_owned(), invariant.claim.clone())),
        }
    }
    if !bare.is_empty() {
        claims.extend(ask(ctx, check, &bare)?);
    }
    Ok(claims)
}

#[derive(Deserialize, Serialize)]
struct Verified {
    results: Vec<VerifiedClaim>,
}

#[derive(Deserialize, Serialize)]
struct VerifiedClaim {
    path: String,
    holds: bool,
    #[serde(default)]
    why: String,
}

fn ask(ctx: &Context<'_>, check: &Check<'_>, bare: &[(String, String)]) -> Result<BTreeMap<String, Claim>> {
    let Some(agent) = check.agent else { return Ok(unverified(bare, "there is no agent to ask")) };
    let nonce = nonce(ctx, 1000 + check.round);
    let question = Question {
        role: Role::Verify,
        item: None,
        round: check.round,
        prompt: prompt::verify(&prompt::VerifyInput { claims: bare, nonce: &nonce }),
        brief: json!({"schema": "git-prfix.brief/1", "role": "verify", "pr": ctx.number, "claims": bare}),
        schema: schema::verify(),
        checks: &[],
        anew: false,
    };
    let ready = agents::prepare(ctx, agent, check.worktree, question)?;
    let before = changed_paths(&check.worktree.path)?;
    let shared = Shared::of(ctx);
    let work = || Ok(agents::run::<Verified>(&shared, &ready));
    let called = contained(ctx, check.worktree, check.progress, "the verifying agent", work)?;
    agents::spent(ctx, &ready, &called)?;
    if changed_paths(&check.worktree.path)? != before {
        ctx.warn("the verifying probe changed files; its answer does not count");
        return Ok(unverified(bare, "the probe changed files"));
    }
    let answered = match called.result {
        Ok(verified) => verified.results,
        Err(failure) => return Ok(unverified(bare, &agents::describe(&failure))),
    };
    Ok(bare
        .iter()
        .map(|(path, _)| {
            let claim = match answered.iter().find(|r| normal(&r.path) == path) {
                Some(result) if result.holds => Claim::Holds,
                Some(result) => Claim::Contradicted(crate::model::text::one_line(&result.why, 300)),
                None => Claim::Unverified("the probe did not answer for it".to_owned()),
            };
            (path.clone(), claim)
        })
        .collect())
}

fn unverified(bare: &[(String, String)], why: &str) -> BTreeMap<String, Claim> {
    bare.iter().map(|(path, _)| (path.clone(), Claim::Unverified(why.to_owned()))).collect()
}
