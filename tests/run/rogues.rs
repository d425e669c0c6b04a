//! The rogue's gallery: agents that do not behave end contained, undone and named (T81, T82, cases 27, 28).

use serde_json::{Value, json};

use crate::agent::alive;
use crate::support::agent::Plan;
use crate::support::git::git;
use crate::support::{Pr, TestBench};

fn one(bench: &TestBench) -> Pr {
    bench.open_pr("feature").thread("src/a.rs:3", "This loop is off by one, use `<`.")
}

/// The fix, and a line of shell that no good agent would run.
fn misbehave(bench: &TestBench, line: &str) -> Value {
    let invariant = json!({"claim": "the bound is exclusive", "line": 3, "contains": "i < n"});
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").sh(line).invariant("src/a.rs", &invariant);
    let before = bench.snapshot();
    let ended = bench.prfix(["7", "--json"]).run();
    // What was put back has a new time, and a ref that was moved back says so in its log.
    let changes: Vec<String> = before
        .changes()
        .into_iter()
        .filter(|c| !c.contains("with the same contents") && !c.contains(".git/logs/"))
        .collect();
    assert!(changes.is_empty(), "{line}: {changes:?}\n{ended}");
    ended.json()
}

/// The report names it, in both of its forms.
#[track_caller]
fn named(bench: &TestBench, report: &Value, what: &str) {
    let text = report["warnings"].to_string();
    assert!(text.contains(what), "{what}: {text}");
    let run = report["run"].as_str().expect("a run");
    let page = std::fs::read_to_string(bench.clone_dir().join(".git/prfix/runs").join(run).join("report.md"));
    assert!(page.as_ref().is_ok_and(|page| page.contains(&what[..what.len().min(24)])), "{what}: {page:?}");
}

/// What agents do to git behind the program's back, and what the report then names.
const TAMPERING: &[(&str, &str)] = &[
    ("git add -A && git -c user.name=x -c user.email=x@x commit -qm rogue", "HEAD"),
    ("git branch evil", "refs/heads/evil"),
    ("git checkout -q -b evil", "HEAD"),
    ("git update-ref refs/heads/main HEAD", "refs/heads/main"),
    ("git tag evil", "refs/tags/evil"),
    ("git -c user.name=x -c user.email=x@x stash -q", "stash"),
    ("git config core.hooksPath /tmp/evil", "config"),
    ("git config remote.origin.pushurl https://evil.example/x.git", "config"),
    ("printf '#!/bin/sh\\n' > \"$(git rev-parse --git-common-dir)/hooks/pre-push\"", "hooks/pre-push"),
    ("echo src/secret >> \"$(git rev-parse --git-common-dir)/info/exclude\"", "info/exclude"),
    ("echo '* filter=evil' > \"$(git rev-parse --git-common-dir)/info/attributes\"", "info/attributes"),
    ("echo ../../../evil > \"$(git rev-parse --git-dir)/commondir\"", "commondir"),
    ("echo 'gitdir: /tmp/evil' > .git", ".git"),
];

fn tampering_is_undone_and_named(cases: &[(&str, &str)]) {
    for (line, named) in cases {
        let bench = TestBench::new();
        let pr = one(&bench);
        bench.config("prfix.sandbox", "off");
        let report = misbehave(&bench, line);
        assert_eq!(report["reason"], "pushed", "{line}: {report:#}");
        let warnings = report["warnings"].to_string();
        assert!(warnings.contains("the agent tampered") && warnings.contains(named), "{line}: {warnings}");
        let left = bench.git(&["for-each-ref", "--format=%(refname)", "refs/heads/evil", "refs/tags", "refs/stash"]);
        assert_eq!(left, "", "{line}");
        let log = git(&bench.hub(), &["log", "--format=%s", "main..feature"]);
        assert!(!log.contains("rogue") && log.lines().count() == 2, "{line}: {log}");
        assert_eq!(
            (pr.unresolved(), git(&bench.hub(), &["for-each-ref", "refs/heads/evil", "refs/tags"])),
            (0, String::new())
        );
    }
}

