//! What a push obliges to: marks of the caller become void, and reviewers that look only when they are asked are asked
//! again (P34–P38). None of it undoes a push: what does not work is said.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use crate::github::{GithubError, Reviewer};
use crate::model::feedback::{Check, Harvest};
use crate::model::report::{ReviewerReport, ReviewerState};
use crate::model::reviewer::Down;
use crate::model::text::short;
use crate::policy::reviewers::{check_of, counts, is_off, needs_no_word, out_of_quota, preferences};
use crate::rules::Retrigger;
use crate::state::{Effect, Reviewers, marks};

use super::context::{Context, Progress, Result};

/// How long a reviewer may take to show that it heard.
const ACKNOWLEDGE: Duration = Duration::from_secs(8);

/// Fields of a caller's JSON file that a push makes void.
#[derive(Debug, Clone)]
pub struct Reset {
    pub file: PathBuf,
    pub fields: Vec<String>,
}

/// Everything that is due after `pushed` is on the pull request.
pub fn run(ctx: &Context<'_>, harvest: &Harvest, progress: &mut Progress, pushed: &str) -> Result<()> {
    reset(ctx)?;
    if !ctx.options.no_reply {
        progress.reviewers = ask_again(ctx, harvest, pushed)?;
    }
    Ok(())
}

fn reset(ctx: &Context<'_>) -> Result<()> {
    let Some(reset) = &ctx.options.reset else { return Ok(()) };
    let act = || {
        match marks::reset(&reset.file, &reset.fields) {
            Ok(()) => ctx.note(format!("reset {} in {}", reset.fields.join(", "), reset.file.display())),
            Err(error) => ctx.warn(format!("{error}; the push made these marks void, set them to null by hand")),
        }
        Ok(None)
    };
    ctx.once(&Effect::ResetMarks, || Ok(None), act).map(drop)
}

fn ask_again(ctx: &Context<'_>, harvest: &Harvest, pushed: &str) -> Result<Vec<ReviewerReport>> {
    let (wanted, off) = preferences(&ctx.settings.reviewers);
    let authors = harvest.reviews.iter().filter_map(|review| review.comment.author.as_ref());
    let reviewed: BTreeSet<&str> = authors.map(|author| author.login.as_str()).collect();
    let context = json!({"number": ctx.number, "head": pushed, "reviewers": reviewed, "wanted": wanted});
    let mut reports: Vec<ReviewerReport> = Vec::new();
    let mut known = Reviewers::open(&ctx.world.store, ctx.number)?;
    let asking = Asking { ctx, harvest, pushed, reviewers: OnceCell::new() };
    for again in ctx.rules.retrigger(&context) {
        ctx.check_interrupt()?;
        if reports.iter().any(|report| report.login.eq_ignore_ascii_case(&again.login)) {
            continue;
        }
        let (state, detail) = if is_off(&off, again.name.as_deref(), &again.login) {
            (ReviewerState::Off, "turned off by `prfix.reviewers`".to_owned())
        } else {
            note_quota(harvest, &again, &mut known);
            let down = known.get(&again.login).filter(|down| counts(down, pushed, &harvest.reviews));
            match down {
                Some(down) => (ReviewerState::Down, format!("{} (at {})", down.why, short(&down.head))),
                None => asking.ask(&again, &mut known)?,
            }
        };
        if state == ReviewerState::Down {
            ctx.warn(format!("the reviewer @{} is down: {detail}; its silence is no approval", again.login));
        }
        reports.push(ReviewerReport { login: again.login, state, detail });
    }
    known.keep()?;
    Ok(reports)
}

/// A notice at the head that was reviewed. One that reports with a check begins anew with each head.
fn note_quota(harvest: &Harvest, again: &Retrigger, known: &mut Reviewers) {
    let head = &harvest.pr.head_oid;
    if out_of_quota(&harvest.reviews, &again.login, head) {
        let why = "it said that its quota is used up".to_owned();
        known.set(Down { login: again.login.clone(), head: head.clone(), why, sticky: again.check.is_none() });
    }
}

type Asked = std::result::Result<(ReviewerState, String), GithubError>;

