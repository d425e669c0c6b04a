//! What a confined agent can't do, tried by scripted agents that do their worst.

use std::fs;
use std::os::unix::fs::symlink;

use git_prfix::agent::{Confinement, SandboxMode, Site, Strength};
use git_prfix::env::Env;
use git_prfix::model::agent::Role;

use super::bench::{ANSWER, Bench, skip};

/// A bench with secrets in HOME and an agent of this role, or nothing where the kernel can't confine.
fn confined(role: Role) -> Option<Bench> {
    if let Strength::None(why) = Strength::here() {
        skip(&format!("no sandbox here: {why}"));
        return None;
    }
    let mut bench = Bench::new();
    let home = bench.path("home");
    for (name, text) in [
        (".ssh/id_ed25519", "s3cret key"),
        (".config/gh/hosts.yml", "s3cret token"),
        (".config/plain/settings", "plain words"),
        (".git-credentials", "s3cret password"),
        (".netrc", "s3cret netrc"),
        (".profile", "plain words"),
    ] {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), text).unwrap();
    }
    symlink(home.join(".ssh"), home.join("innocent")).unwrap();
    fs::write(bench.worktree().join("file"), "content").unwrap();
    let env = Env::from_pairs(bench.env.clone());
    let worktree = bench.worktree();
    let site = Site { mode: SandboxMode::Require, env: &env, worktree: &worktree, hidden: &[] };
    bench.confinement = Confinement::for_agent(role, &[".agent".to_owned()], site);
    bench.role = role;
    Some(bench)
}

/// Runs each line on its own and returns those that succeeded.
fn succeeded(bench: &Bench, attempts: &[&str]) -> Vec<String> {
    let tried = attempts.iter().filter(|attempt| {
        let called = bench.agent(&format!("({attempt}) >&2 && echo worked; echo '{ANSWER}'"));
        assert!(called.result.is_ok(), "{attempt}: {}", called.stderr);
        called.stdout.contains("worked")
    });
    tried.map(|attempt| (*attempt).to_owned()).collect()
}

const NONE: [String; 0] = [];

#[test]
fn a_probe_can_not_write_the_worktree() {
    let Some(bench) = confined(Role::Probe) else { return };
    let attempts = [
        "echo x > new",
        "echo x >> file",
        "echo x > file",
        "rm file",
        "mv file other",
        "mkdir dir",
        "ln -s file link",
        "ln file hard",
        "mkfifo pipe",
        "truncate -s 0 file",
        "cp /bin/true \"$TMPDIR/t\" && mv \"$TMPDIR/t\" ./t",
    ];
    assert_eq!(succeeded(&bench, &attempts), NONE);
    assert_eq!(fs::read_to_string(bench.worktree().join("file")).unwrap(), "content");
    assert_eq!(fs::read_dir(bench.worktree()).unwrap().count(), 1);
    let allowed = ["cat file", "ls", "echo x > \"$TMPDIR/x\"", "echo x > ~/.agent/state", "echo x > /dev/null"];
    assert_eq!(succeeded(&bench, &allowed), allowed);
}

#[test]
fn a_fix_agent_writes_its_worktree_and_nothing_outside() {
    let Some(bench) = confined(Role::Fix) else { return };
    let outside = bench.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("victim"), "content").unwrap();
    symlink(&outside, bench.worktree().join("way-out")).unwrap();
    let attempts = [
        "echo x > ../outside/new",
        "echo x > ../outside/victim",
        "echo x > way-out/new",
        "rm ../outside/victim",
        "mv file ../outside/",
        "mv ../outside/victim .",
        "ln ../outside/victim hard && echo x > hard",
        "echo x > ~/.bashrc",
        "echo x >> ~/.profile",
        "mkdir ~/.config/autostart",
        "echo x > /tmp/prfix-test-rogue",
        "echo x > ~/.cargo/bin/cargo",
    ];
    assert_eq!(succeeded(&bench, &attempts), NONE);
    assert_eq!(fs::read_to_string(outside.join("victim")).unwrap(), "content");
    let allowed = [
        "echo x > new && mkdir -p a/b && mv new a/b/ && ln -s a link && rm -r a",
        "echo x > \"$TMPDIR/x\" && mv \"$TMPDIR/x\" moved",
        "echo x > ~/.cache/tool",
        "sh -c 'exec 3<> /dev/null'",
    ];
    assert_eq!(succeeded(&bench, &allowed), allowed);
}

