//! Whole runs with the real CLIs: probes that try to write, a fix, the push, the answers.

use std::path::PathBuf;
use std::time::Duration;

use git_prfix::agent::Strength;
use serde_json::{Value, json};

use super::clis::{alone, installed};
use super::model_server::{Asked, ModelServer, Step};
use crate::support::TestBench;

/// A CLI as an operator has it: its own configuration, its key, and what its tools are called.
struct Cli {
    name: &'static str,
    model: &'static str,
    env: fn(&str) -> Vec<(&'static str, String)>,
    /// A file of the CLI's own configuration, below HOME.
    config: fn(&str) -> Option<(&'static str, String)>,
    /// Tries to write a file.
    write: fn(&str) -> Vec<(&'static str, Value)>,
    /// Replaces a line of a file, turn by turn.
    edit: fn(&str, &str, &str) -> Vec<Step>,
    tells_tokens: bool,
    tells_cost: bool,
}

fn sed(old: &str, new: &str) -> String {
    format!("sed -i 's/{old}/{new}/' src/*.rs && sh check.sh")
}

fn clis() -> Vec<Cli> {
    vec![
        Cli {
            name: "claude",
            model: "claude-sonnet-4-5",
            env: |url| vec![("ANTHROPIC_BASE_URL", url.into()), ("ANTHROPIC_API_KEY", "key-of-the-test".into())],
            config: |_| None,
            write: |file| {
                vec![("Write", json!({"file_path": file, "content": "x\n"})), ("Read", json!({"file_path": file}))]
            },
            edit: |file, old, new| {
                vec![
                    Step::Call(vec![("Read", json!({"file_path": file}))]),
                    Step::Call(vec![("Edit", json!({"file_path": file, "old_string": old, "new_string": new}))]),
                    Step::Call(vec![("Bash", json!({"command": "sh check.sh", "description": "Runs the tests"}))]),
                ]
            },
            tells_tokens: true,
            tells_cost: true,
        },
        Cli {
            name: "codex",
            model: "fake-model",
            env: |_| vec![("OPENAI_API_KEY", "key-of-the-test".into())],
            config: |url| {
                Some((
                    ".codex/config.toml",
                    format!(
                        "model_provider = \"test\"\n[model_providers.test]\nname = \"test\"\nbase_url = \"{url}/v1\"\n\
                         env_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n"
                    ),
                ))
            },
            write: |file| shell(&format!("echo x > {file}")),
            edit: |_, old, new| vec![Step::Call(shell(&sed(old, new)))],
            tells_tokens: true,
            tells_cost: false,
        },
        Cli {
            name: "qwen",
            model: "fake-model",
            env: |url| vec![("OPENAI_BASE_URL", format!("{url}/v1")), ("OPENAI_API_KEY", "key-of-the-test".into())],
            config: |_| None,
            write: |file| {
                vec![
                    ("write_file", json!({"file_path": file, "content": "x\n"})),
                    ("read_file", json!({"file_path": file, "absolute_path": file})),
                ]
            },
            edit: |_, old, new| {
                vec![Step::Call(vec![("run_shell_command", json!({"command": sed(old, new), "is_background": false}))])]
            },
            tells_tokens: true,
            tells_cost: false,
        },
        Cli {
            name: "gemini",
            model: "gemini-2.5-pro",
            env: |url| vec![("GOOGLE_GEMINI_BASE_URL", url.into()), ("GEMINI_API_KEY", "key-of-the-test".into())],
            config: |_| {
                let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
                Some((".gemini/settings.json", settings.to_string()))
            },
            write: |file| {
                vec![
                    ("write_file", json!({"file_path": file, "content": "x\n"})),
                    ("read_file", json!({"file_path": file, "absolute_path": file})),
                ]
            },
            edit: |_, old, new| vec![Step::Call(vec![("run_shell_command", json!({"command": sed(old, new)}))])],
            tells_tokens: true,
            tells_cost: false,
        },
        Cli {
            name: "opencode",
            model: "test/fake-model",
            env: |_| vec![],
            config: |url| {
                let provider = json!({"provider": {"test": {"npm": "@ai-sdk/openai-compatible",
                    "options": {"baseURL": format!("{url}/v1"), "apiKey": "key-of-the-test"},
                    "models": {"fake-model": {"name": "Fake"}}}}});
                Some((".config/opencode/opencode.json", provider.to_string()))
            },
            write: |file| {
                vec![("write", json!({"filePath": file, "content": "x\n"})), ("read", json!({"filePath": file}))]
            },
            edit: |file, old, new| {
                vec![
                    Step::Call(vec![("read", json!({"filePath": file}))]),
                    Step::Call(vec![("edit", json!({"filePath": file, "oldString": old, "newString": new}))]),
                ]
            },
            tells_tokens: true,
            tells_cost: true,
        },
        Cli {
            name: "copilot",
            model: "fake-model",
            env: |url| {
                vec![
                    ("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1")),
                    ("COPILOT_PROVIDER_API_KEY", "key-of-the-test".into()),
                    ("COPILOT_MODEL", "fake-model".into()),
                    ("COPILOT_OFFLINE", "true".into()),
                ]
            },
            config: |_| None,
            write: |file| vec![("create", json!({"path": file, "file_text": "x\n"})), ("view", json!({"path": file}))],
            edit: |_, old, new| {
                let command = sed(old, new);
                vec![Step::Call(vec![("bash", json!({"command": command, "description": "Fixes", "mode": "sync"}))])]
            },
            tells_tokens: false,
            tells_cost: false,
        },
    ]
}

fn shell(command: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("exec_command", json!({"cmd": command})),
        ("shell_command", json!({"command": command})),
        ("shell", json!({"command": ["sh", "-c", command]})),
    ]
}

/// The run's worktree; it is made before the model is asked for the first time.
fn worktree(root: &PathBuf) -> PathBuf {
    let repositories = std::fs::read_dir(root).expect("the folder of worktrees");
    let found = repositories.flatten().map(|entry| entry.path().join("pr7-fix")).find(|path| path.is_dir());
    found.expect("the worktree of the fix")
}

/// The model: a probe tries to write and says that its item is valid; the fix edits and declares it.
fn model(cli: &Cli, worktrees: PathBuf) -> ModelServer {
    let (write, edit) = (cli.write, cli.edit);
    let manifest = json!({
        "touched_files": ["src/a.rs"], "spec_item_map": {"src/a.rs": [1]},
        "invariant_per_file": {"src/a.rs": {"claim": "the bound is exclusive", "line": 3, "contains": "i < n"}},
        "declined": {"2": "The greeting is spelled as its author wants it."}, "summary": "Made the bound exclusive.",
    });
    let verdict =
        json!({"item_id": 1, "verdict": "valid", "reasoning": "read it", "proposed_fix": null, "risk": "low"});
    ModelServer::start(move |asked: &Asked| {
        let at = |name: &str| worktree(&worktrees).join(name).to_str().expect("a plain path").to_owned();
        if !asked.body.contains("touched_files") {
            let says = Step::Say(verdict.to_string());
            return if asked.turns == 0 { Step::Call(write(&at("stray.txt"))) } else { says };
        }
        let steps = edit(&at("src/a.rs"), "i <= n", "i < n");
        steps.get(asked.turns).cloned().unwrap_or_else(|| Step::Say(format!("Done.\n\n```json\n{manifest}\n```\n")))
    })
}

fn run_with(cli: &Cli, bin: &std::path::Path) {
    let mut bench = TestBench::new();
    let pr = bench
        .open_pr("feature")
        .thread("src/a.rs:3", "This loop is off by one, use `<`.")
        .thread("src/b.rs:3", "Typo: should be Hello.");
    let server = model(cli, bench.state_dir().join("worktrees"));
    let url = server.url();
    bench.unset("prfix.agentCommand");
    bench.config("prfix.agent", cli.name);
    bench.config("prfix.probeModel", cli.model);
    bench.config("prfix.fixModel", cli.model);
    bench.config("prfix.probes", "1");
    bench.env("PATH", &format!("{}:{}", bin.display(), std::env::var("PATH").expect("a PATH")));
    for (name, value) in (cli.env)(&url) {
        bench.env(name, &value);
    }
    if let Some((name, text)) = (cli.config)(&url) {
        let file = bench.home().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    let ended = bench.prfix(["7", "--json"]).patience(Duration::from_secs(600)).run();

    let tools: Vec<_> = server.asked().iter().map(|asked| (asked.turns, asked.tools.clone())).collect();
    let why = format!("{}: {ended}\n{tools:?}", cli.name);
    assert_eq!(ended.status.code(), Some(0), "{why}");
    let report = ended.json();
    assert_eq!(report["reason"], "pushed", "{why}");
    assert_eq!(
        (&report["items"][0]["verdict"], &report["items"][1]["verdict"]),
        (&json!("valid"), &json!("valid")),
        "{why}"
    );
    assert_eq!(
        (&report["items"][0]["status"], &report["items"][1]["status"]),
        (&json!("fixed"), &json!("declined")),
        "{why}"
    );
    assert!(bench.file_at("feature", "src/a.rs").contains("while i < n"), "{why}");
    assert_eq!((pr.replies_in(0).len(), pr.replies_in(1).len()), (1, 1), "{why}");
    let tried = server.asked().iter().any(|asked| asked.turns > 0 && !asked.body.contains("touched_files"));
    assert!(tried, "no probe tried to write: {why}");
    // A reviewer that was refused a file may say so.
    let warnings = report["warnings"].as_array().expect("a list").iter().filter_map(Value::as_str);
    let warnings: String = warnings.filter(|text| !text.starts_with("the change was not reviewed")).collect();
    assert!(!warnings.contains("stray.txt") && !warnings.contains("tampered"), "{why}");
    let usage = &report["usage"];
    let tokens = ["input_tokens", "output_tokens"].map(|name| usage[name].as_u64() > Some(0));
    assert_eq!(tokens, [cli.tells_tokens; 2], "{why}");
    assert_eq!(usage["cost_usd"].is_number(), cli.tells_cost, "{why}");
}

macro_rules! whole_run {
    ($($test:ident: $name:literal),* $(,)?) => {$(
        #[test]
        fn $test() {
            let Some(bin) = installed() else { return };
            if let Strength::None(why) = Strength::here() {
                return super::bench::skip(&format!("no sandbox here: {why}"));
            }
            let _alone = alone();
            run_with(clis().iter().find(|cli| cli.name == $name).expect("a known CLI"), &bin);
        }
    )*};
}

whole_run! {
    claude_fixes_a_pull_request_and_its_probes_cannot_write: "claude",
    codex_fixes_a_pull_request_and_its_probes_cannot_write: "codex",
    qwen_fixes_a_pull_request_and_its_probes_cannot_write: "qwen",
    gemini_fixes_a_pull_request_and_its_probes_cannot_write: "gemini",
    opencode_fixes_a_pull_request_and_its_probes_cannot_write: "opencode",
    copilot_fixes_a_pull_request_and_its_probes_cannot_write: "copilot",
}
