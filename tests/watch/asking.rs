//! What a start asks on a terminal, and what no flag answers (W16–W21, W54, T134, T136, T141, T150).

use std::sync::Arc;

use serde_json::{Value, json};

use super::{confirmed, one, record};
use crate::support::{Pr, TestBench, Thread, has_script};

fn merges_at(bench: &TestBench, pr: &Arc<Pr>, nth: usize) {
    let pr = Arc::clone(pr);
    bench.github.on("Gate").nth(nth).before(move || pr.merge());
}

#[test]
fn a_start_says_what_it_will_do_and_begins_only_when_a_person_says_so() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature"));
    let words = ["watch", "7", "--every", "5", "--", "keep the API"];
    let asked = bench.prfix(words).on_terminal("cancel\n").fails_with(3);
    for text in [
        "pushes commits to `feature` of octo/demo and answers on the pull request",
        "looks every 5 min",
        "told: keep the API",
        "acts as @octavia on GitHub",
        "commands run there, with your rights",
        "after 10 pushes",
        "git prfix stop",
    ] {
        assert!(asked.stdout.contains(text), "{text}: {asked}");
    }
    assert!(record(&bench).is_none() && bench.github.count("Gate") == 0);

    merges_at(&bench, &pr, 2);
    bench.prfix(words).on_terminal("start\n").succeeds().says("the pull request was merged");
    assert_eq!(record(&bench).unwrap()["options"]["instructions"], "keep the API");
}

#[test]
fn code_of_a_stranger_runs_once_after_a_question_that_yes_does_not_answer() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    let pr = bench.open_pr_from_fork("stranger", "feature").set("maintainerCanModify", json!(true));
    let pr = pr.with(Thread::at("src/a.rs:3").says("This loop is off by one."));
    bench.agent.fixes("src/a.rs", "i <= n", "i < n");
    let once = ["watch", "7", "--once", "--yes"];
    let asked = bench.prfix(once).on_terminal("no\n").fails_with(3);
    assert!(asked.stdout.contains("with your gh and git credentials in reach"), "{asked}");
    assert!(bench.agent.calls().is_empty());
    bench.prfix(once).on_terminal("run it once\n").succeeds();
    assert_eq!(pr.unresolved(), 0);
    assert!(record(&bench).is_none(), "such a pull request is never watched");
}

#[test]
fn starting_a_stopped_watch_again_is_asked_despite_yes() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature"));
    confirmed(&bench, |record| record["ended"] = json!({"reason": "stopped", "at": "2026-01-01T00:00:00Z"}));
    let asked = bench.prfix(["watch", "7", "--yes"]).on_terminal("cancel\n").fails_with(3);
    assert!(asked.stdout.contains("had ended this watch"), "{asked}");
    merges_at(&bench, &pr, 2);
    bench.prfix(["watch", "7", "--yes"]).on_terminal("start\n").succeeds();
}

#[test]
fn resuming_asks_once_and_keeps_pushes_history_and_options() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    let pr = Arc::new(one(&bench));
    confirmed(&bench, |record| {
        record["pushed"] = json!(["a", "b"]);
        record["options"]["every"] = json!(10);
        record["options"]["reply"] = json!(false);
    });
    merges_at(&bench, &pr, 2);
    let resumed = bench.prfix(["resume"]).on_terminal("start\n").succeeds();
    assert!(resumed.stdout.contains("posts nothing (--no-reply); looks every 10 min"), "{resumed}");
    let kept = record(&bench).unwrap();
    assert_eq!((kept["pushed"].as_array().unwrap().len(), pr.replies()), (3, 0), "{kept:#}");
    bench.prfix(["resume"]).on_terminal("").succeeds().says("not resumed: the pull request was merged");
}

#[test]
fn options_that_change_during_the_question_are_not_gone_on_with() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    bench.open_pr("feature");
    confirmed(&bench, |_| {});
    let file = bench.journal_dir().join("pr-7/watch.json");
    bench.github.on("Viewer").before(move || {
        let mut record: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        record["options"]["instructions"] = json!("something else");
        std::fs::write(&file, record.to_string()).unwrap();
    });
    bench.prfix(["resume"]).on_terminal("start\n").succeeds().says("changed since the question");
    assert_eq!(bench.github.count("Gate"), 0);
}

#[test]
fn a_terminal_shows_a_live_line_between_rounds() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    let pr = Arc::new(one(&bench));
    merges_at(&bench, &pr, 3);
    let watched = bench.prfix(["watch", "7", "--yes"]).env("TERM", "xterm").on_terminal("").succeeds();
    assert!(watched.stdout.contains("watching #7"), "{watched}");
    assert_eq!(watched.stdout.matches("pushed").count(), 1, "one line a round: {watched}");
}

#[test]
fn a_reopened_pull_request_is_watched_again_with_its_history() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    let pr = Arc::new(bench.open_pr("feature"));
    confirmed(&bench, |record| {
        record["pushed"] = json!(["a"]);
        record["ended"] = json!({"reason": "closed", "at": "2026-01-01T00:00:00Z"});
    });
    merges_at(&bench, &pr, 2);
    bench.prfix(["watch", "7"]).on_terminal("start\n").succeeds();
    let kept = record(&bench).unwrap();
    assert_eq!((&kept["pushed"], &kept["ended"]["reason"]), (&json!(["a"]), &json!("merged")));
}

#[test]
fn another_processs_watch_is_taken_only_after_a_question_and_only_when_it_lets_go() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    bench.open_pr("feature");
    confirmed(&bench, |record| record["owner"] = json!({"session": "first", "pid": 4711, "since": "then"}));
    let lock = std::fs::File::create(bench.journal_dir().join("pr-7/watch.lock")).unwrap();
    lock.lock().unwrap();
    bench.prfix(["watch", "7", "--take-over"]).fails_with(3).says("there is no terminal to ask on");
    let asked = bench.prfix(["watch", "7"]).on_terminal("no\n").fails_with(3).says("is watched by another process");
    assert!(asked.stdout.contains("pushes and budgets are kept"), "{asked}");
    assert_eq!(record(&bench).unwrap()["owner"]["session"], "first", "a no changes nothing");
    bench.prfix(["watch", "7"]).on_terminal("take over\n").fails_with(3).says("has not let go of it yet");
    assert_eq!(record(&bench).unwrap()["owner"]["session"], "taken-over", "the process is told");
    drop(lock);
}

#[test]
fn a_unit_is_written_only_when_a_person_says_so() {
    if !has_script() {
        return;
    }
    let bench = TestBench::new();
    bench.open_pr("feature");
    confirmed(&bench, |_| {});
    let install = ["watch", "7", "--install"];
    bench.prfix(install).on_terminal("start\nno\n").fails_with(3);
    assert!(!bench.home().join(".config/systemd").exists());
    let written = bench.prfix(install).on_terminal("start\nyes\n").succeeds();
    let unit = if cfg!(target_os = "macos") {
        "Library/LaunchAgents/git-prfix.watch.octo-demo-7.plist"
    } else {
        ".config/systemd/user/git-prfix-watch-octo-demo-7.service"
    };
    let text = std::fs::read_to_string(bench.home().join(unit)).unwrap();
    assert!(text.contains("\"watch\" \"7\" \"--every=2\"") || text.contains("<string>--every=2</string>"), "{written}");
    assert_eq!(bench.github.count("Gate"), 0, "writing starts nothing");
}
