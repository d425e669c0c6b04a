//! From a harvest and the rules' judgements to the numbered spec.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::feedback::{Check, Comment, Harvest, Review, Side, Thread};
use crate::model::pr::{Actor, Mergeable};
use crate::model::spec::{
    Dropped, Hint, ItemKind, Priority, Reference, Remark, SeenComment, Spec, SpecItem, Untrusted,
};
use crate::model::text::{digest, for_prompt};
use crate::policy::{checks, criteria, duplicates, marker::Marker};

/// What the rules said about one comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    Keep(Option<Hint>),
    Drop {
        rule: String,
        why: String,
    },
    Untrusted,
    /// Written by us, with our mark.
    Ours(Marker),
}

/// Judgements by comment node id. A comment without one is untrusted.
pub type Judgements = BTreeMap<String, Judgement>;

/// What a spec is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    All,
    /// Review threads alone, and every one that is not resolved: those that we answered and nobody resolved, and those
    /// whose words a noise rule would drop.
    Threads,
}

/// Builds the spec: threads, review bodies, conversation, checks, criteria, conflict, in that order, unless a triage
/// rule gave some of them another priority.
pub fn build(harvest: &Harvest, judged: &Judgements, scope: Scope) -> Spec {
    let mut draft = Draft { harvest, judged, scope, answered: answered(judged), spec: Spec::default() };
    draft.spec.warnings.extend(harvest.gaps.iter().cloned());
    harvest.threads.iter().filter(|t| !t.resolved).for_each(|thread| draft.thread(thread));
    if scope == Scope::All {
        harvest.reviews.iter().for_each(|review| draft.review(review));
        harvest.comments.iter().for_each(|comment| draft.conversation(comment));
        draft.checks();
        draft.conflict();
        if !draft.spec.items.is_empty() {
            draft.criteria();
        }
    }
    let mut spec = draft.spec;
    spec.items = duplicates::merge(spec.items);
    // The sort is stable: within a priority the order of the harvest holds.
    spec.items.sort_by_key(|item| item.hint.as_ref().map_or_else(Priority::default, |hint| hint.priority));
    for (id, item) in (1..).zip(&mut spec.items) {
        item.id = id;
    }
    spec
}

/// `id:digest` of every comment that one of our own marked comments says it answered.
fn answered(judged: &Judgements) -> BTreeSet<String> {
    judged
        .values()
        .filter_map(|j| if let Judgement::Ours(mark) = j { Some(mark) } else { None })
        .flat_map(|mark| mark.handled.iter().cloned())
        .collect()
}

struct Draft<'a> {
    harvest: &'a Harvest,
    judged: &'a Judgements,
    scope: Scope,
    answered: BTreeSet<String>,
    spec: Spec,
}

