//! Repositories of a given size, made with `git fast-import`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(dir).output().expect("git runs");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

fn import(repo: &Path, stream: &str) {
    std::fs::create_dir_all(repo).expect("a folder");
    git(repo, &["init", "-q", "-b", "main"]);
    for (key, value) in [("user.name", "Bench"), ("user.email", "bench@example.org"), ("gc.auto", "0")] {
        git(repo, &["config", key, value]);
    }
    let mut command = Command::new("git");
    let mut child =
        command.args(["fast-import", "--quiet"]).current_dir(repo).stdin(Stdio::piped()).spawn().expect("git");
    child.stdin.take().expect("a pipe").write_all(stream.as_bytes()).expect("git reads");
    assert!(child.wait().expect("git ends").success());
}

/// About 5.8 kB a file, forty files a folder, checked out.
pub fn tree(place: &Path, files: u32) -> PathBuf {
    let mut stream = String::new();
    let _ = write!(stream, "commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 1\nx\n");
    for n in 0..files {
        let line = format!("fn item_{n}() -> u64 {{ {} }}\n", u64::from(n) * 0x9e37_79b9_7f4a);
        let body = line.repeat(5_800 / line.len());
        let (folder, above) = (n / 40, n / 1600);
        let _ = write!(stream, "M 100644 inline src/{above}/{folder}/file{n}.rs\ndata {}\n{body}\n", body.len());
    }
    let repo = place.join(format!("tree-{files}"));
    import(&repo, &stream);
    git(&repo, &["reset", "-q", "--hard"]);
    repo
}

/// A long history and what is asked about it.
pub struct History {
    pub repo: PathBuf,
    pub tip: String,
    pub near: String,
    pub deep: String,
    /// A commit beside the history, whose parent is the deep one.
    pub aside: String,
}

/// One commit after the other, every tenth a merge of a short side branch.
pub fn history(place: &Path, commits: u32) -> History {
    let mut stream = String::from("blob\nmark :1\ndata 1\nx\n");
    for n in 1..=commits {
        let merge = if n % 10 == 0 { format!("merge :{}\n", n - 4) } else { String::new() };
        let from = if n == 1 { String::new() } else { format!("from :{n}\n") };
        let time = 1_600_000_000 + u64::from(n) * 60;
        let _ = write!(
            stream,
            "commit refs/heads/main\nmark :{}\ncommitter Bench <bench@example.org> {time} +0000\ndata 1\nx\n{from}{merge}M 100644 :1 f{}\n",
            n + 1,
            n % 100
        );
    }
    let repo = place.join("history");
    import(&repo, &stream);
    let name = |spec: &str| git(&repo, &["rev-parse", spec]);
    let deep = name(&format!("main~{}", commits / 2));
    let tree = name(&format!("{deep}^{{tree}}"));
    let aside = git(&repo, &["commit-tree", "-p", &deep, "-m", "aside", &tree]);
    History { tip: name("main"), near: name("main~3"), deep, aside, repo }
}

pub fn commit_graph(repo: &Path) {
    git(repo, &["commit-graph", "write", "--reachable"]);
}
