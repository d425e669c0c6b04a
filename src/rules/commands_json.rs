//! The outer form of inferred commands, `rules commands --json`.

use serde_json::{Value, json};

use crate::model::command::{ProjectCommand, ProjectCommands};

/// Each command is a list of words, or `{"argv": […], "cwd": "…"}` where it does not run at the root.
pub fn commands_json(commands: &ProjectCommands) -> Value {
    json!({
        "setup": list(&commands.setup),
        "test": list(&commands.test),
        "lint": list(&commands.lint),
        "narrow": list(&commands.narrow),
        "rule": commands.rule,
    })
}

fn list(commands: &[ProjectCommand]) -> Vec<Value> {
    let form = |command: &ProjectCommand| {
        if command.cwd.is_empty() { json!(command.argv) } else { json!({"argv": command.argv, "cwd": command.cwd}) }
    };
    commands.iter().map(form).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_only_where_it_is_not_the_root() {
        let commands = ProjectCommands {
            test: vec![
                ProjectCommand::new(&["npm", "test"]),
                ProjectCommand { argv: vec!["make".into()], cwd: "web".into() },
            ],
            rule: "commands/node".into(),
            ..ProjectCommands::default()
        };
        let expected = json!({
            "setup": [], "lint": [], "narrow": [],
            "test": [["npm", "test"], {"argv": ["make"], "cwd": "web"}],
            "rule": "commands/node",
        });
        assert_eq!(commands_json(&commands), expected);
    }
}
