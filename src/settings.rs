//! Settings: one table of keys, one order of sources (flag, environment, git configuration, team
//! file, default), one name for a key everywhere.

mod fault;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub use fault::SettingsError;

use crate::env::Env;
use crate::model::command::ProjectCommand;
use crate::policy::replies::ResolvePolicy;

/// A key of the settings.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// `probeModel`, as in `git config prfix.probeModel`.
    pub name: &'static str,
    pub repeatable: bool,
    pub value: &'static str,
    /// One line for `--help` and the manual.
    pub about: &'static str,
}

const fn one(name: &'static str, value: &'static str, about: &'static str) -> Key {
    Key { name, repeatable: false, value, about }
}
const fn many(name: &'static str, value: &'static str, about: &'static str) -> Key {
    Key { name, repeatable: true, value, about }
}

/// Every key there is. The flag, the environment variable and the file key are derived from the name.
pub const KEYS: &[Key] = &[
    one("agent", "NAME", "The agent adapter; default: the first one that is installed"),
    one("agentCommand", "COMMAND", "The command line of the adapter `command`"),
    one("probeModel", "MODEL", "Model of the read-only probes; default: the agent's own"),
    one("fixModel", "MODEL", "Model of the fix agent; default: the agent's own"),
    one("probeTimeout", "SECONDS", "Time limit of a probe (600)"),
    one("agentTimeout", "SECONDS", "Time limit of the fix agent (2700)"),
    one("gateTimeout", "SECONDS", "Time limit of one test or lint command (3600)"),
    one("hookTimeout", "SECONDS", "Time limit of git's hooks in a commit or a push (540)"),
    one("probes", "N", "Probes at once (6)"),
    one("jobs", "N", "Pull requests worked on at once (2)"),
    many("setupCommand", "COMMAND", "Command that prepares the worktree; default: inferred"),
    many("testCommand", "COMMAND", "Command that tests the project; default: inferred"),
    many("lintCommand", "COMMAND", "Command that lints the project; default: inferred"),
    many("copy", "PATTERN", "Files copied from the operator's tree into the worktree, never staged"),
    one("remote", "NAME", "The remote to fetch from and push to; default: the one that matches the PR"),
    one("transport", "gh|http", "How GitHub is reached; default: gh, else http"),
    many("identities", "LOGIN", "Logins that count as ours; default: the viewer"),
    many(
        "reviewers",
        "NAME",
        "Reviewers to ask again after a push; -NAME: never; default: Copilot, where it has reviewed",
    ),
    one("resolve", "answered|fixed|never", "Which threads are resolved after their reply (answered)"),
    one("reReviewCommand", "COMMAND", "What --re-review runs; the spec's path is in PRFIX_BRIEF"),
    one("worktreeRoot", "PATH", "Where worktrees live; default: the user's state folder"),
    one("keepRuns", "N", "How many runs are kept (50)"),
    one("sandbox", "auto|require|off", "Sandbox of agents and gates (auto)"),
    one("budgetUsd", "AMOUNT", "Spend per PR in US dollars; default: no limit"),
    one("budgetTokens", "N", "Tokens of agents per PR, in and out; default: no limit"),
    one("budgetSeconds", "SECONDS", "Time of agents per PR; default: no limit"),
    one("maxPushes", "N", "Pushes per watch (10)"),
    one("settle", "SECONDS", "Quiet seconds before a watch begins a round (60)"),
    one("requireProof", "off|tests|all", "Which items need a red-to-green proof before the push (off)"),
    one("notify", "COMMAND", "A command that gets events as JSON on standard input"),
];

impl Key {
    /// Looks a key up by any of its spellings; letters' case, `-` and `_` do not matter.
    pub fn find(text: &str) -> Option<&'static Key> {
        let wanted = normal(text);
        KEYS.iter().find(|key| normal(key.name) == wanted)
    }

    fn separated(self, by: char) -> String {
        let mut out = String::new();
        for c in self.name.chars() {
            if c.is_ascii_uppercase() {
                out.push(by);
            }
            out.push(c.to_ascii_lowercase());
        }
        out
    }

    /// `probe-model`, without the dashes in front.
    pub fn flag(self) -> String {
        self.separated('-')
    }

    /// `probe_model`, as in `.prfix/config.toml`.
    pub fn file(self) -> String {
        self.separated('_')
    }

    /// `PRFIX_PROBE_MODEL`.
    pub fn variable(self) -> String {
        format!("PRFIX_{}", self.file().to_ascii_uppercase())
    }
}

