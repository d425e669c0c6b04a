//! The bench tests itself: what it cannot do wrong, the tests that stand on it need not doubt.

use std::process::Command;

use apollo_compiler::schema::ExtendedType;
use serde_json::{Value, json};

use super::bench::{OPERATOR, TestBench};
use super::git::git;
use super::github::{Check, Fault, Pr, Thread, schema};

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

#[test]
fn a_harvest_shows_what_the_test_described() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    let got = harvest(&bench);
    assert_eq!(got["headRefOid"], json!(pr.head()));
    assert_eq!(got["headRef"]["target"]["oid"], json!(pr.head()));
    assert_eq!(got["mergeable"], "MERGEABLE");
    assert_eq!(got["author"], json!({"__typename": "User", "login": "ann"}));
    assert_eq!(got["baseRef"]["refUpdateRule"]["requiredStatusCheckContexts"], json!(["build"]));
    let threads = &got["reviewThreads"];
    assert_eq!((&threads["totalCount"], &threads["pageInfo"]["hasNextPage"]), (&json!(3), &json!(true)));
    assert_eq!(threads["nodes"][1]["comments"]["nodes"][0]["author"]["login"], "coderabbitai");
    let commit = &got["commits"]["nodes"][0]["commit"];
    assert_eq!(commit["oid"], json!(pr.head()));
    assert_eq!(commit["statusCheckRollup"]["state"], "FAILURE");
    let contexts = commit["statusCheckRollup"]["contexts"]["nodes"].as_array().unwrap();
    assert_eq!((contexts.len(), &contexts[0]["isRequired"]), (3, &json!(true)));
    assert_eq!(got["pending"]["nodes"], json!([]));
}

#[test]
fn pages_follow_one_another_without_loss() {
    let bench = TestBench::new();
    crowded(&bench);
    let first = harvest(&bench);
    let after = &first["reviewThreads"]["pageInfo"]["endCursor"];
    let variables = json!({"owner": "octo", "repo": "demo", "number": 7, "after": after});
    let second = graphql(&bench, HARVEST, "Harvest", &variables);
    let threads = &second["data"]["repository"]["pullRequest"]["reviewThreads"];
    assert_eq!(threads["nodes"][0]["comments"]["nodes"][0]["author"], Value::Null);
    assert_eq!(threads["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(bench.github.count("Harvest"), 2);
}

#[test]
fn a_push_is_seen_when_the_lag_is_over() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").check(Check::passed("build")).checks_on_push(&[Check::queued("build")]);
    let before = pr.head();
    harvest(&bench);
    let pr = pr.lag_head(1).lag_commits(1);
    let pushed = pr.push(&[("src/c.rs", "new\n")]);

    assert_eq!(harvest(&bench)["headRefOid"], json!(before));
    let lagging = harvest(&bench);
    assert_eq!(lagging["headRefOid"], json!(pushed));
    assert_eq!(lagging["commits"]["nodes"][0]["commit"]["oid"], json!(before));
    let caught_up = harvest(&bench);
    let commit = &caught_up["commits"]["nodes"][0]["commit"];
    assert_eq!((&commit["oid"], &commit["statusCheckRollup"]["state"]), (&json!(pushed), &json!("PENDING")));
}

#[test]
fn a_conflict_with_the_base_is_computed_from_the_commits() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    super::git::commit_to(&bench.hub(), "main", "the same line", &[("src/b.rs", "something else\n")]);
    assert_eq!(harvest(&bench)["mergeable"], "CONFLICTING");
}

#[test]
fn a_fork_has_its_own_repository_and_the_base_knows_its_head() {
    let bench = TestBench::new();
    let pr = bench.open_pr_from_fork("mallory", "feature");
    let got = harvest(&bench);
    assert_eq!((&got["isCrossRepository"], &got["headRefOid"]), (&json!(true), &json!(pr.head())));
    assert_eq!(git(&bench.hub(), &["rev-parse", "refs/pull/7/head"]).trim(), pr.head());
}

