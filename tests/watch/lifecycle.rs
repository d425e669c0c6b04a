//! `status`, `resume`, `stop`, and what a watch leaves (W50, W52–W54, T132–T142, T146).

use serde_json::json;

use super::{confirmed, one, record, worktrees};
use crate::support::{Check, TestBench};

#[test]
fn status_asks_no_network_and_lists_what_is_left_to_a_person() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Should this be public?");
    bench.agent.fix().needs_human(1, "is this API meant to be public?");
    bench.prfix(["status"]).succeeds().says("no pull request of this repository is watched");
    confirmed(&bench, |_| {});
    let pr = bench.github.names().len();
    assert_eq!(pr, 0, "status has asked nothing");
    bench.github.on("Gate").nth(2).fail(crate::support::Fault::KillBefore);
    bench.prfix(["watch", "7"]).run();

    let before = bench.github.names().len();
    let told = bench.prfix(["status", "--json"]).succeeds().json();
    let watch = &told["watches"][0];
    assert_eq!((&watch["pr"], &watch["state"], &watch["pushes"]), (&json!(7), &json!("idle"), &json!(0)), "{told:#}");
    let decision = &watch["needs_human"][0];
    assert!(decision["what"].as_str().unwrap().contains("meant to be public"), "{told:#}");
    assert_eq!(decision["head"].as_str().unwrap().len(), 40);
    bench.prfix(["status", "7"]).succeeds().says("needs a person").says("git prfix resume 7");
    bench.prfix(["status", "8"]).fails_with(2).says("there is no watch of #8");
    assert_eq!(bench.github.names().len(), before);
}

#[test]
fn a_record_that_cannot_be_read_is_named_with_what_to_do() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    confirmed(&bench, |_| {});
    let file = bench.journal_dir().join("pr-7/watch.json");
    std::fs::write(&file, "{\"schema\": \"git-pr").unwrap();
    let told = bench.prfix(["status", "--json"]).succeeds().json();
    assert_eq!((&told["watches"], &told["unreadable"][0]["pr"]), (&json!([]), &json!(7)), "{told:#}");
    bench.prfix(["status"]).succeeds().says("watch.json").says("git prfix stop 7").says("--adopt");
    bench.prfix(["watch", "7", "--once", "--yes"]).fails_with(3).says("watch.json");
    bench.prfix(["stop"]).succeeds().says("left as it is");
    assert!(file.exists(), "only a named stop removes what nobody can read");
    bench.prfix(["stop", "7"]).succeeds().says("was removed");
    assert!(!file.exists());
}

#[test]
fn a_stop_without_work_left_forgets_the_watch() {
    let bench = TestBench::new();
    let pr = one(&bench);
    confirmed(&bench, |_| {});
    bench.prfix(["watch", "7", "--max-pushes", "1"]).fails_with(3);
    assert_eq!(pr.replies(), 1);
    let told = bench.prfix(["stop", "7", "--json"]).succeeds().json();
    let stopped = &told["stopped"][0];
    assert_eq!((&stopped["pushes"], &stopped["reason"]), (&json!(1), &json!("max-pushes")), "{told:#}");
    assert!(record(&bench).is_none());
    bench.prfix(["stop", "7"]).fails_with(2).says("there is no watch of #7");
    bench.prfix(["stop"]).succeeds().says("there is no watch to stop");
}

#[test]
fn a_stop_keeps_a_worktree_that_holds_work_and_force_discards_it() {
    let bench = TestBench::new();
    let pr = one(&bench);
    let head = pr.head();
    confirmed(&bench, |_| {});
    // Right before the push: the fix is committed and on no remote.
    bench.prfix(["watch", "7"]).dies_before("Now", 1);
    assert_eq!(worktrees(&bench), 1);
    bench.prfix(["status"]).succeeds().says("a round's worktree").says("its process died in a round");

    bench.prfix(["stop", "7"]).succeeds().says("holds work").says("--force");
    assert_eq!((worktrees(&bench), pr.head()), (1, head));
    assert_eq!(record(&bench).unwrap()["ended"]["reason"], "stopped");
    bench.prfix(["watch", "7"]).fails_with(3).says("was stopped");
    bench.prfix(["watch", "7", "--once", "--yes"]).fails_with(3).says("confirmed on a terminal");

    bench.prfix(["stop", "7", "--force"]).succeeds();
    assert_eq!(worktrees(&bench), 0);
    assert!(record(&bench).is_none());
}

#[test]
fn a_stop_during_a_round_ends_the_watch_after_it() {
    let bench = TestBench::new();
    let pr = one(&bench);
    confirmed(&bench, |_| {});
    let lock = std::fs::File::create(bench.journal_dir().join("pr-7/lock")).unwrap();
    lock.lock().unwrap();
    bench.prfix(["stop", "7"]).fails_with(3).says("still works on it");
    assert_eq!(record(&bench).unwrap()["ended"]["reason"], "stopped");
    assert_eq!(record(&bench).unwrap()["confirmed"], json!(null), "a stop takes the confirmation back");
    drop((lock, pr));
}