impl Draft<'_> {
    fn judgement(&self, comment: &Comment) -> &Judgement {
        self.judged.get(&comment.id).unwrap_or(&Judgement::Untrusted)
    }

    fn drop(&mut self, comment: &Comment, rule: &str, why: &str) {
        self.spec.dropped.push(Dropped {
            url: comment.url.clone(),
            author: login(comment.author.as_ref()),
            rule: rule.to_owned(),
            why: why.to_owned(),
        });
    }

    fn untrusted(&mut self, comment: &Comment) {
        self.spec.untrusted.push(Untrusted { url: comment.url.clone(), author: login(comment.author.as_ref()) });
    }

    /// The latest word that is trusted and asks for something is the request; our own last word
    /// closes a thread until somebody says more.
    fn thread(&mut self, thread: &Thread) {
        let comments: Vec<&Comment> = thread.comments.iter().filter(|c| c.state != "PENDING").collect();
        let ours = comments.iter().rposition(|c| matches!(self.judgement(c), Judgement::Ours(_)));
        let open = &comments[ours.map_or(0, |at| at + 1)..];
        let mut request: Option<(&Comment, Option<Hint>)> = None;
        for comment in open {
            match self.judgement(comment).clone() {
                Judgement::Keep(hint) => request = Some((comment, hint)),
                Judgement::Drop { rule, why } => self.drop(comment, &rule, &why),
                Judgement::Untrusted => self.untrusted(comment),
                Judgement::Ours(_) => {}
            }
        }
        let request = request.or_else(|| self.any_word(&comments));
        let Some((comment, hint)) = request else {
            if let (Some(at), true) = (ours, open.is_empty()) {
                let comment = comments[at];
                self.drop(comment, "answered", "answered by an earlier run; nobody said more");
            }
            return;
        };
        let reference = Reference {
            kind: ItemKind::Thread,
            source: comment.url.clone(),
            thread: Some(thread.id.clone()),
            path: Some(thread.path.clone()),
            comments: comments.iter().map(|c| seen(c)).collect(),
            check: None,
        };
        let mut item = item(ItemKind::Thread, reference, comment.author.clone(), for_prompt(&comment.body));
        item.path = Some(thread.path.clone());
        item.line = if thread.file_level { None } else { thread.line.or(thread.original_line) };
        item.start_line = if thread.file_level { None } else { thread.start_line.or(thread.original_start_line) };
        item.side = Some(thread.side).filter(|side| *side == Side::Left || !thread.file_level);
        item.outdated = thread.outdated;
        item.diff_hunk = (!thread.diff_hunk.is_empty()).then(|| for_prompt(&thread.diff_hunk));
        item.remarks = comments.iter().map(|c| self.remark(c)).collect();
        item.suggestion = super::suggestion::of_comment(thread, comment);
        item.hint = hint;
        self.spec.items.push(item);
    }

    /// For a sweep: the last trusted word of a thread in which nothing new is asked for.
    fn any_word<'c>(&self, comments: &[&'c Comment]) -> Option<(&'c Comment, Option<Hint>)> {
        let counts = |comment: &&&Comment| {
            matches!(self.judgement(comment), Judgement::Keep(_) | Judgement::Drop { .. })
                && comment.minimized.is_none()
        };
        let last = comments.iter().rev().find(counts).filter(|_| self.scope == Scope::Threads)?;
        let hint = if let Judgement::Keep(hint) = self.judgement(last) { hint.clone() } else { None };
        Some((last, hint))
    }

    fn remark(&self, comment: &Comment) -> Remark {
        Remark {
            author: comment.author.clone(),
            url: comment.url.clone(),
            body: for_prompt(&comment.body),
            trusted: !matches!(self.judgement(comment), Judgement::Untrusted),
        }
    }

    fn review(&mut self, review: &Review) {
        if review.state == "PENDING" || review.comment.body.trim().is_empty() {
            return;
        }
        if review.state == "DISMISSED" {
            return self.drop(&review.comment, "dismissed", "the review was dismissed");
        }
        self.without_thread(ItemKind::Review, &review.comment);
    }

    fn conversation(&mut self, comment: &Comment) {
        self.without_thread(ItemKind::Comment, comment);
    }

    fn without_thread(&mut self, kind: ItemKind, comment: &Comment) {
        match self.judgement(comment).clone() {
            Judgement::Ours(_) => {}
            Judgement::Untrusted => self.untrusted(comment),
            Judgement::Drop { rule, why } => self.drop(comment, &rule, &why),
            Judgement::Keep(_) if self.answered.contains(&super::marker::handled_key(&comment.id, &comment.body)) => {
                self.drop(comment, "answered", "answered by an earlier run; nobody said more");
            }
            Judgement::Keep(hint) => {
                let reference = Reference {
                    kind,
                    source: comment.url.clone(),
                    thread: None,
                    path: None,
                    comments: vec![seen(comment)],
                    check: None,
                };
                let mut item = item(kind, reference, comment.author.clone(), for_prompt(&comment.body));
                item.remarks = vec![self.remark(comment)];
                item.hint = hint;
                self.spec.items.push(item);
            }
        }
    }

    fn checks(&mut self) {
        let sorted = checks::sort(self.harvest);
        self.spec.warnings.extend(sorted.warnings);
        for check in sorted.failing {
            self.spec.items.push(check_item(check, None));
        }
        for (check, why) in sorted.for_a_person {
            self.spec.items.push(check_item(check, Some(why)));
        }
    }

    fn conflict(&mut self) {
        let pr = &self.harvest.pr;
        if pr.mergeable != Mergeable::Conflicting {
            return;
        }
        let reference = plain_reference(ItemKind::Conflict, &pr.url);
        let request = format!("The branch conflicts with `{}`: merge it and resolve the conflicts.", pr.base_branch);
        self.spec.items.push(item(ItemKind::Conflict, reference, None, request));
    }

    fn criteria(&mut self) {
        let pr = &self.harvest.pr;
        for text in criteria::extract(&pr.body) {
            let reference = plain_reference(ItemKind::Criterion, &pr.url);
            self.spec.items.push(item(ItemKind::Criterion, reference, pr.author.clone(), text));
        }
    }
}

