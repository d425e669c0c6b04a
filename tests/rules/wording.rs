//! Commit messages, replies, summaries, prompts, adapters and what follows a push.

use git_prfix::model::agent::{AdapterInput, PromptBy, Role};
use git_prfix::rules::{PushVerdict, Retrigger};
use serde_json::json;

use super::helpers::{load, repository};

#[test]
fn a_commit_names_its_items_and_mentions_nobody() {
    let items = json!([
        {"id": 1, "path": "src/a.rs", "line": 3, "request": "Rename\nit, @kim. Fixes #12"},
        {"id": 2, "path": null, "line": null, "request": "x", "detail": "added a test"},
    ]);
    let text = load(&[]).text("commit", &json!({"number": 7, "items": items})).unwrap();
    assert_eq!(text, "fix(pr-7): address review feedback\n\n1. src/a.rs:3: Rename it, kim. Fixes 12\n2. added a test");
}

#[test]
fn replies_are_one_short_line_with_its_evidence() {
    let rules = load(&[]);
    let reply = |context: serde_json::Value| rules.text("reply", &context).unwrap();
    assert_eq!(
        reply(
            json!({"status": "fixed", "sha": "1a2b3c4d5e6f", "detail": "the guard is back", "proof": "`cargo test` passes", "request": "Put it back."})
        ),
        "Fixed in 1a2b3c4: the guard is back\n\n`cargo test` passes"
    );
    assert_eq!(
        reply(
            json!({"status": "triaged-out", "verdict": "invalid", "reasoning": "`n` is never zero here (src/a.rs:9)."})
        ),
        "Not changed: `n` is never zero here (src/a.rs:9)."
    );
    assert_eq!(
        reply(json!({"status": "triaged-out", "verdict": "already-addressed", "reasoning": "see src/a.rs:9"})),
        "Already addressed: see src/a.rs:9"
    );
    assert_eq!(
        reply(json!({"status": "needs-human", "detail": "Which of the two?"})),
        "Needs a decision: Which of the two?"
    );
    assert_eq!(reply(json!({"status": "declined"})), "Not changed.");
    assert_eq!(
        reply(json!({"status": "fixed", "sha": "1a2b3c4d", "detail": "ping @team"})),
        "Fixed in 1a2b3c4: ping @\u{200b}team"
    );
}

#[test]
fn replies_speak_the_comments_language() {
    let rules = load(&[]);
    let opening =
        |request: &str| rules.text("reply", &json!({"status": "fixed", "sha": "1a2b3c4", "request": request})).unwrap();
    assert_eq!(opening("Bitte hier keine magische Zahl verwenden."), "Behoben in 1a2b3c4.");
    assert_eq!(opening("Il manque la gestion de l'erreur ici."), "Corrigé dans 1a2b3c4.");
    assert_eq!(opening("Por favor usa una constante para esto."), "Corregido en 1a2b3c4.");
    assert_eq!(opening("isso quebra se a lista não for nula, por favor"), "Corrigido em 1a2b3c4.");
    assert_eq!(opening("Здесь нужна проверка."), "Исправлено в 1a2b3c4.");
    assert_eq!(opening("这里需要判空"), "已在 1a2b3c4 中修复.");
    assert_eq!(opening("ここは早期リターンにしてください。"), "1a2b3c4 で修正しました.");
    assert_eq!(opening("This is a die roll; la la."), "Fixed in 1a2b3c4.");
    assert_eq!(opening("Please use `der`, `die` and `das` here."), "Fixed in 1a2b3c4.");
}