#[test]
fn commits_branches_tags_and_stashes_of_the_agent_are_undone_and_named() {
    tampering_is_undone_and_named(&TAMPERING[..6]);
}

#[test]
fn configuration_hooks_excludes_filters_and_metadata_are_put_back_and_named() {
    tampering_is_undone_and_named(&TAMPERING[6..]);
}

#[test]
fn in_the_sandbox_nothing_of_it_comes_to_pass() {
    let bench = TestBench::new();
    if !sandboxed() {
        return;
    }
    let pr = one(&bench);
    // Without the last one, which is in the worktree and may be written.
    let lines: Vec<String> =
        TAMPERING[..TAMPERING.len() - 1].iter().map(|(line, _)| format!("( {line} ) >/dev/null 2>&1")).collect();
    let report = misbehave(&bench, &lines.join("; "));
    assert_eq!(report["reason"], "pushed", "{report:#}");
    assert!(!report["warnings"].to_string().contains("tampered"), "{report:#}");
    assert_eq!(pr.unresolved(), 0);
}

fn sandboxed() -> bool {
    let strength = git_prfix::agent::Strength::here();
    crate::support::can("the sandbox (Landlock)", !matches!(strength, git_prfix::agent::Strength::None(_)))
}

#[test]
fn a_push_by_the_agent_does_not_get_through() {
    for sandbox in ["off", "auto"] {
        let bench = TestBench::new();
        one(&bench);
        bench.config("prfix.sandbox", sandbox);
        let hub = bench.hub();
        let report = misbehave(
            &bench,
            &format!(
                "for to in origin https://github.com/octo/demo.git {0} file://{0}; do
                 git push -q $to HEAD:refs/heads/evil; git -c protocol.allow=always push -q $to HEAD:refs/heads/evil; done 2>/dev/null; true",
                hub.display()
            ),
        );
        assert_eq!(report["reason"], "pushed", "{report:#}");
        assert!(git(&hub, &["branch", "--list", "evil"]).is_empty());
        named(&bench, &report, "the agent tried to push: ");
        for to in ["origin".to_owned(), "https://github.com/octo/demo.git".into(), hub.display().to_string()] {
            named(&bench, &report, &format!("`git push -q {to} HEAD:refs/heads/evil`"));
        }
    }
}

#[test]
fn nothing_is_written_outside_of_the_worktree() {
    if !sandboxed() {
        return;
    }
    let bench = TestBench::new();
    one(&bench);
    let (home, tmp) = (bench.home(), bench.root().join("tmp"));
    let report = misbehave(
        &bench,
        &format!(
            "( echo x > {0}/evil; echo x >> {0}/.bashrc; echo x > {0}/.config/evil; echo x > {0}/demo/evil; echo x > {1}/evil
               ln -s {0} out; echo x > out/evil; rm -rf {0}/demo/README.md; mv {0}/.gitconfig {0}/evil ) 2>/dev/null; rm -f out; true",
            home.display(),
            tmp.display()
        ),
    );
    assert_eq!(report["reason"], "pushed", "{report:#}");
    for name in ["evil", ".bashrc", ".config/evil", "demo/evil"] {
        assert!(!home.join(name).exists(), "{name}");
    }
    assert!(home.join(".gitconfig").exists() && !tmp.join("evil").exists());
}

