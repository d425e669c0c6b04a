//! What `git prfix init` writes for rule authors.

/// Files of a fresh `.prfix`, by repository-relative path. The first two are the team's to edit; the others are
/// rewritten by a later `init`.
pub const SCAFFOLD: &[(&str, &str)] = &[
    (".prfix/rules.lua", include_str!("../../scripts/init/rules.lua")),
    (".prfix/tests/rules.lua", include_str!("../../scripts/init/test.lua")),
    (".prfix/types/prfix.lua", include_str!("../../scripts/types/prfix.lua")),
    (".prfix/.luarc.json", include_str!("../../scripts/types/luarc.json")),
];
