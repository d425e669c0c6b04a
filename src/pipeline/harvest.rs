//! Reads everything that was said about the pull request, and lets the rules sort it.

use std::collections::BTreeMap;

use crate::github::Permission;
use crate::model::feedback::{Comment, Harvest};
use crate::model::pr::{Actor, ActorKind, Association};
use crate::model::spec::Spec;
use crate::policy::marker::Marker;
use crate::policy::spec::{Judgement, Judgements, build};
use crate::rules::{CommentView, Decision, Explained, PrView, Rules};

use super::context::{Context, Result};
use super::open::Opened;

/// Reads logs and annotations of what fails, then builds the spec.
pub fn specify(ctx: &Context<'_>, harvest: &mut Harvest) -> Result<Spec> {
    ctx.github.read_failures(&mut harvest.checks)?;
    Ok(without_logs(ctx, harvest))
}

/// The spec of what is known without reading a log.
pub fn without_logs(ctx: &Context<'_>, harvest: &Harvest) -> Spec {
    let mut sorter = Sorter { ctx, harvest, permissions: BTreeMap::new(), judged: Judgements::new() };
    sorter.all();
    let judged = sorter.judged;
    let mut spec = build(harvest, &judged);
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
    let mut sorter =
        Sorter { ctx: &opened.ctx, harvest: &opened.harvest, permissions: BTreeMap::new(), judged: Judgements::new() };
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
    /// Asked at most once a login.
    permissions: BTreeMap<String, Permission>,
    judged: Judgements,
}

impl Sorter<'_, '_> {
    fn all(&mut self) {
        for placed in placed(self.harvest) {
            let judgement = self.judge(&placed);
            self.judged.insert(placed.comment.id.clone(), judgement);
        }
    }

    fn judge(&mut self, placed: &Placed<'_>) -> Judgement {
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
    fn ask<T>(&mut self, placed: &Placed<'_>, ask: impl FnOnce(&Rules, &CommentView<'_>, &PrView<'_>) -> T) -> T {
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
        ask(&self.ctx.rules, &view, &pr_view(self.harvest))
    }

    /// Somebody other than the author who edited a comment must have a say of their own.
    fn editor_has_a_say(&mut self, comment: &Comment) -> bool {
        let Some(editor) = comment.editor.clone() else { return true };
        let same = |other: Option<&Actor>| other.is_some_and(|other| other.is(&editor.login));
        if same(comment.author.as_ref()) || same(self.harvest.pr.author.as_ref()) || same(Some(&self.harvest.viewer)) {
            return true;
        }
        matches!(self.permission(&editor.login), Permission::Admin | Permission::Write)
    }

    /// The association, corrected by what the account may really do: a collaborator may only read,
    /// and a hidden member shows as nobody.
    fn association(&mut self, placed: &Placed<'_>) -> Association {
        let comment = placed.comment;
        let Some(author) = comment.author.clone() else { return Association::None };
        if author.kind != ActorKind::User || self.harvest.pr.author.as_ref().is_some_and(|a| a.is(&author.login)) {
            return comment.association;
        }
        match comment.association {
            Association::Owner | Association::Member => comment.association,
            Association::Collaborator => match self.permission(&author.login) {
                Permission::Read | Permission::None => Association::None,
                Permission::Admin | Permission::Write | Permission::Unknown => Association::Collaborator,
            },
            _ if placed.author_can_push => Association::Collaborator,
            _ => match self.permission(&author.login) {
                Permission::Admin | Permission::Write => Association::Collaborator,
                _ => comment.association,
            },
        }
    }

    fn permission(&mut self, login: &str) -> Permission {
        if !self.harvest.pr.viewer_can_push_base {
            return Permission::Unknown;
        }
        let key = login.to_lowercase();
        if let Some(known) = self.permissions.get(&key) {
            return *known;
        }
        let asked = self.ctx.github.permission(login).unwrap_or_else(|error| {
            self.ctx.warn(format!("the rights of @{login} could not be read: {error}"));
            Permission::Unknown
        });
        self.permissions.insert(key, asked);
        asked
    }
}

/// The pull request as rules see it.
pub fn pr_view(harvest: &Harvest) -> PrView<'_> {
    let pr = &harvest.pr;
    PrView {
        number: pr.number,
        author: pr.author.as_ref().map(|a| a.login.as_str()),
        title: &pr.title,
        base: &pr.base_branch,
        head: &pr.head_branch,
        draft: pr.draft,
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