#[test]
fn nobody_reads_the_operators_credentials() {
    let Some(bench) = confined(Role::Fix) else { return };
    let attempts = [
        "cat ~/.ssh/id_ed25519",
        "cat ~/innocent/id_ed25519",
        "cat ~/.config/gh/hosts.yml",
        "cat ~/.git-credentials",
        "cat ~/.netrc",
        "cd ~/.ssh && cat id_ed25519",
        "cat /proc/self/root$HOME/.ssh/id_ed25519",
        "cp ~/.netrc \"$TMPDIR/n\" && cat \"$TMPDIR/n\"",
        "ln ~/.netrc ./n && cat ./n",
        "mv ~/.netrc ./n && cat ./n",
        "tar cf - -C ~ .ssh | tar xf - && cat .ssh/id_ed25519",
    ];
    let called = bench.agent(&format!("for i in 1; do {}; done >&2; echo '{ANSWER}'", attempts.join("; ")));
    assert!(called.result.is_ok());
    assert!(!called.stderr.contains("s3cret"), "{}", called.stderr);
    assert_eq!(succeeded(&bench, &attempts), NONE);
    let allowed = ["cat ~/.profile", "cat ~/.config/plain/settings", "ls ~ ~/.config", "cat /etc/passwd"];
    assert_eq!(succeeded(&bench, &allowed), allowed);
}

#[test]
fn the_memory_and_environment_of_the_program_are_out_of_reach() {
    let Some(bench) = confined(Role::Fix) else { return };
    let attempts = [
        "cat /proc/$PPID/environ",
        "cat /proc/$(cut -d' ' -f4 /proc/$PPID/stat)/environ",
        "head -c 1 /proc/$PPID/mem",
        "cat /proc/$PPID/fd/*",
    ];
    assert_eq!(succeeded(&bench, &attempts), NONE);
    assert_eq!(succeeded(&bench, &["cat /proc/self/environ"]).len(), 1);
}

#[test]
fn processes_outside_can_not_be_signalled() {
    let Some(bench) = confined(Role::Fix) else { return };
    if Strength::here() != Strength::Full {
        return skip("this kernel can't scope signals");
    }
    let attempts = ["kill -0 $PPID", "kill -9 $PPID", "kill -0 $(cut -d' ' -f4 /proc/$PPID/stat)"];
    assert_eq!(succeeded(&bench, &attempts), NONE);
    assert_eq!(succeeded(&bench, &["sleep 9 & kill $!"]).len(), 1);
}

#[test]
fn git_can_be_read_inside() {
    let Some(bench) = confined(Role::Probe) else { return };
    let setup =
        "cd \"$0\" && git init -q && git add file && git -c user.name=t -c user.email=t@example.com commit -qm one";
    let output = git_prfix::process::Run::new("sh")
        .args(["-c", setup])
        .arg(bench.worktree())
        .env("HOME", bench.path("tmp"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .run()
        .unwrap();
    assert!(output.success(), "{}", output.stderr_tail(5));
    let allowed = ["git status --short", "git log -1 --format=%s | grep one", "git diff HEAD", "git show HEAD:file"];
    assert_eq!(succeeded(&bench, &allowed), allowed);
    let attempts = ["git commit --allow-empty -m x", "git tag t", "git stash", "git config a.b c", "git checkout -b x"];
    assert_eq!(succeeded(&bench, &attempts), NONE);
}

#[test]
fn without_a_sandbox_nothing_is_restricted_and_that_is_asked_for() {
    let mut bench = Bench::new();
    bench.confinement = Confinement { mode: SandboxMode::Off, writable: vec![], hidden: vec![] };
    assert_eq!(succeeded(&bench, &["echo x > new"]), ["echo x > new"]);
}
