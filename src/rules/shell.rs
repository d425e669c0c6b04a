//! Words of simple shell commands. What needs a shell is left out, never guessed.

const NEEDS_A_SHELL: &[char] = &['|', ';', '$', '`', '<', '>', '(', ')', '*', '&', '{', '}', '~', '!'];

/// The commands of a `run:` block that are plain words, alone or joined by `&&`: no pipes, variables, redirections,
/// globs or conditions, nothing inside a block, a here-document or a text of several lines. Where the folder changes
/// in a way that only a shell could follow, the rest is left out.
pub(super) fn simple_commands(block: &str) -> Vec<Vec<String>> {
    let joined = block.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut commands = Vec::new();
    let mut depth = 0_i32;
    while let Some(line) = lines.next() {
        let open = depth;
        depth += nesting(line);
        if let Some(end) = here_document(line) {
            lines.by_ref().find(|line| *line == end);
        }
        let Some(words) = simple(line).filter(|_| open == 0 && depth == 0) else {
            skip_open_quotes(line, &mut lines);
            if changes_folder(line) {
                break;
            }
            continue;
        };
        commands.extend(words);
    }
    commands
}

/// The commands of one line, when all of them are plain.
fn simple(line: &str) -> Option<Vec<Vec<String>>> {
    let parts: Vec<&str> = line.split("&&").collect();
    if parts.iter().any(|part| part.contains(NEEDS_A_SHELL)) {
        return None;
    }
    let commands: Vec<Vec<String>> = parts.into_iter().map(shlex::split).collect::<Option<_>>()?;
    // An assignment in front is an environment that only this command has.
    commands.iter().all(|words| words.first().is_some_and(|program| !program.contains('='))).then_some(commands)
}

/// Blocks that a line opens, less those that it closes.
fn nesting(line: &str) -> i32 {
    let starts = line
        .split([';', '|', '&'])
        .filter_map(|part| part.split_whitespace().find(|word| !["then", "do", "else", "!"].contains(word)));
    let words = starts.map(|word| match word {
        "if" | "for" | "while" | "until" | "case" | "{" => 1,
        "fi" | "done" | "esac" | "}" => -1,
        _ => 0,
    });
    words.sum::<i32>() + i32::from(line.contains("()") && line.ends_with('{'))
}

/// The word that ends the here-document which a line starts.
fn here_document(line: &str) -> Option<&str> {
    let rest = line.split_once("<<")?.1.trim_start_matches('-').trim_start();
    let word = rest.split_whitespace().next()?.trim_matches(['"', '\'']);
    (!rest.starts_with('<') && !word.is_empty()).then_some(word)
}

/// Leaves out the lines up to the end of a text in quotes that this line starts.
fn skip_open_quotes<'a>(line: &str, lines: &mut impl Iterator<Item = &'a str>) {
    let mut text = line.to_owned();
    while shlex::split(&text).is_none() {
        let Some(next) = lines.next() else { return };
        text.push('\n');
        text.push_str(next);
    }
}

fn changes_folder(line: &str) -> bool {
    line.split(|c: char| c.is_whitespace() || ";&|(){}".contains(c)).any(|word| ["cd", "pushd", "popd"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_commands_become_words() {
        let block =
            "# set up\nnpm ci\nnpm test -- --ci \\\n  --silent\nFOO=1 make\necho $HOME\nnpm run a && npm run b\n";
        let words = [
            vec!["npm", "ci"],
            vec!["npm", "test", "--", "--ci", "--silent"],
            vec!["npm", "run", "a"],
            vec!["npm", "run", "b"],
        ];
        assert_eq!(simple_commands(block), words);
    }

    #[test]
    fn what_stands_in_blocks_documents_and_texts_is_no_command() {
        for block in [
            "if [ -f x ]; then\n  npm run deploy\nfi\nmake test",
            "for a in b c\ndo\n  npm run $a\n  npm run x\ndone\nmake test",
            "deploy() {\n  make publish\n}\nmake test",
            "cat > x <<EOF\nnpm run deploy\nEOF\nmake test",
            "cat <<-'END' | sh\nnpm run deploy\nEND\nmake test",
            "node -e \"\nnpm run deploy\n\"\nmake test",
            "while true; do sleep 1; done\nmake test",
        ] {
            assert_eq!(simple_commands(block), [["make", "test"]], "{block}");
        }
    }

    #[test]
    fn a_folder_that_only_a_shell_knows_ends_the_reading() {
        assert_eq!(simple_commands("make a\ncd $DIR\nmake b"), [["make", "a"]]);
        assert_eq!(simple_commands("if x; then cd web; fi\nmake b"), Vec::<Vec<String>>::new());
        assert_eq!(simple_commands("cd web && make b"), [["cd", "web"], ["make", "b"]]);
    }
}
