//! Reads everything that was said about the pull request, and lets the rules sort it.

use std::collections::{BTreeMap, BTreeSet};

use crate::github::Permission;
use crate::model::feedback::{Comment, Harvest};
use crate::model::pr::{Actor, ActorKind, Association};
use crate::model::spec::Spec;
use crate::policy::marker::Marker;
use crate::policy::spec::{Judgement, Judgements, Scope, build};
use crate::rules::{CommentView, Decision, Explained, PrView, Rules};

use super::context::{Context, Result};
use super::open::Opened;

/// Reads logs and annotations of what fails while the rules sort what was said, then builds the spec.
pub fn specify(ctx: &Context<'_>, harvest: &mut Harvest) -> Result<Spec> {
    let mut checks = std::mem::take(&mut harvest.checks);
    let github = &ctx.github;
    let (judged, read) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| github.read_failures(&mut checks));
        let judged = Sorter::new(ctx, harvest).all();
        (judged, reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    harvest.checks = checks;
    read?;
    Ok(judged_spec(ctx, harvest, &judged))
}

/// The spec of what is known without reading a log.
pub fn without_logs(ctx: &Context<'_>, harvest: &Harvest) -> Spec {
    judged_spec(ctx, harvest, &Sorter::new(ctx, harvest).all())
}

fn judged_spec(ctx: &Context<'_>, harvest: &Harvest, judged: &Judgements) -> Spec {
    let scope = if ctx.sweep { Scope::Threads } else { Scope::All };
    let mut spec = build(harvest, judged, scope);
    spec.warnings.extend(ctx.rules.take_warnings());
    spec
}

/// A comment and what each rule said of it.
pub struct ExplainedComment {
    pub url: String,
    pub author: String,
    pub explained: Explained,
}

/// Asks the rules about every comment, as a run would, and keeps their steps.
pub fn explain(opened: &Opened<'_>) -> Result<Vec<ExplainedComment>> {
    let sorter = Sorter::new(&opened.ctx, &opened.harvest);
    let comments = placed(&opened.harvest).into_iter().map(|placed| ExplainedComment {
        url: placed.comment.url.clone(),
        author: crate::policy::spec::login(placed.comment.author.as_ref()),
        explained: if sorter.editor_has_a_say(placed.comment) {
            sorter.ask(&placed, Rules::explain_one)
        } else {
            Explained::edited(placed.comment.id.clone())
        },
    });
    Ok(comments.collect())
}

/// A comment with the place it stands in.
struct Placed<'a> {
    kind: &'static str,
    comment: &'a Comment,
    path: Option<&'a str>,
    line: Option<u64>,
    outdated: bool,
    resolved: bool,
    review_state: Option<&'a str>,
    author_can_push: bool,
}

struct Sorter<'a, 'w> {
    ctx: &'a Context<'w>,
    harvest: &'a Harvest,
    /// The pull request's author as REST spells it: a person who took a bot's name is not the bot.
    author: Option<String>,
    /// By login in lower case; each is asked about once.
    permissions: BTreeMap<String, Permission>,
}

impl<'a, 'w> Sorter<'a, 'w> {
    fn new(ctx: &'a Context<'w>, harvest: &'a Harvest) -> Self {
        let author = harvest.pr.author.as_ref().map(Actor::rest_login);
        let mut sorter = Self { ctx, harvest, author, permissions: BTreeMap::new() };
        sorter.permissions = sorter.asked();
        sorter
    }

    /// What the accounts may do whose association does not tell it, where it may be asked.
    fn asked(&self) -> BTreeMap<String, Permission> {
        if !self.harvest.pr.viewer_can_push_base {
            return BTreeMap::new();
        }
        let mut logins = BTreeSet::new();
        for placed in placed(self.harvest) {
            let comment = placed.comment;
            let editor = comment.editor.as_ref().filter(|editor| !self.is_known_editor(comment, editor));
            let author = comment.author.as_ref().filter(|author| !self.is_told(comment, author));
            let author = author.filter(|_| !placed.author_can_push);
            logins.extend(editor.into_iter().chain(author).map(|actor| actor.login.to_lowercase()));
        }
        let logins: Vec<String> = logins.into_iter().collect();
        let answers = self.ctx.github.permissions(&logins);
        let known = logins.into_iter().zip(answers).map(|(login, answer)| {
            let permission = answer.unwrap_or_else(|error| {
                self.ctx.warn(format!("the rights of @{login} could not be read: {error}"));
                Permission::Unknown
            });
            (login, permission)
        });
        known.collect()
    }

    fn all(&self) -> Judgements {
        let all = placed(self.harvest);
        all.iter().map(|placed| (placed.comment.id.clone(), self.judge(placed))).collect()
    }

