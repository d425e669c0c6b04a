//! The files that `init` writes.

use super::look::Seen;
use crate::model::command::ProjectCommand;
use crate::rules::SCAFFOLD;

/// Path and text of each.
pub(super) fn all(seen: &Seen) -> Vec<(&'static str, String)> {
    let mut files = vec![(".prfix/config.toml", config(seen))];
    files.extend(SCAFFOLD.iter().map(|(path, text)| (*path, (*text).to_owned())));
    files
}

/// What nobody edits: a later `init` brings it up to date.
pub(super) fn is_generated(path: &str) -> bool {
    path.starts_with(".prfix/types/")
}

fn config(seen: &Seen) -> String {
    let setup = key("setup_command", &seen.commands.setup, "npm ci");
    let test = key("test_command", &seen.commands.test, "make test");
    let lint = key("lint_command", &seen.commands.lint, "make lint");
    let found = if seen.commands.test.is_empty() && seen.commands.lint.is_empty() {
        "No rule found them here: say how, or nothing can be verified and nothing is pushed."
    } else {
        "Found by the rules as below; set what is wrong."
    };
    let agent = seen.agents.first().map_or("claude", String::as_str);
    format!(
        "# The team's settings for git-prfix; man git-prfix-config has all of them. They count once they are on the\n\
         # default branch; each member's own git configuration goes before them. A line that begins with # has no effect.\n\
         \n\
         # How the project is prepared, tested and linted. {found}\n\
         {setup}{test}{lint}\
         \n\
         # Files that git ignores and that a worktree needs.\n\
         # copy = [\".env.test\"]\n\
         \n\
         # Which agent works; without it, the first known one that is installed.\n\
         # agent = \"{agent}\"\n\
         \n\
         # Which review threads are resolved once they are answered: answered, fixed or never.\n\
         # resolve = \"answered\"\n\
         \n\
         # Which items need a test that was red before the fix and is green after it: off, tests or all.\n\
         # require_proof = \"off\"\n"
    )
}

/// A key that has no effect yet, with what was found; a command of another folder is told in words.
fn key(name: &str, commands: &[ProjectCommand], example: &str) -> String {
    let (root, elsewhere): (Vec<_>, Vec<_>) = commands.iter().partition(|command| command.cwd.is_empty());
    let mut values: Vec<toml::Value> = root.iter().map(|command| command.to_string().into()).collect();
    if commands.is_empty() {
        values.push(example.into());
    }
    let mut text = String::new();
    if !values.is_empty() {
        text += &format!("# {name} = {}\n", toml::Value::Array(values));
    }
    for command in elsewhere {
        text += &format!("#   and in {}: {}\n", command.cwd, ProjectCommand { cwd: String::new(), ..command.clone() });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::command::ProjectCommands;
    use crate::settings::{Settings, Source};

    fn seen(commands: ProjectCommands) -> Seen {
        Seen {
            languages: Default::default(),
            commands,
            ci: Default::default(),
            agents: vec!["codex".into()],
            hooks: Default::default(),
            guarded: false,
        }
    }

    /// The settings that hold when every key is put in force.
    fn in_force(text: &str) -> Settings {
        let on = |line: &str| line.strip_prefix("# ").filter(|rest| rest.contains(" = ")).map(str::to_owned);
        let text: Vec<String> = text.lines().map(|line| on(line).unwrap_or_else(|| line.to_owned())).collect();
        Settings::resolve(&[Source::from_team_file(&text.join("\n")).unwrap()]).unwrap()
    }

    #[test]
    fn the_settings_file_has_no_effect_as_written_and_is_valid_with_every_key_in_force() {
        let elsewhere = ProjectCommand { cwd: "web".into(), ..ProjectCommand::new(&["npm", "test"]) };
        let commands = ProjectCommands {
            test: vec![ProjectCommand::new(&["sh", "-c", "echo \"it's\" \\ # done"]), elsewhere],
            ..ProjectCommands::default()
        };
        let text = config(&seen(commands.clone()));
        assert!(Source::from_team_file(&text).unwrap().values.is_empty());
        let settings = in_force(&text);
        assert_eq!(settings.test_command.unwrap()[0], commands.test[0]);
        assert_eq!(settings.agent.as_deref(), Some("codex"));
        assert!(text.contains("and in web: npm test"), "{text}");
        in_force(&config(&seen(ProjectCommands::default())));
    }

    #[test]
    fn the_editors_settings_are_json() {
        let files = all(&seen(ProjectCommands::default()));
        let (_, luarc) = files.iter().find(|(path, _)| path.ends_with(".luarc.json")).unwrap();
        let luarc: serde_json::Value = serde_json::from_str(luarc).unwrap();
        assert_eq!(luarc["workspace.library"][0], "types");
    }
}
