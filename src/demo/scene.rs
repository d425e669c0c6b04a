//! Builds the scene: a bare remote, an operator's clone of it, and the pull request's branch.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Diagnostic;
use thiserror::Error;

use super::github::{Connection, DemoGithub};
use super::{BRANCH, NAME, NUMBER, OWNER};
use crate::env::Env;
use crate::github::Transport;
use crate::process::{ProcessError, Run};

#[derive(Debug, Error, Diagnostic)]
pub enum DemoError {
    #[error("the demo could not write {path}: {source}")]
    #[diagnostic(code(prfix::demo::io), help("check that the temporary folder is writable and not full"))]
    Io { path: String, source: std::io::Error },
    #[error("`git {what}` failed in the demo: {stderr}")]
    #[diagnostic(code(prfix::demo::git), help("check that `git --version` works, and look at `git prfix doctor`"))]
    Git { what: String, stderr: String },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Process(#[from] ProcessError),
    #[error("the demo's agent was asked for something that it does not know: {what}")]
    #[diagnostic(code(prfix::demo::agent), help("this command is started by `git prfix demo` only"))]
    Agent { what: String },
}

/// A folder with everything that the ordinary pipeline runs on.
pub struct Scene {
    /// The operator's clone.
    pub repo: PathBuf,
    /// The bare repository behind the clone's `origin`.
    pub remote: PathBuf,
    pub transport: Box<dyn Transport>,
    /// The embedded GitHub, to look at after the run.
    pub github: Arc<DemoGithub>,
    pub number: u64,
    /// Settings by key, as on a command line or in git's configuration, without the `prfix.` in front.
    pub settings: Vec<(String, String)>,
    /// The environment of the run: a home of its own, and no account.
    pub env: Env,
}

/// The files of the default branch, and those that the pull request changes.
const MAIN: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("tally.sh", include_str!("project/tally_main.sh")),
    ("test.sh", include_str!("project/test_main.sh")),
];
const FEATURE: &[(&str, &str)] =
    &[("tally.sh", include_str!("project/tally_feature.sh")), ("test.sh", include_str!("project/test_feature.sh"))];

/// Builds the scene in an empty folder.
///
/// # Errors
/// When the folder cannot be written, or git fails.
pub fn scene(dir: &Path, env: &Env) -> Result<Scene, DemoError> {
    let dir = dir.canonicalize().map_err(io(dir))?;
    let (repo, remote, home) = (dir.join(NAME), dir.join(format!("{OWNER}/{NAME}.git")), dir.join("home"));
    for folder in [&repo, &remote, &home] {
        std::fs::create_dir_all(folder).map_err(io(folder))?;
    }
    git(&remote, &["init", "-q", "--bare", "-b", "main"])?;
    git(&repo, &["init", "-q", "-b", "main"])?;
    configure(&repo, &dir)?;
    commit(&repo, MAIN, "Number the lines of a file")?;
    git(&repo, &["push", "-q", "origin", "main"])?;
    git(&repo, &["switch", "-q", "-c", BRANCH])?;
    commit(&repo, FEATURE, "Print the last lines only")?;
    git(&repo, &["push", "-q", "origin", BRANCH])?;
    git(&repo, &["switch", "-q", "main"])?;
    let github = Arc::new(DemoGithub::new(&remote)?);
    Ok(Scene {
        transport: Box::new(Connection(Arc::clone(&github))),
        number: NUMBER,
        settings: settings()?,
        env: environment(env, &home),
        github,
        repo,
        remote,
    })
}

/// The repository's own configuration, which outweighs whatever the person's says about identity,
/// signing, hooks and the addresses of GitHub.
fn configure(repo: &Path, dir: &Path) -> Result<(), DemoError> {
    let base = format!("{}/{OWNER}/", dir.display());
    let hooks = repo.join(".git/hooks").to_string_lossy().into_owned();
    let address = format!("https://github.com/{OWNER}/");
    for (key, value) in [
        ("remote.origin.url", format!("{address}{NAME}.git").as_str()),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        (&format!("url.{base}.insteadOf"), &address),
        (&format!("url.{base}.pushInsteadOf"), &address),
        ("user.name", "Demo Operator"),
        ("user.email", "demo@example.com"),
        ("commit.gpgSign", "false"),
        ("push.gpgSign", "false"),
        ("core.hooksPath", &hooks),
        ("core.autocrlf", "false"),
        ("protocol.file.allow", "always"),
    ] {
        git(repo, &["config", key, value])?;
    }
    Ok(())
}

