//! The hidden mark in everything the program posts: how a second run knows that the first one spoke.
//!
//! `<!-- git-prfix 1 {"pr":7,"head":"<oid>","key":"…","handled":["…"]} -->`, the last line of a body.
//! It counts only in a comment by one of our own identities; anybody can write one.

use serde::{Deserialize, Serialize};

use crate::model::feedback::Comment;
use crate::model::pr::Actor;

const OPEN: &str = "<!-- git-prfix 1 ";
const CLOSE: &str = " -->";

/// What a posted comment was for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    pub pr: u64,
    /// The head that the reply speaks of.
    pub head: String,
    /// The thread's node id, or `summary`.
    pub key: String,
    /// `<comment node id>:<first 16 digits of the body's digest>` of what was answered.
    #[serde(default)]
    pub handled: Vec<String>,
}

impl Marker {
    /// The line to append to a body.
    pub fn render(&self) -> String {
        // `--` would end an HTML comment early; JSON allows its escape.
        let json = serde_json::to_string(self).unwrap_or_default().replace("--", "\\u002d\\u002d");
        format!("{OPEN}{json}{CLOSE}")
    }

    /// The mark in a body; only the last line counts, so that a quoted one does not.
    pub fn find(body: &str) -> Option<Self> {
        let line = body.trim_end().lines().last()?.trim();
        serde_json::from_str(line.strip_prefix(OPEN)?.strip_suffix(CLOSE)?).ok()
    }

    /// Whether this mark says that a comment, with the body it has now, was answered.
    pub fn handles(&self, id: &str, body: &str) -> bool {
        self.handled.contains(&handled_key(id, body))
    }
}

/// The name of a comment at one state of its body.
pub fn handled_key(id: &str, body: &str) -> String {
    format!("{id}:{}", &crate::model::text::digest(body)[..16])
}

/// Written by us: by the viewer, or by another of our identities (`prfix.identities`).
pub fn is_ours(comment: &Comment, viewer: &Actor, identities: &[String]) -> bool {
    let by = |is: &dyn Fn(&Actor) -> bool| comment.author.as_ref().is_some_and(is);
    comment.viewer_did_author
        || by(&|author| author.same(viewer))
        || identities.iter().any(|login| by(&|author| author.is(login)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_again_and_a_quoted_one_is_not() {
        let marker =
            Marker { pr: 7, head: "abc".into(), key: "PRRT_--x".into(), handled: vec![handled_key("IC_1", "b")] };
        let body = format!("Fixed in abc.\n\n{}\n", marker.render());
        assert!(!marker.render()[OPEN.len()..marker.render().len() - CLOSE.len()].contains("--"));
        assert_eq!(Marker::find(&body), Some(marker.clone()));
        assert!(marker.handles("IC_1", "b") && !marker.handles("IC_1", "edited"));
        assert_eq!(Marker::find(&format!("> {}\nno", marker.render())), None);
        assert_eq!(Marker::find("plain"), None);
    }

    #[test]
    fn a_person_who_took_our_bots_name_is_not_one_of_us() {
        use crate::model::pr::ActorKind::{Bot, User};
        let by = |login: &str, kind| Comment {
            id: "IC_1".into(),
            url: String::new(),
            body: String::new(),
            author: Some(Actor::new(login, kind)),
            association: crate::model::pr::Association::None,
            viewer_did_author: false,
            created_at: String::new(),
            edited_at: None,
            editor: None,
            minimized: None,
            state: "SUBMITTED".into(),
        };
        let (app, none) = (Actor::new("our-app[bot]", User), Vec::new());
        assert!(is_ours(&by("Our-App", Bot), &app, &none) && !is_ours(&by("our-app", User), &app, &none));
        let (me, named) = (Actor::new("me", User), vec!["fix-bot[bot]".to_owned(), "second".to_owned()]);
        assert!(is_ours(&by("fix-bot", Bot), &me, &named) && !is_ours(&by("fix-bot", User), &me, &named));
        assert!(is_ours(&by("Second", User), &me, &named) && is_ours(&by("ME", User), &me, &named));
        assert!(!is_ours(&by("rita", User), &me, &named));
    }
}
