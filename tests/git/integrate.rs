//! Rebase, merge, and the texts of differences.

use git_prfix::git::{
    MergeStart, RebaseError, abort_merge, diff_stat, diff_text, rebase_onto, save_patch, start_merge,
};

use super::fixture::{Fixture, git_in, try_git};

/// `main` and `ours` that parted after the first commit; both changed `file` as told.
fn parted(ours: &str, theirs: &str) -> (Fixture, [String; 3]) {
    let f = Fixture::new();
    let base = f.commit("file", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "base");
    let theirs = f.commit("file", theirs, "theirs");
    f.git(&["checkout", "-q", "-b", "ours", &base]);
    let ours = f.commit("file", ours, "ours");
    (f, [base, ours, theirs])
}

#[test]
fn our_own_commits_move_onto_the_new_base() {
    let (f, [base, ours, theirs]) = parted("one\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    f.git(&["config", "rebase.updateRefs", "true"]);
    f.git(&["branch", "bystander", &ours]);
    let tip = rebase_onto(&f.repo, &base, &theirs).unwrap();
    assert_eq!(f.git(&["rev-parse", "ours", "ours~1"]), format!("{tip}\n{theirs}"));
    assert_eq!(f.git(&["show", "ours:file"]), "one\n2\n3\n4\n5\n6\n7\n8\nnine");
    assert_eq!(f.git(&["rev-parse", "bystander"]), ours);
}

#[test]
fn a_conflicting_rebase_leaves_everything_as_it_was() {
    let (f, [base, ours, theirs]) = parted("x\n", "y\n");
    let error = rebase_onto(&f.repo, &base, &theirs).unwrap_err();
    assert!(matches!(&error, RebaseError::Conflict { paths } if *paths == ["file"]), "{error}");
    assert_eq!((f.head(), f.git(&["branch", "--show-current"])), (ours, "ours".into()));
    assert_eq!(f.git(&["status", "--porcelain"]), "");
    assert!(!f.repo.join(".git/rebase-merge").exists());
}

#[test]
fn a_hook_may_refuse_a_rebase() {
    let (f, [base, ours, theirs]) = parted("x\n", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    f.hook("pre-rebase", "echo 'not here' >&2; exit 1");
    let error = rebase_onto(&f.repo, &base, &theirs).unwrap_err().to_string();
    assert!(error.contains("not here"), "{error}");
    assert_eq!(f.head(), ours);
}

#[test]
fn a_merge_says_how_it_began() {
    let (f, [base, ours, theirs]) = parted("x\n", "y\n");
    assert_eq!(start_merge(&f.repo, &base).unwrap(), MergeStart::UpToDate);
    assert_eq!(start_merge(&f.repo, &theirs).unwrap(), MergeStart::Conflicts(vec!["file".into()]));
    abort_merge(&f.repo).unwrap();
    assert_eq!((f.head(), f.git(&["status", "--porcelain"])), (ours, String::new()));
    f.write("file", "uncommitted\n");
    assert!(start_merge(&f.repo, &theirs).is_err());
    assert_eq!(std::fs::read_to_string(f.repo.join("file")).unwrap(), "uncommitted\n");
}

#[test]
fn differences_do_not_depend_on_the_users_settings() {
    let (f, [base, ours, _]) = parted("x\n", "y\n");
    for (key, value) in [("diff.noprefix", "true"), ("diff.external", "false"), ("color.ui", "always")] {
        f.git(&["config", key, value]);
    }
    let text = diff_text(&f.repo, &base, &ours).unwrap();
    assert!(text.starts_with("diff --git a/file b/file\n"), "{text}");
    let stat = diff_stat(&f.repo, &base, &ours).unwrap();
    assert!(stat.contains("1 file changed, 1 insertion(+), 9 deletions(-)"), "{stat}");
}

#[test]
fn a_saved_patch_brings_the_work_back() {
    let (f, [base, ours, theirs]) = parted("x\n", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    let patch = f.path("work.patch");
    save_patch(&f.repo, &base, &ours, &patch).unwrap();
    f.git(&["checkout", "-q", "--detach", &base]);
    f.git(&["am", "-q", patch.to_str().unwrap()]);
    assert_eq!(f.git(&["rev-parse", "HEAD^{tree}"]), f.git(&["rev-parse", "ours^{tree}"]));

    // With a merge in the range, the difference as a whole.
    f.git(&["checkout", "-q", "ours"]);
    assert!(!try_git(&f.repo, &["merge", "-q", &theirs]).status.success());
    f.git(&["checkout", "--ours", "file"]);
    f.git(&["commit", "-q", "-a", "-m", "merged"]);
    save_patch(&f.repo, &base, &f.head(), &patch).unwrap();
    git_in(&f.repo, &["checkout", "-q", "--detach", &base]);
    git_in(&f.repo, &["apply", patch.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(f.repo.join("file")).unwrap(), "x\n");
}

#[test]
fn commits_are_listed_and_counted() {
    let (f, [base, ours, theirs]) = parted("x\n", "y\n");
    let repo = f.open();
    assert_eq!(repo.commits_between(&base, &ours).unwrap(), [ours]);
    assert_eq!(repo.unpushed_local_commits("main", &base).unwrap(), 1);
    assert_eq!(repo.unpushed_local_commits("main", &theirs).unwrap(), 0);
    assert_eq!(repo.unpushed_local_commits("no-such", &theirs).unwrap(), 0);
    assert!(repo.commits_between("--all", &base).is_err());
}
