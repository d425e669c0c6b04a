//! What an agent did behind the program's back is named and undone; what the operator did is theirs.

use git_prfix::git::{Fingerprint, Manager, Repository, Tampering, Worktree, changed_paths};

use super::fixture::{Fixture, git_in, hook, write};
use super::worktree::{acquire, commit_in, manager};

struct Scene {
    f: Fixture,
    repo: Repository,
    worktree: Worktree,
    print: Fingerprint,
}

impl Scene {
    fn new() -> Self {
        Self::of(Fixture::new())
    }

    fn of(f: Fixture) -> Self {
        let repo = f.open();
        let worktree = acquire(&manager(&f, &repo), &f, "pr7-fix");
        let print = Fingerprint::take(&repo, &worktree).unwrap();
        Self { f, repo, worktree, print }
    }

    /// In the worktree, as an agent would.
    fn agent(&self, args: &[&str]) -> String {
        git_in(&self.worktree.path, args)
    }

    fn restore(&self) -> Vec<Tampering> {
        self.print.restore(&self.repo, &self.worktree).unwrap()
    }

    /// Everything was undone and a second look finds nothing; returns what was named.
    fn undone(&self) -> Vec<String> {
        let found = self.restore();
        assert!(!found.is_empty() && found.iter().all(|one| one.undone), "{found:?}");
        assert_eq!(self.restore(), []);
        assert_eq!(self.agent(&["symbolic-ref", "HEAD"]), "refs/heads/pr7-fix");
        assert_eq!(self.agent(&["rev-parse", "HEAD"]), self.worktree.base);
        found.into_iter().map(|one| one.what).collect()
    }

    fn changed(&self) -> Vec<String> {
        changed_paths(&self.worktree.path).unwrap().into_iter().map(|change| change.path.to_string()).collect()
    }
}

#[test]
fn honest_work_is_no_tampering() {
    let s = Scene::new();
    write(&s.worktree.path, "a.txt", "fixed\n");
    write(&s.worktree.path, "new", "x");
    s.agent(&["add", "new"]);
    s.agent(&["status"]);
    s.f.git(&["status"]);
    assert_eq!(s.restore(), []);
    assert_eq!(s.changed(), ["a.txt", "new"]);
}

#[test]
fn a_commit_is_taken_back_to_its_changes() {
    let s = Scene::new();
    commit_in(&s.worktree.path, "fix");
    let tip = commit_in(&s.worktree.path, "more");
    let named = s.undone();
    assert_eq!(named, [format!("HEAD moved from {} to {}", &s.worktree.base[..7], &tip[..7])]);
    assert_eq!(s.changed(), ["fix", "more"]);
}

#[test]
fn a_switch_of_branch_is_undone_and_keeps_the_files() {
    let s = Scene::new();
    s.agent(&["checkout", "-q", "-b", "my-fix"]);
    commit_in(&s.worktree.path, "fix");
    let named = s.undone();
    assert!(named.iter().any(|what| what == "HEAD was switched to `refs/heads/my-fix`"), "{named:?}");
    assert!(named.iter().any(|what| what.starts_with("`refs/heads/my-fix` was created at ")), "{named:?}");
    assert_eq!(s.changed(), ["fix"]);
    assert_eq!(s.f.git(&["for-each-ref", "--format=%(refname:short)"]), "main\npr7-fix");
}

#[test]
fn renames_resets_and_detached_heads_are_undone() {
    let s = Scene::new();
    s.agent(&["branch", "-m", "renamed"]);
    s.undone();
    assert_eq!(s.f.git(&["for-each-ref", "--format=%(refname:short)"]), "main\npr7-fix");

    let f = Fixture::new();
    f.commit("b", "x", "second");
    let s = Scene::of(f);
    s.agent(&["reset", "-q", "--hard", "HEAD~1"]);
    s.undone();
    assert_eq!(s.changed(), ["b"]);

    let s = Scene::new();
    s.agent(&["checkout", "-q", "--detach"]);
    commit_in(&s.worktree.path, "fix");
    s.undone();
    assert_eq!(s.changed(), ["fix"]);
}

#[test]
fn tags_and_branches_that_were_made_or_moved_are_put_back() {
    let f = Fixture::new();
    let root = f.head();
    f.commit("b", "x", "second");
    f.git(&["branch", "old", &root]);
    f.git(&["tag", "v1", &root]);
    let s = Scene::of(f);
    let before = s.f.git(&["for-each-ref"]);
    s.agent(&["tag", "-a", "-m", "mine", "v2"]);
    s.agent(&["branch", "side"]);
    s.agent(&["branch", "-f", "old", "HEAD"]);
    s.agent(&["tag", "-d", "v1"]);
    let named = s.undone();
    assert_eq!(named.len(), 4, "{named:?}");
    assert!(named.iter().any(|what| what.contains("`refs/tags/v1` was deleted (it was ")), "{named:?}");
    assert_eq!(s.f.git(&["for-each-ref"]), before);
}

