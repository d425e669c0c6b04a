//! What a test scripts: faults of chosen requests, and events right before them.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::http::{Answer, Body};

type Patch = Arc<dyn Fn(&mut Value) + Send + Sync>;

/// How a request goes wrong.
#[derive(Clone)]
pub enum Fault {
    /// The connection closes before anything was done.
    DropBefore,
    /// Everything was done; the answer is lost.
    DropAfter,
    /// Everything was done; no answer comes, and the connection stays open.
    Hang,
    /// The program is killed (`SIGKILL`) before anything was done.
    KillBefore,
    /// The program is killed when everything was done, before it can read the answer.
    KillAfter,
    /// The program gets this signal; then the request is answered.
    Signal(rustix::process::Signal),
    /// Nothing was done.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: Value },
    /// The connection closes in the middle of the answer.
    Cut,
    /// A complete answer whose JSON ends too early.
    HalfJson,
    /// The answer, changed.
    Patch(Patch),
}

impl Fault {
    /// An error status with the JSON that GitHub sends.
    pub fn status(status: u16) -> Self {
        let message = match status {
            401 => "Bad credentials",
            403 => "Resource not accessible by personal access token",
            404 => "Not Found",
            410 => "Gone",
            422 => "Validation Failed",
            502 => "Something went wrong while executing your query. This may be the result of a timeout.",
            _ => "Server Error",
        };
        let body = json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": status.to_string()});
        Self::Answer { status, headers: Vec::new(), body }
    }

    /// An error status with a message of its own.
    pub fn message(status: u16, message: &str) -> Self {
        let body = json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": status.to_string()});
        Self::Answer { status, headers: Vec::new(), body }
    }

    /// An error answer with one more header.
    pub fn header(self, name: &'static str, value: impl ToString) -> Self {
        match self {
            Self::Answer { status, mut headers, body } => {
                headers.push((name, value.to_string()));
                Self::Answer { status, headers, body }
            }
            other => other,
        }
    }

    /// Status 200 with GraphQL errors and no data.
    pub fn errors(kind: &str, message: &str) -> Self {
        let body = json!({"data": null, "errors": [{"type": kind, "message": message}]});
        Self::Answer { status: 200, headers: Vec::new(), body }
    }

    /// The primary limit of GraphQL, until `reset` (seconds since 1970).
    pub fn rate_limited(reset: i64) -> Self {
        Self::errors("RATE_LIMITED", "API rate limit exceeded for user ID 1.")
            .header("x-ratelimit-remaining", 0)
            .header("x-ratelimit-reset", reset)
    }

    /// The secondary limit, with seconds to wait.
    pub fn secondary_limit(retry_after: u64) -> Self {
        Self::message(403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
            .header("retry-after", retry_after)
    }

    /// One node (a JSON pointer below `data`) is null, with an error that says why.
    pub fn node(pointer: &'static str, kind: &'static str, message: &'static str) -> Self {
        Self::patch(move |body| {
            let path: Vec<Value> = pointer
                .split('/')
                .skip(1)
                .map(|word| word.parse::<u64>().map_or_else(|_| json!(word), |n| json!(n)))
                .collect();
            if let Some(node) = body.pointer_mut(&format!("/data{pointer}")) {
                *node = Value::Null;
            }
            body["errors"] = json!([{"type": kind, "message": message, "path": path}]);
        })
    }

    pub fn patch(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        Self::Patch(Arc::new(change))
    }

    /// The answer in place of the usual one, when nothing is to be done.
    pub(super) fn instead(&self) -> Option<Answer> {
        match self {
            Self::DropBefore | Self::KillBefore => Some(Answer::dropped()),
            Self::Answer { status, headers, body } => {
                let answer = Answer::json(*status, body);
                Some(headers.iter().fold(answer, |answer, (name, value)| answer.header(name, value)))
            }
            _ => None,
        }
    }

    /// What becomes of the usual answer.
    pub(super) fn spoil(&self, mut answer: Answer) -> Answer {
        let Body::Bytes(mut bytes) = answer.body else { return answer };
        answer.body = match self {
            Self::DropAfter | Self::KillAfter => Body::Dropped,
            Self::Hang => Body::Silent,
            Self::Cut => Body::Cut(bytes),
            Self::HalfJson => {
                bytes.truncate(bytes.len() / 2);
                Body::Bytes(bytes)
            }
            Self::Patch(change) => {
                let mut body = serde_json::from_slice(&bytes).expect("a JSON answer to change");
                change(&mut body);
                Body::Bytes(body.to_string().into_bytes())
            }
            _ => Body::Bytes(bytes),
        };
        answer
    }
}

type Event = Arc<dyn Fn() + Send + Sync>;

enum Action {
    Fault(Fault),
    Before(Event),
}

struct Rule {
    pattern: String,
    /// Matching requests to let pass first.
    skip: usize,
    /// Times that it may still act.
    left: usize,
    used: bool,
    action: Action,
}

/// All that is scripted for one simulated GitHub.
#[derive(Default)]
pub struct Script(Mutex<Vec<Rule>>);

impl Script {
    /// What happens to the request of this name: the events come first.
    pub(super) fn take(&self, name: &str) -> (Vec<Event>, Option<Fault>) {
        let (mut events, mut fault) = (Vec::new(), None);
        for rule in self.0.lock().unwrap().iter_mut().filter(|rule| matches(&rule.pattern, name)) {
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            if rule.left == 0 {
                continue;
            }
            match &rule.action {
                Action::Before(event) => events.push(Arc::clone(event)),
                Action::Fault(next) if fault.is_none() => fault = Some(next.clone()),
                Action::Fault(_) => continue,
            }
            rule.left -= 1;
            rule.used = true;
        }
        (events, fault)
    }

    /// Takes the rules that no request has met.
    pub(super) fn take_unused(&self) -> Vec<String> {
        let mut rules = self.0.lock().unwrap();
        let unused = rules.extract_if(.., |rule| !rule.used);
        unused.map(|rule| format!("no request met the script for `{}`", rule.pattern)).collect()
    }
}

/// `*` stands for any characters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Which requests of an operation a fault or an event is for; the first one, unless told otherwise.
pub struct On<'a> {
    pub(super) script: &'a Script,
    pub(super) pattern: String,
    pub(super) skip: usize,
    pub(super) times: usize,
}

impl On<'_> {
    /// The nth from now on, from 1.
    pub fn nth(mut self, n: usize) -> Self {
        self.skip = n - 1;
        self
    }

    /// So many in a row.
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    pub fn always(self) -> Self {
        self.times(usize::MAX)
    }

    pub fn fail(self, fault: Fault) {
        self.add(Action::Fault(fault));
    }

    /// Something that happens right before the request is looked at.
    pub fn before(self, event: impl Fn() + Send + Sync + 'static) {
        self.add(Action::Before(Arc::new(event)));
    }

    fn add(self, action: Action) {
        let rule = Rule { pattern: self.pattern, skip: self.skip, left: self.times, used: false, action };
        self.script.0.lock().unwrap().push(rule);
    }
}
