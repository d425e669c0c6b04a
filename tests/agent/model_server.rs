//! A model server on loopback that plays a scripted conversation to real agent CLIs.
//!
//! It speaks Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini, as far as the CLIs need it. Which
//! step is due follows from the tool calls that the conversation holds already, so a retried request changes nothing.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response, Server};

/// What the model does next.
#[derive(Clone)]
pub enum Step {
    /// Calls the first of these tools that it was offered.
    Call(Vec<(&'static str, Value)>),
    Say(String),
    /// An HTTP error.
    Refuse(u16),
}

/// What a CLI asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub tools: Vec<String>,
    /// Tool calls that the conversation holds.
    pub turns: usize,
    pub body: String,
}

type Script = dyn Fn(&Asked) -> Step + Send + Sync;

pub struct ModelServer {
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ModelServer {
    /// Plays one step a turn, the last one for ever.
    pub fn playing(steps: Vec<Step>) -> Self {
        Self::start(move |asked| steps[asked.turns.min(steps.len() - 1)].clone())
    }

    pub fn start(script: impl Fn(&Asked) -> Step + Send + Sync + 'static) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").unwrap());
        let (listener, asked) = (Arc::clone(&server), Arc::new(Mutex::new(Vec::new())));
        let log = Arc::clone(&asked);
        let thread = std::thread::spawn(move || {
            for request in listener.incoming_requests() {
                serve(request, &script, &log);
            }
        });
        Self { server, thread: Some(thread), asked }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr().to_ip().unwrap())
    }