#[test]
fn a_summary_lists_what_has_no_thread() {
    let context = json!({
        "sha": "1a2b3c4d5e",
        "items": [
            {"kind": "review", "source": "https://github.com/o/r/pull/1#r1", "status": "fixed", "request": "Add a test.",
             "proof": "`npm test` fails before and passes with it."},
            {"kind": "check", "source": "CI | test", "status": "rerun", "detail": "the runner was lost"},
        ],
        "gates": [{"command": "npm test", "status": "passed"}],
    });
    assert_eq!(
        load(&[]).text("summary", &context).unwrap(),
        "Pushed 1a2b3c4.\n\n- [review](https://github.com/o/r/pull/1#r1): fixed: Add a test. `npm test` fails before and passes with it.\n\
         - `CI | test`: run again: the runner was lost\n\nChecked with `npm test` passed."
    );
    assert_eq!(load(&[]).text("summary", &json!({"items": []})), None);
    assert_eq!(load(&[]).text("poem", &json!({})), None);
}

#[test]
fn a_repositorys_wording_replaces_ours_and_a_broken_one_says_nothing() {
    let own = "prfix.text { name = 'reply', render = function(x) return '**Done** ' .. x.sha end }";
    assert_eq!(load(&[repository("w", own)]).text("reply", &json!({"sha": "1a"})).as_deref(), Some("**Done** 1a"));
    let rules = load(&[repository("w", own)]);
    assert_eq!(rules.text("reply", &json!({})), None);
    assert!(rules.take_warnings()[0].contains("text/reply failed"));
}

#[test]
fn prompt_additions_go_to_their_roles() {
    let text = "prfix.prompt { name = 'team', why = 'x', roles = { 'probe' }, add = function(role) return 'Team, ' .. role end }";
    let rules = load(&[repository("w", text)]);
    assert_eq!(rules.prompt_additions("probe"), ["Team, probe"]);
    assert!(rules.prompt_additions("fix").iter().all(|text| !text.contains("Team")));
}

fn input(role: Role) -> AdapterInput {
    AdapterInput {
        role,
        worktree: "/w/\"tree\"".into(),
        model: Some("m".into()),
        max_turns: 20,
        budget_usd: None,
        sandboxed: false,
        schema_file: "/s.json".into(),
        schema: "{}".into(),
        prompt_file: "/p.md".into(),
        scratch: "/scratch".into(),
        checks: vec![vec!["npm".into(), "test".into()]],
    }
}

#[test]
fn every_adapter_makes_words_for_every_role() {
    let rules = load(&[]);
    let outputs = ["text", "claude-json", "codex-jsonl", "qwen-json", "gemini-json", "opencode-jsonl"];
    let names: Vec<String> = rules.agents().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["claude", "codex", "qwen", "gemini", "opencode", "copilot", "aider", "droid"]);
    for name in names {
        for role in [Role::Probe, Role::Fix, Role::Verify] {
            let call = rules.invocation(&name, &input(role)).unwrap();
            assert_eq!((call.adapter.as_str(), call.argv[0].as_str()), (name.as_str(), name.as_str()));
            assert!(outputs.contains(&call.output.as_str()), "{name}");
            assert!(call.prompt == PromptBy::Stdin || call.argv.iter().any(|word| word.contains("/p.md")), "{name}");
        }
    }
    assert_eq!(rules.take_warnings(), Vec::<String>::new());
}

