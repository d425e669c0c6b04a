//! What every phase of one run is given, and the ways in which a run stops.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::git::{Remote, Worktree};
use crate::github::{Client, GithubError, TransportError};
use crate::model::agent::Usage;
use crate::model::feedback::{Comment, Harvest};
use crate::model::finding::Finding;
use crate::model::manifest::Cause;
use crate::model::pr::Actor;
use crate::model::proof::Proof;
use crate::model::report::Reason;
use crate::model::report::ReviewerReport;
use crate::model::spec::{ItemStatus, Spec, Triage};
use crate::policy::manifest::Allowed;
use crate::policy::marker;
use crate::policy::preflight::Refused;
use crate::rules::Rules;
use crate::settings::Settings;
use crate::state::{Effect, Event, GateRun, Journal, Replay, RunDir, Spending, StateError};
use crate::ui::Say;
use crate::world::World;

/// What was asked for on the command line.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    pub no_push: bool,
    pub no_reply: bool,
    pub re_review: bool,
    pub dry_run: bool,
    pub max_items: Option<usize>,
    pub allowed: Allowed,
    pub allow_unverified: bool,
    pub accept_red_baseline: bool,
    /// Merge the base even when nothing conflicts with it.
    pub update_base: bool,
    pub no_self_review: bool,
    /// Marks of the caller's that a push makes void.
    pub reset: Option<super::duties::Reset>,
    /// What stands after `--`: for the fix agent, from the operator.
    pub instructions: Option<String>,
    pub fresh: bool,
    /// `--resume`, with the run when one was named.
    pub resume: Option<Option<String>>,
    /// The run is a round of a watch.
    pub round: Option<super::round::Round>,
    /// Set by `git prfix sweep`.
    pub sweep: Option<super::sweep::Sweep>,
}

/// Why the phases ended before the last one, or what the last one said.
#[derive(Debug)]
pub enum Stop {
    Done(Reason),
    Blocked {
        reason: Reason,
        unblock: String,
    },
    /// A person pressed Ctrl-C, or the system ended us.
    Interrupted,
    /// The program or the system under it failed; the run can be resumed.
    Fault(miette::Report),
}

impl Stop {
    pub fn blocked(reason: Reason, unblock: impl Into<String>) -> Self {
        Self::Blocked { reason, unblock: unblock.into() }
    }

    /// What cut the run off lies outside of it (a person, the system, access to GitHub), so that the next one may take
    /// up its work.
    pub fn is_from_outside(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Fault(_) | Self::Blocked { reason: Reason::Auth, .. })
    }
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        Self::Blocked { reason: refused.reason, unblock: refused.unblock }
    }
}

impl From<GithubError> for Stop {
    /// What a person can mend (sign-in, rights, network, waiting) blocks; the rest is a fault.
    fn from(error: GithubError) -> Self {
        if crate::process::interrupted() {
            return Self::Interrupted;
        }
        match &error {
            GithubError::Transport(TransportError::Unreachable { .. } | TransportError::NotSignedIn { .. })
            | GithubError::Unauthorized { .. }
            | GithubError::Forbidden { .. }
            | GithubError::RateLimited { .. } => Self::blocked(Reason::Auth, with_help(&error)),
            _ => Self::Fault(error.into()),
        }
    }
}

/// A message and its help in one sentence.
pub fn with_help(error: &(dyn miette::Diagnostic + 'static)) -> String {
    error.help().map_or_else(|| error.to_string(), |help| format!("{error}; {help}"))
}

impl From<TransportError> for Stop {
    fn from(error: TransportError) -> Self {
        GithubError::from(error).into()
    }
}

macro_rules! faults {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Stop {
            fn from(error: $error) -> Self {
                if crate::process::interrupted() { Self::Interrupted } else { Self::Fault(error.into()) }
            }
        })*
    };
}
faults!(
    StateError,
    crate::git::GitError,
    crate::git::FetchError,
    crate::rules::RuleError,
    crate::process::ProcessError,
    crate::settings::SettingsError,
);

