//! The built-in rule files, in the order in which they are loaded.

/// Name for messages, and text.
pub(super) const SCRIPTS: &[(&str, &str)] = &[
    ("builtin/trust.lua", include_str!("../../scripts/trust.lua")),
    ("builtin/noise.lua", include_str!("../../scripts/noise.lua")),
    ("builtin/talk.lua", include_str!("../../scripts/talk.lua")),
    ("builtin/triage.lua", include_str!("../../scripts/triage.lua")),
    ("builtin/protect.lua", include_str!("../../scripts/protect.lua")),
    ("builtin/commands.lua", include_str!("../../scripts/commands.lua")),
    ("builtin/commands-script.lua", include_str!("../../scripts/commands-script.lua")),
    ("builtin/commands-python.lua", include_str!("../../scripts/commands-python.lua")),
    ("builtin/commands-built.lua", include_str!("../../scripts/commands-built.lua")),
    ("builtin/syntax.lua", include_str!("../../scripts/syntax.lua")),
    ("builtin/agents.lua", include_str!("../../scripts/agents.lua")),
    ("builtin/wording.lua", include_str!("../../scripts/wording.lua")),
    ("builtin/push.lua", include_str!("../../scripts/push.lua")),
];