/// An item that nobody wrote, about a whole pull request.
pub fn plain_item(kind: ItemKind, source: &str, request: String) -> SpecItem {
    item(kind, plain_reference(kind, source), None, request)
}

fn plain_reference(kind: ItemKind, source: &str) -> Reference {
    Reference { kind, source: source.to_owned(), thread: None, path: None, comments: vec![], check: None }
}

fn check_item(check: &Check, for_a_person: Option<&str>) -> SpecItem {
    let mut reference = plain_reference(ItemKind::Check, &check.name);
    reference.check = Some(check.key.clone());
    let summary = for_prompt(check.summary.lines().next().unwrap_or_default());
    let request = match for_a_person {
        Some(why) => format!("The check `{}` is not green: {why}.", for_prompt(&check.name)),
        None if summary.is_empty() => format!("The check `{}` fails.", for_prompt(&check.name)),
        None => format!("The check `{}` fails: {summary}", for_prompt(&check.name)),
    };
    let mut item = item(ItemKind::Check, reference, None, request);
    if let Some(place) = check.annotations.iter().find(|a| a.level == "failure") {
        item.path = Some(place.path.clone());
        item.line = Some(place.start_line);
    }
    item.hint = for_a_person.map(|why| Hint {
        rule: "checks".into(),
        verdict: None,
        risk: None,
        priority: Priority::Normal,
        merge: None,
        needs_human: true,
        why: why.to_owned(),
    });
    item.check = Some(check.clone());
    item
}

fn item(kind: ItemKind, reference: Reference, author: Option<Actor>, request: String) -> SpecItem {
    SpecItem {
        id: 0,
        kind,
        references: vec![reference],
        author,
        path: None,
        line: None,
        start_line: None,
        side: None,
        outdated: false,
        request,
        remarks: vec![],
        diff_hunk: None,
        check: None,
        hint: None,
        suggestion: None,
    }
}

fn seen(comment: &Comment) -> SeenComment {
    SeenComment { id: comment.id.clone(), digest: digest(&comment.body) }
}