impl From<miette::Report> for Stop {
    fn from(error: miette::Report) -> Self {
        Self::Fault(error)
    }
}

pub type Result<T> = std::result::Result<T, Stop>;

/// How one item ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub status: ItemStatus,
    pub detail: String,
}

/// Everything that a report is made from, filled in as the phases go.
#[derive(Debug, Default)]
pub struct Progress {
    pub harvest: Option<Harvest>,
    pub spec: Spec,
    pub verdicts: BTreeMap<u32, Triage>,
    pub endings: BTreeMap<u32, Ending>,
    /// Items whose suggestion the program applies itself.
    pub suggested: BTreeSet<u32>,
    pub baseline: Vec<GateRun>,
    pub gates: Vec<GateRun>,
    pub commits: Vec<String>,
    pub worktree: Option<Worktree>,
    /// Why the worktree stays; without it, it goes.
    pub keep: Option<String>,
    pub pushed: Option<String>,
    /// By item; only of what is fixed.
    pub proofs: BTreeMap<u32, Proof>,
    /// What the accepted passes changed, and for which items.
    pub touched: BTreeMap<String, Vec<Cause>>,
    /// What the manifests claim, by path.
    pub claims: BTreeMap<String, String>,
    /// Of the review of our own change.
    pub findings: Vec<Finding>,
    /// Reply URL and whether the thread is resolved, by item.
    pub answers: BTreeMap<u32, (Option<String>, bool)>,
    pub unresolved_after: Option<usize>,
    /// Reviewers after the push.
    pub reviewers: Vec<ReviewerReport>,
    /// Checks that the branch was found not to be at fault for.
    pub excused: std::collections::BTreeSet<u32>,
    /// The branch moved in a way that a round answers by starting over.
    pub moved: bool,
}

impl Progress {
    pub fn end(&mut self, id: u32, status: ItemStatus, detail: impl Into<String>) {
        self.endings.insert(id, Ending { status, detail: detail.into() });
    }

    /// Items that no phase has ended yet.
    pub fn open_items(&self) -> impl Iterator<Item = &crate::model::spec::SpecItem> {
        self.spec.items.iter().filter(|item| !self.endings.contains_key(&item.id))
    }
}

/// One run: its world, its pull request's client, its rules, its journal.
pub struct Context<'w> {
    pub world: &'w World,
    pub options: &'w RunOptions,
    pub settings: Settings,
    pub github: Client,
    pub rules: Rules,
    /// The base repository's remote.
    pub remote: Remote,
    pub run: RunDir,
    pub past: Replay,
    pub number: u64,
    /// Drives review threads to zero: see [`super::sweep`].
    pub sweep: bool,
    pub(super) journal: RefCell<Journal>,
    pub(super) usage: Cell<Usage>,
    pub(super) spending: RefCell<Spending>,
    pub(super) warnings: RefCell<Vec<String>>,
    /// What agents did besides answering, until it is said; their threads write it.
    pub(super) noticed: Mutex<Vec<String>>,
    /// What was said, allowed or used once and is not to be again.
    pub(super) told: RefCell<BTreeSet<String>>,
    /// What blocks the run keeps its work from nobody: the next one may take it up.
    pub(super) open: Cell<bool>,
    pub(super) abort_at: AbortAt,
    /// Says that this process works in the run's worktrees.
    pub(super) _lease: crate::git::Lease,
}

/// Ends the process at the n-th step of the journal (`PRFIX_ABORT_AT=<n>`), so that tests can kill
/// a run at every instant that matters. Documented in the manual; it can only stop a run.
#[derive(Debug, Default)]
pub struct AbortAt {
    at: Option<u32>,
    count: Cell<u32>,
}

impl AbortAt {
    pub fn from_env(env: &crate::env::Env) -> Self {
        Self { at: env.get("PRFIX_ABORT_AT").and_then(|n| n.parse().ok()), count: Cell::new(0) }
    }

    fn step(&self) {
        self.count.set(self.count.get() + 1);
        if self.at == Some(self.count.get()) {
            std::process::abort();
        }
    }
}

