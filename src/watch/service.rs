//! The words of a watch that runs by itself, and the unit that starts it with the user's session.

use std::path::{Path, PathBuf};

use crate::model::watch::Record;
use crate::settings::Source;

/// The arguments of a start that goes on with what a person confirmed: the options are those of the records.
pub fn words(repo: &Path, settings: &Source, records: &[&Record]) -> Vec<String> {
    let mut words = vec!["--repo".to_owned(), repo.to_string_lossy().into_owned()];
    words.extend(settings.flags());
    words.push("watch".to_owned());
    words.extend(records.iter().map(|record| record.number.to_string()));
    let Some(options) = records.first().map(|record| &record.options) else { return words };
    words.push(format!("--every={}", options.every));
    words.extend((!options.reply).then(|| "--no-reply".to_owned()));
    words.extend(options.allow.iter().map(|what| format!("--allow={what}")));
    words.extend(options.allow_unverified.then(|| "--allow-unverified".to_owned()));
    words.extend(options.accept_red_baseline.then(|| "--accept-red-baseline".to_owned()));
    if let Some(text) = &options.instructions {
        words.extend(["--".to_owned(), text.clone()]);
    }
    words
}

/// What starts a watch with the user's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    pub path: PathBuf,
    pub text: String,
    /// What to type once it is written.
    pub next: String,
}

impl Service {
    /// A systemd user unit. It is started again after a failure, not when a person has to act first.
    pub fn systemd(config: &Path, name: &str, argv: &[String], search_path: &str) -> Self {
        let line = argv.iter().map(|word| unit_word(word)).collect::<Vec<_>>().join(" ");
        let text = format!(
            "[Unit]\nDescription=git prfix watch ({name})\nAfter=network-online.target\n\n\
             [Service]\nExecStart={line}\nEnvironment={}\nRestart=on-failure\nRestartSec=60\n\
             RestartPreventExitStatus=2 3\n\n[Install]\nWantedBy=default.target\n",
            unit_word(&format!("PATH={search_path}"))
        );
        let file = format!("git-prfix-watch-{name}.service");
        let next = format!("systemctl --user daemon-reload && systemctl --user enable --now {file}");
        Self { path: config.join("systemd/user").join(file), text, next }
    }

    /// A launchd agent.
    pub fn launchd(home: &Path, name: &str, argv: &[String], search_path: &str) -> Self {
        let label = format!("git-prfix.watch.{name}");
        let words: String = argv.iter().map(|word| format!("    <string>{}</string>\n", xml(word))).collect();
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{label}</string>\n\
             \x20 <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n\
             \x20 <key>EnvironmentVariables</key>\n  <dict>\n    <key>PATH</key>\n    <string>{}</string>\n  </dict>\n\
             \x20 <key>RunAtLoad</key>\n  <true/>\n</dict>\n</plist>\n",
            xml(search_path)
        );
        let path = home.join("Library/LaunchAgents").join(format!("{label}.plist"));
        let next = format!("launchctl bootstrap gui/$(id -u) {}", path.display());
        Self { path, text, next }
    }
}

/// One word of `ExecStart=` (systemd.service(5), systemd.syntax(7)): quotes, specifiers and variables mean nothing.
fn unit_word(word: &str) -> String {
    let mut out = String::from("\"");
    for c in word.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '%' | '$' => out.extend([c, c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_word_holds_means_anything_to_systemd_or_launchd() {
        let argv = ["git-prfix".to_owned(), "--".to_owned(), "keep \"$HOME\" 100% <b>\nExecStart=/bin/evil".to_owned()];
        let unit = Service::systemd(Path::new("/c"), "demo", &argv, "/bin");
        assert!(unit.text.contains(r#"ExecStart="git-prfix" "--" "keep \"$$HOME\" 100%% <b>\nExecStart=/bin/evil""#));
        assert_eq!(unit.text.lines().filter(|line| line.starts_with("ExecStart")).count(), 1);
        assert_eq!(unit.path, Path::new("/c/systemd/user/git-prfix-watch-demo.service"));
        let agent = Service::launchd(Path::new("/h"), "demo", &argv, "/bin");
        assert!(agent.text.contains("100% &lt;b&gt;") && !agent.text.contains("<b>"));
    }

    #[test]
    fn the_words_are_the_options_that_were_confirmed() {
        let record = serde_json::json!({
            "schema": "git-prfix.watch/1", "number": 7, "repo": {"host": "h", "owner": "o", "name": "n"}, "node_id": "",
            "title": "", "head_branch": "", "push_target": "", "head": "", "pushed": [], "max_pushes": 10,
            "options": {"every": 5, "reply": false, "instructions": "keep the API"}, "started_at": "", "memory": {},
            "needs_human": [],
        });
        let record: Record = serde_json::from_value(record).unwrap();
        let settings = Source::from_pairs("x", [("agent", "codex")]).unwrap();
        let words = words(Path::new("/repo"), &settings, &[&record]);
        assert_eq!(
            words,
            ["--repo", "/repo", "--agent=codex", "watch", "7", "--every=5", "--no-reply", "--", "keep the API"]
        );
    }
}
