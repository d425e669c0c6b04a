//! Children that don't want to end: nothing of them is running when a run is over.

use std::path::Path;
use std::time::Duration;

use git_prfix::process::{Ended, Output, Run};

use super::bench::alive;

fn sh(dir: &Path, script: &str) -> Run {
    Run::new("sh").args(["-c", script]).cwd(dir)
}

fn pid(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn assert_gone(dir: &Path, name: &str) {
    let pid = pid(dir, name);
    assert!(!pid.trim().is_empty() && !alive(&pid), "{name} ({}) is still running", pid.trim());
}

/// Writes its id to `late`, in a session of its own, with an empty environment, orphaned by a double fork.
const DAEMON: &str = "(env -i setsid sh -c 'echo $$ > late.new; mv late.new late; exec sleep 600' \
                      </dev/null >/dev/null 2>&1 &) ; while [ ! -e late ]; do :; done;";

#[test]
fn a_daemon_dies_although_the_child_ended_well() {
    let dir = tempfile::tempdir().unwrap();
    let output = sh(dir.path(), &format!("{DAEMON} echo done")).run().unwrap();
    assert_eq!((output.ended, output.text().as_str()), (Ended::Exited(0), "done\n"));
    assert_gone(dir.path(), "late");
}

#[test]
fn a_daemon_dies_with_a_child_past_its_limit() {
    let dir = tempfile::tempdir().unwrap();
    let script = format!("trap '' INT TERM HUP; {DAEMON} echo $$ > self; while :; do sleep 1; done");
    let output = sh(dir.path(), &script).timeout(Duration::from_millis(500)).run().unwrap();
    assert_eq!(output.ended, Ended::TimedOut);
    assert_gone(dir.path(), "late");
    assert_gone(dir.path(), "self");
}

#[test]
fn a_stray_that_holds_the_pipes_open_is_ended_and_what_it_said_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo $$ > late; echo held; exec sleep 600' & while [ ! -s late ]; do :; done; exit 4";
    let output = sh(dir.path(), script).run().unwrap();
    assert_eq!(output.ended, Ended::Exited(4));
    assert_gone(dir.path(), "late");
    assert!(output.duration < Duration::from_secs(60));
}

#[test]
fn a_child_that_breeds_is_ended_with_its_brood() {
    let dir = tempfile::tempdir().unwrap();
    let script = "trap '' INT TERM; breed() { (trap '' INT TERM; sleep 0.05; breed) & (sleep 600) & wait; }; \
                  echo $$ > self; breed";
    let output = sh(dir.path(), script).timeout(Duration::from_millis(400)).run().unwrap();
    assert_eq!(output.ended, Ended::TimedOut);
    assert_gone(dir.path(), "self");
}

#[test]
fn a_child_that_kills_its_supervisor_is_ended_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'trap \"\" TERM INT; echo $$ > late.new; mv late.new late; exec sleep 600' & \
                  while [ ! -e late ]; do :; done; kill -9 $PPID; sleep 600";
    let output = sh(dir.path(), script).timeout(Duration::from_secs(60)).run().unwrap();
    assert_ne!(output.ended, Ended::Exited(0));
    if cfg!(target_os = "linux") {
        assert_eq!(output.ended, Ended::Signaled(9));
    }
    assert_gone(dir.path(), "late");
}

#[test]
fn runs_side_by_side_do_not_end_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    // The long one goes on until the others have ended, and then finds its own background job alive.
    let long = "sleep 600 & echo $! > job; while [ ! -e go ]; do sleep 0.02; done; kill -0 $! && echo alive";
    std::thread::scope(|scope| {
        let long = scope.spawn(move || sh(path, long).run().unwrap());
        let short = |_| scope.spawn(move || sh(path, "sleep 600 & exit 0").run().unwrap());
        for short in (0..6).map(short).collect::<Vec<_>>() {
            assert!(short.join().unwrap().success());
        }
        std::fs::write(path.join("go"), "").unwrap();
        assert_eq!(long.join().unwrap().text(), "alive\n");
    });
    assert_gone(path, "job");
}

#[test]
fn a_flood_of_a_gigabyte_takes_bounded_memory() {
    let dir = tempfile::tempdir().unwrap();
    let script = "head -c 1073741824 /dev/zero; echo; echo last";
    let output = sh(dir.path(), script).limit(1 << 20).run().unwrap();
    assert!(output.truncated && output.stdout.len() == 1 << 20 && output.success());
    assert!(output.stdout.ends_with(b"\nlast\n"));
}

#[test]
fn a_flood_without_an_end_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let output = sh(dir.path(), "yes >&2").limit(1000).timeout(Duration::from_millis(300)).run().unwrap();
    assert_eq!(output.ended, Ended::TimedOut);
    assert_eq!(output.stderr.len(), 1000);
}

