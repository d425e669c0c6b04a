//! A worktree, and scripted agents that are run in it as real children.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use git_prfix::agent::{Call, Called, Confinement, SandboxMode, call, schema};
use git_prfix::env::Env;
use git_prfix::model::agent::{Invocation, PromptBy, Role};
use serde_json::Value;

/// What a scripted agent prints to be understood.
pub const ANSWER: &str = r#"{"item_id": 1, "verdict": "valid", "reasoning": "r", "proposed_fix": null, "risk": "low"}"#;

pub struct Bench {
    dir: tempfile::TempDir,
    pub env: Vec<(String, String)>,
    pub confinement: Confinement,
    pub timeout: Duration,
    pub role: Role,
    pub output: String,
    pub pass_env: Vec<String>,
    pub lines: Mutex<Vec<String>>,
}

impl Bench {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["worktree", "home", "tmp"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let env = vec![
            ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("HOME".to_owned(), at("home")),
            ("TMPDIR".to_owned(), at("tmp")),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
        ];
        let confinement = Confinement { mode: SandboxMode::Off, writable: vec![], hidden: vec![] };
        let (timeout, role) = (Duration::from_secs(60), Role::Probe);
        let (output, pass_env, lines) = ("text".to_owned(), vec![], Mutex::default());
        Self { dir, env, confinement, timeout, role, output, pass_env, lines }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn worktree(&self) -> PathBuf {
        self.path("worktree")
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// Runs a shell script as the agent.
    pub fn agent(&self, script: &str) -> Called<Value> {
        self.run(&["sh", "-c", script, "agent"])
    }

    pub fn run(&self, argv: &[&str]) -> Called<Value> {
        let schema = schema::probe();
        let invocation = Invocation {
            adapter: "command".into(),
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            prompt: PromptBy::Stdin,
            env: [("EXTRA".to_owned(), "of the adapter".to_owned())].into(),
            pass_env: self.pass_env.clone(),
            state_dirs: vec![],
            output: self.output.clone(),
        };
        let env = Env::from_pairs(self.env.clone());
        let show = |line: &str| self.lines.lock().unwrap().push(line.to_owned());
        call(&Call {
            invocation: &invocation,
            role: self.role,
            item: Some(1),
            round: 2,
            prompt: "the prompt",
            brief: Path::new("/brief.json"),
            schema_file: Path::new("/schema.json"),
            schema: &schema,
            worktree: &self.worktree(),
            timeout: self.timeout,
            env: &env,
            confinement: &self.confinement,
            on_line: Some(&show),
        })
    }
}

/// Says loudly why a test does nothing, or fails where everything is required.
#[allow(clippy::disallowed_macros)]
pub fn skip(why: &str) {
    assert_ne!(Env::from_process().get("PRFIX_TEST_REQUIRE"), Some("all"), "{why}");
    eprintln!("SKIPPED: {why}");
}

/// Whether a process with this id exists and is not a zombie.
pub fn alive(pid: &str) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())) else { return false };
    !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
}
