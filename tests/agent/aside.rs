//! Hostile agent files of a pull request: away while an agent runs, and back afterwards, whatever happened.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use git_prfix::agent::SetAside;

struct Tree {
    dir: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let worktree = dir.path().join("worktree");
        fs::create_dir_all(worktree.join(".claude/hooks")).unwrap();
        fs::write(worktree.join(".claude/hooks/run.sh"), "evil").unwrap();
        fs::write(worktree.join(".env"), "KEY=evil").unwrap();
        fs::create_dir(worktree.join(".github")).unwrap();
        fs::write(worktree.join(".github/agent.md"), "evil").unwrap();
        fs::write(dir.path().join("outside"), "precious").unwrap();
        symlink("../outside", worktree.join(".mcp.json")).unwrap();
        Self { dir }
    }

    fn worktree(&self) -> PathBuf {
        self.dir.path().join("worktree")
    }

    fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    fn take(&self) -> SetAside {
        let names = [".claude", ".env", ".mcp.json", ".github/agent.md", "opencode.json"].map(str::to_owned);
        SetAside::take(&self.worktree(), &names, &self.store()).unwrap()
    }

    fn assert_whole(&self) {
        let worktree = self.worktree();
        assert_eq!(fs::read_to_string(worktree.join(".claude/hooks/run.sh")).unwrap(), "evil");
        assert_eq!(fs::read_to_string(worktree.join(".env")).unwrap(), "KEY=evil");
        assert_eq!(fs::read_to_string(worktree.join(".github/agent.md")).unwrap(), "evil");
        assert_eq!(fs::read_link(worktree.join(".mcp.json")).unwrap(), Path::new("../outside"));
        assert_eq!(fs::read_to_string(self.dir.path().join("outside")).unwrap(), "precious");
        assert!(!self.store().exists(), "the store is left behind");
    }
}

#[test]
fn agent_files_are_away_and_come_back() {
    let tree = Tree::new();
    let aside = tree.take();
    assert_eq!(aside.names(), [".claude", ".env", ".mcp.json", ".github/agent.md"]);
    for name in aside.names() {
        assert!(fs::symlink_metadata(tree.worktree().join(&name)).is_err(), "{name}");
    }
    assert_eq!(aside.restore().unwrap(), Vec::<String>::new());
    tree.assert_whole();
}

#[test]
fn what_the_agent_put_in_their_place_is_named_and_replaced() {
    let tree = Tree::new();
    let aside = tree.take();
    let worktree = tree.worktree();
    fs::write(worktree.join(".claude"), "a file now").unwrap();
    symlink("../outside", worktree.join(".env")).unwrap();
    fs::remove_dir(worktree.join(".github")).unwrap();
    symlink("..", worktree.join(".github")).unwrap();
    assert_eq!(aside.restore().unwrap(), [".claude", ".env"]);
    tree.assert_whole();
}

#[test]
fn a_forgotten_set_aside_is_put_back() {
    let tree = Tree::new();
    drop(tree.take());
    tree.assert_whole();
}

#[test]
fn the_leftover_of_a_killed_run_is_put_back_before_anything_else() {
    let tree = Tree::new();
    std::mem::forget(tree.take());
    assert!(tree.store().exists());
    let again = tree.take();
    assert_eq!(again.names().len(), 4, "what the killed run had moved is seen again");
    again.restore().unwrap();
    tree.assert_whole();
}

#[test]
fn the_store_of_another_worktree_is_left_alone() {
    let tree = Tree::new();
    std::mem::forget(tree.take());
    let error = SetAside::take(tree.dir.path(), &["outside".to_owned()], &tree.store()).unwrap_err();
    assert!(error.to_string().contains("holds files of"), "{error}");
    assert!(tree.dir.path().join("outside").exists());
}

#[test]
fn no_name_leaves_the_worktree() {
    let tree = Tree::new();
    for name in ["../outside", "/etc/passwd", "", ".", ".git", ".git/hooks", "a/../../outside", ".GIT"] {
        assert!(SetAside::take(&tree.worktree(), &[name.to_owned()], &tree.store()).is_err(), "{name:?}");
    }
    symlink("..", tree.worktree().join("link")).unwrap();
    let aside = SetAside::take(&tree.worktree(), &["link/outside".to_owned()], &tree.store()).unwrap();
    assert!(aside.names().is_empty(), "a folder on the way is a link");
    assert!(tree.dir.path().join("outside").exists());
}