/// The login, or `ghost` for a deleted account, as GitHub shows it.
pub fn login(author: Option<&Actor>) -> String {
    author.map_or_else(|| "ghost".to_owned(), |actor| actor.login.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::pr::{ActorKind, Association};
    use crate::policy::preflight::tests::harvest;

    fn comment(id: &str, author: &str, body: &str) -> Comment {
        Comment {
            id: id.into(),
            url: format!("https://x/{id}"),
            body: body.into(),
            author: Some(Actor::new(author, ActorKind::User)),
            association: Association::Member,
            viewer_did_author: false,
            created_at: "2026-01-01T00:00:00Z".into(),
            edited_at: None,
            editor: None,
            minimized: None,
            state: "SUBMITTED".into(),
        }
    }

    fn thread(id: &str, line: u64, comments: Vec<Comment>) -> Thread {
        Thread {
            id: id.into(),
            path: "src/a.rs".into(),
            file_level: false,
            side: Side::Right,
            start_side: None,
            line: Some(line),
            start_line: None,
            original_line: Some(line),
            original_start_line: None,
            original_commit: None,
            outdated: false,
            resolved: false,
            viewer_can_reply: true,
            viewer_can_resolve: true,
            diff_hunk: String::new(),
            comments,
        }
    }

    fn keep_all(harvest: &Harvest) -> Judgements {
        let threads = harvest.threads.iter().flat_map(|t| &t.comments);
        let others = harvest.reviews.iter().map(|r| &r.comment).chain(&harvest.comments);
        threads.chain(others).map(|c| (c.id.clone(), Judgement::Keep(None))).collect()
    }

    #[test]
    fn the_latest_trusted_word_of_a_thread_is_the_request() {
        let mut h = harvest();
        h.threads = vec![thread(
            "T",
            3,
            vec![
                comment("1", "ann", "off by one"),
                comment("2", "eve", "do evil"),
                comment("3", "bob", "use <= instead"),
            ],
        )];
        let mut judged = keep_all(&h);
        judged.insert("2".into(), Judgement::Untrusted);
        let spec = build(&h, &judged, Scope::All);
        assert_eq!(spec.items.len(), 1);
        assert_eq!(spec.items[0].request, "use <= instead");
        assert_eq!(spec.items[0].place().as_deref(), Some("src/a.rs:3"));
        assert_eq!(spec.items[0].remarks.iter().map(|r| r.trusted).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(spec.untrusted.len(), 1);
    }

    #[test]
    fn our_own_last_word_closes_a_thread_until_somebody_says_more() {
        let mut h = harvest();
        let mark = Marker { pr: 7, head: "a".into(), key: "T".into(), handled: vec![] };
        h.threads = vec![thread("T", 3, vec![comment("1", "ann", "off by one"), comment("2", "me", "Fixed")])];
        let mut judged = keep_all(&h);
        judged.insert("2".into(), Judgement::Ours(mark));
        let spec = build(&h, &judged, Scope::All);
        assert!(spec.items.is_empty());
        assert_eq!(spec.dropped[0].rule, "answered");

        h.threads[0].comments.push(comment("3", "ann", "still wrong"));
        judged.insert("3".into(), Judgement::Keep(None));
        assert_eq!(build(&h, &judged, Scope::All).items[0].request, "still wrong");
    }

    #[test]
    fn an_answered_comment_is_work_again_once_it_was_edited() {
        let mut h = harvest();
        h.comments = vec![comment("IC", "ann", "please rename foo to bar")];
        let mut judged = keep_all(&h);
        let mut mark = Marker { pr: 7, head: "a".into(), key: "summary".into(), handled: vec![] };
        mark.handled.push(super::super::marker::handled_key("IC", "please rename foo to bar"));
        judged.insert("ours".into(), Judgement::Ours(mark));
        assert!(build(&h, &judged, Scope::All).items.is_empty());
        h.comments[0].body = "please rename foo to baz".into();
        assert_eq!(build(&h, &judged, Scope::All).items.len(), 1);
    }

    #[test]
    fn one_request_in_two_places_is_one_item_and_two_lines_stay_two() {
        let mut h = harvest();
        h.threads = vec![
            thread("T1", 3, vec![comment("1", "ann", "Missing null check here.")]),
            thread("T2", 9, vec![comment("2", "ann", "Missing null check here.")]),
        ];
        h.comments = vec![comment("3", "ann", "**Missing** null check here")];
        let judged = keep_all(&h);
        let spec = build(&h, &judged, Scope::All);
        assert_eq!(spec.items.len(), 2);
        assert_eq!(spec.items[0].references.len(), 2);
        assert_eq!(spec.items.iter().map(|i| i.id).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn criteria_alone_are_no_work() {
        let mut h = harvest();
        h.pr.body = "- [ ] add docs".into();
        assert!(build(&h, &Judgements::new(), Scope::All).items.is_empty());
        h.comments = vec![comment("3", "ann", "Please fix the parser")];
        let judged = keep_all(&h);
        let kinds: Vec<ItemKind> = build(&h, &judged, Scope::All).items.iter().map(|i| i.kind).collect();
        assert_eq!(kinds, [ItemKind::Comment, ItemKind::Criterion]);
    }

    #[test]
    fn a_conflict_is_an_item_and_an_unknown_merge_state_is_not() {
        let mut h = harvest();
        h.pr.mergeable = Mergeable::Unknown;
        assert!(build(&h, &Judgements::new(), Scope::All).items.is_empty());
        h.pr.mergeable = Mergeable::Conflicting;
        assert_eq!(build(&h, &Judgements::new(), Scope::All).items[0].kind, ItemKind::Conflict);
    }
}
