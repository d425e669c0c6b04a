//! Whether an agent's CLI is signed in, as far as its files and variables tell: nothing is asked, so nothing is spent.

use super::Check;
use crate::env::Env;

/// Where one adapter's CLI has its key.
struct Keys {
    adapter: &'static str,
    variables: &'static [&'static str],
    /// Relative to HOME, or to what the variable names, where it is set.
    files: &'static [(Option<&'static str>, &'static str, &'static str)],
}

const KNOWN: &[Keys] = &[
    Keys {
        adapter: "claude",
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ],
        files: &[(Some("CLAUDE_CONFIG_DIR"), ".claude", ".credentials.json")],
    },
    Keys {
        adapter: "codex",
        variables: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        files: &[(Some("CODEX_HOME"), ".codex", "auth.json")],
    },
    Keys {
        adapter: "qwen",
        variables: &["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
        files: &[(None, ".qwen", "oauth_creds.json")],
    },
    Keys {
        adapter: "gemini",
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"],
        files: &[(Some("GEMINI_CLI_HOME"), ".gemini", "oauth_creds.json")],
    },
    Keys {
        adapter: "opencode",
        variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "OPENCODE_API_KEY"],
        files: &[(None, ".local/share/opencode", "auth.json")],
    },
];

/// Nothing for adapters whose keys may lie anywhere.
pub(super) fn check(env: &Env, adapter: &str) -> Option<Check> {
    const CHECK: &str = "agent sign-in";
    let keys = KNOWN.iter().find(|keys| keys.adapter == adapter)?;
    if let Some(name) = keys.variables.iter().find(|name| env.get(name).is_some()) {
        return Some(Check::ok(CHECK, format!("{adapter} has its key in {name}; whether it is valid was not asked")));
    }
    for (variable, folder, file) in keys.files {
        let moved = variable.and_then(|name| env.path(name));
        let path = moved.or_else(|| Some(env.home()?.join(folder)))?.join(file);
        if path.is_file() {
            let found = format!("{adapter} is signed in ({}); whether that is valid was not asked", path.display());
            return Some(Check::ok(CHECK, found));
        }
    }
    let help = format!("start `{adapter}` once and sign in, or set {}", keys.variables[0]);
    Some(Check::warning(CHECK, format!("no key and no sign-in of {adapter} was found where they usually are"), help))
}
