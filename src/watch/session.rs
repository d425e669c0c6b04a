//! One watch that this process drives.

use jiff::Timestamp;
use miette::Diagnostic;
use thiserror::Error;

use crate::model::repo::PrArgument;
use crate::model::watch::{End, EndReason, Owner, Record};
use crate::pipeline::Stop;
use crate::state::{Driving, StateError, WatchFile};
use crate::world::World;

#[derive(Debug, Error, Diagnostic)]
pub enum WatchError {
    #[error("a watch needs a person to confirm it, and there is no terminal to ask on")]
    #[diagnostic(
        code(prfix::watch::needs_a_person),
        help(
            "confirm it once on a terminal (`git prfix watch {pr}`, with `--detach` or `--install`), or run one round: `git prfix watch {pr} --once --yes`"
        )
    )]
    NeedsAPerson { pr: u64 },
    #[error("the author of #{pr} may not push to the repository: it is never watched")]
    #[diagnostic(
        code(prfix::watch::author_cannot_push),
        help("read the code, then run one round from a terminal: `git prfix watch {pr} --once`")
    )]
    AuthorCannotPush { pr: u64 },
    #[error("nobody confirmed the watch of #{pr}; nothing was started")]
    #[diagnostic(code(prfix::watch::cancelled), help("start it again when you want it: `git prfix watch {pr}`"))]
    Cancelled { pr: u64 },
    #[error("a watch cannot look every {every} minutes")]
    #[diagnostic(code(prfix::watch::interval), help("choose 1, 2, 5, 10, 15, 30 or 60"))]
    Interval { every: u32 },
    #[error("the watch of #{pr} was stopped, and starting it again has to be confirmed on a terminal")]
    #[diagnostic(code(prfix::watch::was_stopped), help("run `git prfix watch {pr}` on a terminal"))]
    WasStopped { pr: u64 },
    #[error("#{pr} cannot be watched: {why}")]
    #[diagnostic(code(prfix::watch::refused), help("{help}"))]
    Refused { pr: u64, why: String, help: String },
    #[error("there is no watch of #{pr}")]
    #[diagnostic(code(prfix::watch::none), help("`git prfix watch {pr}` starts one, `git prfix status` lists them"))]
    None { pr: u64 },
    #[error("resuming a watch asks first, and there is no terminal to ask on")]
    #[diagnostic(code(prfix::watch::resume_asks), help("run `git prfix resume` on a terminal"))]
    ResumeAsks,
    #[error("the process that watches #{pr} has not let go of it yet: {pid}")]
    #[diagnostic(
        code(prfix::watch::still_driven),
        help("it stops when its round ends; then run the same command again")
    )]
    StillDriven { pr: u64, pid: u32 },
}

impl From<WatchError> for Stop {
    fn from(error: WatchError) -> Self {
        Self::Fault(error.into())
    }
}

/// A watch with its lock. Dropping it lets go of the pull request; the record stays.
pub struct Watch {
    pub file: WatchFile,
    pub argument: PrArgument,
    pub record: Record,
    /// This start made the record: `--once` takes it away again.
    pub created: bool,
    /// The author may not push, and a person allowed one round.
    pub stranger: bool,
    /// What GitHub did not give when it was last looked at.
    pub gaps: Vec<String>,
    session: String,
    _driving: Driving,
}

impl Watch {
    /// Takes the record over for this process.
    pub fn begin(file: WatchFile, driving: Driving, mut record: Record, now: Timestamp) -> Result<Self, StateError> {
        let pid = std::process::id();
        let noise = format!("{pid} {now} {:?} {}", record.owner, record.number);
        let session = crate::model::text::digest(&noise)[..12].to_owned();
        record.owner = Some(Owner { session: session.clone(), pid, since: now.to_string() });
        record.ended = None;
        let created = file.update(|kept| kept.replace(record.clone()).is_none())?;
        let argument = PrArgument::Url { repo: record.repo.clone(), number: record.number };
        Ok(Self { file, argument, record, created, stranger: false, gaps: Vec::new(), session, _driving: driving })
    }

    /// Looks whether the watch is still this process's: `stop` ends it and a take-over moves it, both from outside.
    pub fn lost(&mut self) -> Result<Option<Lost>, StateError> {
        let Some(record) = self.file.load()? else { return Ok(Some(Lost::Removed)) };
        if let Some(end) = record.ended {
            return Ok(Some(Lost::Ended(end.reason)));
        }
        let ours = record.owner.as_ref().is_some_and(|owner| owner.session == self.session);
        if !ours {
            return Ok(Some(Lost::TakenOver(record.owner.map(|owner| owner.pid))));
        }
        self.record = record;
        Ok(None)
    }

    /// Changes the record, unless the watch is not ours any more: then nothing is written.
    pub fn update(&mut self, change: impl FnOnce(&mut Record)) -> Result<(), StateError> {
        let session = self.session.clone();
        let kept = self.file.update(|kept| {
            let record = kept.as_mut().filter(|r| r.owner.as_ref().is_some_and(|owner| owner.session == session));
            record.map(|record| {
                change(record);
                record.clone()
            })
        })?;
        if let Some(record) = kept {
            self.record = record;
        }
        Ok(())
    }

    pub fn end(&mut self, world: &World, reason: EndReason) -> Result<(), StateError> {
        let at = world.clock.now().to_string();
        self.update(|record| {
            record.ended = Some(End { reason, at });
            record.confirmed = None;
        })
    }
}

/// Why a watch is not this process's any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    Removed,
    Ended(EndReason),
    TakenOver(Option<u32>),
}
