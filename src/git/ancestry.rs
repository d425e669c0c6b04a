//! Whether one commit contains another, decided from the object graph.
//!
//! A walk from the descendant that stops at commits which cannot reach the ancestor: exact where a
//! commit-graph gives generations, and otherwise by date, which clock skew can fool. A "no" that a
//! date led to is therefore confirmed by the merge base.

use std::collections::{BinaryHeap, HashSet};

use gix::ObjectId;
use gix::prelude::FindExt;

use super::Repository;

/// Whether one commit is reachable from another, as far as this repository can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    Yes,
    No,
    /// Shallow history or missing objects: treat as a refusal.
    Unknown,
}

impl Repository {
    /// The best common ancestor of two commits; `None` when there is none, or none that this clone has.
    pub fn merge_base(&self, one: &str, two: &str) -> Option<String> {
        let id = |oid: &str| ObjectId::from_hex(oid.as_bytes()).ok();
        let repo = self.local();
        Some(repo.merge_base(id(one)?, id(two)?).ok()??.to_string())
    }

    /// Whether `descendant` is `ancestor` or contains it. Annotated tags are followed.
    pub fn ancestry(&self, ancestor: &str, descendant: &str) -> Ancestry {
        let repo = self.local();
        let peel = |oid: &str| -> Option<ObjectId> {
            let id = ObjectId::from_hex(oid.as_bytes()).ok()?;
            Some(repo.find_object(id).ok()?.peel_to_commit().ok()?.id)
        };
        let (Some(ancestor), Some(descendant)) = (peel(ancestor), peel(descendant)) else { return Ancestry::Unknown };
        let shallow = repo.is_shallow().unwrap_or(true);
        match Walk::new(&repo, ancestor, shallow).find(descendant) {
            Found::Yes => Ancestry::Yes,
            Found::Incomplete => Ancestry::Unknown,
            _ if shallow => Ancestry::Unknown,
            Found::No => Ancestry::No,
            Found::NotByDate => match repo.merge_base(ancestor, descendant) {
                Ok(Some(base)) if base == ancestor => Ancestry::Yes,
                Ok(_) => Ancestry::No,
                Err(_) => Ancestry::Unknown,
            },
        }
    }
}

enum Found {
    Yes,
    No,
    /// Some commits were passed over because they are older than the ancestor.
    NotByDate,
    /// Some commits are missing.
    Incomplete,
}

/// Generation of a commit that the commit-graph does not know; all of those are newer.
const OUTSIDE_GRAPH: u32 = u32::MAX;

/// A commit on the way; the newest comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    generation: u32,
    /// Seconds since the epoch.
    date: i64,
    id: ObjectId,
    parents: Vec<ObjectId>,
}

struct Walk<'r> {
    repo: &'r gix::Repository,
    graph: Option<gix::commitgraph::Graph>,
    ancestor: ObjectId,
    buffer: Vec<u8>,
}

impl<'r> Walk<'r> {
    fn new(repo: &'r gix::Repository, ancestor: ObjectId, shallow: bool) -> Self {
        // As in git, a shallow repository's commit-graph is not to be trusted.
        let graph = if shallow { None } else { repo.commit_graph_if_enabled().ok().flatten() };
        Self { repo, graph, ancestor, buffer: Vec::new() }
    }

    fn find(&mut self, descendant: ObjectId) -> Found {
        let (Some(goal), Some(start)) = (self.step(self.ancestor), self.step(descendant)) else {
            return Found::Incomplete;
        };
        let (mut by_date, mut incomplete) = (false, false);
        let mut seen = HashSet::from([start.id]);
        let mut queue = BinaryHeap::from([start]);
        while let Some(step) = queue.pop() {
            if step.id == goal.id {
                return Found::Yes;
            }
            if step.generation != OUTSIDE_GRAPH && step.generation <= goal.generation {
                continue;
            }
            if step.generation == OUTSIDE_GRAPH && step.date < goal.date {
                by_date = true;
                continue;
            }
            for parent in step.parents.into_iter().filter(|parent| seen.insert(*parent)) {
                match self.step(parent) {
                    Some(step) => queue.push(step),
                    None => incomplete = true,
                }
            }
        }
        match (incomplete, by_date) {
            (true, _) => Found::Incomplete,
            (_, true) => Found::NotByDate,
            _ => Found::No,
        }
    }

    fn step(&mut self, id: ObjectId) -> Option<Step> {
        self.in_graph(id).or_else(|| self.in_store(id))
    }

    fn in_graph(&self, id: ObjectId) -> Option<Step> {
        let graph = self.graph.as_ref()?;
        let commit = graph.commit_by_id(id)?;
        let positions: Vec<_> = commit.iter_parents().collect::<Result<_, _>>().ok()?;
        let parents = positions.into_iter().map(|at| graph.id_at(at).to_owned()).collect();
        // Generation 0 means that none was written.
        let generation = Some(commit.generation()).filter(|generation| *generation > 0).unwrap_or(OUTSIDE_GRAPH);
        let date = i64::try_from(commit.committer_timestamp()).unwrap_or(i64::MAX);
        Some(Step { generation, date, id, parents })
    }

    fn in_store(&mut self, id: ObjectId) -> Option<Step> {
        let commit = self.repo.objects.find_commit_iter(&id, &mut self.buffer).ok()?;
        let date = commit.committer().ok()?.seconds();
        Some(Step { generation: OUTSIDE_GRAPH, date, id, parents: commit.parent_ids().collect() })
    }
}
