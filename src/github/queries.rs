//! The GraphQL operations: text files beside this one, put together with their fragments.
//!
//! A selection that an older Enterprise Server may lack stands on a line of its own that ends in
//! `# since Type.field`; such lines are left out for a host that was found to lack the field.

/// One operation and what it needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operation {
    pub name: &'static str,
    /// Completes "asked to …" and "may not …".
    pub what: &'static str,
    text: &'static str,
    fragments: &'static [&'static str],
}

const WHO: &str = include_str!("queries/fragment_who.graphql");
const THREAD_COMMENT: &str = include_str!("queries/fragment_thread_comment.graphql");
const THREAD: &str = include_str!("queries/fragment_thread.graphql");
const REVIEW: &str = include_str!("queries/fragment_review.graphql");
const ISSUE_COMMENT: &str = include_str!("queries/fragment_issue_comment.graphql");
const CHECK: &str = include_str!("queries/fragment_check.graphql");
const SUITE: &str = include_str!("queries/fragment_suite.graphql");
const PULL_REQUEST: &str = include_str!("queries/fragment_pull_request.graphql");

macro_rules! operations {
    ($($constant:ident = $name:literal, $file:literal, $what:literal, [$($fragment:ident),*];)+) => {
        $(pub(super) const $constant: Operation = Operation {
            name: $name,
            what: $what,
            text: include_str!(concat!("queries/", $file, ".graphql")),
            fragments: &[$($fragment),*],
        };)+
        const ALL: &[Operation] = &[$($constant),+];
    };
}

operations! {
    HARVEST = "Harvest", "harvest", "read the pull request",
        [PULL_REQUEST, THREAD, THREAD_COMMENT, REVIEW, ISSUE_COMMENT, CHECK, SUITE, WHO];
    MORE_THREADS = "MoreThreads", "more_threads", "read the review threads", [THREAD, THREAD_COMMENT, WHO];
    MORE_THREAD_COMMENTS = "MoreThreadComments", "more_thread_comments", "read a thread's comments", [THREAD_COMMENT, WHO];
    MORE_REVIEWS = "MoreReviews", "more_reviews", "read the reviews", [REVIEW, WHO];
    MORE_COMMENTS = "MoreComments", "more_comments", "read the conversation", [ISSUE_COMMENT, WHO];
    MORE_CONTEXTS = "MoreContexts", "more_contexts", "read the checks", [CHECK];
    COMMIT_CHECKS = "CommitChecks", "commit_checks", "read a commit's checks", [CHECK];
    NOW = "Now", "now", "read the pull request's state", [];
    GATE = "Gate", "gate", "look whether pull requests changed", [];
    MERGEABLE = "Mergeable", "mergeable", "read whether the pull request can be merged", [];
    THREAD_NOW = "ThreadNow", "thread", "read a review thread", [THREAD_COMMENT, WHO];
    BY_BRANCH = "ByBranch", "by_branch", "list the pull requests of a branch", [PULL_REQUEST, WHO];
    MINE = "Mine", "mine", "list your open pull requests", [];
    VIEWER = "Viewer", "viewer", "read who the token belongs to", [];
    REPLY = "Reply", "reply", "reply in a review thread", [];
    RESOLVE = "Resolve", "resolve", "resolve review threads", [];
    REVIEWERS = "Reviewers", "reviewers", "list who reviewed the pull request", [];
    REQUEST_REVIEWS = "RequestReviews", "request_reviews", "request a review", [];
    ADD_COMMENT = "AddComment", "comment", "comment on the pull request", [];
    DETECT = "Detect", "detect", "read what this server's schema knows", [];
}

/// A `Type.field` that may be left out.
pub type Field = &'static str;

impl Operation {
    /// The document to send, without the fields that are `missing` on this host.
    pub fn document(&self, missing: &[Field]) -> String {
        let mut out = String::new();
        for line in std::iter::once(&self.text).chain(self.fragments).flat_map(|text| text.lines()) {
            let (code, note) = line.split_once('#').unwrap_or((line, ""));
            let left_out = since(note).is_some_and(|field| missing.contains(&field));
            if !left_out && !code.trim().is_empty() {
                out.push_str(code.trim());
                out.push('\n');
            }
        }
        out
    }

    /// The fields that may be left out of this operation.
    pub fn optional(&self) -> impl Iterator<Item = Field> {
        let texts = std::iter::once(&self.text).chain(self.fragments);
        texts.flat_map(|text| text.lines()).filter_map(|line| since(line.split_once('#')?.1))
    }
}

fn since(note: &str) -> Option<&str> {
    note.trim().strip_prefix("since ")
}

/// All fields that may be left out of some operation.
pub fn optional_fields() -> Vec<Field> {
    let mut all: Vec<Field> = ALL.iter().flat_map(Operation::optional).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Every operation as it is sent, by name: first with all fields, then without the optional ones.
/// For checks against GitHub's published schema.
pub fn documents() -> Vec<(&'static str, [String; 2])> {
    let missing = optional_fields();
    ALL.iter().map(|operation| (operation.name, [operation.document(&[]), operation.document(&missing)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_field_is_left_out_with_its_whole_selection() {
        let full = HARVEST.document(&[]);
        let lean = HARVEST.document(&["Ref.rules", "PullRequestReviewThread.subjectType"]);
        assert!(full.contains("requiredStatusChecks {") && full.contains("subjectType"));
        assert!(!lean.contains("requiredStatusChecks {") && !lean.contains("subjectType"));
        assert!(lean.contains("refUpdateRule"));
    }

    #[test]
    fn every_optional_field_belongs_to_a_type_that_is_asked_about() {
        let asked = DETECT.document(&[]);
        for field in optional_fields() {
            let (owner, _) = field.split_once('.').unwrap();
            assert!(asked.contains(&format!("__type(name: \"{owner}\")")), "{field}");
        }
    }

    #[test]
    fn every_operation_is_named_as_in_its_text() {
        for operation in ALL {
            let text = operation.document(&[]);
            let kind = ["query", "mutation"].map(|kind| format!("{kind} {}", operation.name));
            assert!(kind.iter().any(|head| text.starts_with(head)), "{}", operation.name);
            assert!(!operation.what.is_empty(), "{}", operation.name);
        }
    }
}
