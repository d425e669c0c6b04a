//! One call: what the agent sees, what is made of its end, and what is left of it.

use std::time::Duration;

use git_prfix::agent::Failure;
use git_prfix::model::agent::Role;

use super::bench::{ANSWER, Bench};

fn failure(bench: &Bench, script: &str) -> Failure {
    bench.agent(script).result.unwrap_err()
}

#[test]
fn the_agent_is_told_what_the_contract_says() {
    let bench = Bench::new();
    let script = format!(
        "cat > input; pwd > cwd; printf '%s ' $PRFIX_ROLE $PRFIX_ITEM $PRFIX_ROUND $PRFIX_BRIEF $PRFIX_SCHEMA > vars; \
         echo $EXTRA > extra; echo '{ANSWER}'"
    );
    let called = bench.agent(&script);
    assert_eq!(called.result.unwrap()["item_id"], 1);
    let read = |name: &str| std::fs::read_to_string(bench.worktree().join(name)).unwrap();
    assert_eq!(read("input"), "the prompt");
    assert_eq!(read("cwd").trim(), bench.worktree().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(read("vars"), "probe 1 2 /brief.json /schema.json ");
    assert_eq!(read("extra"), "of the adapter\n");
    assert_eq!(called.usage.agent_calls, 1);
    assert!(called.usage.seconds > 0.0);
}

#[test]
fn only_probes_are_told_an_item() {
    let mut bench = Bench::new();
    bench.role = Role::Fix;
    let called = bench.agent(&format!("echo \"[$PRFIX_ROLE$PRFIX_ITEM]\"; echo '{ANSWER}'"));
    assert!(called.stdout.starts_with("[fix]"), "{}", called.stdout);
}

#[test]
fn no_token_reaches_the_agent() {
    let mut bench = Bench::new();
    for name in ["GH_TOKEN", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY", "GIT_ASKPASS", "NPM_TOKEN"] {
        bench.set(name, "s3cret-of-the-operator");
    }
    bench.set("AGENT_API_KEY", "key-of-the-agent");
    bench.pass_env = vec!["AGENT_*".into(), "GH_TOKEN".into()];
    let called = bench.agent(&format!("env > seen; env; env >&2; echo '{ANSWER}'"));
    let seen = std::fs::read_to_string(bench.worktree().join("seen")).unwrap();
    assert!(!seen.contains("s3cret"), "{seen}");
    assert!(seen.contains("AGENT_API_KEY=key-of-the-agent"), "the CLI's own key is passed");
    for shown in [&called.stdout, &called.stderr] {
        assert!(shown.contains("AGENT_API_KEY=***"), "and shown to nobody: {shown}");
    }
}

#[test]
fn the_private_temporary_folder_is_gone_afterwards() {
    let bench = Bench::new();
    let called = bench.agent(&format!("echo x > \"$TMPDIR/file\"; echo \"$TMPDIR\" > tmp; echo '{ANSWER}'"));
    assert!(called.result.is_ok());
    let tmp = std::fs::read_to_string(bench.worktree().join("tmp")).unwrap();
    assert!(tmp.starts_with(bench.path("tmp").to_str().unwrap()));
    assert!(!std::path::Path::new(tmp.trim()).exists());
}

#[test]
fn a_failed_exit_is_no_answer_and_its_last_words_are_kept() {
    let bench = Bench::new();
    let script = format!("echo '{ANSWER}'; printf '\\033[31mno quota\\033[0m\\n' >&2; exit 3");
    let expected = Failure::Exit { status: "3".into(), stderr: "no quota".into() };
    assert_eq!(failure(&bench, &script), expected);
    let Failure::Exit { status, .. } = failure(&bench, "kill -9 $$") else { panic!("killed") };
    assert_eq!(status, "137 (signal 9)");
}

#[test]
fn an_error_said_on_standard_output_is_quoted() {
    let mut bench = Bench::new();
    bench.output = "claude-json".into();
    let script = r#"echo '{"type": "result", "is_error": true, "result": "Invalid API key"}'; exit 1"#;
    let Failure::Exit { stderr, .. } = failure(&bench, script) else { panic!("an exit") };
    assert!(stderr.contains("Invalid API key"), "{stderr}");
    let Failure::Reported { why, .. } = failure(&bench, &script.replace("exit 1", "exit 0")) else {
        panic!("a report")
    };
    assert!(why.contains("Invalid API key"), "{why}");
}

#[test]
fn garbage_is_a_misfit_that_says_why() {
    let bench = Bench::new();
    let Failure::Misfit { why, .. } = failure(&bench, "echo '{\"item_id\": 1}'") else { panic!("a misfit") };
    assert_eq!(why, "the field `reasoning` is missing");
}

#[test]
fn an_echo_of_the_prompt_is_no_answer() {
    let bench = Bench::new();
    let called = bench.agent(&format!("cat; echo; echo '{ANSWER}'"));
    assert!(called.result.is_ok());
    assert!(matches!(bench.agent("cat").result, Err(Failure::Misfit { .. })));
}

#[test]
fn a_hanging_agent_is_ended() {
    let mut bench = Bench::new();
    bench.timeout = Duration::from_millis(300);
    let script = "trap '' TERM INT HUP; echo waiting >&2; while :; do sleep 1; done";
    let Failure::TimedOut { stderr, .. } = failure(&bench, script) else { panic!("timed out") };
    assert_eq!(stderr, "waiting");
}

#[test]
fn lines_are_shown_without_escapes_and_secrets() {
    let bench = Bench::new();
    let script = "printf '\\033]0;title\\007\\033[2J\\033[1mreading\\033[0m\\n\\n'; \
                  echo ghp_0123456789012345678901234567890123456789";
    let _ = bench.agent(script);
    assert_eq!(*bench.lines.lock().unwrap(), ["reading", "***"]);
}

#[test]
fn an_agent_that_asks_for_a_terminal_gets_none() {
    let bench = Bench::new();
    let script = "(exec < /dev/tty) 2>/dev/null && echo tty > got; \
                  git credential fill <<-EOF 2>&1\nprotocol=https\nhost=github.com\n\nEOF\n\
                  echo $? > asked";
    let _ = bench.agent(script);
    assert!(!bench.worktree().join("got").exists());
    assert_ne!(std::fs::read_to_string(bench.worktree().join("asked")).unwrap().trim(), "0");
}

#[test]
fn an_agent_that_is_not_there_says_so() {
    let bench = Bench::new();
    let why = |argv: &[&str]| match bench.run(argv).result {
        Err(Failure::Start { why }) => why,
        other => panic!("{other:?}"),
    };
    assert!(why(&["no-such-agent"]).contains("`no-such-agent` is not installed"));
    assert!(why(&[]).contains("empty"));
}

#[test]
fn a_program_of_the_pull_request_is_never_the_agent() {
    use std::os::unix::fs::PermissionsExt;
    let mut bench = Bench::new();
    let fake = bench.worktree().join("agent-of-the-pr");
    std::fs::write(&fake, "#!/bin/sh\ntouch ran\n").unwrap();
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    bench.set("PATH", ".:/usr/bin:/bin");
    std::os::unix::fs::symlink(&fake, bench.path("link")).unwrap();
    let (full, link) = (fake.to_str().unwrap().to_owned(), bench.path("link").to_str().unwrap().to_owned());
    for name in ["agent-of-the-pr", "./agent-of-the-pr", full.as_str(), link.as_str()] {
        assert!(matches!(bench.run(&[name]).result, Err(Failure::Start { .. })), "{name}");
    }
    assert!(!bench.worktree().join("ran").exists());
}
