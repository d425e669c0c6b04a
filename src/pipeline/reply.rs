//! Answers each thread, then resolves it, one at a time, only after the push (P17, P22–P26).

use std::cell::Cell;
use std::collections::BTreeSet;

use serde_json::json;

use crate::github::{GithubError, ThreadNow};
use crate::model::feedback::{Comment, Harvest};
use crate::model::report::{ItemReport, Reason};
use crate::model::spec::{SeenComment, SpecItem};
use crate::model::text::digest;
use crate::policy::marker::{Marker, handled_key};
use crate::policy::replies::{self, ReplyContext, ThreadAnswer};
use crate::state::Effect;

use super::context::{Context, Progress, Result, Stop, with_help};
use super::isolate::HeadRemote;
use super::push::still_has;

/// What was pushed, and where it must still be when it is called fixed.
#[derive(Clone, Copy)]
pub struct Pushed<'a> {
    pub oid: &'a str,
    pub head: &'a HeadRemote,
}

/// Posts the answers for the items that ended. `pushed` is the commit that is on the pull request; without one,
/// nothing is called fixed.
pub fn run(
    ctx: &Context<'_>,
    harvest: &Harvest,
    progress: &mut Progress,
    reports: &[ItemReport],
    pushed: Option<Pushed<'_>>,
) -> Result<()> {
    let items = progress.spec.items.clone();
    let pairs: Vec<(&SpecItem, &ItemReport)> =
        items.iter().filter_map(|i| Some((i, reports.iter().find(|r| r.id == i.id)?))).collect();
    let oid = pushed.map(|pushed| pushed.oid);
    let plan = replies::plan(&pairs, oid, ctx.settings.resolve);
    let gates = progress.gates.iter().map(|gate| json!({"command": gate.command, "status": gate.status})).collect();
    let poster =
        Poster { ctx, harvest, pushed, head: oid.unwrap_or(&harvest.pr.head_oid), gates, lost: Cell::new(false) };
    for answer in &plan.threads {
        ctx.check_interrupt()?;
        let item = items.iter().find(|item| item.id == answer.item);
        let Some(item) = item else { continue };
        let answered = poster.thread(item, answer);
        forget_lost(&poster, progress);
        let (url, resolved) = answered?;
        let entry = progress.answers.entry(answer.item).or_insert((None, true));
        entry.0 = entry.0.take().or(url);
        entry.1 &= resolved;
    }
    if !plan.summary.is_empty() {
        if plan.threads.is_empty() && pushed.is_some() {
            let there = poster.still_there(&ctx.github.now(ctx.number)?.head_oid);
            forget_lost(&poster, progress);
            there?;
        }
        let url = poster.summary(&items, &plan.summary)?;
        for context in &plan.summary {
            progress
                .answers
                .entry(context.id)
                .or_insert((None, false))
                .0
                .get_or_insert_with(|| url.clone().unwrap_or_default());
        }
    }
    Ok(())
}

/// What is not on the pull request any more is not called pushed.
fn forget_lost(poster: &Poster<'_, '_>, progress: &mut Progress) {
    if poster.lost.get() {
        progress.pushed = None;
    }
}

struct Poster<'a, 'w> {
    ctx: &'a Context<'w>,
    harvest: &'a Harvest,
    pushed: Option<Pushed<'a>>,
    /// The head that the answers speak of.
    head: &'a str,
    /// How the gates ended, as rules see it.
    gates: Vec<serde_json::Value>,
    /// The branch was rewritten after the push.
    lost: Cell<bool>,
}

impl Poster<'_, '_> {
    fn still_there(&self, api: &str) -> Result<()> {
        let Some(Pushed { oid, head }) = self.pushed else { return Ok(()) };
        let there = still_has(self.ctx, head, self.harvest, (oid, api));
        self.lost.set(matches!(there, Err(Stop::Blocked { .. })));
        there
    }

    fn marker(&self, key: &str, handled: Vec<String>) -> Marker {
        Marker { pr: self.ctx.number, head: self.head.to_owned(), key: key.to_owned(), handled }
    }

