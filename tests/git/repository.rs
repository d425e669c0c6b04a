//! Discovery, configuration, remotes, objects and ancestry.

use git_prfix::git::{Ancestry, GitError, Repository};

use super::fixture::{Fixture, git_in};

#[test]
fn a_subfolder_and_a_linked_worktree_lead_to_the_same_common_directory() {
    let f = Fixture::new();
    f.write("deep/er/file", "");
    f.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let main = f.open_at(&f.repo.join("deep/er"));
    let linked = f.open_at(&f.path("side"));
    assert_eq!((main.work_dir(), main.git_dir()), (Some(f.repo.as_path()), f.repo.join(".git").as_path()));
    assert_eq!(linked.common_dir(), main.common_dir());
    assert_eq!(linked.git_dir(), f.repo.join(".git/worktrees/side"));
    assert_eq!(linked.work_dir(), Some(f.path("side").as_path()));
    assert_eq!(linked.current_branch().as_deref(), Some("side"));
}

#[test]
fn a_bare_repository_has_no_work_tree() {
    let f = Fixture::new();
    let bare = f.with_origin();
    let repo = f.open_at(&bare);
    assert_eq!((repo.work_dir(), repo.git_dir()), (None, bare.as_path()));
    assert_eq!(repo.ref_oid("refs/heads/main"), Some(f.head()));
}

#[test]
fn git_dir_and_git_work_tree_win_over_the_folder() {
    let f = Fixture::new();
    let elsewhere = f.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let git_dir = f.repo.join(".git").display().to_string();
    let env = f.env_with(&[("GIT_DIR", &git_dir), ("GIT_WORK_TREE", elsewhere.to_str().unwrap())]);
    let repo = Repository::discover(&elsewhere, &env).unwrap();
    assert_eq!((repo.git_dir(), repo.work_dir()), (f.repo.join(".git").as_path(), Some(elsewhere.as_path())));
}

#[test]
fn no_repository_and_a_foreign_owner_are_told_apart() {
    let f = Fixture::new();
    let ceiling = f.env_with(&[("GIT_CEILING_DIRECTORIES", "/")]);
    let outside = Repository::discover(&f.path("home"), &ceiling).err().unwrap();
    assert!(matches!(outside, GitError::NotARepository { .. }), "{outside}");
    let gone = Repository::discover(&f.path("nowhere/at/all"), &f.env()).err().unwrap();
    assert!(matches!(gone, GitError::NotARepository { .. }), "{gone}");
    let env = f.env_with(&[("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")]);
    let foreign = Repository::discover(&f.repo, &env).err().unwrap();
    assert!(foreign.to_string().contains("dubious ownership"), "{foreign}");
}

#[test]
fn configuration_counts_every_scope_and_our_own_command_line() {
    let f = Fixture::new();
    std::fs::write(f.path("home/.gitconfig"), "[prfix]\n\tagent = global\n\tnoisy\n[prfixer]\n\tx = 1\n").unwrap();
    f.git(&["config", "prfix.agent", "local"]);
    f.git(&["config", "--add", "prfix.testCommand", "a = b"]);
    let env = f.env_with(&[
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "prfix.agent"),
        ("GIT_CONFIG_VALUE_0", "typed\ntwo"),
    ]);
    let repo = Repository::discover(&f.repo, &env).unwrap();
    let pairs = repo.config("prfix").unwrap();
    let pairs: Vec<_> = pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(
        pairs,
        [
            ("prfix.agent", "global"),
            ("prfix.noisy", "true"),
            ("prfix.agent", "local"),
            ("prfix.testcommand", "a = b"),
            ("prfix.agent", "typed\ntwo"),
        ]
    );
}

