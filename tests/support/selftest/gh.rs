//! The real `gh` against the simulated GitHub, over the unix socket.

use std::process::Command;

use serde_json::{Value, json};

use super::crowded;
use crate::support::bench::TestBench;
use crate::support::github::schema;
use crate::support::{can, has_gh};

#[test]
fn the_real_gh_reads_the_simulated_pull_request() {
    if !has_gh() {
        return;
    }
    let bench = TestBench::new();
    // What `gh` selects by itself is beyond our slice of the schema.
    if !can("GitHub's published schema", schema::official().is_some()) {
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
    let run = bench.github.run_ids()[0].to_string();
    let (log, error) = gh(&["run", "view", &run, "-R", "octo/demo", "--log-failed"]);
    assert!(log.contains("error: expected `;`") && !log.contains("all checks passed"), "{log}{error}");
}