#[test]
fn replies_resolutions_and_comments_take() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    let thread = json!({"id": pr.threads()[0]});
    let reply = "mutation Reply($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: \"Fixed\"}) { comment { state url } } }";
    let answer = graphql(&bench, reply, "Reply", &thread);
    assert_eq!(answer["data"]["addPullRequestReviewThreadReply"]["comment"]["state"], "SUBMITTED");
    let resolve = "mutation Resolve($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } } } }";
    let answer = graphql(&bench, resolve, "Resolve", &thread);
    assert_eq!(
        answer["data"]["resolveReviewThread"]["thread"],
        json!({"isResolved": true, "resolvedBy": {"login": OPERATOR}})
    );
    let comment = "mutation Add($id: ID!) { addComment(input: {subjectId: $id, body: \"Summary\"}) { commentEdge { node { url } } } }";
    graphql(&bench, comment, "Add", &json!({"id": pr.id}));

    assert_eq!(pr.replies_in(0), ["Fixed"]);
    assert_eq!((pr.replies(), pr.unresolved()), (1, 1));
    assert_eq!(pr.conversation().last(), Some(&(OPERATOR.to_owned(), "Summary".to_owned())));
}

#[test]
fn a_pending_review_swallows_replies() {
    let bench = TestBench::new();
    let pr = bench.open_pr("feature").thread("src/a.rs:3", "off by one").review(OPERATOR, "PENDING", "draft");
    let reply = "mutation R($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: \"x\"}) { comment { state } } }";
    let answer = graphql(&bench, reply, "R", &json!({"id": pr.threads()[0]}));
    assert_eq!(answer["data"]["addPullRequestReviewThreadReply"]["comment"]["state"], "PENDING");
    assert_eq!(harvest(&bench)["pending"]["nodes"].as_array().unwrap().len(), 1);
}

#[test]
fn what_github_refuses_is_refused_and_noticed() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    let invalid = graphql(&bench, "query Bad { viewer { nope } }", "Bad", &json!({}));
    assert!(invalid["errors"].to_string().contains("nope"), "{invalid}");
    let unbounded = "query U { repository(owner: \"octo\", name: \"demo\") { pullRequests { nodes { id } } } }";
    assert_eq!(graphql(&bench, unbounded, "U", &json!({}))["errors"][0]["type"], "MISSING_PAGINATION_BOUNDARIES");
    let missing = "query M { repository(owner: \"octo\", name: \"demo\") { pullRequest(number: 99) { id } } }";
    let missing = graphql(&bench, missing, "M", &json!({}));
    assert_eq!(
        (&missing["errors"][0]["type"], &missing["data"]["repository"]),
        (&json!("NOT_FOUND"), &json!({"pullRequest": null}))
    );
    assert_eq!(send(&bench, "GET", "/repos/octo/demo/nonsense", &Value::Null).0, 404);
    bench.github.on("Never").fail(Fault::DropBefore);

    let problems = bench.github.take_problems();
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(problems[2].contains("GET /repos/octo/demo/nonsense"));
}

#[test]
fn scripted_faults_meet_the_requests_that_they_are_for() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    bench.github.on("Harvest").nth(2).fail(Fault::status(502));
    bench.github.on("Harvest").nth(3).fail(Fault::node("/repository/pullRequest/commits", "FORBIDDEN", "no checks"));
    let event = pr.clone();
    bench.github.on("Harvest").nth(4).before(move || event.resolve(0));
    bench.github.on("GET /user").fail(Fault::rate_limited(1_900_000_000));

    harvest(&bench);
    let variables = json!({"owner": "octo", "repo": "demo", "number": 7});
    let body = json!({"query": HARVEST, "operationName": "Harvest", "variables": variables});
    assert_eq!(send(&bench, "POST", "/graphql", &body).0, 502);
    let partial = send(&bench, "POST", "/graphql", &body).1;
    assert_eq!(partial["errors"][0]["path"], json!(["repository", "pullRequest", "commits"]));
    assert_eq!(partial["data"]["repository"]["pullRequest"]["commits"], Value::Null);
    assert_eq!(harvest(&bench)["reviewThreads"]["nodes"][0]["isResolved"], true);
    assert_eq!(send(&bench, "GET", "/user", &Value::Null).1["errors"][0]["type"], "RATE_LIMITED");
}

