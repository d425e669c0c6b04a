//! A corpus of what agents print around, instead of, and inside of their answers.

use git_prfix::agent::{AnswerError, extract, schema, usage};
use git_prfix::model::manifest::Manifest;
use git_prfix::model::spec::{Triage, Verdict};
use serde_json::{Value, json};

fn probe_in(text: &str, output: &str) -> Result<Triage, AnswerError> {
    extract(text, output, &schema::probe())
}

fn manifest(text: &str) -> Result<Manifest, AnswerError> {
    extract(text, "text", &schema::manifest())
}

fn answer(id: u32) -> String {
    json!({"item_id": id, "verdict": "valid", "reasoning": "src/a.rs:3 is off by one.",
        "proposed_fix": {"path": "src/a.rs", "location": "line 3", "change": "use <"}, "risk": "low"})
    .to_string()
}

fn id_in(text: &str) -> Option<u32> {
    probe_in(text, "text").ok().map(|triage| triage.item_id)
}

#[test]
fn the_answer_is_found_however_it_is_dressed() {
    let plain = answer(1);
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&plain).unwrap()).unwrap();
    for text in [
        plain.clone(),
        format!("\u{feff}{plain}\r\n"),
        pretty.clone(),
        format!("Here it is:\n```json\n{pretty}\n```\nDone."),
        format!("~~~ jsonc title=\"x\"\n{pretty}\n~~~"),
        format!("````\n```\n{plain}\n```\n````"),
        format!("The verdict is {plain} as I said."),
        format!("fn main() {{ let x = {{ 1 }}; }}\n{plain}\nI removed the `{{` there."),
        format!("- a list\n  ```json\n  {plain}\n  ```"),
        format!("[{plain}]"),
        format!("{{\"a\": tru\n{plain}"),
        format!("{{ \"unterminated: }}\n{plain}"),
    ] {
        assert_eq!(id_in(&text), Some(1), "{text}");
    }
}

#[test]
fn the_last_fitting_document_wins_and_others_are_passed_over() {
    assert_eq!(id_in(&format!("{}\n{}", answer(1), answer(2))), Some(2));
    assert_eq!(id_in(&format!("```json\n{}\n```\nand also {}", answer(1), answer(2))), Some(2));
    assert_eq!(id_in(&format!("{}\n{{\"tokens\": 5}}\n{{\"item_id\": 9}}", answer(1))), Some(1));
    assert_eq!(id_in(&format!("{{\"log\": [1,2]}}\n{}\n{{broken", answer(3))), Some(3));
}

#[test]
fn an_object_inside_of_another_is_no_answer() {
    assert_eq!(id_in(&json!({"quoted": serde_json::from_str::<Value>(&answer(1)).unwrap()}).to_string()), None);
    let cut = format!("{{\"quoted\": {}, \"rest\": \"", answer(1));
    assert_eq!(probe_in(&cut, "text").unwrap_err().why, "the JSON document is cut off");
}

#[test]
fn fences_inside_of_strings_survive() {
    let summary = "Ran:\n```sh\ncargo test\n```\nand {\"touched_files\": [\"evil\"]} ~~~";
    let text = json!({"touched_files": ["a"], "summary": summary}).to_string();
    for text in [text.clone(), format!("```json\n{text}\n```")] {
        let found = manifest(&text).unwrap();
        assert_eq!((found.touched_files, found.summary.as_str()), (vec!["a".to_owned()], summary));
    }
}

#[test]
fn a_cut_off_answer_says_so() {
    let whole = answer(1);
    for end in [20, 60, whole.len() - 1] {
        assert_eq!(probe_in(&whole[..end], "text").unwrap_err().why, "the JSON document is cut off", "{end}");
    }
    for nothing in ["", "   \n", "I could not do it.", "null", "[]", "{}", "\u{0}\u{1}\u{fffd}"] {
        assert!(probe_in(nothing, "text").unwrap_err().why.contains("no JSON object"), "{nothing:?}");
    }
}

/// What each CLI prints around an answer text.
fn envelopes(text: &str) -> Vec<(&'static str, String)> {
    let claude = json!({"type": "result", "subtype": "success", "is_error": false, "result": text, "total_cost_usd": 0.25,
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 7}});
    let codex = [
        json!({"type": "thread.started", "thread_id": "t"}),
        json!({"type": "item.completed", "item": {"id": "i0", "type": "agent_message", "text": "Looking."}}),
        json!({"type": "item.completed", "item": {"id": "i1", "type": "command_execution", "aggregated_output": answer(66)}}),
        json!({"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": text}}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 17, "cached_input_tokens": 3, "output_tokens": 7}}),
    ];
    let qwen = json!([{"type": "system"}, {"type": "assistant", "message": {"content": [{"type": "text", "text": answer(66)}]}},
        {"type": "result", "is_error": false, "result": text, "usage": {"input_tokens": 17, "output_tokens": 7}}]);
    let gemini = json!({"session_id": "s", "response": text,
        "stats": {"models": {"m": {"tokens": {"prompt": 17, "candidates": 6, "thoughts": 1, "total": 24}}}}});
    let opencode = [
        json!({"type": "step_start", "sessionID": "s", "part": {"type": "step-start"}}),
        json!({"type": "tool_use", "sessionID": "s", "part": {"state": {"output": answer(66)}}}),
        json!({"type": "text", "sessionID": "s", "part": {"type": "text", "text": text}}),
        json!({"type": "step_finish", "sessionID": "s", "part": {"cost": 0.25,
            "tokens": {"input": 12, "output": 6, "reasoning": 1, "cache": {"read": 5, "write": 0}}}}),
    ];
    let lines = |events: &[Value]| events.iter().map(|event| format!("{event}\n")).collect::<String>();
    vec![
        ("claude-json", claude.to_string()),
        ("codex-jsonl", lines(&codex)),
        ("qwen-json", qwen.to_string()),
        ("gemini-json", serde_json::to_string_pretty(&gemini).unwrap()),
        ("opencode-jsonl", lines(&opencode)),
    ]
}

