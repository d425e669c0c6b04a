//! SIGINT, SIGTERM, SIGHUP and a terminal that is closed: the run ends in order, says that it can be gone on with, and is.

use rustix::process::Signal;

use super::crash::{UNDISTURBED, ended_like_the_undisturbed_run};
use super::ending::{Ending, leftovers};
use super::invariants;
use super::scene::Scene;
use crate::support::{Fault, has_script};

const SIGNALS: [(Signal, &str); 3] = [(Signal::INT, "INT"), (Signal::TERM, "TERM"), (Signal::HUP, "HUP")];

#[test]
fn a_signal_at_any_request_ends_the_run_in_order_and_it_goes_on() {
    for (at, (name, nth)) in UNDISTURBED.requests.iter().enumerate() {
        let (signal, called) = SIGNALS[at % SIGNALS.len()];
        let what = format!("{called} at {name} {nth}");
        let scene = Scene::new();
        scene.bench.github.on(name).nth(*nth).fail(Fault::Signal(signal));
        let first = scene.run().run();
        invariants::hold(&scene, &first, &what);
        // What comes after the last thread is so short that it is brought to its end.
        let over = at + 6 >= UNDISTURBED.requests.len() && first.status.code() == Some(0);
        if !over {
            assert_eq!(first.status.code(), Some(130), "{what}: {first}");
            scene.run().succeeds();
        }
        ended_like_the_undisturbed_run(&scene, &what);
    }
}

/// A line of shell for an agent or a gate: signals the program, which is the parent of its supervisor, once, and works
/// on until it is ended.
fn hit(scene: &Scene, signal: &str) -> String {
    let once = scene.bench.home().join(".cache/scripted-agent/hit");
    let program = "$(cut -d' ' -f4 /proc/$PPID/stat)";
    format!("if mkdir {} 2>/dev/null; then kill -{signal} {program}; while :; do sleep 1; done; fi", once.display())
}

fn the_same_after(scene: &Scene, what: &str) {
    let first = scene.run().fails_with(130);
    invariants::hold(scene, &first, what);
    scene.run().succeeds();
    let ending = Ending::of(scene);
    assert!(ending == UNDISTURBED.ending, "{what}: {}", ending.differs_from(&UNDISTURBED.ending));
}

#[test]
fn a_signal_while_an_agent_works_ends_the_agent_and_the_run_goes_on() {
    for (_, signal) in SIGNALS {
        for role in ["probe", "fix", "verify"] {
            let scene = Scene::new();
            scene.bench.config("prfix.sandbox", "off");
            let line = hit(&scene, signal);
            let agent = &scene.bench.agent;
            match role {
                "probe" => drop(agent.probe(1).sh(&line).verdict("valid", "read the code at the line")),
                "fix" => drop(Scene::scripted(agent.fix_round(1).sh(&line))),
                _ => drop(agent.verify().sh(&line).holds(true, "read the file")),
            }
            the_same_after(&scene, &format!("{signal} during {role}"));
        }
    }
}

#[test]
fn a_signal_while_a_gate_runs_ends_the_gate_and_the_run_goes_on() {
    for (_, signal) in SIGNALS {
        let scene = Scene::new();
        scene.bench.config("prfix.sandbox", "off");
        // A shell between the gate's command and this line is one more parent.
        let gate = hit(&scene, signal).replace('$', "\\$").replace('"', "\\\"");
        scene.bench.config("prfix.testCommand", &format!("sh -c \"{gate}; sh check.sh\""));
        let first = scene.run().fails_with(130);
        invariants::hold(&scene, &first, signal);
        let second = scene.run().succeeds();
        invariants::hold(&scene, &second, signal);
        assert_eq!((scene.pr.replies(), scene.pr.unresolved(), leftovers(&scene.bench)), (2, 0, vec![]), "{second}");
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_run_in_order_and_it_goes_on() {
    if !has_script() {
        return;
    }
    let scene = Scene::new();
    scene.bench.config("prfix.sandbox", "off");
    // script(1) is above the program, with or without a shell in between; with it, the terminal goes.
    let close = "pid=$PPID; until [ \"$(cat /proc/$pid/comm)\" = script ]; do pid=$(cut -d' ' -f4 /proc/$pid/stat); done; kill -9 $pid; while :; do sleep 1; done";
    drop(Scene::scripted(scene.bench.agent.fix_round(1).sh(close)));
    scene.bench.prfix(["7"]).on_terminal("").run();
    let ended = std::time::Instant::now();
    let second = loop {
        let second = scene.run().run();
        // The first one is on its way out.
        if second.status.code() != Some(3) || ended.elapsed().as_secs() > 60 {
            break second;
        }
    };
    assert_eq!(second.status.code(), Some(0), "{second}");
    let ending = Ending::of(&scene);
    assert!(ending == UNDISTURBED.ending, "{}", ending.differs_from(&UNDISTURBED.ending));
}
