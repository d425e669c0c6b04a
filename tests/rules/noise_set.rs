//! The labelled set of comments, and how well the built-in rules sort it.

#![allow(clippy::disallowed_macros, reason = "the measurement is printed")]

use std::collections::BTreeMap;

use git_prfix::rules::{CommentView, Decision, PrView, Rules};

const SET: &str = include_str!("../data/comments.tsv");

struct Labelled {
    label: &'static str,
    kind: &'static str,
    author: &'static str,
    state: Option<&'static str>,
    language: &'static str,
    body: String,
}

fn read() -> Vec<Labelled> {
    SET.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [label, kind, author, state, language, body] = fields[..] else { panic!("six fields: {line}") };
            let state = (!state.is_empty()).then_some(state);
            Labelled { label, kind, author, state, language, body: body.replace("\\n", "\n") }
        })
        .collect()
}

/// Whether the rules keep a comment.
fn kept(rules: &Rules, comment: &Labelled) -> bool {
    let (login, bot, association) = match comment.author.split_once(':') {
        Some(("bot", login)) => (login, true, "NONE"),
        Some((_, login)) => (login, false, "NONE"),
        None if comment.author == "author" => ("author", false, "CONTRIBUTOR"),
        None => ("kim", false, "MEMBER"),
    };
    let view = CommentView {
        id: "1",
        kind: comment.kind,
        login,
        bot,
        association,
        ghost: false,
        body: &comment.body,
        path: (comment.kind == "thread").then_some("src/a.rs"),
        line: None,
        outdated: false,
        resolved: false,
        minimized: None,
        review_state: comment.state,
        own: false,
    };
    let pr = PrView { author: Some("author"), ..PrView::unknown() };
    matches!(rules.decide(&view, &pr), Decision::Keep { .. })
}

#[test]
fn actionable_comments_survive_and_small_talk_does_not() {
    let rules = Rules::load(&[]).expect("the built-in rules load");
    let set = read();
    assert!(set.len() >= 250, "{} comments", set.len());
    let mut counts: BTreeMap<(bool, bool), usize> = BTreeMap::new();
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    for comment in &set {
        let (asks, kept) = (comment.label != "NO", kept(&rules, comment));
        if asks != kept {
            println!(
                "{} {} {}: {:?}",
                if asks { "LOST" } else { "kept" },
                comment.label,
                comment.language,
                comment.body
            );
        }
        *counts.entry((asks, kept)).or_default() += 1;
        *languages.entry(comment.language).or_default() += 1;
    }
    let count = |asks, kept| counts.get(&(asks, kept)).copied().unwrap_or(0) as f64;
    let recall = count(true, true) / (count(true, true) + count(true, false));
    let precision = count(true, true) / (count(true, true) + count(false, true));
    println!("{} comments: recall {:.2} %, precision {:.2} %", set.len(), recall * 100.0, precision * 100.0);
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
    assert!(languages.len() >= 8, "{languages:?}");
    assert!(recall >= 0.99, "recall {recall}");
    assert!(precision >= 0.95, "precision {precision}");
}
