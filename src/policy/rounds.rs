//! What one round of a watch works on: one attempt for each thing that was said, one re-run for a check and
//! head, and a person for what comes back.

use crate::model::pr::ActorKind;
use crate::model::spec::{Dropped, Hint, ItemKind, ItemStatus, Priority, Spec, SpecItem};
use crate::model::text::digest;
use crate::model::watch::Memory;

/// What a round knows besides the spec.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// The commit that checks and conflicts are about.
    pub head: &'a str,
    /// GitHub's API is behind the branch: what it says of checks and conflicts is about another commit (W36).
    pub lagging: bool,
    /// Logins of our own.
    pub ours: &'a [String],
}

/// Takes out of a spec what earlier rounds had, and leaves what comes back to a person. Numbers it anew.
pub fn select(spec: &mut Spec, memory: &Memory, now: Now<'_>) {
    let items = std::mem::take(&mut spec.items);
    let mut lag = false;
    for mut item in items {
        if now.lagging && matches!(item.kind, ItemKind::Check | ItemKind::Conflict) {
            lag = true;
            continue;
        }
        if let Some((rule, why)) = out(&item, memory, now) {
            let author = crate::policy::spec::login(item.author.as_ref());
            let url = item.source().to_owned();
            spec.dropped.push(Dropped { url, author, rule: rule.to_owned(), why: why.to_owned() });
            continue;
        }
        if item.hint.as_ref().is_none_or(|hint| !hint.needs_human)
            && let Some(why) = for_a_person(&item, memory)
        {
            item.hint = Some(person(why));
        }
        spec.items.push(item);
    }
    if lag {
        spec.warnings.push("GitHub's API is behind the branch: the checks could not be read yet".to_owned());
    }
    // A description's criteria stand beside what is asked; alone they are no reason for a round.
    if spec.items.iter().all(|item| item.kind == ItemKind::Criterion) {
        spec.items.clear();
    }
    for (id, item) in (1..).zip(&mut spec.items) {
        item.id = id;
    }
}

fn out(item: &SpecItem, memory: &Memory, now: Now<'_>) -> Option<(&'static str, &'static str)> {
    if attempts(item, now.head).iter().all(|key| memory.attempted.contains(key)) {
        return Some(("watch.attempted", "an earlier round had it; nobody said more"));
    }
    answers_us(item, now.ours).then_some(("watch.echo", "a bot answered our own reply"))
}

/// A bot's word after ours, with no person's in between.
fn answers_us(item: &SpecItem, ours: &[String]) -> bool {
    let bot = item.author.as_ref().is_some_and(|author| author.kind == ActorKind::Bot);
    let own = |author: Option<&crate::model::pr::Actor>| {
        author.is_some_and(|author| ours.iter().any(|login| author.is(login)))
    };
    if item.kind != ItemKind::Thread || !bot {
        return false;
    }
    let Some(last) = item.remarks.iter().rposition(|remark| own(remark.author.as_ref())) else { return false };
    item.remarks[last + 1..]
        .iter()
        .all(|remark| !remark.trusted || remark.author.as_ref().is_some_and(|author| author.kind == ActorKind::Bot))
}

fn for_a_person(item: &SpecItem, memory: &Memory) -> Option<&'static str> {
    if finding(item).is_some_and(|key| memory.findings.contains(&key)) {
        return Some("the same finding came back after a round had worked on it");
    }
    let check = item.check.as_ref()?;
    let unread = check.run_id.is_some() && check.log.is_none() && check.gap.is_some();
    unread.then_some("its log cannot be read, so there is nothing to work from")
}

fn person(why: &str) -> Hint {
    Hint {
        rule: "watch".into(),
        verdict: None,
        risk: None,
        needs_human: true,
        priority: Priority::default(),
        merge: None,
        why: why.to_owned(),
    }
}

/// The names of what an item is about, one for each of its sources. A check and a conflict are new with every
/// commit, a comment with every edit.
pub fn attempts(item: &SpecItem, head: &str) -> Vec<String> {
    let said = &digest(&item.request)[..16];
    item.references
        .iter()
        .map(|reference| match reference.kind {
            ItemKind::Check => {
                format!("check {head} {}", reference.check.as_deref().unwrap_or(&reference.source))
            }
            ItemKind::Conflict => format!("conflict {head}"),
            ItemKind::Criterion => format!("criterion {said}"),
            ItemKind::Thread | ItemKind::Review | ItemKind::Comment => format!("{} {said}", reference.source),
        })
        .collect()
}

/// What is asked, apart from the comment that it stands in. `None` for what returns by its nature.
pub fn finding(item: &SpecItem) -> Option<String> {
    if !matches!(item.kind, ItemKind::Thread | ItemKind::Review | ItemKind::Comment) {
        return None;
    }
    let words: String = item.request.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words = words.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let author = crate::policy::spec::login(item.author.as_ref());
    let said = format!("{author} {} {words}", item.path.as_deref().unwrap_or_default());
    Some(digest(&said)[..16].to_owned())
}

/// Notes how a round left an item. What it left alone comes again.
pub fn remember(memory: &mut Memory, item: &SpecItem, status: ItemStatus, head: &str) {
    match status {
        ItemStatus::Unaddressed => {}
        ItemStatus::Rerun => memory.rerun.extend(attempts(item, head)),
        _ => {
            memory.attempted.extend(attempts(item, head));
            memory.findings.extend(finding(item));
        }
    }
}