    /// Our own answer to all of `handled`, when it is there already: at this head, or at any when a sweep has nothing
    /// new to say.
    fn posted<'c>(
        &self,
        comments: &'c [Comment],
        key: &str,
        (handled, nothing_new): (&[String], bool),
    ) -> Option<&'c Comment> {
        let answers = |mark: &Marker| {
            mark.key == key
                && (nothing_new || mark.head == self.head)
                && handled.iter().all(|key| mark.handled.contains(key))
        };
        comments.iter().rev().find(|comment| {
            self.ctx.wrote(&self.harvest.viewer, comment)
                && Marker::find(&comment.body).is_some_and(|mark| answers(&mark))
        })
    }

    /// Reply, then resolve. Returns the reply's URL, and whether the thread is resolved.
    fn thread(&self, item: &SpecItem, answer: &ThreadAnswer) -> Result<(Option<String>, bool)> {
        let reply = Effect::Reply { thread: answer.thread.clone() };
        let resolve = Effect::Resolve { thread: answer.thread.clone() };
        if let (Some(url), true) =
            (self.ctx.past.done.get(&reply), !answer.resolve || self.ctx.past.done.contains_key(&resolve))
        {
            return Ok((url.clone(), answer.resolve));
        }
        let now = match self.ctx.github.thread(&answer.thread) {
            Ok(now) => now,
            Err(GithubError::NotFound { .. }) => return Ok((None, self.gone(item))),
            Err(error) => return Err(error.into()),
        };
        if let Some(api) = &now.head_oid {
            self.still_there(api)?;
        }
        let nothing_new = self.ctx.sweep && answer.context.sha.is_none();
        let there = self
            .posted(&now.comments, &answer.thread, (&self.read_in(item, answer, &now), nothing_new))
            .map(|comment| comment.url.clone());
        let url = match there {
            Some(url) => Some(url),
            None if self.ctx.past.done.contains_key(&reply) => self.ctx.past.done.get(&reply).cloned().flatten(),
            None => match self.obstacle(item, answer, &now) {
                Some(why) => {
                    self.ctx.warn(format!("item {}: not answered, {why}", item.id));
                    return Ok((None, now.resolved));
                }
                None => match self.reply(answer, &now, &reply)? {
                    Some(url) => url,
                    None => return Ok((None, self.gone(item))),
                },
            },
        };
        let resolved = if now.resolved {
            true
        } else if answer.resolve {
            self.resolve(item, answer, &now, &resolve)?
        } else {
            false
        };
        Ok((url, resolved))
    }

    /// The thread was deleted: there is nothing to answer or resolve. Always `false`.
    fn gone(&self, item: &SpecItem) -> bool {
        self.ctx.warn(format!("item {}: its thread is gone", item.id));
        false
    }

    /// Other people's comments of a thread, as they were when it was read.
    fn read_in(&self, item: &SpecItem, answer: &ThreadAnswer, now: &ThreadNow) -> Vec<String> {
        let reference = item.references.iter().find(|r| r.thread.as_deref() == Some(&answer.thread));
        let seen = reference.map(|reference| reference.comments.as_slice()).unwrap_or_default();
        let others = seen
            .iter()
            .filter(|s| now.comments.iter().any(|c| c.id == s.id && !self.ctx.wrote(&self.harvest.viewer, c)));
        others.map(|s| format!("{}:{}", s.id, &s.digest[..16])).collect()
    }

    /// Why this thread is better left alone now.
    fn obstacle(&self, item: &SpecItem, answer: &ThreadAnswer, now: &ThreadNow) -> Option<String> {
        if now.resolved {
            return Some("somebody resolved the thread meanwhile".to_owned());
        }
        if !now.viewer_can_reply {
            return Some("GitHub does not let us reply there".to_owned());
        }
        let reference = item.references.iter().find(|r| r.thread.as_deref() == Some(&answer.thread))?;
        let seen: &[SeenComment] = &reference.comments;
        let ids: BTreeSet<&str> = seen.iter().map(|s| s.id.as_str()).collect();
        if now.comments.iter().any(|c| !ids.contains(c.id.as_str()) && !self.ctx.wrote(&self.harvest.viewer, c)) {
            return Some("somebody wrote in it since it was read; run again to see what they say".to_owned());
        }
        let edited =
            |s: &SeenComment| now.comments.iter().find(|c| c.id == s.id).is_none_or(|c| digest(&c.body) != s.digest);
        seen.iter().any(edited).then(|| "a comment was edited or deleted since it was read; run again".to_owned())
    }

    /// The reply's address; `None` when the thread was deleted meanwhile.
    fn reply(&self, answer: &ThreadAnswer, now: &ThreadNow, step: &Effect) -> Result<Option<Option<String>>> {
        let handled = now
            .comments
            .iter()
            .filter(|c| !self.ctx.wrote(&self.harvest.viewer, c))
            .map(|c| handled_key(&c.id, &c.body))
            .collect();
        let marker = self.marker(&answer.thread, handled).render();
        let body = format!("{}\n\n{marker}", self.text("reply", &answer.context));
        self.unless_gone(
            step,
            || Ok(None),
            || {
                let posted = match self.ctx.github.reply(&answer.thread, &body, &marker) {
                    Err(GithubError::NotFound { .. }) => return Ok(None),
                    posted => posted?,
                };
                if posted.state == "PENDING" {
                    return Err(Stop::blocked(
                        Reason::NeedsHuman,
                        format!(
                            "submit your pending review on {}: the reply went into it and nobody sees it yet",
                            self.harvest.pr.url
                        ),
                    ));
                }
                Ok(Some(Some(posted.url)))
            },
        )
    }

    /// [`Context::once`] for what is done to a thread; `None` when `act` found that it was deleted.
    fn unless_gone(
        &self,
        step: &Effect,
        find: impl FnOnce() -> Result<Option<Option<String>>>,
        act: impl FnOnce() -> Result<Option<Option<String>>>,
    ) -> Result<Option<Option<String>>> {
        let gone = Cell::new(false);
        let done = self.ctx.once(step, find, || {
            act()?.ok_or_else(|| {
                gone.set(true);
                Stop::Interrupted
            })
        });
        if gone.get() { Ok(None) } else { done.map(Some) }
    }

    /// Missing rights to resolve cost the resolution, not the run (case 14).
    fn resolve(&self, item: &SpecItem, answer: &ThreadAnswer, now: &ThreadNow, step: &Effect) -> Result<bool> {
        if !now.viewer_can_resolve {
            self.ctx.warn(format!("item {}: answered but not resolved, the token may not resolve threads (it needs write access: contents and pull requests)", item.id));
            return Ok(false);
        }
        let mut forbidden = None;
        let done = self.unless_gone(
            step,
            || Ok(self.ctx.github.thread(&answer.thread)?.resolved.then_some(None)),
            || match self.ctx.github.resolve(&answer.thread) {
                Err(GithubError::NotFound { .. }) => Ok(None),
                resolved => {
                    if let Err(error @ GithubError::Forbidden { .. }) = &resolved {
                        forbidden = Some(with_help(error));
                    }
                    Ok(Some(resolved.map(|()| None)?))
                }
            },
        );
        match (done, forbidden) {
            (Ok(Some(_)), _) => Ok(true),
            (Ok(None), _) => Ok(self.gone(item)),
            (Err(_), Some(why)) => {
                self.ctx.warn(format!("item {}: answered but not resolved: {why}", item.id));
                Ok(false)
            }
            (Err(stop), None) => Err(stop),
        }
    }

    /// A rule's words, else the program's own; mentions of people are kept from notifying them.
    fn text(&self, kind: &str, context: &ReplyContext) -> String {
        let value = serde_json::to_value(context).unwrap_or_default();
        let text = self.ctx.rules.text(kind, &value).unwrap_or_else(|| replies::default_reply(context));
        crate::model::text::mask_secrets(&crate::model::text::for_prompt(&text))
    }

    /// One comment for everything without a thread.
    fn summary(&self, items: &[SpecItem], contexts: &[ReplyContext]) -> Result<Option<String>> {
        let step = Effect::Summary;
        if let Some(url) = self.ctx.past.done.get(&step) {
            return Ok(url.clone());
        }
        let answered = items.iter().filter(|item| contexts.iter().any(|c| c.id == item.id));
        let seen: BTreeSet<&str> = answered
            .flat_map(|i| &i.references)
            .filter(|r| r.thread.is_none())
            .flat_map(|r| &r.comments)
            .map(|s| s.id.as_str())
            .collect();
        let all = self.harvest.comments.iter().chain(self.harvest.reviews.iter().map(|r| &r.comment));
        let handled: Vec<String> =
            all.filter(|c| seen.contains(c.id.as_str())).map(|c| handled_key(&c.id, &c.body)).collect();
        let conversation = self.ctx.github.conversation(&self.harvest.pr)?;
        if let Some(comment) = self.posted(&conversation, "summary", (&handled, false)) {
            return Ok(Some(comment.url.clone()));
        }
        let marker = self.marker("summary", handled).render();
        let oid = self.pushed.map(|pushed| pushed.oid);
        let value = json!({"sha": oid, "items": contexts, "gates": self.gates});
        let text = self.ctx.rules.text("summary", &value).unwrap_or_else(|| replies::default_summary(oid, contexts));
        let text = crate::model::text::mask_secrets(&crate::model::text::for_prompt(&text));
        let body = format!("{text}\n\n{marker}");
        self.ctx.once(&step, || Ok(None), || Ok(Some(self.ctx.github.comment(&self.harvest.pr, &body, &marker)?.url)))
    }
}
