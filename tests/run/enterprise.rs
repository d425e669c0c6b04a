//! A whole run against an Enterprise Server: its own host, paths and token, and a schema that lacks
//! newer fields.

use git_prfix::github::optional_fields;

use crate::support::bench::Transport;
use crate::support::{Check, TestBench, has_gh};

const HOST: &str = "ghe.test";

/// The operator's clone belongs to the server, and nothing of github.com is configured.
fn bench(transport: Transport) -> TestBench {
    let mut bench = TestBench::new();
    bench.transport(transport);
    bench.github.lacks(&optional_fields());
    bench.github.set("R_octo_demo", "url", serde_json::json!(format!("https://{HOST}/octo/demo")));
    bench.add_config(&format!("url.{}/.insteadOf", bench.root().join("hub").display()), &format!("https://{HOST}/"));
    bench.git(&["remote", "set-url", "origin", &format!("https://{HOST}/octo/demo.git")]);
    bench.env("GH_HOST", HOST);
    bench.env("GH_TOKEN", "");
    bench.env("GH_ENTERPRISE_TOKEN", "enterprise");
    let url = bench.github.url();
    bench.env("GITHUB_API_URL", &format!("{url}/api/v3"));
    bench.env("GITHUB_GRAPHQL_URL", &format!("{url}/api/graphql"));
    bench
}

#[test]
fn an_enterprise_pull_request_is_harvested_fixed_pushed_answered_and_resolved() {
    for transport in [Transport::Http, Transport::Gh] {
        if transport == Transport::Gh && !has_gh() {
            continue;
        }
        let bench = bench(transport);
        bench.agent.fixes("src/a.rs", "i <= n", "i < n");
        let pr = bench
            .open_pr("feature")
            .thread("src/a.rs:3", "This is off by one, please use `<`.")
            .check(Check::passed("unit"));
        let report = bench.prfix(["harvest", "7", "--json"]).succeeds().json();
        assert_eq!(report["items"][0]["path"], "src/a.rs", "{transport:?}: {report:#}");

        let report = bench.prfix(["7", "--json"]).succeeds().json();
        assert_eq!(report["reason"], "pushed", "{transport:?}: {report:#}");
        assert_eq!((pr.replies(), pr.unresolved()), (1, 0), "{transport:?}");
        assert!(bench.file_at("feature", "src/a.rs").contains("i < n"));
        let requests = bench.github.requests();
        let foreign = requests.iter().filter(|request| {
            let of = |name: &str| request.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
            !of("authorization").is_some_and(|token| token.ends_with(" enterprise"))
        });
        assert_eq!(foreign.count(), 0, "every request carries the server's own token");
        assert_eq!(bench.github.count("Detect"), 2, "once a process");
    }
}

#[test]
fn an_enterprise_pull_request_is_found_by_its_url_without_gh_host() {
    let mut bench = bench(Transport::Http);
    bench.env("GH_HOST", "");
    bench.open_pr("feature").thread("src/a.rs:3", "This is off by one, please use `<`.");
    let url = format!("https://{HOST}/octo/demo/pull/7");
    let report = bench.prfix(["harvest", url.as_str(), "--json"]).succeeds().json();
    assert_eq!(report["items"].as_array().unwrap().len(), 1);
}
