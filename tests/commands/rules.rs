//! `rules`: what each of its commands prints, and that none of them needs the network without a pull request.

use crate::support::TestBench;
use crate::support::git::commit_to;

/// Writes `.prfix/rules.lua` into the work tree.
fn rules(bench: &TestBench, text: &str) {
    bench.write(".prfix/rules.lua", &format!("prfix.api = 1\n{text}\n"));
}

const HOUSE: &str = "prfix.noise { name = 'house', why = 'house rule', order = 1, drop = function(c)\n\
                     if c.body:find('house', 1, true) then return true end end }";

#[test]
fn check_loads_everything_names_what_is_odd_and_asks_nobody() {
    let bench = TestBench::new();
    rules(
        &bench,
        "prfix.noise { name = 'social', why = 'ours', drop = function() end }\n\
         prfix.text { name = 'replly', render = function() end }\n\
         prfix.off 'triage/small'",
    );
    let said = bench.prfix(["rules", "check"]).succeeds();
    for note in [
        "noise/social replaces the built-in rule at builtin/talk.lua:",
        "nobody asks for text/replly (did you mean 'reply'?)",
        "triage/small of the built-in rules is switched off",
        "3 notes",
    ] {
        assert!(said.stdout.contains(note), "{note}: {}", said.stdout);
    }
    assert!(bench.github.names().is_empty(), "a check is offline");
}

#[test]
fn an_error_shows_file_line_and_source_with_a_caret_and_is_wrong_use() {
    let bench = TestBench::new();
    for (text, line, message) in [
        ("local x = 1\nprfix.nois { name = 'x' }", 3, "did you mean 'noise'?"),
        ("local x = 1\nprfix.noise { name = 'x', why = 'y', drp = print1 }", 3, "undefined name 'print1'"),
        (
            "local x = 1\nprfix.noise { name = 'x', drp = function() end }",
            3,
            "unknown field 'drp' (did you mean 'drop'?)",
        ),
        ("local x = 1\nif x then", 3, "'end' expected"),
        ("prfix.off 'noise/socail'", 2, "did you mean 'noise/social'?"),
    ] {
        rules(&bench, text);
        let said = bench.prfix(["rules", "check"]).fails_with(2);
        assert!(said.stderr.contains(&format!(".prfix/rules.lua:{line}:")), "{text}: {}", said.stderr);
        assert!(said.stderr.contains(message), "{text}: {}", said.stderr);
        let source = text.lines().nth(line - 2).unwrap();
        assert!(said.stderr.contains(source), "the line is not shown: {}", said.stderr);
        assert!(
            said.stderr.contains("─┬") || said.stderr.contains("───") || said.stderr.contains('^'),
            "no mark: {}",
            said.stderr
        );
    }
}

#[test]
fn list_tells_where_each_rule_comes_from() {
    let bench = TestBench::new();
    rules(&bench, &format!("{HOUSE}\nprfix.off 'triage/small'"));
    let mine = bench.home().join(".config/git-prfix/rules");
    std::fs::create_dir_all(&mine).unwrap();
    std::fs::write(mine.join("mine.lua"), "prfix.api = 1\nprfix.prompt { name = 'mine', add = function() end }\n")
        .unwrap();
    let list = bench.prfix(["rules", "list", "--json"]).succeeds().json();
    let of = |id: &str| list.as_array().unwrap().iter().find(|rule| rule["rule"] == id).unwrap().clone();
    assert_eq!(
        (of("noise/house")["layer"].as_str(), of("noise/house")["at"].as_str()),
        (Some("repository"), Some(".prfix/rules.lua:2"))
    );
    assert_eq!(of("prompt/mine")["layer"], "user");
    assert_eq!(of("noise/social")["layer"], "built-in");
    assert_eq!(of("triage/small")["off"], ".prfix/rules.lua:4");
    bench.prfix(["rules", "list"]).succeeds().says("noise/house").says("off: .prfix/rules.lua:4");
}

#[test]
fn tests_are_listed_with_their_end_and_a_failure_shows_its_line() {
    let bench = TestBench::new();
    rules(&bench, HOUSE);
    bench.write(
        ".prfix/tests/a.lua",
        "prfix.api = 1\ntest('fine', function(t) t.dropped('in house', 'noise/house') end)\n\
         test('odd', function(t)\n  t.kept('in house')\nend)\n",
    );
    let said = bench.prfix(["rules", "test"]).fails_with(1);
    for line in ["ok     .prfix/tests/a.lua: fine", "FAILED .prfix/tests/a.lua: odd", "1 passed, 1 failed"] {
        assert!(said.stdout.contains(line), "{line}: {}", said.stdout);
    }
    assert!(
        said.stderr.contains(".prfix/tests/a.lua:4:") && said.stderr.contains("dropped by noise/house"),
        "{}",
        said.stderr
    );
    let report = bench.prfix(["rules", "test", "--json"]).fails_with(1).json();
    assert_eq!((report["failed"].as_u64(), report["tests"][0]["passed"].as_bool()), (Some(1), Some(true)));
}