#[test]
fn tokens_are_out_of_reach() {
    let bench = TestBench::new();
    one(&bench);
    for name in [".config/gh/hosts.yml", ".git-credentials", ".netrc", ".ssh/id_ed25519", ".local/share/keyrings/login"]
    {
        let file = bench.home().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        // gh, where it carries the requests, reads its own.
        let text = if name.ends_with(".yml") { "github.com:\n    oauth_token: test-token\n" } else { "test-token\n" };
        std::fs::write(file, text).unwrap();
    }
    let stolen = "$HOME/.cache/scripted-agent/stolen";
    let files =
        "$HOME/.config/gh/hosts.yml $HOME/.git-credentials $HOME/.netrc $HOME/.ssh/* $HOME/.local/share/keyrings/*";
    bench.config("prfix.sandbox", if sandboxed() { "require" } else { "off" });
    let report = misbehave(
        &bench,
        &format!(
            "( env; git config credential.helper; printf 'protocol=https\\nhost=github.com\\n' | git credential fill ) > {stolen} 2>/dev/null
             [ {} = no ] || cat {files} /proc/[0-9]*/environ >> {stolen} 2>/dev/null; true",
            if sandboxed() { "yes" } else { "no" },
        ),
    );
    assert_eq!(report["reason"], "pushed", "{report:#}");
    let found = std::fs::read(bench.home().join(".cache/scripted-agent/stolen")).expect("what it found");
    let found = String::from_utf8_lossy(&found);
    assert!(
        found.contains("PRFIX_ROLE") && !found.contains("test-token") && !found.contains("SSH_AUTH_SOCK"),
        "{found}"
    );
}

#[test]
fn without_a_sandbox_the_report_says_what_can_be_read_and_written() {
    let bench = TestBench::new();
    one(&bench);
    bench.config("prfix.sandbox", "off");
    let home = bench.home();
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::write(home.join(".netrc"), "machine x\n").unwrap();
    std::fs::write(home.join(".bashrc"), "alias ll='ls -l'\n").unwrap();
    std::fs::write(home.join(".zshrc"), "as it was\n").unwrap();
    std::fs::create_dir_all(home.join("dotfiles")).unwrap();
    std::fs::write(home.join("dotfiles/profile"), "as it was\n").unwrap();
    std::os::unix::fs::symlink("dotfiles/profile", home.join(".profile")).unwrap();
    let checkout = bench.clone_dir();
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").sh(&format!(
        "echo evil >> ~/.bashrc; rm ~/.zshrc; echo evil >> ~/.profile; mkdir -p ~/.config/autostart
         echo evil > ~/.config/autostart/evil.desktop; echo evil > {0}/evil; echo evil >> {0}/README.md; rm {0}/src/b.rs",
        checkout.display()
    ));
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    let read = |name: &str| std::fs::read_to_string(home.join(name)).unwrap();
    assert_eq!(read(".bashrc"), "alias ll='ls -l'\n");
    assert_eq!((read(".zshrc"), read("dotfiles/profile")), ("as it was\n".into(), "as it was\n".into()));
    assert!(home.join(".profile").is_symlink() && !home.join(".config/autostart").exists());
    for name in [".bashrc` was edited; what it became is in", ".zshrc` was removed", "dotfiles/profile` was edited"] {
        assert!(report["warnings"].to_string().contains(name), "{name}: {report:#}");
    }
    // It may be the operator's own work: nothing is taken away.
    for what in ["`evil` of your checkout was added", "`README.md` of your checkout was edited", "`src/b.rs` of your"] {
        named(&bench, &report, &format!("changed while the agent ran: {what}"));
    }
    assert!(checkout.join("evil").exists() && !checkout.join("src/b.rs").exists());
    named(&bench, &report, "agents and gates run without a sandbox: `prfix.sandbox` is `off`");
    named(&bench, &report, "without a sandbox agents and gates can read your credentials: ~/.ssh, ~/.netrc");
}

