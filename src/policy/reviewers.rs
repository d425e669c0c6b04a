//! Which reviewers are asked to look again, and what counts as one that does not react (P36–P38).

use std::sync::LazyLock;

use regex::Regex;

use crate::model::feedback::{Check, CheckState, Review};
use crate::model::reviewer::Down;

static QUOTA: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)out of quota|quota (?:is |has been |was )?(?:exceeded|reached|used up|exhausted)|reached (?:the|your|its) (?:\w+ )?(?:quota|usage limit|limit)|usage limit|no (?:premium )?(?:requests|credits) left")
        .expect("constant pattern")
});

/// `prfix.reviewers` as two lists in lower case: who is wanted, and who is never asked.
pub fn preferences(list: &[String]) -> (Vec<String>, Vec<String>) {
    let (off, on): (Vec<String>, Vec<String>) =
        list.iter().map(|name| name.trim().to_lowercase()).partition(|name| name.starts_with('-'));
    let off = off.iter().map(|name| name.trim_start_matches('-').to_owned()).collect();
    (on, off)
}

/// What is turned off stays off, whatever a rule says or another list turns on.
pub fn is_off(off: &[String], name: Option<&str>, login: &str) -> bool {
    let listed = |word: &str| off.iter().any(|off| off.eq_ignore_ascii_case(word));
    listed(login) || name.is_some_and(listed)
}

/// Whether it still counts after a push of `head`.
pub fn counts(down: &Down, head: &str, reviews: &[Review]) -> bool {
    let back = reviews.iter().any(|review| {
        by(review, &down.login)
            && review.commit_oid.as_deref().is_some_and(|oid| oid != down.head)
            && !QUOTA.is_match(&review.comment.body)
    });
    if down.sticky { !back } else { down.head == head }
}

fn by(review: &Review, login: &str) -> bool {
    review.comment.author.as_ref().is_some_and(|author| author.login.eq_ignore_ascii_case(login))
}

/// The reviewer said at this head that it has no quota left. What it said at another head is over.
pub fn out_of_quota(reviews: &[Review], login: &str, head: &str) -> bool {
    let here = |review: &&Review| by(review, login) && review.commit_oid.as_deref() == Some(head);
    reviews.iter().filter(here).any(|review| QUOTA.is_match(&review.comment.body))
}

/// The state of the check that a reviewer reports with, when there is one.
pub fn check_of<'c>(checks: &'c [Check], part: &str) -> Option<&'c Check> {
    checks.iter().find(|check| check.name.to_lowercase().contains(&part.to_lowercase()))
}

/// It has looked at this head and found nothing, or is about to look: asking again would only cost.
pub fn needs_no_word(check: &Check) -> bool {
    matches!(check.state, CheckState::Passed | CheckState::Skipped | CheckState::Pending)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(login: &str, head: &str, body: &str) -> Review {
        serde_json::from_value(serde_json::json!({
            "comment": {"id": "1", "url": "", "body": body, "author": {"login": login, "kind": "bot"},
                "association": "NONE", "viewer_did_author": false, "created_at": "", "edited_at": null, "editor": null,
                "minimized": null, "state": "COMMENTED"},
            "state": "COMMENTED", "commit_oid": head, "author_can_push": false,
        }))
        .unwrap()
    }

    #[test]
    fn what_is_turned_off_beats_what_is_turned_on() {
        let list = ["Bugbot".to_owned(), "-bugbot".into(), "-Copilot-Pull-Request-Reviewer".into()];
        let (on, off) = preferences(&list);
        assert_eq!(on, ["bugbot"]);
        assert!(
            is_off(&off, Some("bugbot"), "cursor") && is_off(&off, Some("copilot"), "copilot-pull-request-reviewer")
        );
        assert!(!is_off(&off, Some("codex"), "chatgpt-codex-connector") && !is_off(&off, None, "kim"));
    }

    #[test]
    fn a_notice_about_quota_counts_at_its_own_head_only() {
        let reviews =
            [review("copilot", "old", "You have reached your usage limit."), review("copilot", "new", "Fine.")];
        assert!(out_of_quota(&reviews, "Copilot", "old") && !out_of_quota(&reviews, "copilot", "new"));
        assert!(!out_of_quota(&[review("kim", "old", "the quota is exceeded here")], "copilot", "old"));
    }

    #[test]
    fn a_new_head_helps_where_it_may_and_a_review_helps_always() {
        let down = |sticky| Down { login: "x".into(), head: "old".into(), why: String::new(), sticky };
        assert!(counts(&down(false), "old", &[]) && !counts(&down(false), "new", &[]));
        assert!(counts(&down(true), "new", &[]) && !counts(&down(true), "new", &[review("x", "new", "Found one.")]));
        assert!(counts(&down(true), "new", &[review("x", "new", "out of quota"), review("y", "new", "Found one.")]));
    }
}