    fn judge(&self, placed: &Placed<'_>) -> Judgement {
        let comment = placed.comment;
        let own = self.ctx.wrote(&self.harvest.viewer, comment);
        if let (true, Some(marker)) = (own, Marker::find(&comment.body)) {
            return Judgement::Ours(marker);
        }
        if !self.editor_has_a_say(comment) {
            return Judgement::Untrusted;
        }
        self.ask(placed, |rules, view, pr| match rules.decide(view, pr) {
            Decision::Keep { .. } => Judgement::Keep(rules.triage(view, pr)),
            Decision::Drop { rule, why } => Judgement::Drop { rule, why },
            Decision::Untrusted { .. } => Judgement::Untrusted,
        })
    }

    /// Shows a comment to the rules.
    fn ask<T>(&self, placed: &Placed<'_>, ask: impl FnOnce(&Rules, &CommentView<'_>, &PrView<'_>) -> T) -> T {
        let comment = placed.comment;
        let association = self.association(placed);
        let view = CommentView {
            id: &comment.id,
            kind: placed.kind,
            login: comment.author.as_ref().map_or("", |a| a.login.as_str()),
            bot: comment.author.as_ref().is_some_and(|a| a.kind == ActorKind::Bot),
            association: association.as_str(),
            ghost: comment.author.is_none(),
            body: &comment.body,
            path: placed.path,
            line: placed.line,
            outdated: placed.outdated,
            resolved: placed.resolved,
            minimized: comment.minimized.as_deref(),
            review_state: placed.review_state,
            own: self.ctx.wrote(&self.harvest.viewer, comment),
        };
        ask(&self.ctx.rules, &view, &self.pr_view())
    }

    /// Somebody other than the author who edited a comment must have a say of their own.
    fn editor_has_a_say(&self, comment: &Comment) -> bool {
        comment.editor.as_ref().is_none_or(|editor| {
            self.is_known_editor(comment, editor)
                || matches!(self.permission(&editor.login), Permission::Admin | Permission::Write)
        })
    }

    fn is_known_editor(&self, comment: &Comment, editor: &Actor) -> bool {
        let known = [comment.author.as_ref(), self.harvest.pr.author.as_ref(), Some(&self.harvest.viewer)];
        known.into_iter().flatten().any(|known| known.same(editor))
    }

    /// The association, corrected by what the account may really do: a collaborator may only read,
    /// and a hidden member shows as nobody.
    fn association(&self, placed: &Placed<'_>) -> Association {
        let comment = placed.comment;
        let Some(author) = &comment.author else { return Association::None };
        if self.is_told(comment, author) {
            return comment.association;
        }
        if placed.author_can_push {
            return Association::Collaborator;
        }
        match (comment.association, self.permission(&author.login)) {
            (Association::Collaborator, Permission::Read | Permission::None) => Association::None,
            (_, Permission::Admin | Permission::Write) => Association::Collaborator,
            (association, _) => association,
        }
    }

    /// Nothing more needs to be known about the author than what stands beside the comment.
    fn is_told(&self, comment: &Comment, author: &Actor) -> bool {
        author.kind != ActorKind::User
            || self.harvest.pr.author.as_ref().is_some_and(|known| known.same(author))
            || matches!(comment.association, Association::Owner | Association::Member)
    }

    fn permission(&self, login: &str) -> Permission {
        self.permissions.get(&login.to_lowercase()).copied().unwrap_or(Permission::Unknown)
    }

    /// The pull request as rules see it.
    fn pr_view(&self) -> PrView<'_> {
        let pr = &self.harvest.pr;
        PrView {
            number: pr.number,
            author: self.author.as_deref(),
            title: &pr.title,
            base: &pr.base_branch,
            head: &pr.head_branch,
            draft: pr.draft,
        }
    }
}

fn placed(harvest: &Harvest) -> Vec<Placed<'_>> {
    let mut all = Vec::new();
    for thread in harvest.threads.iter().filter(|t| !t.resolved) {
        all.extend(thread.comments.iter().map(|comment| Placed {
            kind: "thread",
            comment,
            path: Some(&thread.path),
            line: thread.line,
            outdated: thread.outdated,
            resolved: thread.resolved,
            review_state: None,
            author_can_push: false,
        }));
    }
    let bare = |kind, comment, review_state, author_can_push| Placed {
        kind,
        comment,
        path: None,
        line: None,
        outdated: false,
        resolved: false,
        review_state,
        author_can_push,
    };
    all.extend(harvest.reviews.iter().map(|r| bare("review", &r.comment, Some(r.state.as_str()), r.author_can_push)));
    all.extend(harvest.comments.iter().map(|comment| bare("comment", comment, None, false)));
    all
}