#[test]
fn only_the_fix_agent_may_write() {
    let rules = load(&[]);
    let words = |agent: &str, role| rules.invocation(agent, &input(role)).unwrap().argv.join(" ");
    assert!(words("claude", Role::Probe).contains("--permission-mode plan --tools Read,Grep,Glob --max-turns 20"));
    assert!(words("claude", Role::Fix).contains("acceptEdits"));
    assert!(words("claude", Role::Verify).contains("--setting-sources user --strict-mcp-config"));
    assert!(words("codex", Role::Probe).contains("-s read-only --output-schema /s.json"));
    assert!(words("codex", Role::Fix).contains("-s workspace-write"));
    assert!(words("codex", Role::Fix).contains(r#"projects={"/w/\"tree\""={trust_level="untrusted"}}"#));
    assert!(words("qwen", Role::Probe).contains("--approval-mode plan"));
    assert!(words("gemini", Role::Verify).contains("--approval-mode plan"));
    assert!(
        words("aider", Role::Probe).contains("--map-tokens 0") && words("aider", Role::Verify).contains("--dry-run")
    );
    assert!(
        words("aider", Role::Fix).contains("--edit-format diff") && !words("aider", Role::Fix).contains("--dry-run")
    );
    let opencode = rules.invocation("opencode", &input(Role::Fix)).unwrap();
    let config: serde_json::Value = serde_json::from_str(&opencode.env["OPENCODE_CONFIG_CONTENT"]).unwrap();
    assert_eq!(config["permission"]["bash"]["npm test*"], "allow");
}

#[test]
fn an_unknown_adapter_is_answered_with_the_known_ones() {
    let error = load(&[]).invocation("cluade", &input(Role::Probe)).unwrap_err();
    assert!(error.message.contains("did you mean 'claude'"), "{}", error.message);
    assert!(error.help.unwrap().contains("command"));
}

#[test]
fn a_teams_adapter_is_used_like_a_built_in_one() {
    let text = "prfix.agent { name = 'ours', why = 'x', needs = 'ours', order = 1,\n\
                invoke = function(i) return { argv = { 'ours', '--role', i.role }, output = 'text' } end }";
    let rules = load(&[repository("a", text)]);
    assert_eq!(rules.agents()[0].0, "ours");
    assert_eq!(rules.invocation("ours", &input(Role::Verify)).unwrap().argv, ["ours", "--role", "verify"]);
    let broken = text.replace("argv = {", "argvv = {");
    let error = load(&[repository("a", &broken)]).invocation("ours", &input(Role::Fix)).unwrap_err();
    assert!(error.label.contains("argvv"), "{}", error.label);
}

#[test]
fn reviewers_that_must_be_asked_again_are_named() {
    let asked = |wanted: &[&str]| -> Vec<String> {
        let reviewers = ["kim", "cursor", "Copilot-Pull-Request-Reviewer"];
        let context = json!({"number": 7, "head": "1a2b", "reviewers": reviewers, "wanted": wanted});
        load(&[]).retrigger(&context).into_iter().map(|again| again.login).collect()
    };
    assert_eq!(asked(&[]), ["copilot-pull-request-reviewer"], "others cost their owner something");
    assert_eq!(asked(&["Bugbot", "kim"]), ["cursor", "copilot-pull-request-reviewer", "kim"]);
    let bugbot = load(&[]).retrigger(&json!({"number": 7, "head": "1a2b", "reviewers": [], "wanted": ["cursor"]}));
    assert_eq!(
        bugbot,
        [Retrigger {
            name: Some("bugbot".into()),
            login: "cursor".into(),
            comment: Some("bugbot run".into()),
            check: Some("bugbot".into()),
            rule: "retrigger/review-bots".into(),
        }]
    );
}

#[test]
fn the_guard_denies_what_a_rule_denies_and_when_a_rule_breaks() {
    let push = |force: bool| json!({"remote": "origin", "url": "x", "managed": true, "refs": [{"remote_ref": "refs/heads/a", "force": force, "delete": false}]});
    assert_eq!(load(&[]).guard(&push(false)), PushVerdict::Allow);
    assert!(matches!(load(&[]).guard(&push(true)), PushVerdict::Deny { rule, .. } if rule == "guard/history"));
    let broken = repository("g", "prfix.guard { name = 'g', why = 'x', allow = function(x) return x.no.thing end }");
    assert!(matches!(load(&[broken]).guard(&push(false)), PushVerdict::Deny { rule, .. } if rule == "guard/g"));
    let no =
        repository("g", "prfix.guard { name = 'freeze', why = 'release week', allow = function(x) return false end }");
    assert_eq!(
        load(&[no]).guard(&push(false)),
        PushVerdict::Deny { rule: "guard/freeze".into(), why: "release week".into() }
    );
}