impl Context<'_> {
    /// Written by us: by the viewer, or by another of our identities (`prfix.identities`).
    pub fn wrote(&self, viewer: &Actor, comment: &Comment) -> bool {
        marker::is_ours(comment, viewer, &self.settings.identities)
    }

    /// Appends to the journal.
    pub fn record(&self, event: Event) -> Result<()> {
        self.abort_at.step();
        self.journal.borrow_mut().record(self.world.clock.now(), event)?;
        self.abort_at.step();
        Ok(())
    }

    /// Does something to git or GitHub once. `find` looks whether an earlier try, whose end is not
    /// known, took; it is asked only after such a try. Returns the URL of what was made, if any.
    pub fn once(
        &self,
        step: &Effect,
        find: impl FnOnce() -> Result<Option<Option<String>>>,
        act: impl FnOnce() -> Result<Option<String>>,
    ) -> Result<Option<String>> {
        if let Some(url) = self.past.done.get(step) {
            return Ok(url.clone());
        }
        if self.past.tried.contains(step)
            && let Some(url) = find()?
        {
            self.record(Event::Did { step: step.clone(), url: url.clone() })?;
            return Ok(url);
        }
        self.record(Event::Trying { step: step.clone() })?;
        let url = act()?;
        self.abort_at.step();
        self.record(Event::Did { step: step.clone(), url: url.clone() })?;
        Ok(url)
    }

    /// Blocked by something that a person can mend without touching the work: the run stays open.
    pub fn blocked_for_now(&self, reason: Reason, unblock: impl Into<String>) -> Stop {
        self.open.set(true);
        Stop::blocked(reason, unblock)
    }

    /// Says a warning and keeps it for the report.
    pub fn warn(&self, text: impl Into<String>) {
        let text = text.into();
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&text) {
            self.world.ui.say(&Say::Warning(text.clone()));
            warnings.push(text.clone());
            drop(warnings);
            // A warning that cannot be kept is in this process's report all the same.
            let _ = self.record(Event::Warned { text });
        }
    }

    /// Between two things of which one may have happened and the other not: tests end the process here.
    pub fn instant(&self) {
        self.abort_at.step();
    }

    pub fn note(&self, text: impl Into<String>) {
        self.world.ui.say(&Say::Note(text.into()));
    }

    /// Adds to what the run and its pull request have cost, and shows it.
    pub fn spend(&self, usage: Usage) -> Result<()> {
        let mut total = self.usage.get();
        total += usage;
        self.usage.set(total);
        self.world.ui.usage(&total);
        super::budget::warn_of_silence(self, &usage);
        Ok(self.spending.borrow_mut().keep(&self.run.id, total)?)
    }

    /// What all runs on this pull request have cost, this one with them.
    pub fn spent_on_pr(&self) -> Usage {
        let mut total = self.spending.borrow().without(&self.run.id);
        total += self.usage.get();
        total
    }

    pub fn total_usage(&self) -> Usage {
        self.usage.get()
    }

    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.borrow().clone()
    }

    /// Number of the next call of the fix agent, from 1; counts on over passes and resumptions.
    pub fn next_round(&self) -> u32 {
        (1..).find(|round| !self.run.dir.join(format!("probes/fix-{round}")).exists()).unwrap_or(u32::MAX)
    }

    /// Stops between two steps when the operator asked for it.
    pub fn check_interrupt(&self) -> Result<()> {
        if crate::process::interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// A private ref of this pull request.
    pub fn private_ref(&self, name: &str) -> String {
        format!("refs/prfix/pr-{}/{name}", self.number)
    }

    /// Removes the refs that this pull request's fetches made. One that stays is overwritten by the next fetch.
    pub fn forget_private_refs(&self) {
        for name in ["head", "base", "default"] {
            if let Err(error) = self.world.repo.delete_private_ref(&self.private_ref(name)) {
                tracing::debug!(target: "prfix::pipeline", %error, "a private ref stays");
            }
        }
    }

    pub fn worktree_root(&self) -> PathBuf {
        self.world.worktree_root(&self.settings)
    }
}