#[test]
fn the_final_word_is_read_out_of_each_clis_envelope() {
    for (output, text) in envelopes(&format!("Done.\n```json\n{}\n```", answer(5))) {
        for text in [text.clone(), format!("(node:1) Warning: {{old}}\n{text}")] {
            assert_eq!(probe_in(&text, output).map(|triage| triage.item_id), Ok(5), "{output}");
            assert_eq!(probe_in(&text, "text").map(|triage| triage.item_id), Ok(5), "{output} taken for text");
        }
    }
}

#[test]
fn what_a_tool_printed_is_no_answer() {
    for (output, text) in envelopes("I have nothing to say.") {
        assert!(probe_in(&text, output).unwrap_err().why.contains("no JSON object"), "{output}");
    }
}

#[test]
fn a_bare_answer_is_taken_from_any_cli() {
    for (output, _) in envelopes("") {
        assert_eq!(probe_in(&answer(8), output).map(|triage| triage.item_id), Ok(8), "{output}");
    }
}

#[test]
fn a_checked_document_of_the_cli_comes_first_and_its_text_second() {
    let document: Value = serde_json::from_str(&answer(3)).unwrap();
    let with = |document: &Value, text: &str| {
        json!({"type": "result", "is_error": false, "result": text, "structured_output": document}).to_string()
    };
    assert_eq!(probe_in(&with(&document, "Done."), "claude-json").unwrap().item_id, 3);
    assert_eq!(probe_in(&with(&json!({"x": 1}), &answer(4)), "claude-json").unwrap().item_id, 4);
    let error = probe_in(&with(&json!({"item_id": 1}), "Done."), "claude-json").unwrap_err();
    assert!(!error.why.is_empty() && !error.reported);
}

#[test]
fn an_error_that_the_cli_reports_is_named_and_never_an_answer() {
    let cases = [
        (
            "claude-json",
            json!({"type": "result", "subtype": "success", "is_error": true, "result": "Invalid API key"}).to_string(),
            "Invalid API key",
        ),
        (
            "claude-json",
            json!({"type": "result", "subtype": "error_max_turns", "is_error": false}).to_string(),
            "error_max_turns",
        ),
        (
            "codex-jsonl",
            "{\"type\":\"thread.started\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"401 Unauthorized\"}}"
                .into(),
            "401 Unauthorized",
        ),
        (
            "qwen-json",
            json!([{"type": "result", "is_error": false, "result": format!("[API Error: 401] {}", answer(1))}])
                .to_string(),
            "[API Error: 401]",
        ),
        (
            "gemini-json",
            json!({"error": {"type": "ApiError", "message": "quota exceeded", "code": 429}}).to_string(),
            "quota exceeded",
        ),
        (
            "opencode-jsonl",
            json!({"type": "error", "sessionID": "s", "error": {"name": "APIError", "data": {"message": "no key"}}})
                .to_string(),
            "no key",
        ),
    ];
    for (output, text, expected) in cases {
        for form in [output, "text"] {
            let error = probe_in(&text, form).unwrap_err();
            assert!(error.reported && error.why.contains(expected), "{form}: {error}");
        }
    }
}

#[test]
fn tokens_and_money_are_read_from_each_envelope() {
    for (output, text) in envelopes("x") {
        let usage = usage::read(&text, output);
        assert_eq!((usage.input_tokens, usage.output_tokens), (17, 7), "{output}");
        let priced = matches!(output, "claude-json" | "opencode-jsonl");
        assert_eq!(usage.cost_usd, priced.then_some(0.25), "{output}");
    }
    let absurd = json!({"type": "result", "is_error": false, "result": "", "total_cost_usd": -1.0,
        "usage": {"input_tokens": u64::MAX, "output_tokens": "many"}});
    assert_eq!(usage::read(&absurd.to_string(), "claude-json"), git_prfix::model::agent::Usage::default());
}

#[test]
fn verdicts_are_read_in_the_contracts_spelling_only() {
    let text = answer(1).replace("\"valid\"", "\"already-addressed\"");
    assert_eq!(probe_in(&text, "text").unwrap().verdict, Verdict::AlreadyAddressed);
    assert!(probe_in(&text.replace("already-addressed", "AlreadyAddressed"), "text").is_err());
}
