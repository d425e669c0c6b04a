//! The hook itself: `hooks/pre-push`, which people may install by hand as well, with two of its lines filled in.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::HookError;

/// Name of the hook.
pub(super) const NAME: &str = "pre-push";
/// Name under which the hook that was there is called.
pub(super) const BEFORE: &str = "pre-push.before-prfix";

const SCRIPT: &str = include_str!("../../../hooks/pre-push");
const MARK: &str = "# git-prfix push guard";

/// The guard's script. `before`: the hook that runs first, when it is not the one beside it.
pub(super) fn guard(before: Option<&Path>) -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let script = SCRIPT.replace("program=''", &format!("program={}", quoted(&program)));
    match before {
        Some(before) => script.replace("before=\"$0.before-prfix\"", &format!("before={}", quoted(before))),
        None => script,
    }
}

/// A script that hands over to the hook of its own name in `folder`.
pub(super) fn forwarder(folder: &Path) -> String {
    format!(
        "#!/bin/sh\n# Written by `git prfix hook install`: hands over to the repository's own hooks path.\n\
         hook={}/${{0##*/}}\n[ -f \"$hook\" ] && [ -x \"$hook\" ] || exit 0\nexec \"$hook\" \"$@\"\n",
        quoted(folder)
    )
}

/// One word of a shell, whatever is in it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// The file is a guard, of this version or another.
pub(super) fn is_ours(hook: &Path) -> bool {
    std::fs::read_to_string(hook).is_ok_and(|text| text.contains(MARK))
}

/// Writes an executable file, unless it is there just so. Says whether it wrote.
pub(super) fn put(path: &Path, text: &str) -> Result<bool, HookError> {
    let is_executable = path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0);
    if is_executable && std::fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(false);
    }
    let write = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let file = tempfile::NamedTempFile::new_in(folder)?;
        std::fs::write(file.path(), text)?;
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o755))?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(HookError::io(path, "written"))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lines_of_the_script_are_filled_in() {
        let script = guard(Some(Path::new("it's/pre-push")));
        assert!(script.contains(r"before='it'\''s/pre-push'"), "{script}");
        assert!(!script.contains("program=''") && !script.contains("$0.before-prfix"), "{script}");
        assert!(SCRIPT.contains(MARK) && guard(None).contains("before=\"$0.before-prfix\""));
    }
}
