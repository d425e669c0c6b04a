//! Standard output for documents, standard error for progress, and neither for secrets.

use std::io::Write;
use std::sync::{Arc, Mutex};

use expect_test::expect;
use git_prfix::clock::{Clock, FixedClock};
use git_prfix::ui::{Answer, Options, Phase, Prompt, Say, Streams, Task, Ui, Verbosity};

use super::samples::TOKEN;

/// Bytes that a test can look at while the Ui owns the writer.
#[derive(Clone, Default)]
pub struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Bench {
    ui: Ui,
    out: Sink,
    err: Sink,
    clock: Arc<FixedClock>,
}

fn bench(verbosity: Verbosity, json: bool, typed: &str) -> Bench {
    let clock = Arc::new(FixedClock::at("2026-12-01T02:30:00Z".parse().unwrap()));
    let (out, err) = (Sink::default(), Sink::default());
    let options =
        Options { json, verbosity, color: (false, false), live: false, interactive: !typed.is_empty(), width: 80 };
    let input = Box::new(std::io::Cursor::new(typed.to_owned().into_bytes()));
    let streams = Streams { out: Box::new(out.clone()), err: Box::new(err.clone()), input };
    let ui = Ui::with_streams(options, Arc::clone(&clock) as Arc<dyn Clock>, streams);
    Bench { ui, out, err, clock }
}

fn a_short_run(bench: &Bench) {
    bench.ui.phase(Phase::Triage);
    bench.ui.say(&Say::Note("2 items,\n3 dropped".into()));
    bench.ui.say(&Say::Detail("model: small".into()));
    let probe = bench.ui.task("probe 1 src/a.rs:3");
    bench.clock.sleep(std::time::Duration::from_secs(75));
    probe.line(&format!("\u{1b}]0;owned\u{7}using {TOKEN}\u{1b}[2J"));
    probe.finish("valid");
    drop(bench.ui.task("probe 2"));
    bench.ui.task("cargo test").fail("failed, exit status 101");
    bench.ui.say(&Say::Warning("the probe wrote a file; it was undone".into()));
}

#[test]
fn without_a_terminal_progress_is_plain_lines_with_time_stamps() {
    let bench = bench(Verbosity::Verbose, false, "");
    a_short_run(&bench);
    assert_eq!(bench.out.text(), "");
    expect![[r#"
        02:30:00 triage
        02:30:00   2 items, 3 dropped
        02:30:00   model: small
        02:30:00   probe 1 src/a.rs:3: started
        02:31:15   probe 1 src/a.rs:3 | using ***
        02:31:15   probe 1 src/a.rs:3: valid (1m 15s)
        02:31:15   probe 2: started
        02:31:15   probe 2: stopped (0.0s)
        02:31:15   cargo test: started
        02:31:15   cargo test: failed, exit status 101 (0.0s)
        02:31:15   warning: the probe wrote a file; it was undone
    "#]]
    .assert_eq(&bench.err.text());
}

#[test]
fn quiet_says_warnings_only() {
    let bench = bench(Verbosity::Quiet, false, "");
    a_short_run(&bench);
    assert_eq!(bench.err.text(), "02:31:15   warning: the probe wrote a file; it was undone\n");
}

#[test]
fn json_alone_stands_on_standard_output_and_can_be_read() {
    let bench = bench(Verbosity::Normal, true, "");
    a_short_run(&bench);
    bench.ui.print(&serde_json::json!({"title": format!("a \u{9b}31m {TOKEN}")}).to_string());
    let document: serde_json::Value = serde_json::from_str(&bench.out.text()).unwrap();
    assert_eq!(document["title"], "a \u{9b}31m ***");
    assert!(!bench.out.text().contains('\u{9b}'));
}

#[test]
fn an_error_says_what_and_what_next_and_shows_no_secret() {
    #[derive(Debug, thiserror::Error, miette::Diagnostic)]
    #[error("`{0}` cannot be pushed to")]
    #[diagnostic(code(prfix::push), help("ask its owner to allow edits by maintainers"))]
    struct Refused(String);
    let bench = bench(Verbosity::Quiet, false, "");
    bench.ui.error(&miette::Report::new(Refused(format!("https://me:pw@host/o/r\u{1b}]0;x\u{7} {TOKEN}"))));
    expect![[r#"
        prfix::push

          x `https://***@host/o/r ***` cannot be pushed to
          help: ask its owner to allow edits by maintainers
    "#]]
    .assert_eq(&bench.err.text());
}

#[test]
fn log_lines_go_through_the_same_door() {
    let bench = bench(Verbosity::Quiet, false, "");
    let mut log = bench.ui.log_writer();
    log.write_all(format!("start {TOKEN}\nno line end yet").as_bytes()).unwrap();
    drop(log);
    assert_eq!(bench.err.text(), "02:30:00 start ***\n02:30:00 no line end yet\n");
}

fn question() -> Prompt {
    Prompt {
        question: "Install the guard?".into(),
        details: vec!["It decides over each push of this repository.".into()],
        choices: vec!["yes".into(), "no".into()],
        default: None,
    }
}

#[test]
fn a_question_is_asked_again_until_an_answer_fits() {
    let bench = bench(Verbosity::Normal, false, "maybe\nno\n");
    assert_eq!(bench.ui.ask(&question()), Some(Answer(1)));
    expect![[r#"
        Install the guard?
          It decides over each push of this repository.
          1) yes
          2) no
        choose 1-2: choose 1-2: "#]]
    .assert_eq(&bench.err.text());
}

#[test]
fn nothing_is_asked_without_a_terminal_and_no_answer_is_no_consent() {
    let unattended = bench(Verbosity::Normal, false, "");
    assert_eq!(unattended.ui.ask(&question()), None);
    assert_eq!(unattended.err.text(), "");
    for typed in ["eh?\n", "\n\n\n1\n"] {
        assert_eq!(bench(Verbosity::Normal, false, typed).ui.ask(&question()), None, "{typed:?}");
    }
}

#[test]
fn probes_in_threads_may_share_the_screen() {
    fn shared<T: Send + Sync>() {}
    shared::<Ui>();
    shared::<Task>();
    let bench = bench(Verbosity::Normal, false, "");
    std::thread::scope(|scope| {
        for n in 1..=6 {
            scope.spawn({
                let ui = &bench.ui;
                move || ui.task(&format!("probe {n}")).finish("valid")
            });
        }
    });
    let text = bench.err.text();
    assert_eq!(text.lines().filter(|line| line.ends_with(": valid (0.0s)")).count(), 6, "{text}");
    assert_eq!(text.lines().count(), 12);
}