    /// Requests for an answer of the model, with tools, so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.server.unblock();
        self.thread.take().map(JoinHandle::join);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Api {
    Messages,
    Responses,
    Chat,
    Gemini,
}

fn serve(mut request: Request, script: &Script, log: &Mutex<Vec<Asked>>) {
    let mut body = String::new();
    let _ = request.as_reader().read_to_string(&mut body);
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    if *request.method() != Method::Post {
        let models = json!({"object": "list", "has_more": false, "models": [], "data": [{"id": "fake-model",
            "object": "model", "created": 1, "owned_by": "x", "type": "model", "display_name": "Fake",
            "created_at": "2024-01-01T00:00:00Z"}]});
        return answer(request, 200, models.to_string(), "application/json");
    }
    let Some(api) = api(&path) else { return answer(request, 404, "{}".into(), "application/json") };
    if path.contains("count_tokens") || path.contains("countTokens") {
        return answer(request, 200, json!({"input_tokens": 10, "totalTokens": 10}).to_string(), "application/json");
    }
    let asks: Value = serde_json::from_str(&body).unwrap_or_default();
    let asked = Asked { tools: tools(api, &asks), turns: turns(api, &asks), body };
    let step = if asked.tools.is_empty() { Step::Say("A title".into()) } else { script(&asked) };
    if !asked.tools.is_empty() {
        log.lock().unwrap().push(asked.clone());
    }
    let (text, call) = match step {
        Step::Refuse(status) => {
            let error = json!({"type": "error", "error": {"type": "authentication_error", "message": "refused by the script",
                "code": status, "status": "UNAUTHENTICATED"}});
            return answer(request, status, error.to_string(), "application/json");
        }
        Step::Say(text) => (text, None),
        Step::Call(choices) => {
            let chosen = choices.into_iter().find(|(name, _)| asked.tools.iter().any(|tool| tool == name));
            match chosen {
                Some(call) => (String::new(), Some(call)),
                None => ("The tool is not there.".into(), None),
            }
        }
    };
    let streams = asks["stream"] == true || path.contains("streamGenerateContent");
    let turn =
        Turn { id: format!("{}-{}", asked.turns, log.lock().unwrap().len()), text, call, model: asks["model"].clone() };
    let events = match api {
        Api::Messages => turn.messages(),
        Api::Responses => turn.responses(),
        Api::Chat => turn.chat(),
        Api::Gemini => turn.gemini(),
    };
    if streams {
        let done = if api == Api::Chat { "data: [DONE]\n\n" } else { "" };
        let named = |event: &Value| match (api, event["type"].as_str()) {
            (Api::Messages | Api::Responses, Some(kind)) => format!("event: {kind}\ndata: {event}\n\n"),
            _ => format!("data: {event}\n\n"),
        };
        answer(request, 200, events.iter().map(named).collect::<String>() + done, "text/event-stream");
    } else {
        answer(request, 200, turn.whole(api).to_string(), "application/json");
    }
}

fn answer(request: Request, status: u16, body: String, kind: &str) {
    let header = Header::from_bytes("Content-Type", kind).unwrap();
    // A client that has gone does not matter.
    let _ = request.respond(Response::from_string(body).with_status_code(status).with_header(header));
}

fn api(path: &str) -> Option<Api> {
    match path {
        _ if path.contains("enerateContent") || path.contains("countTokens") => Some(Api::Gemini),
        _ if path.contains("/messages") => Some(Api::Messages),
        _ if path.ends_with("/responses") => Some(Api::Responses),
        _ if path.ends_with("/chat/completions") => Some(Api::Chat),
        _ => None,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn tools(api: Api, asks: &Value) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().or(tool["type"].as_str()).map(str::to_owned);
    match api {
        Api::Messages | Api::Responses => list(&asks["tools"]).filter_map(name).collect(),
        Api::Chat => list(&asks["tools"]).filter_map(|tool| name(&tool["function"])).collect(),
        Api::Gemini => {
            list(&asks["tools"]).flat_map(|tool| list(&tool["functionDeclarations"])).filter_map(name).collect()
        }
    }
}

fn turns(api: Api, asks: &Value) -> usize {
    match api {
        Api::Messages => {
            let calls = |message: &&Value| list(&message["content"]).any(|part| part["type"] == "tool_use");
            list(&asks["messages"]).filter(calls).count()
        }
        Api::Chat => list(&asks["messages"]).filter(|message| list(&message["tool_calls"]).count() > 0).count(),
        Api::Responses => {
            let calls = ["function_call", "custom_tool_call", "local_shell_call"];
            list(&asks["input"]).filter(|item| calls.iter().any(|kind| item["type"] == **kind)).count()
        }
        Api::Gemini => {
            let calls = |content: &&Value| list(&content["parts"]).any(|part| part["functionCall"].is_object());
            list(&asks["contents"]).filter(calls).count()
        }
    }
}

/// One turn of the model, in each API's words.
struct Turn {
    id: String,
    text: String,
    call: Option<(&'static str, Value)>,
    model: Value,
}

impl Turn {
    fn whole(&self, api: Api) -> Value {
        match api {
            Api::Messages => {
                let mut message = self.message();
                message["content"] = self.blocks().into();
                message["stop_reason"] = self.stop("tool_use", "end_turn").into();
                message
            }
            Api::Responses => self.response(),
            Api::Chat => {
                let mut message = json!({"role": "assistant", "content": self.text});
                if self.call.is_some() {
                    message["tool_calls"] = self.tool_calls();
                }
                json!({"id": self.id, "object": "chat.completion", "created": 1, "model": self.model,
                    "choices": [{"index": 0, "finish_reason": self.stop("tool_calls", "stop"), "message": message}],
                    "usage": {"prompt_tokens": 1234, "completion_tokens": 56, "total_tokens": 1290}})
            }
            Api::Gemini => self.gemini().remove(0),
        }
    }

    fn stop(&self, calls: &'static str, says: &'static str) -> &'static str {
        if self.call.is_some() { calls } else { says }
    }

    fn message(&self) -> Value {
        json!({"id": format!("msg_{}", self.id), "type": "message", "role": "assistant", "model": self.model,
            "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1234, "output_tokens": 56, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}})
    }

    fn blocks(&self) -> Vec<Value> {
        match &self.call {
            Some((name, input)) => {
                vec![json!({"type": "tool_use", "id": format!("toolu_{}", self.id), "name": name, "input": input})]
            }
            None => vec![json!({"type": "text", "text": self.text})],
        }
    }

    fn messages(&self) -> Vec<Value> {
        let mut block = self.blocks().remove(0);
        let delta = match &self.call {
            Some((_, input)) => {
                block["input"] = json!({});
                json!({"type": "input_json_delta", "partial_json": input.to_string()})
            }
            None => {
                block["text"] = "".into();
                json!({"type": "text_delta", "text": self.text})
            }
        };
        let stop = self.stop("tool_use", "end_turn");
        vec![
            json!({"type": "message_start", "message": self.message()}),
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "content_block_delta", "index": 0, "delta": delta}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 56}}),
            json!({"type": "message_stop"}),
        ]
    }

