//! A repository that the demonstration project may use as the submodule `sub`.

use std::path::PathBuf;

use super::bench::TestBench;
use super::git::{commit_to, git};

pub struct Library(PathBuf);

impl Library {
    pub fn head(&self) -> String {
        git(&self.0, &["rev-parse", "main"]).trim().to_owned()
    }

    /// Adds a commit and returns its id.
    pub fn commit(&self, text: &str) -> String {
        std::fs::write(self.0.join("lib.txt"), text).unwrap();
        git(&self.0, &["add", "."]);
        git(&self.0, &["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "lib"]);
        self.head()
    }
}

impl TestBench {
    /// Makes the library, and lets the operator's clone use it.
    pub fn submodule_source(&self) -> Library {
        let library = Library(self.root().join("submodule"));
        std::fs::create_dir(&library.0).unwrap();
        git(&library.0, &["init", "-q", "-b", "main", "."]);
        library.commit("lib\n");
        self.config("protocol.file.allow", "always");
        self.config("submodule.sub.url", &library.0.to_string_lossy());
        library
    }

    /// Commits to a branch of the hub that `sub` is at that commit of the library.
    pub fn move_submodule(&self, branch: &str, oid: &str) {
        let (hub, url) = (self.hub(), self.root().join("submodule"));
        let modules = format!("[submodule \"sub\"]\n\tpath = sub\n\turl = {}\n", url.display());
        commit_to(&hub, branch, "Use the library", &[(".gitmodules", &modules)]);
        git(&hub, &["read-tree", branch]);
        git(&hub, &["update-index", "--add", "--cacheinfo", &format!("160000,{oid},sub")]);
        let tree = git(&hub, &["write-tree"]).trim().to_owned();
        let commit = git(&hub, &["commit-tree", "-p", branch, "-m", "Move the submodule", &tree]).trim().to_owned();
        git(&hub, &["update-ref", &format!("refs/heads/{branch}"), &commit]);
    }
}