#[test]
fn remote_urls_are_rewritten_as_git_does() {
    let f = Fixture::new();
    for (key, value) in [
        ("remote.plain.url", "https://github.com/octo/demo.git"),
        ("remote.short.url", "gh:octo/demo"),
        ("remote.pushed.url", "https://github.com/octo/demo"),
        ("remote.pushed.pushurl", "gh:me/demo"),
        ("remote.mirror.url", "https://github.com/octo/demo"),
        ("url.https://github.com/.insteadOf", "gh:"),
        ("url.git@github.com:.pushInsteadOf", "https://github.com/"),
        ("url.ssh://mirror/octo/.insteadOf", "https://github.com/octo/de"),
    ] {
        f.git(&["config", "--add", key, value]);
    }
    f.git(&["config", "--unset-all", "url.ssh://mirror/octo/.insteadOf"]);
    for remote in f.open().remotes().unwrap() {
        assert_eq!(remote.fetch_url, f.git(&["remote", "get-url", &remote.name]), "{}", remote.name);
        assert_eq!(remote.push_url, f.git(&["remote", "get-url", "--push", &remote.name]), "{}", remote.name);
        assert_eq!(remote.repo.unwrap().full_name(), "octo/demo", "{}", remote.name);
    }
    assert_eq!(f.open().remotes().unwrap().len(), 4);
}

#[test]
fn a_local_stand_in_still_names_its_github_repository() {
    let f = Fixture::new();
    let bare = f.with_origin();
    f.git(&["remote", "set-url", "origin", "https://github.com/octo/demo"]);
    f.git(&["config", &format!("url.{}.insteadOf", bare.display()), "https://github.com/octo/demo"]);
    let remote = f.open().remotes().unwrap().remove(0);
    assert_eq!(
        (remote.repo.unwrap().full_name().as_str(), remote.fetch_url),
        ("octo/demo", bare.display().to_string())
    );
}

#[test]
fn upstream_and_detached_head() {
    let f = Fixture::new();
    f.with_origin();
    f.git(&["fetch", "-q", "origin"]);
    f.git(&["checkout", "-q", "-b", "topic/x.y", "--track", "origin/main"]);
    assert_eq!(f.open().upstream("topic/x.y"), Some(("origin".into(), "main".into())));
    assert_eq!(f.open().current_branch().as_deref(), Some("topic/x.y"));
    f.git(&["checkout", "-q", "--detach"]);
    assert_eq!(f.open().current_branch(), None);
}

#[test]
fn files_come_from_the_commit_and_links_are_left_out() {
    let f = Fixture::new();
    f.write(".prfix/rules.lua", "return 1\n");
    f.write(".prfix/lib/x.lua", [0xff, 0x00]);
    std::os::unix::fs::symlink("/etc/passwd", f.repo.join(".prfix/link.lua")).unwrap();
    f.git(&["add", "."]);
    f.git(&["commit", "-q", "-m", "rules"]);
    let head = f.head();
    f.write(".prfix/rules.lua", "changed in the work tree");
    let repo = f.open();
    let files = repo.files_at(&head, ".prfix").unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), [".prfix/lib/x.lua", ".prfix/rules.lua"]);
    assert_eq!(files[".prfix/rules.lua"], b"return 1\n");
    assert_eq!(repo.file_at(&head, ".prfix/lib/x.lua").unwrap().unwrap(), [0xff, 0x00]);
    assert_eq!(repo.file_at(&head, ".prfix/link.lua").unwrap(), None);
    assert_eq!(repo.file_at(&head, "no/such").unwrap(), None);
    assert_eq!(repo.files_at(&head, "a.txt").unwrap().len(), 0);
    assert_eq!(repo.paths_at(&head).unwrap()["a.txt"], f.git(&["rev-parse", "HEAD:a.txt"]));
    assert_eq!(repo.tree_of(&head).unwrap(), f.git(&["rev-parse", "HEAD^{tree}"]));
    assert!(repo.tree_of(&"1".repeat(40)).is_err());
}

#[test]
fn ancestry_agrees_with_git_with_and_without_a_commit_graph() {
    let f = Fixture::new();
    let root = f.head();
    let left = f.commit("l", "1", "left");
    f.git(&["checkout", "-q", "-b", "right", &root]);
    let right = f.commit("r", "1", "right");
    // A clock that went backwards: the child is older than its parent.
    f.write("s", "1");
    f.git(&["add", "s"]);
    f.git(&["-c", "user.name=x", "commit", "-q", "-m", "skew", "--date", "2001-01-01T00:00:00"]);
    f.git(&["merge", "-q", "-m", "both", "main"]);
    let merged = f.head();
    f.git(&["tag", "-a", "-m", "t", "v1", &left]);
    let tag = f.git(&["rev-parse", "v1"]);
    let all = [&root, &left, &right, &merged, &tag];
    for graph in [false, true] {
        if graph {
            f.git(&["commit-graph", "write", "--reachable"]);
        }
        let repo = f.open();
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let git = super::fixture::try_git(&f.repo, &["merge-base", "--is-ancestor", a, b]).status.success();
            let expected = if git { Ancestry::Yes } else { Ancestry::No };
            assert_eq!(repo.ancestry(a, b), expected, "{a} {b} graph={graph}");
        }
    }
}

