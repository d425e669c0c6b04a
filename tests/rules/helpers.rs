//! Comments and rule files in few words.

use git_prfix::rules::{CommentView, Decision, PrView, Rules, Source, SourceLayer};

/// Loads on top of the built-in rules, or shows why not.
pub fn load(sources: &[Source]) -> Rules {
    Rules::load(sources).unwrap_or_else(|error| panic!("{:?}", miette::Report::new(error)))
}

/// A rule file of the repository; the version of the interface is put in front.
pub fn repository(name: &str, text: &str) -> Source {
    let name = format!(".prfix/{name}.lua");
    Source { layer: SourceLayer::Repository, name, text: format!("prfix.api = 1\n{text}\n") }
}

/// A rule file of the user.
pub fn user(name: &str, text: &str) -> Source {
    let name = format!("/home/me/.config/git-prfix/rules/{name}.lua");
    Source { layer: SourceLayer::User, name, text: format!("prfix.api = 1\n{text}\n") }
}

/// A member's comment in a review thread.
pub fn member(body: &str) -> CommentView<'_> {
    CommentView {
        id: "1",
        kind: "thread",
        login: "kim",
        bot: false,
        association: "MEMBER",
        ghost: false,
        body,
        path: Some("src/a.rs"),
        line: Some(3),
        outdated: false,
        resolved: false,
        minimized: None,
        review_state: None,
        own: false,
    }
}

/// The decision about a comment on a pull request by `author`.
pub fn decide(rules: &Rules, comment: &CommentView<'_>) -> Decision {
    rules.decide(comment, &PrView { author: Some("author"), ..PrView::unknown() })
}