/// What becomes of a check that the agent found no fault of the pull request's behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rerun {
    /// Its workflow run, by its number.
    Run(u64),
    /// Nothing here can run it again, or it was run again on this commit.
    Person(&'static str),
}

/// Plans the re-run of a check (W45).
pub fn rerun(item: &SpecItem, memory: &Memory, head: &str) -> Option<Rerun> {
    let check = item.check.as_ref()?;
    if attempts(item, head).iter().any(|key| memory.rerun.contains(key)) {
        return Some(Rerun::Person("it was run again on this commit and failed again"));
    }
    Some(match check.run_id {
        Some(run) => Rerun::Run(run),
        None => Rerun::Person("it is no check of GitHub Actions and cannot be run again from here"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::pr::Actor;
    use crate::model::spec::{Reference, Remark};

    fn remark(login: &str, kind: ActorKind) -> Remark {
        Remark { author: Some(Actor::new(login, kind)), url: String::new(), body: "b".into(), trusted: true }
    }

    fn thread(url: &str, author: &str, kind: ActorKind, request: &str) -> SpecItem {
        SpecItem {
            id: 9,
            kind: ItemKind::Thread,
            references: vec![Reference {
                kind: ItemKind::Thread,
                source: url.into(),
                thread: Some("T".into()),
                path: None,
                comments: vec![],
                check: None,
            }],
            author: Some(Actor::new(author, kind)),
            path: Some("a.rs".into()),
            line: None,
            start_line: None,
            side: None,
            outdated: false,
            request: request.into(),
            remarks: vec![remark(author, kind)],
            diff_hunk: None,
            check: None,
            hint: None,
            suggestion: None,
        }
    }

    fn selected(items: Vec<SpecItem>, memory: &Memory, lagging: bool) -> Spec {
        let mut spec = Spec { items, ..Spec::default() };
        select(&mut spec, memory, Now { head: "h1", lagging, ours: &["me".into()] });
        spec
    }

    fn of_kind(kind: ItemKind, source: &str) -> SpecItem {
        let mut item = thread(source, "ann", ActorKind::User, "x");
        (item.kind, item.references[0].kind) = (kind, kind);
        item
    }

    #[test]
    fn what_an_earlier_round_had_is_left_out_until_somebody_says_more() {
        let item = thread("u1", "ann", ActorKind::User, "off by one");
        let mut memory = Memory::default();
        remember(&mut memory, &item, ItemStatus::Declined, "h1");
        assert!(selected(vec![item.clone()], &memory, false).items.is_empty());
        let more = thread("u2", "ann", ActorKind::User, "no, really");
        let spec = selected(vec![item, more], &memory, false);
        assert_eq!((spec.items.len(), spec.items[0].id, spec.dropped.len()), (1, 1, 1));
        assert!(spec.items[0].hint.is_none());
    }

    #[test]
    fn the_same_finding_in_another_comment_goes_to_a_person() {
        let mut memory = Memory::default();
        remember(&mut memory, &thread("u1", "bot", ActorKind::Bot, "Use `x`."), ItemStatus::Fixed, "h1");
        let spec = selected(vec![thread("u2", "bot", ActorKind::Bot, "use x")], &memory, false);
        assert!(spec.items[0].hint.as_ref().is_some_and(|hint| hint.needs_human));
        let other = thread("u2", "ann", ActorKind::User, "use x");
        assert!(selected(vec![other], &memory, false).items[0].hint.is_none(), "another person's word is a new one");
    }

    #[test]
    fn a_bot_that_answers_our_reply_is_no_reason_and_a_person_is() {
        let mut item = thread("u", "bot", ActorKind::Bot, "thanks, looks good");
        item.remarks.insert(0, remark("me", ActorKind::User));
        assert!(selected(vec![item.clone()], &Memory::default(), false).items.is_empty());
        item.remarks.insert(1, remark("ann", ActorKind::User));
        assert_eq!(selected(vec![item], &Memory::default(), false).items.len(), 1);
    }

    #[test]
    fn checks_and_conflicts_are_not_believed_while_the_api_lags() {
        let items =
            vec![of_kind(ItemKind::Check, "unit"), of_kind(ItemKind::Conflict, "pr"), of_kind(ItemKind::Thread, "u")];
        assert_eq!(selected(items.clone(), &Memory::default(), false).items.len(), 3);
        let spec = selected(items, &Memory::default(), true);
        assert_eq!((spec.items.len(), spec.warnings.len()), (1, 1));
    }

    #[test]
    fn a_handled_check_is_quiet_on_its_commit_and_returns_on_the_next() {
        let item = of_kind(ItemKind::Check, "unit");
        let mut memory = Memory::default();
        remember(&mut memory, &item, ItemStatus::NeedsHuman, "h1");
        assert!(selected(vec![item.clone()], &memory, false).items.is_empty());
        let mut spec = Spec { items: vec![item], ..Spec::default() };
        select(&mut spec, &memory, Now { head: "h2", lagging: false, ours: &[] });
        assert_eq!(spec.items.len(), 1);
    }

    #[test]
    fn criteria_alone_are_no_reason_for_a_round() {
        let criterion = of_kind(ItemKind::Criterion, "pr");
        assert!(selected(vec![criterion.clone()], &Memory::default(), false).items.is_empty());
        assert_eq!(selected(vec![of_kind(ItemKind::Thread, "u"), criterion], &Memory::default(), false).items.len(), 2);
    }
}
