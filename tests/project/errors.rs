//! The catalogue of errors, `man/git-prfix-errors.7`, is made from the code. `UPDATE_EXPECT=1` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write;

use expect_test::expect_file;
use git_prfix::model::report::Reason;
use git_prfix::ui::reason_sentence;
use regex::Regex;

const HEAD: &str = r#".\" SPDX-License-Identifier: MIT OR Apache-2.0
.\" Made from the code by a test: UPDATE_EXPECT=1 cargo test --test it project::errors
.Dd December 1, 2026
.Dt GIT-PRFIX-ERRORS 7
.Os
.Sh NAME
.Nm git-prfix-errors
.Nd what git prfix says when something is wrong
.Sh DESCRIPTION
An error has a code, says what is wrong, and mostly what to do.
With
.Fl -json
the same stands in the document on standard output, as
.Va error.code ,
.Va error.message
and
.Va error.help .
.Pp
A run that is blocked is no error: its report has a reason, and the one thing to do as
.Va unblock .
.Sh CODES
.Bl -tag -width Ds
"#;

const MIDDLE: &str = r".El
.Sh WHY A RUN ENDED
The reasons of a report.
.Bl -tag -width Ds
";

const TAIL: &str = r".El
.Sh SEE ALSO
.Xr git-prfix 1 ,
.Xr git-prfix-protocol 7
";

const REASONS: &[Reason] = &[
    Reason::Pushed,
    Reason::NothingToDo,
    Reason::AllTriagedOut,
    Reason::NoPush,
    Reason::DryRun,
    Reason::MergedDuringRun,
    Reason::ClosedDuringRun,
    Reason::Auth,
    Reason::NotOpen,
    Reason::ForkNoPush,
    Reason::UntrustedAuthor,
    Reason::Manifest,
    Reason::Invariants,
    Reason::Gates,
    Reason::PushRejected,
    Reason::Agent,
    Reason::NoCommit,
    Reason::NeedsHuman,
    Reason::Conflict,
    Reason::Guard,
    Reason::Interrupted,
];

/// Code → message and help, as they stand in the attributes of the error types.
fn catalogue() -> BTreeMap<String, (String, Option<String>)> {
    let code = Regex::new(r"code\((prfix::[\w:]+)\)").unwrap();
    let message = Regex::new(r#"#\[error\(\s*"((?:[^"\\]|\\(?s:.))*)""#).unwrap();
    let help = Regex::new(r#"\bhelp\(\s*"((?:[^"\\]|\\(?s:.))*)""#).unwrap();
    let mut all = BTreeMap::new();
    for (path, text) in super::rust_files("src") {
        for found in code.captures_iter(&text) {
            let whole = found.get(0).expect("a match");
            let said = message.captures_iter(&text[..whole.start()]).last();
            let said = said.unwrap_or_else(|| panic!("{}: no message for {}", path.display(), &found[1]));
            let attribute = &text[whole.end()..];
            let attribute = &attribute[..attribute.find(")]").expect("the attribute's end")];
            let help = help.captures(attribute).map(|found| literal(&found[1]));
            let before = all.insert(found[1].to_owned(), (literal(&said[1]), help));
            assert!(before.is_none(), "{} is the code of two errors", &found[1]);
        }
    }
    all
}

/// What a Rust string literal means, as far as messages need it.
fn literal(source: &str) -> String {
    let joined = Regex::new(r"\\\n\s*").unwrap().replace_all(source, "");
    joined.replace("\\\"", "\"").replace("\\n", " ").replace("{{", "{").replace("}}", "}")
}

/// Text for mdoc: placeholders in italics, code in quotes, nothing at the start of a line that would act.
fn mdoc(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let text = Regex::new(r"`([^`]*)`").unwrap().replace_all(&text, "\\(oq${1}\\(cq").into_owned();
    let text = Regex::new(r"\{(\w+)[^}]*\}").unwrap().replace_all(&text, "\\fI${1}\\fR").into_owned();
    let text = Regex::new(r"\{[^}]*\}").unwrap().replace_all(&text, "...").into_owned();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[test]
fn every_error_stands_in_the_catalogue() {
    let mut page = HEAD.to_owned();
    for (code, (message, help)) in catalogue() {
        let _ = writeln!(page, ".It Sy {code}\n{}.", capital(&mdoc(&message)));
        // A help that is made while running has nothing to print here.
        if let Some(help) = help.filter(|help| !help.starts_with('{')) {
            let _ = writeln!(page, ".Pp\n{}.", capital(&mdoc(&help)));
        }
    }
    page += MIDDLE;
    for reason in REASONS {
        let name = serde_json::to_value(reason).expect("a name");
        let name = name.as_str().expect("a string").to_owned();
        let _ = writeln!(page, ".It Cm {name}\n{}.", capital(&mdoc(reason_sentence(*reason))));
    }
    page += TAIL;
    expect_file!["../../man/git-prfix-errors.7"].assert_eq(&page);
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[test]
fn nearly_every_error_says_what_to_do() {
    let all = catalogue();
    let silent: Vec<&str> = all.iter().filter(|(_, (_, help))| help.is_none()).map(|(code, _)| code.as_str()).collect();
    // A fault of the system below has often no remedy that could be named beforehand.
    assert!(silent.len() * 5 <= all.len(), "{} of {}: {}", silent.len(), all.len(), silent.join(", "));
}
