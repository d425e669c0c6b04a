//! The live view, played back on a small model of a terminal.

use std::sync::Arc;

use expect_test::expect;
use git_prfix::clock::FixedClock;
use git_prfix::model::agent::Usage;
use git_prfix::ui::{Answer, Options, Phase, Prompt, Say, Streams, Ui, Verbosity};

use super::terminal::Sink;

const SPINNER: &str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/// What a terminal would show: rows of text, without colours; the spinner is drawn as `*`.
fn screen(bytes: &str) -> String {
    let (mut rows, mut row, mut col) = (vec![Vec::new()], 0_usize, 0_usize);
    let mut chars = bytes.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                let sequence = sequence(&mut chars);
                let count = sequence[1..sequence.len() - 1].parse().unwrap_or(1);
                match &sequence[sequence.len() - 1..] {
                    "A" => row = row.checked_sub(count).expect("the cursor left the screen"),
                    "B" => row += count,
                    "K" if sequence.starts_with("[2") => rows[row].clear(),
                    "K" => rows[row].truncate(col),
                    "m" | "h" | "l" => {}
                    other => panic!("unexpected sequence {other:?}"),
                }
            }
            '\r' => col = 0,
            '\n' => (row, col) = (row + 1, 0),
            c => {
                let c = if SPINNER.contains(c) { '*' } else { c };
                let line: &mut Vec<char> = &mut rows[row];
                line.resize(line.len().max(col + 1), ' ');
                line[col] = c;
                col += 1;
            }
        }
        rows.resize(rows.len().max(row + 1), Vec::new());
    }
    let lines: Vec<String> = rows.into_iter().map(String::from_iter).collect();
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// The rest of a control sequence, up to its final letter.
fn sequence(chars: &mut std::str::Chars<'_>) -> String {
    let mut taken = String::new();
    for c in chars {
        taken.push(c);
        if c.is_ascii_alphabetic() {
            break;
        }
    }
    taken
}

fn bench(typed: &str) -> (Ui, Sink) {
    let clock = Arc::new(FixedClock::at("2026-12-01T02:30:00Z".parse().unwrap()));
    let err = Sink::default();
    let options = Options {
        json: false,
        verbosity: Verbosity::Normal,
        color: (false, true),
        live: true,
        interactive: true,
        width: 48,
    };
    let input = Box::new(std::io::Cursor::new(typed.to_owned().into_bytes()));
    let streams = Streams { out: Box::new(Sink::default()), err: Box::new(err.clone()), input };
    (Ui::with_streams(options, clock, streams), err)
}

#[test]
fn running_tasks_stand_below_the_finished_lines_and_leave_nothing_behind() {
    let (ui, err) = bench("");
    ui.phase(Phase::Triage);
    ui.usage(&Usage { agent_calls: 2, ..Usage::default() });
    let first = ui.task("probe 1 src/a.rs:3");
    first.line("reading \u{1b}[2J日本語 and a good deal more of this file than fits");
    let second = ui.task("probe 2 src/b.rs:9");
    expect![[r#"
        triage
          * probe 1 src/a.rs:3  0s  reading 日本語 and…
          * probe 2 src/b.rs:9  0s
          triage: 2 agent calls
    "#]]
    .assert_eq(&screen(&err.text()));

    first.finish("valid");
    ui.say(&Say::Warning("a probe wrote a file, which was undone; this line is longer than the terminal".into()));
    second.fail("no answer");
    drop(ui);
    expect![[r#"
        triage
          probe 1 src/a.rs:3: valid (0.0s)
          warning: a probe wrote a file, which was undone; this line is longer than the terminal
          probe 2 src/b.rs:9: no answer (0.0s)
    "#]]
    .assert_eq(&screen(&err.text()));
}

#[test]
fn a_question_has_the_terminal_to_itself() {
    let (ui, err) = bench("2\n");
    let task = ui.task("waiting");
    let prompt = Prompt {
        question: "Go on?".into(),
        details: Vec::new(),
        choices: vec!["yes".into(), "no".into()],
        default: None,
    };
    assert_eq!(ui.ask(&prompt), Some(Answer(1)));
    let asked = err.text();
    let question = asked.find("Go on?").unwrap();
    assert_eq!(screen(&asked[..question]), "\n");
    task.finish("stopped as asked");
    assert!(screen(&err.text()).contains("  waiting: stopped as asked (0.0s)\n"));
}