/// What all reviewers of a push have in common.
struct Asking<'a, 'w> {
    ctx: &'a Context<'w>,
    harvest: &'a Harvest,
    /// The commit that they are to look at.
    pushed: &'a str,
    /// Who reviewed before; read when the first request needs an id.
    reviewers: OnceCell<Vec<Reviewer>>,
}

impl Asking<'_, '_> {
    fn ask(&self, again: &Retrigger, known: &mut Reviewers) -> Result<(ReviewerState, String)> {
        let asked = match &again.comment {
            Some(comment) => self.by_comment(again, comment)?,
            None => self.by_request(again)?,
        };
        Ok(match asked {
            Ok((ReviewerState::Down, why)) => {
                let (login, head) = (again.login.clone(), self.pushed.to_owned());
                known.set(Down { login, head, why: why.clone(), sticky: false });
                (ReviewerState::Down, why)
            }
            Ok(asked) => {
                known.forget(&again.login);
                asked
            }
            Err(error) => (ReviewerState::Down, format!("it could not be asked: {error}")),
        })
    }

    /// A comment, word for word: these reviewers read nothing else.
    fn by_comment(&self, again: &Retrigger, comment: &str) -> Result<Asked> {
        let look = || -> std::result::Result<Option<Check>, GithubError> {
            let Some(part) = &again.check else { return Ok(None) };
            let checks = self.ctx.github.checks_of(self.pushed, self.ctx.number)?;
            Ok(check_of(&checks, part).cloned())
        };
        match look() {
            Ok(Some(check)) if needs_no_word(&check) => {
                return Ok(Ok((ReviewerState::AtWork, format!("its check `{}` is there already", check.name))));
            }
            Ok(_) => {}
            Err(error) => return Ok(Err(error)),
        }
        let step = Effect::AskReviewer { login: again.login.clone() };
        let find = || {
            let conversation = self.ctx.github.conversation(&self.harvest.pr)?;
            let ours = conversation.iter().find(|said| {
                said.viewer_did_author && said.body.trim() == comment && self.ctx.run.began_before(&said.created_at)
            });
            Ok(ours.map(|said| Some(said.url.clone())))
        };
        let url =
            self.ctx.once(&step, find, || Ok(Some(self.ctx.github.comment(&self.harvest.pr, comment, comment)?.url)));
        let url = match url {
            Ok(url) => url.unwrap_or_default(),
            Err(super::Stop::Fault(error)) => {
                return Ok(Ok((ReviewerState::Down, format!("it could not be asked: {error}"))));
            }
            Err(stop) => return Err(stop),
        };
        if again.check.is_none() {
            return Ok(Ok((ReviewerState::Asked, url)));
        }
        self.ctx.world.clock.sleep(ACKNOWLEDGE);
        Ok(look().map(|check| match check {
            Some(_) => (ReviewerState::Asked, url),
            None => (ReviewerState::Down, format!("it did not react to `{comment}` ({url})")),
        }))
    }

    fn by_request(&self, again: &Retrigger) -> Result<Asked> {
        let reviewers = match self.reviewers() {
            Ok(reviewers) => reviewers,
            Err(error) => return Ok(Err(error)),
        };
        let Some(reviewer) = reviewers.iter().find(|known| known.login.eq_ignore_ascii_case(&again.login)) else {
            let why = "it has not reviewed this pull request yet; request its first review by hand";
            return Ok(Ok((ReviewerState::Down, why.to_owned())));
        };
        let step = Effect::AskReviewer { login: again.login.clone() };
        let act = || {
            self.ctx.github.request_review(&self.harvest.pr.node_id, reviewer)?;
            Ok(None)
        };
        match self.ctx.once(&step, || Ok(None), act) {
            Ok(_) => Ok(Ok((ReviewerState::Asked, "a review is requested".to_owned()))),
            Err(super::Stop::Fault(error)) => Ok(Ok((ReviewerState::Down, format!("it could not be asked: {error}")))),
            Err(stop) => Err(stop),
        }
    }

    fn reviewers(&self) -> std::result::Result<&[Reviewer], GithubError> {
        if let Some(known) = self.reviewers.get() {
            return Ok(known);
        }
        let read = self.ctx.github.reviewers(self.ctx.number)?;
        Ok(self.reviewers.get_or_init(|| read))
    }
}
