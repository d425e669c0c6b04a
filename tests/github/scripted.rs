//! A transport that answers from a script: a request that the script does not expect fails the
//! test, and so does an expectation that is never met.

use std::sync::{Arc, Mutex, MutexGuard};

use git_prfix::clock::{Clock, FixedClock};
use git_prfix::github::{Client, Method, Request, Response, Transport, TransportError};
use git_prfix::model::repo::RepoId;
use serde_json::{Value, json};

/// What an expectation waits for: a GraphQL operation by its name, or a REST path.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Operation(String),
    Rest(&'static str, String),
}

#[derive(Debug)]
enum Reply {
    Answer(Response),
    Lost,
}

#[derive(Default)]
struct Inner {
    expected: Vec<(Wanted, Reply)>,
    sent: Vec<Request>,
}

/// The test's end of the script.
pub struct Script(Arc<Mutex<Inner>>);
struct Wire(Arc<Mutex<Inner>>);

impl Script {
    pub fn new() -> Self {
        Self(Arc::default())
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    fn expect(&self, wanted: Wanted, reply: Reply) -> &Self {
        self.inner().expected.push((wanted, reply));
        self
    }

    /// Answers the next request of this operation with data.
    pub fn data(&self, operation: &str, data: Value) -> &Self {
        self.answer(operation, json!({ "data": data }))
    }

    /// Answers the next request of this operation with a whole GraphQL answer.
    pub fn answer(&self, operation: &str, answer: Value) -> &Self {
        self.status(operation, 200, &[], &answer.to_string())
    }

    pub fn status(&self, operation: &str, status: u16, headers: &[(&str, &str)], body: &str) -> &Self {
        self.expect(Wanted::Operation(operation.to_owned()), Reply::Answer(response(status, headers, body)))
    }

    /// The answer to the next request of this operation is lost.
    pub fn lost(&self, operation: &str) -> &Self {
        self.expect(Wanted::Operation(operation.to_owned()), Reply::Lost)
    }

    /// Answers a REST request; `call` is for instance `GET /repos/octo/demo/…`.
    pub fn rest(&self, call: &str, status: u16, headers: &[(&str, &str)], body: &str) -> &Self {
        let (method, path) = call.split_once(' ').unwrap();
        let method = ["GET", "POST"].into_iter().find(|known| *known == method).unwrap();
        self.expect(Wanted::Rest(method, path.to_owned()), Reply::Answer(response(status, headers, body)))
    }

    pub fn rest_lost(&self, call: &str) -> &Self {
        let (_, path) = call.split_once(' ').unwrap();
        self.expect(Wanted::Rest("POST", path.to_owned()), Reply::Lost)
    }

    /// Variables of all requests of this operation so far.
    pub fn variables(&self, operation: &str) -> Vec<Value> {
        let bodies: Vec<Value> = self.inner().sent.iter().filter_map(|request| request.body.clone()).collect();
        bodies
            .into_iter()
            .filter(|body| body["operationName"] == operation)
            .map(|body| body["variables"].clone())
            .collect()
    }

    /// The documents of all requests of this operation so far.
    pub fn documents(&self, operation: &str) -> Vec<String> {
        let bodies: Vec<Value> = self.inner().sent.iter().filter_map(|request| request.body.clone()).collect();
        let of_operation = bodies.into_iter().filter(|body| body["operationName"] == operation);
        of_operation.map(|body| body["query"].as_str().unwrap().to_owned()).collect()
    }

    /// A client over this script, at 2026-01-01T00:00:00Z.
    pub fn client(&self) -> Client {
        self.client_and_clock().0
    }

    pub fn client_and_clock(&self) -> (Client, Arc<FixedClock>) {
        let clock = Arc::new(FixedClock::at("2026-01-01T00:00:00Z".parse().unwrap()));
        let repo = RepoId::new("github.com", "octo", "demo");
        (Client::new(Box::new(Wire(Arc::clone(&self.0))), repo, clock.clone()), clock)
    }
}

/// Seconds that were slept since the start.
pub fn slept(clock: &FixedClock) -> i64 {
    clock.now().as_second() - "2026-01-01T00:00:00Z".parse::<jiff::Timestamp>().unwrap().as_second()
}

impl Drop for Script {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let inner = self.inner();
            assert!(inner.expected.is_empty(), "expected, but never asked for: {:?}", inner.expected);
        }
    }
}

impl Transport for Wire {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let mut inner = self.0.lock().unwrap();
        inner.sent.push(request.clone());
        let wanted = match &request.body {
            Some(body) if request.path == "/graphql" => {
                Wanted::Operation(body["operationName"].as_str().unwrap().to_owned())
            }
            _ => Wanted::Rest(if request.method == Method::Get { "GET" } else { "POST" }, request.path.clone()),
        };
        let Some(at) = inner.expected.iter().position(|(expected, _)| *expected == wanted) else {
            drop(inner);
            panic!("nobody expected {wanted:?}");
        };
        match inner.expected.remove(at).1 {
            Reply::Answer(response) => Ok(response),
            Reply::Lost => Err(TransportError::Unreachable { why: "connection reset".to_owned() }),
        }
    }

    fn name(&self) -> &'static str {
        "scripted"
    }
}

fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Response { status, headers, body: body.as_bytes().to_vec(), total: None }
}