#[test]
fn a_watch_that_is_stopped_from_outside_leaves_at_its_next_step() {
    let bench = TestBench::new();
    bench.open_pr("feature").check(Check::passed("unit"));
    confirmed(&bench, |_| {});
    let file = bench.journal_dir().join("pr-7/watch.json");
    bench.github.on("Gate").nth(2).before(move || {
        let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        record["ended"] = json!({"reason": "stopped", "at": "2026-01-02T03:10:00Z"});
        std::fs::write(&file, record.to_string()).unwrap();
    });
    bench.prfix(["watch", "7"]).succeeds().says("`git prfix stop` ended it");
    assert_eq!(bench.github.count("Gate"), 2);
}

#[test]
fn resuming_without_a_terminal_is_refused() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    bench.prfix(["resume"]).succeeds().says("there is no watch to resume");
    confirmed(&bench, |_| {});
    bench.prfix(["resume"]).fails_with(3).says("there is no terminal to ask on");
    bench.prfix(["resume", "8"]).fails_with(2).says("there is no watch of #8");
}

#[test]
fn options_that_nobody_confirmed_need_a_person() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    confirmed(&bench, |_| {});
    bench.prfix(["watch", "7", "--every", "5"]).fails_with(3).says("there is no terminal to ask on");
    bench.prfix(["watch", "7", "--", "rewrite everything"]).fails_with(3).says("there is no terminal to ask on");
    assert_eq!(record(&bench).unwrap()["options"]["every"], 2);
}

#[test]
fn a_watch_on_another_machine_counts_the_pushes_that_our_replies_speak_of() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.prfix(["watch", "7", "--once", "--yes"]).succeeds();
    std::fs::remove_dir_all(bench.journal_dir()).unwrap();
    bench.prfix(["watch", "7", "--once", "--yes", "--adopt"]).succeeds().says("adopted; 1 earlier push");
    assert_eq!((pr.replies(), bench.agent.calls_of("fix").len()), (1, 1), "what was answered is left alone");
}

#[test]
fn installing_shows_the_unit_and_writes_nothing_unasked() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    confirmed(&bench, |_| {});
    let shown = bench.prfix(["watch", "7", "--install"]).fails_with(3).says("nothing was written");
    let sign = if cfg!(target_os = "macos") { "ProgramArguments" } else { "ExecStart=" };
    assert!(shown.stdout.contains(sign) && shown.stdout.contains("--every=2"), "{shown}");
    assert!(!bench.home().join(".config/systemd").exists());
}

#[test]
fn events_reach_the_command_as_json_without_a_shell() {
    let bench = TestBench::new();
    one(&bench);
    confirmed(&bench, |_| {});
    let script = bench.root().join("notify.sh");
    let log = bench.root().join("events");
    std::fs::write(&script, format!("cat >> '{}'; echo >> '{0}'; echo \"$1\" >> '{0}.args'\n", log.display())).unwrap();
    bench.config("prfix.notify", &format!("sh {} '$(touch hacked) ; x'", script.display()));
    bench.prfix(["watch", "7", "--max-pushes", "1"]).fails_with(3);
    let events = std::fs::read_to_string(&log).unwrap();
    let events: Vec<serde_json::Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["pushed", "stopped"]);
    assert_eq!(events[0]["schema"], "git-prfix.event/1");
    assert_eq!((&events[0]["pr"], &events[1]["reason"]), (&json!(7), &json!("max-pushes")));
    let args = std::fs::read_to_string(bench.root().join("events.args")).unwrap();
    assert_eq!(args.lines().next(), Some("$(touch hacked) ; x"));
}

#[test]
fn a_detached_watch_is_a_process_of_its_own() {
    let bench = TestBench::new();
    let pr = std::sync::Arc::new(bench.open_pr("feature"));
    confirmed(&bench, |_| {});
    let (sender, polled) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let merged = std::sync::Arc::clone(&pr);
    bench.github.on("Gate").nth(2).before(move || {
        merged.merge();
        let _ = sender.lock().unwrap().send(());
    });
    bench.prfix(["watch", "7", "--detach"]).succeeds().says("watched by process");
    polled.recv_timeout(std::time::Duration::from_secs(60)).expect("the process polls");
    // Its lock ends with it.
    let lock = std::fs::File::open(bench.journal_dir().join("pr-7/watch.lock")).unwrap();
    lock.lock_shared().unwrap();
    assert_eq!(record(&bench).unwrap()["ended"]["reason"], "merged");
    let log = std::fs::read_to_string(bench.journal_dir().join("watch.log")).unwrap();
    assert!(log.contains("the pull request was merged"), "{log}");
}
