//! The allow-listed environment of agents and gates: no token, no agent socket, no git credentials.

use std::ffi::OsString;
use std::path::Path;

use crate::env::Env;

/// The environment for the project's own commands: PATH, HOME, locale, terminal, tool caches; a private TMPDIR;
/// git told to use no credential helper and no prompt.
pub fn gate_env(env: &Env, tmp: &Path) -> Vec<(OsString, OsString)> {
    todo!()
}