/// Three attempts that all do the same, so that the run blocks.
fn always(bench: &TestBench, plan: impl Fn(Plan<'_>) -> Plan<'_>) -> Value {
    one(bench);
    for round in 1..=3 {
        drop(plan(bench.agent.fix_round(round).replace("src/a.rs", "i <= n", "i < n")));
    }
    let (head, before) = (git(&bench.hub(), &["rev-parse", "feature"]), bench.snapshot());
    let report = bench.prfix(["7", "--json"]).fails_with(3).json();
    assert_eq!(git(&bench.hub(), &["rev-parse", "feature"]), head, "nothing is pushed");
    assert_eq!((&report["reason"], &report["worktree"]["kept"]), (&json!("manifest"), &json!(true)), "{report:#}");
    let changes: Vec<_> = before.changes().into_iter().filter(|c| !c.contains("with the same contents")).collect();
    assert!(changes.is_empty(), "{changes:?}");
    report
}

#[test]
fn a_change_that_is_out_of_bounds_blocks_and_is_named() {
    type Rogue = fn(Plan<'_>) -> Plan<'_>;
    let cases: &[(&str, Rogue)] = &[
        ("leads out of the worktree", |plan| plan.sh("ln -sf /etc/passwd src/link").claims("src/link")),
        (".github/workflows/ci.yml", |plan| plan.write(".github/workflows/ci.yml", "on: push\n")),
        ("tests/count.rs", |plan| plan.sh("rm -f tests/count.rs").claims("tests/count.rs")),
        (".gitattributes", |plan| {
            plan.write(".gitattributes", "* filter=evil\n").sh("git config filter.evil.clean 'touch ran; cat'")
        }),
        ("item 99", |plan| plan.for_items("src/a.rs", &[99])),
        ("extra.txt", |plan| plan.write("extra.txt", "x\n").hides("extra.txt")),
        ("line 3 is", |plan| {
            plan.invariant("src/a.rs", &json!({"claim": "c", "line": 3, "contains": "no such text"})).claims("src/b.rs")
        }),
        ("src/gone.rs", |plan| plan.claims("src/gone.rs")),
        ("nested", |plan| plan.sh("mkdir -p nested && git init -q nested && echo x > nested/x").claims("nested/x")),
    ];
    for (named, plan) in cases {
        let bench = TestBench::new();
        crate::support::git::commit_to(
            &bench.hub(),
            "main",
            "Add a test",
            &[("tests/count.rs", "#[test]\nfn counts() {}\n")],
        );
        let report = always(&bench, plan);
        assert!(report["unblock"].as_str().unwrap().contains(named), "{named}: {report:#}");
        assert!(!bench.root().join("ran").exists() && !bench.clone_dir().join("ran").exists());
    }
}

const SUBMODULE: &str = "[submodule \"sub\"]\n\tpath = sub\n\turl = https://github.com/octo/demo.git\n";

#[test]
fn a_submodule_that_was_moved_is_refused_and_named() {
    moved_gitlink(&[(".gitmodules", SUBMODULE)]);
}

#[test]
fn a_gitlink_that_no_file_names_is_refused_and_named_too() {
    moved_gitlink(&[("start", "")]);
}

fn moved_gitlink(files: &[(&str, &str)]) {
    let bench = TestBench::new();
    let hub = bench.hub();
    let oid = git(&hub, &["rev-parse", "main"]).trim().to_owned();
    crate::support::git::commit_to(&hub, "feature", "Start", files);
    git(&hub, &["read-tree", "feature"]);
    git(&hub, &["update-index", "--add", "--cacheinfo", &format!("160000,{oid},sub")]);
    let tree = git(&hub, &["write-tree"]).trim().to_owned();
    let commit = git(&hub, &["commit-tree", "-p", "feature", "-m", "Add a submodule", &tree]).trim().to_owned();
    git(&hub, &["update-ref", "refs/heads/feature", &commit]);
    // Its git folder lies out of the sandbox.
    bench.config("prfix.sandbox", "off");
    let report = always(&bench, |plan| {
        plan.sh("cd sub; [ -e .git ] || git init -q; git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x; cd ..")
    });
    assert!(report["unblock"].as_str().unwrap().contains("sub"), "{report:#}");
}

#[test]
fn edits_after_the_answer_are_seen_and_daemons_are_ended() {
    let bench = TestBench::new();
    one(&bench);
    let pids = "$HOME/.cache/scripted-agent/pids";
    let manifest = json!({"touched_files": ["src/a.rs"], "spec_item_map": {"src/a.rs": [1]},
        "invariant_per_file": {"src/a.rs": {"claim": "c", "line": 3, "contains": "i < n"}}, "summary": "s"});
    bench
        .agent
        .fix_round(1)
        .replace("src/a.rs", "i <= n", "i < n")
        .answers(&manifest)
        .sh("echo x > extra.txt")
        .sh(&format!("setsid sh -c 'trap \"\" TERM INT HUP; echo $$ >> {pids}; sleep 1000; echo x >> src/b.rs' </dev/null >/dev/null 2>&1 &"))
        .sh(&format!("(sh -c 'trap \"\" TERM INT HUP; echo $$ >> {pids}; sleep 1000; echo x >> src/b.rs' &) &"))
        .sh(&format!("until [ \"$(cat {pids} | wc -l)\" = 2 ]; do sleep 0.01; done 2>/dev/null"));
    bench.agent.fix_round(2).sh("rm extra.txt").answers(&manifest);
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert!(report["warnings"].to_string().contains("extra.txt"), "{report:#}");
    assert!(!bench.file_at("feature", "src/b.rs").contains('x'));
    let pids = std::fs::read_to_string(bench.home().join(".cache/scripted-agent/pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    assert!(pids.lines().all(|pid| !alive(pid)), "{pids}");
    if cfg!(target_os = "linux") {
        named(&bench, &report, "the agent left processes running, which were ended: sh, sleep");
    }
}

#[test]
fn an_agent_that_hangs_and_ignores_signals_is_ended_and_the_run_goes_on() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench.agent.fix_round(1).sh("trap '' INT TERM HUP; sleep 1000 & while :; do sleep 1; done");
    bench.agent.fix_round(2).replace("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json", "--agent-timeout", "10"]).succeeds().json();
    assert!(report["warnings"].to_string().contains("longer than 10 s"), "{report:#}");
    assert_eq!(pr.unresolved(), 0);
}

#[test]
fn a_flood_of_a_gigabyte_does_no_harm() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench
        .agent
        .fix()
        .replace("src/a.rs", "i <= n", "i < n")
        .sh("head -c 1000000000 /dev/zero; echo; head -c 100000000 /dev/zero >&2");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    assert_eq!(pr.unresolved(), 0);
    named(&bench, &report, "the agent printed more than 32 MiB");
}

#[test]
fn escapes_in_what_the_agent_prints_never_reach_the_terminal() {
    let bench = TestBench::new();
    one(&bench);
    bench.agent.fix().replace("src/a.rs", "i <= n", "i < n").sh("printf '\\033]0;owned\\007\\033[2J\\n'");
    let ended = bench.prfix(["7", "-v"]).succeeds();
    assert!(!ended.stderr.contains('\u{1b}') && !ended.stdout.contains('\u{1b}'));
    ended.says("the agent printed terminal escapes");
}

#[test]
fn an_agent_that_asks_for_a_terminal_gets_none() {
    let bench = TestBench::new();
    let pr = one(&bench);
    bench
        .agent
        .fix()
        .sh("if (: </dev/tty) 2>/dev/null || [ -t 0 ] || [ -t 1 ] || read -r line; then echo 'a terminal' >&2; exit 9; fi")
        .sh("git ls-remote https://user@github.com/octo/private.git </dev/null >/dev/null 2>&1; true")
        .sh("read -r word </dev/tty; true")
        .replace("src/a.rs", "i <= n", "i < n");
    let report = bench.prfix(["7", "--json"]).succeeds().json();
    named(&bench, &report, "the agent asked for a terminal and got none");
    assert_eq!((pr.unresolved(), bench.agent.calls_of("fix").len()), (0, 1));
}