#[test]
fn a_child_has_no_terminal_and_leads_its_own_session() {
    let dir = tempfile::tempdir().unwrap();
    let script = "(exec < /dev/tty) 2>/dev/null && echo tty; set -- $(cat /proc/$$/stat 2>/dev/null); \
                  [ -z \"$6\" ] || [ \"$6\" = $$ ] && echo leader";
    let output = sh(dir.path(), script).run().unwrap();
    assert_eq!(output.text(), "leader\n");
}

#[test]
fn input_that_nobody_reads_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let output = sh(dir.path(), "exit 7").stdin(vec![b'x'; 8 << 20]).run().unwrap();
    assert_eq!(output.ended, Ended::Exited(7));
}

#[test]
fn statuses_and_signals_come_through() {
    let dir = tempfile::tempdir().unwrap();
    let ended = |script: &str| sh(dir.path(), script).run().unwrap().ended;
    assert_eq!(ended("exit 200"), Ended::Exited(200));
    assert_eq!(ended("kill -9 $$"), Ended::Signaled(9));
    assert_eq!(ended("kill -TERM $$"), Ended::Signaled(15));
}

#[test]
fn helpers_are_left_when_that_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo $$ > late.new; mv late.new late; exec sleep 600' </dev/null >/dev/null 2>&1 & \
                  while [ ! -e late ]; do :; done";
    let output: Output = sh(dir.path(), script).leave_helpers().run().unwrap();
    let helper = pid(dir.path(), "late");
    assert!(output.success() && alive(&helper));
    assert!(Run::new("kill").args(["-9", helper.trim()]).run().unwrap().success());
}

#[test]
fn a_hook_that_refuses_keeps_the_child_from_starting() {
    let refuse = || Err(std::io::Error::from_raw_os_error(1));
    let error = Run::new("true").pre_exec(refuse).run().unwrap_err();
    assert!(error.to_string().contains("could not be started"), "{error}");
}

/// Set for the test that runs in a process of its own, because an interrupt is for the whole process.
const ALONE: &str = "PRFIX_TEST_ALONE";

#[test]
fn an_interrupt_is_passed_on_and_leaves_nothing_running() {
    let dir = tempfile::tempdir().unwrap();
    let output = Run::new(std::env::current_exe().unwrap())
        .args(["--exact", "agent::processes::interrupted_inside", "--ignored", "--nocapture"])
        .env(ALONE, dir.path())
        .run()
        .unwrap();
    assert!(output.success() && output.text().contains("1 passed"), "{}\n{}", output.text(), output.stderr_tail(20));
    assert_eq!(pid(dir.path(), "told"), "INT\n");
    assert_gone(dir.path(), "late");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn interrupted_inside() {
    use git_prfix::process::{interrupted, watch_interrupts};
    let Some(dir) = git_prfix::env::Env::from_process().path(ALONE) else {
        return super::bench::skip("this is run by another test");
    };
    watch_interrupts().unwrap();
    // The grandparent of the script is this process: its supervisor is in between.
    let script = format!(
        "trap 'echo INT > told; exit 0' INT; {DAEMON} kill -INT $(cut -d' ' -f4 /proc/$PPID/stat); \
         while :; do sleep 0.05; done"
    );
    let output = sh(&dir, &script).run().unwrap();
    assert_eq!(output.ended, Ended::Interrupted);
    assert!(interrupted());
    assert_gone(&dir, "late");
    assert_eq!(Run::new("sleep").arg("600").run().unwrap().ended, Ended::Interrupted, "nothing starts afterwards");
    assert_eq!(Run::new("true").through_interrupts().run().unwrap().ended, Ended::Exited(0), "but for cleaning up");
}

#[test]
fn what_was_started_dies_with_a_killed_program() {
    let dir = tempfile::tempdir().unwrap();
    let output = Run::new(std::env::current_exe().unwrap())
        .args(["--exact", "agent::processes::killed_inside", "--ignored"])
        .env(ALONE, dir.path())
        // Left to itself, so that this run's own supervisor ends nothing.
        .leave_helpers()
        .run()
        .unwrap();
    assert_eq!(output.ended, Ended::Signaled(9));
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while alive(&pid(dir.path(), "late")) || alive(&pid(dir.path(), "self")) {
        assert!(std::time::Instant::now() < deadline, "still running");
        std::thread::yield_now();
    }
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn killed_inside() {
    let Some(dir) = git_prfix::env::Env::from_process().path(ALONE) else {
        return super::bench::skip("this is run by another test");
    };
    let script = format!("{DAEMON} echo $$ > self; kill -9 $(cut -d' ' -f4 /proc/$PPID/stat); exec sleep 600");
    let output = sh(&dir, &script).run().unwrap();
    unreachable!("this process was killed: {output:?}");
}