#[test]
fn rest_answers_fit_githubs_own_description() {
    let bench = TestBench::new();
    let pr = crowded(&bench);
    let got = harvest(&bench);
    let job = got["commits"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"]["nodes"][0]["databaseId"].clone();
    let repo = "/repos/octo/demo";
    let one = send(&bench, "GET", &format!("{repo}/actions/jobs/{job}"), &Value::Null).1;
    assert_eq!(
        (&one["name"], &one["conclusion"], &one["steps"][2]["conclusion"]),
        (&json!("build"), &json!("failure"), &json!("failure"))
    );
    let run = &one["run_id"];
    let jobs = send(&bench, "GET", &format!("{repo}/actions/runs/{run}/attempts/1/jobs?per_page=1"), &Value::Null).1;
    assert_eq!((&jobs["total_count"], jobs["jobs"].as_array().unwrap().len()), (&json!(2), 1));
    let annotations = send(&bench, "GET", &format!("{repo}/check-runs/{job}/annotations"), &Value::Null).1;
    assert_eq!(annotations[0]["message"], "expected `;`");
    for (path, want) in [
        (format!("{repo}/actions/runs/{run}"), 200),
        (format!("{repo}/actions/runs?head_sha={}", pr.head()), 200),
        (format!("{repo}/commits/{}/statuses", pr.head()), 200),
        (format!("{repo}/collaborators/rita/permission"), 200),
        (format!("{repo}/rules/branches/main"), 200),
        (format!("{repo}/pulls/7/comments"), 200),
        ("/user".into(), 200),
        ("/api/v3/user".into(), 200),
        (format!("{repo}/actions/jobs/1/logs"), 404),
    ] {
        assert_eq!(send(&bench, "GET", &path, &Value::Null).0, want, "{path}");
    }
    let again = format!("{repo}/actions/runs/{run}/rerun-failed-jobs");
    assert_eq!(send(&bench, "POST", &again, &json!({})).0, 201);
    assert_eq!(send(&bench, "POST", &again, &json!({})).0, 403);
    let root = pr.comments_of(0)[0].replace("PRRC_", "");
    let reply = send(&bench, "POST", &format!("{repo}/pulls/7/comments/{root}/replies"), &json!({"body": "Done"}));
    assert_eq!((reply.0, pr.replies()), (201, 1));
}

#[test]
fn logs_come_by_ranges_from_a_store_that_gets_no_token() {
    let bench = TestBench::new();
    bench.open_pr("feature").check(Check::failed("build").huge_log(500_000_000, "the end"));
    let got = harvest(&bench);
    let job = &got["commits"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"]["nodes"][0]["databaseId"];
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
    let url = format!("{}/repos/octo/demo/actions/jobs/{job}/logs", bench.github.url());
    let redirect = agent.get(&url).header("authorization", "bearer x").call().unwrap();
    let target = redirect.headers()["location"].to_str().unwrap().to_owned();
    let size = agent.get(&target).header("range", "bytes=0-0").call().unwrap();
    assert_eq!(size.headers()["content-range"], "bytes 0-0/500000000");
    let mut tail = agent.get(&target).header("range", "bytes=499999800-").call().unwrap();
    assert!(tail.body_mut().read_to_string().unwrap().contains("the end"));
    assert!(bench.github.log_bytes() < 1000);
    agent.get(&target).header("range", "bytes=0-0").header("authorization", "bearer x").call().unwrap();
    assert_eq!(bench.github.take_problems(), ["the token was sent to the store of logs"]);
}

#[test]
fn the_real_gh_reads_the_simulated_pull_request() {
    if !super::has_gh() {
        return;
    }
    let bench = TestBench::new();
    // What `gh` selects by itself is beyond our slice of the schema.
    if !super::can("GitHub's published schema", schema::official().is_some()) {
        return;
    }
    crowded(&bench);
    let gh = |args: &[&str]| {
        let output = Command::new("gh")
            .args(args)
            .current_dir(bench.clone_dir())
            .env_clear()
            .envs(bench.environment())
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (view, error) =
        gh(&["pr", "view", "7", "-R", "octo/demo", "--json", "number,title,comments,reviews,mergeable"]);
    let view: Value = serde_json::from_str(&view).unwrap_or_else(|_| panic!("{error}"));
    assert_eq!(
        (&view["number"], &view["title"], &view["mergeable"]),
        (&json!(7), &json!("Add counting"), &json!("MERGEABLE"))
    );
    let (checks, error) = gh(&["pr", "checks", "7", "-R", "octo/demo"]);
    assert!(checks.contains("build\tfail") && checks.contains("lint\tpass"), "{checks}{error}");
    let (comments, error) = gh(&["api", "/repos/octo/demo/pulls/7/comments?per_page=1", "--paginate"]);
    assert!(comments.contains("off by one") && comments.contains("typo"), "{comments}{error}");
}

#[test]
fn our_slice_is_a_part_of_githubs_published_schema() {
    let Some(official) = schema::official() else {
        super::can("GitHub's published schema", false);
        return;
    };
    let slice = schema::slice();
    let mut differences = Vec::new();
    for (name, ours) in slice.schema.types.iter().filter(|(_, ty)| !ty.is_built_in()) {
        match official.schema.types.get(name) {
            Some(theirs) => compare(name, ours, theirs, &mut differences),
            None => differences.push(format!("{name} is not there")),
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Everything in `ours` has to be in `theirs`, with the same types.
fn compare(name: &str, ours: &ExtendedType, theirs: &ExtendedType, differences: &mut Vec<String>) {
    let (ours, theirs) = (members(ours), members(theirs));
    for member in ours {
        if !theirs.contains(&member) {
            differences.push(format!("{name}: {member}"));
        }
    }
}

/// Fields with their types, arguments with theirs, values, interfaces, members of a union: a line each.
fn members(ty: &ExtendedType) -> Vec<String> {
    let mut lines = Vec::new();
    let mut field = |name: &str, field: &apollo_compiler::ast::FieldDefinition| {
        lines.push(format!("{name}: {}", field.ty));
        lines.extend(field.arguments.iter().map(|argument| format!("{name}({}: {})", argument.name, argument.ty)));
    };
    match ty {
        ExtendedType::Object(object) => {
            object.fields.iter().for_each(|(name, definition)| field(name, definition));
            lines.extend(object.implements_interfaces.iter().map(|name| format!("implements {name}")));
        }
        ExtendedType::Interface(interface) => interface.fields.iter().for_each(|(name, f)| field(name, f)),
        ExtendedType::InputObject(input) => {
            lines.extend(input.fields.iter().map(|(name, field)| format!("{name}: {}", field.ty)));
        }
        ExtendedType::Enum(of) => lines.extend(of.values.keys().map(|value| format!("value {value}"))),
        ExtendedType::Union(of) => lines.extend(of.members.iter().map(|member| format!("member {member}"))),
        ExtendedType::Scalar(_) => lines.push("scalar".to_owned()),
    }
    lines
}

/// Runs the scripted agent as the program would.
fn call_agent(bench: &TestBench, role: &str, item: u32, round: u32, brief: &str) -> (bool, String) {
    let path = bench.root().join("brief.json");
    std::fs::write(&path, brief).unwrap();
    let words = shlex::split(&bench.agent.command()).unwrap();
    let output = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(bench.clone_dir())
        .env_clear()
        .envs(bench.environment())
        .env("PRFIX_ROLE", role)
        .env("PRFIX_ITEM", item.to_string())
        .env("PRFIX_ROUND", round.to_string())
        .env("PRFIX_BRIEF", path)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_scripted_agent_edits_and_declares_what_it_did() {
    let bench = TestBench::new();
    bench.open_pr("feature");
    bench.git(&["fetch", "-q", &bench.hub().to_string_lossy(), "feature"]);
    bench.git(&["checkout", "-q", "--detach", "FETCH_HEAD"]);
    bench.agent.fixes("src/a.rs", "i <= n", "i < n").write("src/new.rs", "// it's \"new\"\n").delete("README.md");
    bench.agent.fix().out_of_scope(3, "elsewhere").for_items("src/new.rs", &[2]);
    bench.agent.verdict(2, "invalid", "it is not so");

    let brief = r#"{"items": [{"id": 1}, {"id": 2}, {"id":3}]}"#;
    assert!(call_agent(&bench, "fix", 0, 1, brief).0);
    let (good, answer) = call_agent(&bench, "fix", 0, 2, brief);
    assert!(good, "a second round finds the edit made");
    let manifest: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(manifest["touched_files"], json!(["README.md", "src/a.rs", "src/new.rs"]));
    assert_eq!(manifest["spec_item_map"], json!({"README.md": [1, 2], "src/a.rs": [1, 2], "src/new.rs": [2]}));
    let claim = &manifest["invariant_per_file"]["src/a.rs"];
    assert_eq!((&claim["line"], &claim["contains"]), (&json!(3), &json!("i < n")));
    assert_eq!(manifest["out_of_scope"], json!({"3": "elsewhere"}));
    let status = bench.git(&["status", "--porcelain"]);
    assert_eq!(status, " D README.md\n M src/a.rs\n?? src/new.rs\n");

    let (_, probe) = call_agent(&bench, "probe", 2, 1, "{}");
    let probe: Value = serde_json::from_str(&probe).unwrap();
    assert_eq!(
        (&probe["item_id"], &probe["verdict"], &probe["proposed_fix"]),
        (&json!(2), &json!("invalid"), &Value::Null)
    );
    let calls = bench.agent.calls();
    assert_eq!(
        calls.iter().map(|call| (call.role.as_str(), call.round)).collect::<Vec<_>>(),
        [("fix", 1), ("fix", 2), ("probe", 1)]
    );
    assert_eq!(calls[0].cwd, bench.clone_dir().canonicalize().unwrap());
    assert_eq!(calls[0].brief["items"][2]["id"], 3);
}

#[test]
fn the_scripted_agent_answers_for_every_claim() {
    let bench = TestBench::new();
    let brief = json!({"role": "verify", "claims": [["src/a.rs", "it \"counts\""], ["src/b.rs", "c"]]});
    let (_, answer) = call_agent(&bench, "verify", 0, 1, &format!("{brief:#}"));
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["results"][0], json!({"path": "src/a.rs", "holds": true, "why": "read the file"}));
    assert_eq!(answer["results"][1]["path"], "src/b.rs");
}

#[test]
fn an_agent_without_a_script_fails() {
    let bench = TestBench::new();
    assert!(!call_agent(&bench, "fix", 0, 1, "{}").0);
}

#[test]
fn a_snapshot_sees_every_kind_of_change_but_the_allowed_ones() {
    let bench = TestBench::new();
    let before = bench.snapshot();
    bench.git(&["update-ref", "refs/heads/pr7-fix", "HEAD"]);
    bench.git(&["update-ref", "refs/prfix/pr-7/head", "HEAD"]);
    std::fs::create_dir_all(bench.journal_dir().join("runs")).unwrap();
    before.assert_untouched();

    bench.git(&["branch", "stray"]);
    bench.git(&["config", "core.hooksPath", "/tmp"]);
    bench.write("README.md", "changed\n");
    bench.write("src/new.rs", "new\n");
    std::fs::remove_file(bench.clone_dir().join("check.sh")).unwrap();
    let changes = before.changes().join("\n");
    let wanted = [
        "added .git/refs/heads/stray",
        "changed .git/config",
        "changed README.md",
        "added src/new.rs",
        "removed check.sh",
    ];
    for want in wanted {
        assert!(changes.contains(want), "{want}: {changes}");
    }
}

#[test]
fn the_operators_git_reaches_the_hub_by_its_public_url() {
    let bench = TestBench::new();
    let output = Command::new("git")
        .args(["ls-remote", "origin", "refs/heads/main"])
        .current_dir(bench.clone_dir())
        .env_clear()
        .envs(bench.environment())
        .output()
        .unwrap();
    let main = git(&bench.hub(), &["rev-parse", "main"]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with(main.trim()));
}
