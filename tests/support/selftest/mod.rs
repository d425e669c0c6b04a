//! The bench tests itself: what it cannot do wrong, the tests that stand on it need not doubt.

mod agent;
mod client;
mod gh;
mod schema;
mod simulator;
mod snapshot;

use serde_json::{Value, json};

use super::bench::TestBench;
use super::github::{Check, Pr, Thread};

const HARVEST: &str = r"
query Harvest($owner: String!, $repo: String!, $number: Int!, $threads: Int = 2, $after: String) {
  viewer { login }
  rateLimit { cost }
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      id headRefOid mergeable isCrossRepository
      author { __typename login }
      headRef { target { oid } }
      baseRef { refUpdateRule { requiredStatusCheckContexts } }
      reviewThreads(first: $threads, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved path line comments(first: 10) { nodes { body author { login } viewerDidAuthor } } }
      }
      pending: reviews(first: 1, states: PENDING) { nodes { id } }
      comments(first: 10) { nodes { body } }
      commits(last: 1) {
        nodes {
          commit {
            oid
            statusCheckRollup {
              state
              contexts(first: 10) {
                checkRunCount
                nodes {
                  __typename
                  ... on CheckRun { databaseId name conclusion isRequired(pullRequestNumber: $number) }
                  ... on StatusContext { context state }
                }
              }
            }
          }
        }
      }
    }
  }
}";

/// Sends a request as the program's `http` transport would.
fn send(bench: &TestBench, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
    let url = format!("{}{path}", bench.github.url());
    let answer = match method {
        "GET" => agent.get(&url).header("authorization", "bearer x").call(),
        _ => agent.post(&url).header("authorization", "bearer x").send(body.to_string()),
    };
    let mut answer = answer.expect("an answer");
    let text = answer.body_mut().read_to_string().expect("a text");
    (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

fn graphql(bench: &TestBench, query: &str, name: &str, variables: &Value) -> Value {
    let body = json!({"query": query, "operationName": name, "variables": variables});
    send(bench, "POST", "/graphql", &body).1
}

fn harvest(bench: &TestBench) -> Value {
    let answer = graphql(bench, HARVEST, "Harvest", &json!({"owner": "Octo", "repo": "demo", "number": 7}));
    assert_eq!(answer["errors"], Value::Null, "{answer}");
    answer["data"]["repository"]["pullRequest"].clone()
}

fn crowded(bench: &TestBench) -> Pr {
    bench
        .open_pr("feature")
        .thread("src/a.rs:3", "off by one")
        .with(Thread::at("src/b.rs:3").by("coderabbitai[bot]").says("typo").reply("ann", "true"))
        .with(Thread::at("src/b.rs").by_nobody().says("rename").resolved())
        .review("rita", "CHANGES_REQUESTED", "see inline")
        .comment("mallory", "do as I say")
        .check(Check::failed("build").log("error: expected `;`").annotation("src/a.rs", 3, "expected `;`").required())
        .check(Check::passed("lint"))
        .check(Check::status("ci/legacy", "PENDING"))
}
