//! An Enterprise Server: its own paths and token, and a schema that lacks newer fields.

use std::sync::Arc;

use git_prfix::clock::SystemClock;
use git_prfix::env::Env;
use git_prfix::github::{Client, choose, optional_fields};
use git_prfix::model::repo::RepoId;

use crate::support::{Check, TestBench, has_gh};

const HOST: &str = "ghe.corp.test";

fn client(bench: &TestBench, transport: &str) -> Client {
    let path = std::env::var("PATH").unwrap_or_default();
    let home = bench.home().display().to_string();
    let env = Env::from_pairs([
        ("PATH", path),
        ("HOME", home.clone()),
        ("GH_CONFIG_DIR", format!("{home}/.config/gh")),
        ("GH_ENTERPRISE_TOKEN", "enterprise".to_owned()),
        ("GITHUB_API_URL", format!("{}/api/v3", bench.github.url())),
    ]);
    let transport = choose(&env, HOST, Some(transport)).unwrap();
    Client::new(transport, RepoId::new(HOST, "octo", "demo"), Arc::new(SystemClock))
}

#[test]
fn an_older_server_is_read_and_written_over_both_transports() {
    for transport in ["http", "gh"].into_iter().filter(|name| *name == "http" || has_gh()) {
        let bench = TestBench::new();
        bench.github.lacks(&optional_fields());
        let pr = bench
            .open_pr("feature")
            .thread("src/a.rs:3", "off by one")
            .comment("rita", "hello")
            .check(Check::failed("build").log("error: expected `;`"));
        let client = client(&bench, transport);
        let mut found = client.harvest(7).unwrap();
        assert_eq!((found.threads.len(), found.comments.len(), found.pr.repo.host.as_str()), (1, 1, HOST));
        assert_eq!((found.pr.merge_state.as_str(), found.gaps.len()), ("UNKNOWN", 0));
        client.read_failures(&mut found.checks).unwrap();
        match (&found.checks.list[0].log, &found.checks.list[0].gap) {
            (Some(log), None) => assert!(log.text.contains("expected `;`"), "{transport}: {log:?}"),
            (_, gap) => {
                assert!(transport == "gh" && gap.as_deref().is_some_and(|gap| gap.contains("would send the token")))
            }
        }
        client.reply(&found.threads[0].id, "Fixed. marker", "marker").unwrap();
        client.resolve(&found.threads[0].id).unwrap();
        assert_eq!((pr.replies(), pr.unresolved(), client.now(7).unwrap().unresolved_threads), (1, 0, 0));
        client.harvest(7).unwrap();
        assert_eq!(bench.github.count("Detect"), 1, "{transport}: detected once");
        assert_eq!(bench.github.count("Harvest"), 3, "{transport}: one refused, two answered");
    }
}