fn normal(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

/// `prfix.sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    Auto,
    Require,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequireProof {
    Off,
    Tests,
    All,
}

/// All settings, resolved.
#[derive(Debug, Clone)]
pub struct Settings {
    pub agent: Option<String>,
    pub agent_command: Option<String>,
    pub probe_model: Option<String>,
    pub fix_model: Option<String>,
    pub probe_timeout: Duration,
    pub agent_timeout: Duration,
    pub gate_timeout: Duration,
    pub hook_timeout: Duration,
    pub probes: usize,
    pub jobs: usize,
    /// `None`: inferred by the rules.
    pub setup_command: Option<Vec<ProjectCommand>>,
    pub test_command: Option<Vec<ProjectCommand>>,
    pub lint_command: Option<Vec<ProjectCommand>>,
    pub copy: Vec<String>,
    pub remote: Option<String>,
    pub transport: Option<String>,
    pub identities: Vec<String>,
    /// Names and logins; with a `-` in front, those that are never asked.
    pub reviewers: Vec<String>,
    pub resolve: ResolvePolicy,
    pub re_review_command: Option<ProjectCommand>,
    pub worktree_root: Option<PathBuf>,
    pub keep_runs: usize,
    pub sandbox: Sandbox,
    pub budget_usd: Option<f64>,
    pub budget_tokens: Option<u64>,
    pub budget_seconds: Option<f64>,
    pub max_pushes: u32,
    pub settle: Duration,
    pub require_proof: RequireProof,
    pub notify: Option<ProjectCommand>,
}

/// Raw values of one source, by key name; with the source's name for messages.
#[derive(Debug, Clone, Default)]
pub struct Source {
    pub name: String,
    pub values: BTreeMap<&'static str, Vec<String>>,
}

impl Source {
    /// The flags that say the same on a command line.
    pub fn flags(&self) -> Vec<String> {
        let known = self.values.iter().filter_map(|(name, values)| Some((Key::find(name)?, values)));
        known.flat_map(|(key, values)| values.iter().map(|value| format!("--{}={value}", key.flag()))).collect()
    }

    /// From `name = value` pairs, as git's configuration or a set of flags gives them.
    pub fn from_pairs<'a>(
        name: &str,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SettingsError> {
        let mut source = Self { name: name.to_owned(), values: BTreeMap::new() };
        for (key, value) in pairs {
            let known = Key::find(key).ok_or_else(|| unknown(key, name))?;
            source.values.entry(known.name).or_default().push(value.to_owned());
        }
        Ok(source)
    }

    /// From the environment; a repeatable key holds one value a line.
    pub fn from_env(env: &Env) -> Self {
        let mut values = BTreeMap::new();
        for key in KEYS {
            if let Some(text) = env.get(&key.variable()) {
                let list =
                    if key.repeatable { text.lines().map(str::to_owned).collect() } else { vec![text.to_owned()] };
                values.insert(key.name, list);
            }
        }
        Self { name: "the environment".into(), values }
    }

    /// From the text of `.prfix/config.toml`.
    pub fn from_team_file(text: &str) -> Result<Self, SettingsError> {
        let name = ".prfix/config.toml";
        let table: toml::Table =
            toml::from_str(text).map_err(|error| SettingsError::TeamFile { why: error.to_string() })?;
        let mut source = Self { name: name.to_owned(), values: BTreeMap::new() };
        for (key, value) in table {
            let known = Key::find(&key).ok_or_else(|| unknown(&key, name))?;
            let list = match value {
                toml::Value::Array(list) => list.iter().map(scalar).collect(),
                other => vec![scalar(&other)],
            };
            source.values.insert(known.name, list);
        }
        Ok(source)
    }
}

fn scalar(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unknown(key: &str, source: &str) -> SettingsError {
    let wanted = normal(key);
    let near = KEYS.iter().map(|k| (distance(&wanted, &normal(k.name)), k.name)).min();
    let help = match near {
        Some((far, name)) if far <= 3.max(wanted.len() / 3) => format!("did you mean `{name}`?"),
        _ => "`man git-prfix-config` lists the settings".to_owned(),
    };
    fault::unknown_key(key, source, help)
}

/// Levenshtein distance over bytes.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = before + usize::from(x != y);
            before = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

/// The sources in order of nearness, asked for one key at a time.
struct Lookup<'a>(&'a [Source]);

impl Lookup<'_> {
    fn all(&self, name: &str) -> Option<(&[String], &str)> {
        self.0.iter().find_map(|source| source.values.get(name).map(|list| (list.as_slice(), source.name.as_str())))
    }

    /// The last value, as git takes it; an empty one counts as not set.
    fn text(&self, name: &str) -> Option<(&str, &str)> {
        let (list, source) = self.all(name)?;
        let value = list.last()?.as_str();
        (!value.is_empty()).then_some((value, source))
    }

    fn string(&self, name: &str) -> Option<String> {
        self.text(name).map(|(value, _)| value.to_owned())
    }

    fn number<T: std::str::FromStr>(&self, name: &'static str, default: T) -> Result<T, SettingsError> {
        self.optional_number(name).map(|value| value.unwrap_or(default))
    }

    fn optional_number<T: std::str::FromStr>(&self, name: &'static str) -> Result<Option<T>, SettingsError> {
        let Some((value, source)) = self.text(name) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| fault::bad_value(name, value, source, "expected a number, not negative"))
    }

    fn seconds(&self, name: &'static str, default: u64) -> Result<Duration, SettingsError> {
        let seconds: u64 = self.number(name, default)?;
        Ok(Duration::from_secs(seconds))
    }

    fn word<T: Copy>(&self, name: &'static str, words: &[(&str, T)]) -> Result<T, SettingsError> {
        let Some((value, source)) = self.text(name) else { return Ok(words[0].1) };
        let found = words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
        let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| fault::bad_value(name, value, source, &format!("expected one of {}", known())))
    }

    fn command(&self, name: &'static str) -> Result<Option<ProjectCommand>, SettingsError> {
        let Some((value, source)) = self.text(name) else { return Ok(None) };
        ProjectCommand::parse(value)
            .map(Some)
            .ok_or_else(|| fault::bad_value(name, value, source, "the quotes are not balanced"))
    }

    fn commands(&self, name: &'static str) -> Result<Option<Vec<ProjectCommand>>, SettingsError> {
        let Some((list, source)) = self.all(name) else { return Ok(None) };
        list.iter()
            .filter(|line| !line.is_empty())
            .map(|line| {
                ProjectCommand::parse(line)
                    .ok_or_else(|| fault::bad_value(name, line, source, "the quotes are not balanced"))
            })
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn list(&self, name: &str) -> Vec<String> {
        self.all(name).map(|(list, _)| list.iter().filter(|v| !v.is_empty()).cloned().collect()).unwrap_or_default()
    }
}