    fn item(&self) -> Value {
        match &self.call {
            Some((name, input)) => json!({"type": "function_call", "id": format!("fc_{}", self.id),
                "call_id": format!("call_{}", self.id), "name": name, "arguments": input.to_string(), "status": "completed"}),
            None => {
                json!({"type": "message", "id": format!("msg_{}", self.id), "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": self.text, "annotations": []}]})
            }
        }
    }

    fn response(&self) -> Value {
        json!({"id": format!("resp_{}", self.id), "object": "response", "created_at": 1, "model": self.model,
            "status": "completed", "output": [self.item()],
            "usage": {"input_tokens": 1234, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 56,
                "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1290}})
    }

    fn responses(&self) -> Vec<Value> {
        let mut begun = self.response();
        begun["status"] = "in_progress".into();
        begun["output"] = json!([]);
        let (id, mut added) = (self.item()["id"].clone(), self.item());
        let mut events = vec![json!({"type": "response.created", "sequence_number": 0, "response": begun})];
        match &self.call {
            Some((_, input)) => {
                added["arguments"] = "".into();
                events.push(json!({"type": "response.output_item.added", "output_index": 0, "item": added}));
                events.push(json!({"type": "response.function_call_arguments.delta", "item_id": id, "output_index": 0,
                    "delta": input.to_string()}));
            }
            None => {
                added["content"] = json!([]);
                events.push(json!({"type": "response.output_item.added", "output_index": 0, "item": added}));
                events.push(json!({"type": "response.output_text.delta", "item_id": id, "output_index": 0,
                    "content_index": 0, "delta": self.text}));
            }
        }
        events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": self.item()}));
        events.push(json!({"type": "response.completed", "sequence_number": 9, "response": self.response()}));
        events
    }

    fn tool_calls(&self) -> Value {
        let call = |(name, input): &(&'static str, Value)| {
            json!([{"index": 0, "id": format!("call_{}", self.id), "type": "function",
                "function": {"name": name, "arguments": input.to_string()}}])
        };
        self.call.as_ref().map_or(Value::Null, call)
    }

    fn chat(&self) -> Vec<Value> {
        let chunk = |delta: Value, finish: Value| {
            json!({"id": self.id, "object": "chat.completion.chunk", "created": 1, "model": self.model,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        };
        let mut chunks = vec![chunk(json!({"role": "assistant", "content": self.text}), Value::Null)];
        if self.call.is_some() {
            chunks.push(chunk(json!({"tool_calls": self.tool_calls()}), Value::Null));
        }
        chunks.push(chunk(json!({}), self.stop("tool_calls", "stop").into()));
        chunks.push(json!({"id": self.id, "object": "chat.completion.chunk", "created": 1, "model": self.model,
            "choices": [], "usage": {"prompt_tokens": 1234, "completion_tokens": 56, "total_tokens": 1290}}));
        chunks
    }

    fn gemini(&self) -> Vec<Value> {
        let part = match &self.call {
            Some((name, input)) => json!({"functionCall": {"name": name, "args": input}}),
            None => json!({"text": self.text}),
        };
        vec![
            json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 1234, "candidatesTokenCount": 56, "totalTokenCount": 1290},
            "modelVersion": "fake", "responseId": self.id}),
        ]
    }
}