#[test]
fn explain_says_of_each_comment_in_a_file_who_decided_and_who_was_asked() {
    let bench = TestBench::new();
    rules(&bench, HOUSE);
    let comment = |id: &str, body: &str| {
        format!(
            "{}\n",
            serde_json::json!({"id": id, "kind": "thread", "author": {"login": "kim", "type": "User", "association": "MEMBER"}, "body": body, "review_state": null})
        )
    };
    bench.write("c.jsonl", &(comment("a", "in house") + &comment("b", "This is an SQL injection.")));
    let said = bench.prfix(["rules", "explain", "--comments", "c.jsonl", "--json"]).succeeds().stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], r#"{"decision":"drop","id":"a","rule":"noise/house","why":"house rule"}"#);
    assert!(lines[1].contains(r#""decision":"keep""#) && lines.len() == 2, "{said}");
    let said = bench.prfix(["rules", "explain", "--comments", "c.jsonl"]).succeeds().stdout;
    for step in [
        "a: drop by noise/house (house rule)",
        "    noise/house .prfix/rules.lua:2: ",
        "    trust/association builtin/trust.lua:",
        "    noise/social builtin/talk.lua:",
        "    triage/grave builtin/triage.lua:",
    ] {
        assert!(said.contains(step), "{step}: {said}");
    }
    assert!(bench.github.names().is_empty());
}

#[test]
fn explain_of_a_pull_request_uses_the_rules_of_the_default_branch_and_says_what_broke() {
    let bench = TestBench::new();
    let text =
        format!("prfix.api = 1\n{HOUSE}\nprfix.noise {{ name = 'odd', drop = function(c) return c.no.thing end }}\n");
    commit_to(&bench.hub(), "main", "Rules", &[(".prfix/rules.lua", text.as_str())]);
    bench
        .open_pr("feature")
        .thread("src/a.rs:3", "Please fix it, in house style.")
        .thread("src/a.rs:4", "Please fix it.");
    let said = bench.prfix(["rules", "explain", "7"]).succeeds();
    assert!(
        said.stdout.contains("drop by noise/house") && said.stdout.contains("keep by noise/odd"),
        "{}",
        said.stdout
    );
    assert!(said.stderr.contains("noise/odd failed"), "{}", said.stderr);
}

#[test]
fn commands_are_printed_in_the_outer_form_with_the_rule_that_said_so() {
    let bench = TestBench::new();
    bench.unset("prfix.testCommand");
    bench.write("Makefile", "test:\n\tsh check.sh\n");
    bench.write("web/package.json", r#"{"scripts": {"test": "vitest run"}}"#);
    bench.write("web/package-lock.json", "{}");
    let found = bench.prfix(["rules", "commands", "--touched", "web/a.ts", "--json"]).succeeds().json();
    for list in ["setup", "test", "lint", "narrow"] {
        assert!(found[list].is_array(), "{found}");
    }
    assert_eq!(found["setup"][0], serde_json::json!({"argv": ["npm", "ci"], "cwd": "web"}), "{found}");
    assert!(!found["rule"].as_str().unwrap().is_empty());
    bench.prfix(["rules", "commands"]).succeeds().says("make test").says("by commands/make");
}

#[test]
fn rules_are_trusted_by_the_digest_of_the_whole_set() {
    let bench = TestBench::new();
    bench.prfix(["rules", "diff"]).succeeds().says("are the default branch's");
    bench.prfix(["rules", "trust"]).fails_with(2).says("no rules in `.prfix`").says("git prfix init");
    // The default branch has no `.prfix` at all: everything is new.
    rules(&bench, HOUSE);
    let digest = |bench: &TestBench| {
        let said = bench.prfix(["rules", "diff"]).succeeds().stdout;
        assert!(said.contains("+++ b/.prfix/rules.lua"), "{said}");
        said.lines().find_map(|line| line.strip_prefix("digest ")).unwrap().to_owned()
    };
    let first = digest(&bench);
    bench.write(".prfix/config.toml", "probes = 2\n");
    let second = digest(&bench);
    assert_ne!(first, second, "the settings belong to the set");
    bench.prfix(["rules", "trust", &first]).fails_with(2).says("is not the digest").says(&second);
    bench.prfix(["rules", "trust", &second]).succeeds().says("until they change");
    assert!(bench.github.names().is_empty());
}

#[test]
fn what_init_writes_first_is_not_used_until_it_is_on_the_default_branch_or_trusted() {
    let bench = TestBench::new();
    bench.open_pr("feature").thread("src/a.rs:3", "Please fix the loop. [no-prfix]");
    bench.prfix(["init"]).succeeds();
    let report = bench.prfix(["harvest", "7", "--json"]).succeeds().json();
    assert_eq!(report["items"].as_array().unwrap().len(), 1, "{report:#}");
    assert!(report["warnings"].to_string().contains("not trusted"), "{report:#}");
}
