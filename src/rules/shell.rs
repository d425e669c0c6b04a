//! Words of simple shell commands. What needs a shell is left out, never guessed.

/// The commands of a `run:` block that are plain words: no pipes, variables, redirections, globs or conditions.
pub(super) fn simple_commands(block: &str) -> Vec<Vec<String>> {
    const NEEDS_A_SHELL: &[char] = &['|', ';', '$', '`', '<', '>', '(', ')', '*', '&', '{', '}', '~', '!'];
    let joined = block.replace("\\\r\n", " ").replace("\\\n", " ");
    joined
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !line.contains(NEEDS_A_SHELL))
        .filter_map(shlex::split)
        .filter(|words| words.first().is_some_and(|program| !program.contains('=')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_commands_become_words() {
        let block = "# set up\nnpm ci\nnpm test -- --ci \\\n  --silent\ncd web && npm test\nFOO=1 make\necho $HOME\n";
        assert_eq!(simple_commands(block), [vec!["npm", "ci"], vec!["npm", "test", "--", "--ci", "--silent"]]);
    }
}