#[test]
fn the_stash_is_taken_back_into_the_work_tree() {
    let s = Scene::new();
    write(&s.worktree.path, "a.txt", "half a fix\n");
    s.agent(&["stash", "-q"]);
    let named = s.undone();
    assert!(named[0].starts_with("the stash grew"), "{named:?}");
    assert_eq!(s.changed(), ["a.txt"]);
    assert_eq!(s.f.git(&["stash", "list"]), "");
}

#[test]
fn a_dropped_stash_entry_of_the_operator_comes_back() {
    let f = Fixture::new();
    for name in ["one", "two"] {
        f.write("a.txt", name);
        f.git(&["stash", "push", "-q", "-m", name]);
    }
    let s = Scene::of(f);
    s.agent(&["stash", "clear"]);
    s.undone();
    assert_eq!(s.f.git(&["stash", "list", "--format=%gs"]), "On main: two\nOn main: one");
}

#[test]
fn configuration_and_hooks_are_put_back() {
    let f = Fixture::new();
    f.hook("pre-commit", "exit 0");
    f.git(&["config", "extensions.worktreeConfig", "true"]);
    f.git(&["config", "core.hooksPath", ".husky/_"]);
    f.commit(".gitignore", ".husky/_/\n", "ignore");
    f.commit(".husky/pre-commit", "tracked\n", "husky");
    let s = {
        let repo = f.open();
        let worktree = acquire(&manager(&f, &repo), &f, "pr7-fix");
        write(&worktree.path, ".husky/_/pre-commit", "generated\n");
        let print = Fingerprint::take(&repo, &worktree).unwrap();
        Scene { f, repo, worktree, print }
    };
    let config = std::fs::read(s.f.repo.join(".git/config")).unwrap();
    s.agent(&["config", "core.fsmonitor", "/tmp/evil"]);
    s.agent(&["config", "--worktree", "core.sshCommand", "/tmp/evil"]);
    hook(&s.f.repo.join(".git/hooks"), "pre-commit", "curl evil");
    hook(&s.f.repo.join(".git/hooks"), "pre-push", "curl evil");
    write(&s.f.repo, ".git/info/exclude", "*\n");
    write(&s.f.repo, ".git/objects/info/alternates", "/elsewhere\n");
    write(&s.worktree.path, ".husky/_/pre-commit", "curl evil\n");
    write(&s.worktree.path, ".husky/pre-commit", "an honest change\n");
    let named = s.undone();
    for expected in [
        "`.git/config` was edited",
        "`.git/hooks/pre-push` was added",
        "`.git/hooks/pre-commit` was edited",
        "alternates",
    ] {
        assert!(named.iter().any(|what| what.contains(expected)), "{expected}: {named:?}");
    }
    assert_eq!(std::fs::read(s.f.repo.join(".git/config")).unwrap(), config);
    assert!(!s.f.repo.join(".git/worktrees/pr7-fix/config.worktree").exists());
    assert_eq!(std::fs::read_to_string(s.worktree.path.join(".husky/_/pre-commit")).unwrap(), "generated\n");
    assert_eq!(s.changed(), [".husky/pre-commit"]);
    // What the configuration became can still be read.
    let saved = std::fs::read_dir(s.f.repo.join(".git/prfix/put-back")).unwrap().flatten();
    assert!(saved.into_iter().any(|file| std::fs::read_to_string(file.path()).unwrap().contains("fsmonitor")));
}

#[test]
fn a_link_in_place_of_a_file_is_replaced_and_not_written_through() {
    let f = Fixture::new();
    f.hook("pre-push", "exit 0");
    let s = Scene::of(f);
    write(s.f.tmp.path(), "target", "keep\n");
    let hook = s.f.repo.join(".git/hooks/pre-push");
    std::fs::remove_file(&hook).unwrap();
    std::os::unix::fs::symlink(s.f.path("target"), &hook).unwrap();
    s.undone();
    assert_eq!(std::fs::read_to_string(s.f.path("target")).unwrap(), "keep\n");
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), "#!/bin/sh\nexit 0\n");
}

#[test]
fn the_worktrees_own_link_and_metadata_are_put_back() {
    let s = Scene::new();
    let admin = s.f.repo.join(".git/worktrees/pr7-fix");
    std::fs::remove_file(s.worktree.path.join(".git")).unwrap();
    git_in(&s.worktree.path, &["init", "-q"]);
    std::fs::write(admin.join("gitdir"), "/elsewhere/.git\n").unwrap();
    std::fs::write(admin.join("locked"), "mine\n").unwrap();
    std::fs::write(admin.join("HEAD"), "garbage\n").unwrap();
    let named = s.undone();
    assert!(named.len() >= 4, "{named:?}");
    assert_eq!(s.changed(), [""; 0]);
    assert_eq!(s.f.git(&["worktree", "list"]).lines().count(), 2);
}