impl Settings {
    /// Resolves the sources, nearest first.
    pub fn resolve(sources: &[Source]) -> Result<Self, SettingsError> {
        let from = Lookup(sources);
        let settings = Self {
            agent: from.string("agent"),
            agent_command: from.string("agentCommand"),
            probe_model: from.string("probeModel"),
            fix_model: from.string("fixModel"),
            probe_timeout: from.seconds("probeTimeout", 600)?,
            agent_timeout: from.seconds("agentTimeout", 2700)?,
            gate_timeout: from.seconds("gateTimeout", 3600)?,
            hook_timeout: from.seconds("hookTimeout", 540)?,
            probes: from.number("probes", 6)?,
            jobs: from.number("jobs", 2)?,
            setup_command: from.commands("setupCommand")?,
            test_command: from.commands("testCommand")?,
            lint_command: from.commands("lintCommand")?,
            copy: from.list("copy"),
            remote: from.string("remote"),
            transport: from
                .word("transport", &[("", None), ("gh", Some("gh")), ("http", Some("http"))])?
                .map(str::to_owned),
            identities: from.list("identities"),
            reviewers: from.list("reviewers"),
            resolve: from.word(
                "resolve",
                &[
                    ("answered", ResolvePolicy::Answered),
                    ("fixed", ResolvePolicy::Fixed),
                    ("never", ResolvePolicy::Never),
                ],
            )?,
            re_review_command: from.command("reReviewCommand")?,
            worktree_root: from.string("worktreeRoot").map(PathBuf::from),
            keep_runs: from.number("keepRuns", 50)?,
            sandbox: from
                .word("sandbox", &[("auto", Sandbox::Auto), ("require", Sandbox::Require), ("off", Sandbox::Off)])?,
            budget_usd: from.optional_number("budgetUsd")?,
            budget_tokens: from.optional_number("budgetTokens")?,
            budget_seconds: from.optional_number("budgetSeconds")?,
            max_pushes: from.number("maxPushes", 10)?,
            settle: from.seconds("settle", 60)?,
            require_proof: from.word(
                "requireProof",
                &[("off", RequireProof::Off), ("tests", RequireProof::Tests), ("all", RequireProof::All)],
            )?,
            notify: from.command("notify")?,
        };
        for (name, value) in [("probes", settings.probes), ("jobs", settings.jobs)] {
            if value == 0 {
                return Err(fault::bad_value(name, "0", "the settings", "at least 1 is needed"));
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, pairs: &[(&str, &str)]) -> Source {
        Source::from_pairs(name, pairs.iter().copied()).unwrap()
    }

    #[test]
    fn a_key_has_one_name_in_every_spelling() {
        let key = Key::find("probeModel").unwrap();
        assert_eq!((key.flag().as_str(), key.file().as_str()), ("probe-model", "probe_model"));
        assert_eq!(key.variable(), "PRFIX_PROBE_MODEL");
        assert!(Key::find("probemodel").is_some() && Key::find("probe_model").is_some());
    }

    #[test]
    fn the_nearest_source_wins_and_replaces_a_whole_list() {
        let near = source("flags", &[("testCommand", "make test"), ("testCommand", "make e2e")]);
        let far = source("git", &[("testCommand", "cargo test"), ("probes", "3")]);
        let settings = Settings::resolve(&[near, far]).unwrap();
        let tests: Vec<String> = settings.test_command.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(tests, ["make test", "make e2e"]);
        assert_eq!(settings.probes, 3);
        assert_eq!(settings.agent_timeout.as_secs(), 2700);
    }

    #[test]
    fn an_unknown_key_names_the_nearest_known_one() {
        let error = Source::from_pairs("git configuration", [("probmodel", "x")]).unwrap_err();
        let SettingsError::UnknownKey { help, .. } = error else { panic!("{error}") };
        assert!(help.contains("probeModel"), "{help}");
        assert!(Source::from_team_file("probe_modle = 'x'").is_err());
    }

    #[test]
    fn a_bad_value_names_key_value_and_source() {
        let error = Settings::resolve(&[source("the flags", &[("probes", "many")])]).unwrap_err().to_string();
        assert!(error.contains("probes") && error.contains("many") && error.contains("the flags"), "{error}");
        let error = Settings::resolve(&[source("git's configuration", &[("probes", "many")])]).unwrap_err();
        let SettingsError::BadValue { written, at, .. } = error else { panic!("{error}") };
        let marked = &written.inner()[at.offset()..at.offset() + at.len()];
        assert_eq!((written.inner().as_str(), marked), ("prfix.probes = many", "many"));
        assert!(Settings::resolve(&[source("f", &[("sandbox", "on")])]).is_err());
        assert!(Settings::resolve(&[source("f", &[("probes", "0")])]).is_err());
        assert!(Settings::resolve(&[source("f", &[("testCommand", "sh -c 'x")])]).is_err());
    }

    #[test]
    fn an_empty_value_turns_an_inferred_list_off() {
        let settings = Settings::resolve(&[source("f", &[("lintCommand", "")])]).unwrap();
        assert_eq!(settings.lint_command, Some(vec![]));
    }
}