#[test]
fn clock_skew_fools_no_decision() {
    let f = Fixture::new();
    let old_but_late = {
        f.write("x", "1");
        f.git(&["add", "x"]);
        f.git(&["commit", "-q", "-m", "future"]);
        f.head()
    };
    let date = "2001-01-01T00:00:00 +0000";
    f.write("y", "1");
    f.git(&["add", "y"]);
    let tree = f.git(&["write-tree"]);
    let script = format!("GIT_COMMITTER_DATE='{date}' git commit-tree -p {old_but_late} -m past {tree}");
    let output = std::process::Command::new("sh").args(["-c", &script]).current_dir(&f.repo).output().unwrap();
    let past = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    assert_eq!(f.open().ancestry(&old_but_late, &past), Ancestry::Yes);
}

#[test]
fn shallow_history_and_missing_commits_are_unknown() {
    let f = Fixture::new();
    let root = f.head();
    let second = f.commit("b", "1", "second");
    f.commit("c", "1", "third");
    let url = format!("file://{}", f.repo.display());
    git_in(f.tmp.path(), &["clone", "-q", "--depth=2", &url, f.path("shallow").to_str().unwrap()]);
    let shallow = f.open_at(&f.path("shallow"));
    assert_eq!(shallow.ancestry(&second, &f.head()), Ancestry::Yes);
    assert_eq!(shallow.ancestry(&root, &f.head()), Ancestry::Unknown);
    assert_eq!(shallow.ancestry(&f.head(), &second), Ancestry::Unknown);
    assert_eq!(f.open().ancestry(&"1".repeat(40), &f.head()), Ancestry::Unknown);
}

#[test]
fn a_missing_commit_in_the_middle_is_unknown() {
    let f = Fixture::new();
    let root = f.head();
    let middle = f.commit("b", "1", "second");
    let tip = f.commit("c", "1", "third");
    std::fs::remove_file(f.repo.join(".git/objects").join(&middle[..2]).join(&middle[2..])).unwrap();
    assert_eq!(f.open().ancestry(&root, &tip), Ancestry::Unknown);
}

#[test]
fn only_private_refs_are_deleted() {
    let f = Fixture::new();
    f.git(&["update-ref", "refs/prfix/pr-1/head", "HEAD"]);
    let repo = f.open();
    repo.delete_private_ref("refs/prfix/pr-1/head").unwrap();
    repo.delete_private_ref("refs/prfix/pr-1/head").unwrap();
    assert!(repo.delete_private_ref("refs/heads/main").is_err());
    assert_eq!(f.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

#[test]
fn sha256_and_reftable_repositories_can_be_read() {
    for args in [["--object-format=sha256"], ["--ref-format=reftable"]] {
        let f = Fixture::with_init(&args);
        let root = f.head();
        let tip = f.commit("b", "1", "second");
        let repo = f.open();
        assert_eq!(repo.current_branch().as_deref(), Some("main"), "{args:?}");
        assert_eq!(repo.ref_oid("refs/heads/main").as_deref(), Some(tip.as_str()), "{args:?}");
        assert_eq!(repo.ref_oid("refs/heads/none"), None, "{args:?}");
        assert_eq!(repo.ancestry(&root, &tip), Ancestry::Yes, "{args:?}");
        assert_eq!(repo.paths_at(&tip).unwrap().len(), 2, "{args:?}");
    }
}

#[test]
fn a_resumed_run_finds_its_own_commit_by_tree_and_parent() {
    let f = Fixture::new();
    let root = f.head();
    let ours = f.commit("b", "1", "ours");
    let tip = f.commit("c", "1", "later");
    let repo = f.open();
    let tree = repo.tree_of(&ours).unwrap();
    assert_eq!(repo.find_commit(&tip, &tree, &root), Some(ours.clone()));
    assert_eq!(repo.find_commit(&tip, &tree, &tip), None);
    assert_eq!(repo.commit_parents(&ours).unwrap(), [root]);
}