#[test]
fn an_operation_under_way_ends() {
    let f = Fixture::new();
    f.git(&["checkout", "-q", "-b", "theirs"]);
    f.commit("a.txt", "theirs\n", "theirs");
    f.git(&["checkout", "-q", "main"]);
    f.commit("a.txt", "ours\n", "ours");
    let s = Scene::of(f);
    assert!(!super::fixture::try_git(&s.worktree.path, &["rebase", "theirs"]).status.success());
    let named = s.undone();
    assert!(named.iter().any(|what| what.contains("under way")), "{named:?}");
    assert!(!s.agent(&["status"]).contains("rebase"));
}

#[test]
fn the_operators_own_work_is_named_and_left() {
    let s = Scene::new();
    let commit = s.f.commit("mine", "x", "the operator works on");
    s.f.git(&["tag", "release"]);
    s.f.git(&["branch", "plan"]);
    s.f.write("staged", "x");
    s.f.git(&["add", "staged"]);
    write(&s.f.repo, ".git/info/sparse-checkout", "/*\n");
    let found = s.restore();
    assert!(found.iter().all(|one| !one.undone), "{found:?}");
    assert!(s.f.repo.join(".git/info/sparse-checkout").exists());
    for expected in
        ["`refs/heads/main` was moved", "`refs/tags/release` was created", "the index of the worktree `demo`"]
    {
        assert!(found.iter().any(|one| one.what.contains(expected)), "{expected}: {found:?}");
    }
    assert_eq!(s.f.head(), commit);
    assert_eq!(s.f.git(&["for-each-ref", "--format=%(refname:short)"]), "main\nplan\npr7-fix\nrelease");
}

#[test]
fn what_git_notes_about_branches_is_left() {
    let s = Scene::new();
    s.f.git(&["config", "branch.main.remote", "origin"]);
    s.f.git(&["config", "branch.main.merge", "refs/heads/main"]);
    let found = s.restore();
    assert!(found.len() == 1 && !found[0].undone, "{found:?}");
    assert_eq!(s.f.git(&["config", "branch.main.remote"]), "origin");
}

#[test]
fn fetches_are_quiet_and_pushes_are_named() {
    let f = Fixture::new();
    let bare = f.with_origin();
    let s = Scene::of(f);
    git_in(&bare, &["update-ref", "refs/heads/other", "main"]);
    s.f.git(&["fetch", "-q", "origin"]);
    assert_eq!(s.restore(), []);
    commit_in(&s.worktree.path, "fix");
    s.agent(&["push", "-q", "origin", "HEAD:main"]);
    let found = s.restore();
    let push = found.iter().find(|one| one.what.contains("refs/remotes/origin/main")).unwrap();
    assert!(!push.undone);
}

#[test]
fn other_runs_beside_ours_are_not_looked_at() {
    let s = Scene::new();
    let manager: Manager<'_> = manager(&s.f, &s.repo);
    let other = acquire(&manager, &s.f, "pr8-fix");
    commit_in(&other.path, "fix");
    s.f.git(&["update-ref", "refs/prfix/pr-8/head", "HEAD"]);
    assert_eq!(s.restore(), []);
}

#[test]
fn a_removed_registration_is_made_again() {
    let s = Scene::new();
    write(&s.worktree.path, "work", "x");
    std::fs::remove_dir_all(s.f.repo.join(".git/worktrees/pr7-fix")).unwrap();
    s.undone();
    assert_eq!(s.changed(), ["work"]);
}

#[test]
fn a_detached_worktree_and_a_reftable_repository_are_covered() {
    let f = Fixture::new();
    let repo = f.open();
    let meta = super::worktree::metadata("run", super::worktree::DEAD);
    let worktree = manager(&f, &repo).acquire_detached("pr7-base", &f.head(), &meta).unwrap();
    let print = Fingerprint::take(&repo, &worktree).unwrap();
    commit_in(&worktree.path, "fix");
    let found = print.restore(&repo, &worktree).unwrap();
    assert!(found.len() == 1 && found[0].what.starts_with("HEAD moved from "), "{found:?}");
    assert_eq!(git_in(&worktree.path, &["rev-parse", "HEAD"]), worktree.base);

    let s = Scene::of(Fixture::with_init(&["--ref-format=reftable"]));
    s.agent(&["checkout", "-q", "-b", "my-fix"]);
    commit_in(&s.worktree.path, "fix");
    s.undone();
    assert_eq!(s.f.git(&["for-each-ref", "--format=%(refname:short)"]), "main\npr7-fix");
}