/// The agent is this program itself.
fn settings() -> Result<Vec<(String, String)>, DemoError> {
    let program = std::env::current_exe().map_err(io(Path::new("the program's own path")))?;
    let program = program.to_string_lossy();
    let quoted = shlex::try_quote(&program)
        .map_err(|_| DemoError::Agent { what: "a program whose path has a NUL byte".to_owned() })?;
    let pairs = [
        ("agent", "command".to_owned()),
        ("agentCommand", format!("{quoted} demo-agent")),
        ("testCommand", "sh test.sh".to_owned()),
        ("remote", "origin".to_owned()),
    ];
    Ok(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Names that would lead a run out of the scene: accounts, hosts, settings of the person's.
fn leads_out(name: &str) -> bool {
    let settings = name.starts_with("PRFIX_") && name != "PRFIX_CLOCK";
    settings || name.starts_with("GH_") || name.starts_with("GITHUB_") || name.starts_with("XDG_")
}

fn environment(env: &Env, home: &Path) -> Env {
    let kept = env.iter().filter(|(name, _)| !leads_out(&name.to_string_lossy()));
    let own = [("HOME".into(), home.into()), ("GIT_CONFIG_NOSYSTEM".into(), "1".into())];
    Env::from_pairs(kept.map(|(name, value)| (name.clone(), value.clone())).chain(own))
}

fn commit(repo: &Path, files: &[(&str, &str)], message: &str) -> Result<(), DemoError> {
    for (name, contents) in files {
        let path = repo.join(name);
        std::fs::write(&path, contents).map_err(io(&path))?;
    }
    git(repo, &["add", "--all"])?;
    git(repo, &["commit", "-q", "-m", message]).map(drop)
}

/// Runs git without the person's configuration.
pub(super) fn git(dir: &Path, args: &[&str]) -> Result<String, DemoError> {
    let output = Run::new("git")
        .args(args)
        .cwd(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .run()?;
    if output.success() {
        return Ok(output.text().trim().to_owned());
    }
    Err(DemoError::Git { what: args.join(" "), stderr: output.stderr_tail(5) })
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> DemoError + '_ {
    move |source| DemoError::Io { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FixedClock;
    use crate::github::Client;
    use crate::model::feedback::{CheckState, Harvest};
    use crate::model::repo::RepoId;

    fn built() -> (tempfile::TempDir, Scene, Client) {
        let dir = tempfile::tempdir().unwrap();
        let env = Env::from_pairs([("PATH", "/usr/bin:/bin"), ("GH_TOKEN", "secret"), ("PRFIX_AGENT", "claude")]);
        let scene = scene(dir.path(), &env).unwrap();
        let transport = Box::new(Connection(Arc::clone(&scene.github)));
        let clock = Arc::new(FixedClock::at("2026-11-30T12:00:00Z".parse().unwrap()));
        let client = Client::new(transport, RepoId::new("github.com", OWNER, NAME), clock);
        (dir, scene, client)
    }

    fn harvest(client: &Client) -> Harvest {
        let mut harvest = client.harvest(NUMBER).unwrap();
        client.read_failures(&mut harvest.checks).unwrap();
        harvest
    }

    #[test]
    fn the_pull_request_has_something_of_every_kind() {
        let (_dir, scene, client) = built();
        let harvest = harvest(&client);
        assert_eq!(harvest.pr.head_oid, git(&scene.remote, &["rev-parse", BRANCH]).unwrap());
        assert_eq!(harvest.threads.len(), 2);
        assert_eq!(harvest.threads[0].line, Some(10));
        assert!(harvest.comments.iter().any(|comment| comment.author.as_ref().is_some_and(|who| who.is("vercel"))));
        assert!(harvest.gaps.is_empty(), "{:?}", harvest.gaps);
        let check = &harvest.checks.list[0];
        assert_eq!(check.state, CheckState::Failed);
        assert!(check.log.as_ref().unwrap().text.contains("not ok: the last two lines"));
    }

    #[test]
    fn a_push_turns_the_check_green_and_answers_are_kept() {
        let (_dir, scene, client) = built();
        let before = harvest(&client);
        git(&scene.repo, &["switch", "-q", BRANCH]).unwrap();
        commit(&scene.repo, &[("tally.sh", "fixed")], "fix").unwrap();
        git(&scene.repo, &["push", "-q", "origin", BRANCH]).unwrap();
        client.reply(&before.threads[0].id, "Fixed.", "marker").unwrap();
        client.resolve(&before.threads[0].id).unwrap();
        client.comment(&before.pr, "Summary", "marker").unwrap();

        let after = harvest(&client);
        assert_ne!(after.pr.head_oid, before.pr.head_oid);
        assert_eq!(after.checks.list[0].state, CheckState::Passed);
        assert_eq!(client.now(NUMBER).unwrap().unresolved_threads, 1);
        assert!(client.thread(&before.threads[0].id).unwrap().resolved);
        assert_eq!(scene.github.threads()[0].comments[1].body, "Fixed.");
        assert_eq!(client.conversation(&after.pr).unwrap().last().unwrap().body, "Summary");
        assert_eq!(client.pull_requests_of_branch(BRANCH, None).unwrap().len(), 1);
    }

    #[test]
    fn nothing_of_the_persons_leads_out_of_the_scene() {
        let (dir, scene, _client) = built();
        for name in ["GH_TOKEN", "PRFIX_AGENT", "XDG_STATE_HOME"] {
            assert_eq!(scene.env.get(name), None, "{name}");
        }
        assert!(scene.env.home().unwrap().starts_with(dir.path().canonicalize().unwrap()));
        let url = git(&scene.repo, &["remote", "get-url", "--push", "origin"]).unwrap();
        assert!(Path::new(&url).canonicalize().unwrap() == scene.remote.canonicalize().unwrap(), "{url}");
    }

    #[test]
    fn the_projects_test_is_red_before_the_fix_and_green_after_it() {
        let (_dir, scene, _client) = built();
        let test = || Run::new("sh").arg("test.sh").cwd(&scene.repo).run().unwrap().success();
        git(&scene.repo, &["switch", "-q", BRANCH]).unwrap();
        assert!(!test());
        let script = std::fs::read_to_string(scene.repo.join("tally.sh")).unwrap();
        std::fs::write(scene.repo.join("tally.sh"), script.replace(super::super::WRONG, super::super::RIGHT)).unwrap();
        assert!(test());
    }
}
