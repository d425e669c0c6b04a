//! Ignored files that nobody could make again: secrets, keys, databases.

use std::path::Path;

use gix::bstr::{BString, ByteSlice};

use super::leftover::REBUILDABLE;
use crate::git::{GitError, child};

const NAMES: &[&str] = &[".npmrc", ".pypirc", ".netrc", ".htpasswd", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"];
const STARTS: &[&str] = &[".env", "secret", "credential"];
const ENDS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".gpg",
    ".age",
    ".tfstate",
    ".sqlite",
    ".sqlite3",
    ".db",
    ".mdb",
    ".sql",
    ".dump",
];

/// Those in `worktree` that are not the same in `original`, from which they may have been copied.
pub(super) fn ignored(worktree: &Path, original: Option<&Path>) -> Result<Vec<BString>, GitError> {
    let args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"];
    let listed = child::output(worktree, args, "listing ignored files")?;
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let precious = paths.filter(|path| is_precious(path)).filter(|path| {
        let Ok(path) = path.to_path() else { return true };
        let copy = std::fs::read(worktree.join(path)).ok();
        copy.is_none() || original.is_none_or(|root| std::fs::read(root.join(path)).ok() != copy)
    });
    Ok(precious.map(BString::from).collect())
}

fn is_precious(path: &[u8]) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.split(|byte| *byte == b'/').rev();
    let name = parts.next().unwrap_or_default();
    let made_again = parts.any(|folder| REBUILDABLE.iter().any(|known| known.as_bytes() == folder));
    !made_again
        && (NAMES.iter().any(|known| known.as_bytes() == name)
            || STARTS.iter().any(|start| name.starts_with(start.as_bytes()))
            || ENDS.iter().any(|end| name.ends_with(end.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_precious_and_dependencies_are_not() {
        for path in [".env", "app/.env.local", "certs/Server.PEM", "dev.sqlite3", "infra/terraform.tfstate"] {
            assert!(is_precious(path.as_bytes()), "{path}");
        }
        for path in ["node_modules/certifi/cacert.pem", "target/debug/x.db", "debug.log", "src/environment.py"] {
            assert!(!is_precious(path.as_bytes()), "{path}");
        }
    }
}
