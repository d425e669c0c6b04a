//! What the simulated GitHub knows: JSON nodes by id, which refer to each other by `{"$ref": id}`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::check::{Check, Job};

pub type Node = Map<String, Value>;

/// The time of everything that happens during a test, unless it says otherwise.
pub const NOW: &str = "2026-11-30T12:00:00Z";

#[derive(Default)]
pub struct Store {
    nodes: BTreeMap<String, Node>,
    /// `owner/name` in lower case → node id.
    pub repos: BTreeMap<String, String>,
    /// Node id of a repository → its bare repository on disk.
    pub disks: BTreeMap<String, PathBuf>,
    /// Node id of a commit → check runs and statuses on it.
    pub contexts: BTreeMap<String, Vec<Value>>,
    /// Node id of a pull request → the checks that each push to its head starts.
    pub on_push: BTreeMap<String, Vec<Check>>,
    /// Job id → what the Actions API knows about it.
    pub jobs: BTreeMap<u64, Job>,
    /// Login → `admin`, `write`, `read` or `none`.
    pub permissions: BTreeMap<String, String>,
    /// Names of required checks of the default branch.
    pub required: BTreeSet<String>,
    /// Mutations that were carried out, with the id of what they were done to.
    pub writes: Vec<(String, String)>,
    /// Login of the account that the token belongs to.
    pub viewer: String,
    pub scopes: Option<String>,
    /// Scheme and host of the store of logs.
    pub blobs: String,
    /// Workflow runs without jobs, such as a fork's that awaits approval, as REST shows them.
    pub waiting_runs: Vec<Value>,
    pub rate_used: u64,
    next: u64,
}

/// A reference to a node.
pub fn link(id: &str) -> Value {
    json!({ "$ref": id })
}

/// The id that a reference names.
pub fn target(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()
}

impl Store {
    /// Numbers beyond 32 bits, as those of today's comments are.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        3_000_000_000 + self.next
    }

    /// Adds or replaces a node, and returns a reference to it.
    pub fn put(&mut self, id: &str, value: Value) -> Value {
        let Value::Object(mut node) = value else { panic!("a node is an object") };
        node.insert("id".into(), json!(id));
        self.nodes.insert(id.to_owned(), node);
        link(id)
    }

    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub fn has(&self, id: &str) -> bool {
        self.nodes.contains_key(id)
    }

    pub fn get(&self, id: &str, field: &str) -> Value {
        self.nodes.get(id).and_then(|node| node.get(field)).cloned().unwrap_or(Value::Null)
    }

    pub fn text(&self, id: &str, field: &str) -> String {
        self.get(id, field).as_str().unwrap_or_default().to_owned()
    }

    /// Ids that a list of references names.
    pub fn ids(&self, id: &str, field: &str) -> Vec<String> {
        let list = self.get(id, field);
        list.as_array().into_iter().flatten().filter_map(target).map(str::to_owned).collect()
    }

    /// Id that a single reference names.
    pub fn id(&self, id: &str, field: &str) -> Option<String> {
        target(&self.get(id, field)).map(str::to_owned)
    }

    pub fn set(&mut self, id: &str, field: &str, value: Value) {
        let node = self.nodes.get_mut(id).unwrap_or_else(|| panic!("no node {id}"));
        node.insert(field.to_owned(), value);
    }

    /// Appends to a list.
    pub fn push(&mut self, id: &str, field: &str, value: Value) {
        let node = self.nodes.get_mut(id).unwrap_or_else(|| panic!("no node {id}"));
        if let Value::Array(list) = node.entry(field).or_insert_with(|| json!([])) {
            list.push(value);
        }
    }

    /// Deletes a node and takes it out of the list that holds it.
    pub fn delete(&mut self, id: &str) {
        self.nodes.remove(id);
        for node in self.nodes.values_mut() {
            for list in node.values_mut().filter_map(Value::as_array_mut) {
                list.retain(|item| target(item) != Some(id));
            }
        }
    }

    /// The account with this login, made when it is new; `name[bot]` makes a bot.
    pub fn account(&mut self, login: &str) -> Value {
        let (kind, prefix, bare) = match login.strip_suffix("[bot]") {
            Some(bare) => ("Bot", "BOT", bare),
            None => ("User", "U", login),
        };
        let id = format!("{prefix}_{bare}");
        if !self.has(&id) {
            let number = self.number();
            let page = if kind == "Bot" { format!("apps/{bare}") } else { bare.to_owned() };
            self.put(
                &id,
                json!({"__typename": kind, "login": bare, "name": bare, "databaseId": number % 1_000_000_000,
                    "url": format!("https://github.com/{page}"), "resourcePath": format!("/{page}"),
                    "avatarUrl": "https://github.com/avatar.png"}),
            );
        }
        link(&id)
    }

    /// Whether the account behind a reference is the viewer.
    pub fn is_viewer(&self, account: &Value) -> bool {
        target(account).is_some_and(|id| self.text(id, "login") == self.viewer)
    }

    pub fn pull_request(&self, number: u64) -> Option<String> {
        let id = format!("PR_{number}");
        self.has(&id).then_some(id)
    }
}
