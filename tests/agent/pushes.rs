//! An agent that pushes: by remote, by URL, by path, with a push URL of its own.

use std::path::Path;

use git_prfix::process::Run;

use super::bench::{ANSWER, Bench};

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Run::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"])
        .args(args)
        .cwd(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .run()
        .unwrap();
    assert!(output.success(), "git {args:?}: {}", output.stderr_tail(5));
    output.text()
}

#[test]
fn no_push_leaves_the_worktree_by_any_name() {
    let bench = Bench::new();
    let origin = bench.path("origin.git");
    git(&bench.path("home"), &["init", "-q", "--bare", origin.to_str().unwrap()]);
    let worktree = bench.worktree();
    git(&worktree, &["init", "-q"]);
    git(&worktree, &["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&worktree, &["remote", "add", "origin", origin.to_str().unwrap()]);
    git(&worktree, &["remote", "add", "explicit", "https://127.0.0.1:9/x.git"]);
    git(&worktree, &["config", "remote.explicit.pushurl", origin.to_str().unwrap()]);
    // The operator's own rewriting must not open a way either.
    let config = format!("[url \"{}\"]\n\tpushInsteadOf = https://example.invalid/\n", origin.display());
    std::fs::write(bench.path("home/.gitconfig"), config).unwrap();

    let attempts = [
        "git push origin HEAD:refs/heads/a".to_owned(),
        "git push explicit HEAD:refs/heads/b".to_owned(),
        format!("git push {} HEAD:refs/heads/c", origin.display()),
        format!("git push file://{} HEAD:refs/heads/d", origin.display()),
        "git push ../origin.git HEAD:refs/heads/e".to_owned(),
        "git push https://example.invalid/ HEAD:refs/heads/f".to_owned(),
        "git push . HEAD:refs/heads/g".to_owned(),
        "git -C . -c url.x.insteadOf=y push origin HEAD:refs/heads/h".to_owned(),
        "git -c protocol.allow=always push origin HEAD:refs/heads/i".to_owned(),
        format!("git push 'ext::git-receive-pack {}' HEAD:refs/heads/j", origin.display()),
        "git push git@127.0.0.1:x/y HEAD:refs/heads/k".to_owned(),
    ];
    for attempt in attempts {
        let called = bench.agent(&format!("{attempt} 2>&1 && echo pushed; echo '{ANSWER}'"));
        assert!(called.result.is_ok(), "{attempt}");
        assert!(!called.stdout.contains("pushed"), "{attempt}: {}", called.stdout);
        assert!(called.stdout.contains("not allowed"), "{attempt}: {}", called.stdout);
    }
    assert_eq!(git(&origin, &["for-each-ref"]), "");
    assert_eq!(git(&worktree, &["for-each-ref", "--format=%(refname)"]).lines().count(), 1);
    assert!(bench.agent("git status >&2 && git log -1 >&2").stderr.contains("one"), "reading git still works");
}
