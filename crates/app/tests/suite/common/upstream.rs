//! A double of the providers behind the proxies: OpenAI's Chat Completions and Responses and Anthropic's Messages, plain and
//! streamed. It keeps what it was asked, with headers. What it says is decided by the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The last paragraph of the last message, whatever the API: the person's own words, without what stands before them.
    pub fn last(&self) -> String {
        let list = self.body.get("messages").or(self.body.get("input")).cloned().unwrap_or_default();
        let items = list.as_array().cloned().unwrap_or_else(|| vec![json!({ "content": list })]);
        let last = items.iter().rev().find(|item| item["role"] != "system").cloned().unwrap_or_default();
        let text = match &last["content"] {
            Value::Array(blocks) => blocks.last().and_then(|block| block["text"].as_str()),
            content => content.as_str(),
        };
        text.unwrap_or_default().rsplit("\n\n").next().unwrap_or_default().to_owned()
    }
}

/// What it answers.
pub enum Says {
    /// This text, in the shape of the API that was asked.
    Text(String),
    /// A call of the tool `look` with these arguments.
    Tool(Value),
    /// A status and a body as they are.
    Raw(u16, &'static str, String),
    /// The beginning of a stream with this text, and then the connection ends.
    Cut(String),
    /// The beginning of a stream with this text; the rest never comes.
    Hangs(String),
}

pub struct Upstream {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Upstream {
    /// A provider that answers until the test ends.
    #[expect(clippy::disallowed_methods, reason = "it answers until the process of the tests ends")]
    pub fn start(answer: impl Fn(&Asked) -> Says + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (asked, answer) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::new(answer));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, answer.as_ref()));
            }
        });
        Self { address, asked }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far, without questions whether anyone is there.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The last request.
    pub fn last(&self) -> Asked {
        self.asked().pop().unwrap()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Asked) -> Says) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
    let pairs = head.lines().filter_map(|line| line.split_once(": "));
    let headers: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, n)| n.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let asked = Asked { method, path, headers, body };
    kept.lock().unwrap().push(asked.clone());
    let says = answer(&asked);
    // Who goes away in the middle has heard enough.
    let _ = stream.write_all(written(&asked, &says).as_bytes());
    if let Says::Hangs(_) = says {
        // Until the client goes.
        let _ = stream.read(&mut [0]);
    }
}

fn written(asked: &Asked, says: &Says) -> String {
    if let Says::Raw(status, kind, body) = says {
        return format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nx-request-id: req_7\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
    }
    if asked.body["stream"] != true {
        let body = plain(asked, says).to_string();
        return format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
    }
    let body = stream_of(asked, says);
    let is_whole = matches!(says, Says::Text(_) | Says::Tool(_));
    // A stream that lacks its last chunk was cut off.
    let end = if is_whole { "0\r\n\r\n" } else { "" };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_7\r\nconnection: close\r\ntransfer-encoding: chunked";
    format!("{head}\r\n\r\n{:x}\r\n{body}\r\n{end}", body.len())
}

/// The body of a stream, byte for byte.
pub fn stream_of(asked: &Asked, says: &Says) -> String {
    let is_whole = matches!(says, Says::Text(_) | Says::Tool(_));
    let (mut events, ends) = match api(asked) {
        "messages" => messages_events(asked, says),
        "completions" => completions_events(says),
        _ => responses_events(says),
    };
    if is_whole {
        events.extend(ends);
    }
    let named = |event: &Value| match event["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    let mut body: String = events.iter().map(named).collect();
    if is_whole && api(asked) == "completions" {
        body.push_str("data: [DONE]\n\n");
    }
    body
}

fn api(asked: &Asked) -> &str {
    asked.path.split('?').next().unwrap().rsplit('/').next().unwrap()
}

fn words(says: &Says) -> Vec<&str> {
    match says {
        Says::Text(text) | Says::Cut(text) | Says::Hangs(text) => text.split_inclusive(' ').collect(),
        Says::Tool(_) | Says::Raw(..) => Vec::new(),
    }
}

fn plain(asked: &Asked, says: &Says) -> Value {
    let text: String = words(says).concat();
    let arguments = if let Says::Tool(arguments) = says { Some(arguments) } else { None };
    match api(asked) {
        "messages" => {
            let block = match arguments {
                Some(arguments) => {
                    json!({ "type": "tool_use", "id": "toolu_1", "name": "look", "input": arguments })
                }
                None => json!({ "type": "text", "text": text }),
            };
            let reason = if arguments.is_some() { "tool_use" } else { "end_turn" };
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": asked.body["model"], "content": [block],
                "stop_reason": reason, "stop_sequence": null, "usage": { "input_tokens": 25, "output_tokens": 9 },
            })
        }
        "completions" => {
            let message = match arguments {
                Some(arguments) => {
                    json!({ "role": "assistant", "content": null, "tool_calls": [call(arguments)] })
                }
                None => json!({ "role": "assistant", "content": text }),
            };
            let reason = if arguments.is_some() { "tool_calls" } else { "stop" };
            json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5-mini",
                "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
                "usage": { "prompt_tokens": 25, "completion_tokens": 9, "total_tokens": 34 },
            })
        }
        _ => response(&text, "completed"),
    }
}

fn call(arguments: &Value) -> Value {
    json!({ "index": 0, "id": "call_1", "type": "function", "function": { "name": "look", "arguments": arguments.to_string() } })
}

fn response(text: &str, status: &str) -> Value {
    let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
    json!({
        "id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "gpt-5-mini", "error": null,
        "incomplete_details": null, "instructions": null, "metadata": {}, "parallel_tool_calls": true, "tools": [],
        "tool_choice": "auto", "temperature": 1.0, "top_p": 1.0,
        "output": [{ "type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content }],
        "usage": { "input_tokens": 25, "output_tokens": 9, "total_tokens": 34,
            "input_tokens_details": { "cached_tokens": 0 }, "output_tokens_details": { "reasoning_tokens": 0 } },
    })
}

fn messages_events(asked: &Asked, says: &Says) -> (Vec<Value>, Vec<Value>) {
    let mut message = plain(asked, &Says::Text(String::new()));
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    let mut reason = "end_turn";
    if let Says::Tool(arguments) = says {
        reason = "tool_use";
        let block = json!({ "type": "tool_use", "id": "toolu_1", "name": "look", "input": {} });
        events.push(json!({ "type": "content_block_start", "index": 0, "content_block": block }));
        let delta = json!({ "type": "input_json_delta", "partial_json": arguments.to_string() });
        events.push(json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
    } else {
        let block = json!({ "type": "text", "text": "" });
        events.push(json!({ "type": "content_block_start", "index": 0, "content_block": block }));
        let delta = |word| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word } });
        events.extend(words(says).into_iter().map(delta));
    }
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    let ends = vec![
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ];
    (events, ends)
}

fn completions_events(says: &Says) -> (Vec<Value>, Vec<Value>) {
    let chunk = |delta: Value, reason: Value| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5-mini",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
        })
    };
    let mut events = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
    events.extend(words(says).into_iter().map(|word| chunk(json!({ "content": word }), Value::Null)));
    let mut reason = "stop";
    if let Says::Tool(arguments) = says {
        reason = "tool_calls";
        events.push(chunk(json!({ "tool_calls": [call(arguments)] }), Value::Null));
    }
    (events, vec![chunk(json!({}), reason.into())])
}

fn responses_events(says: &Says) -> (Vec<Value>, Vec<Value>) {
    let mut number = 0;
    let mut event = |kind: &str, more: Value| {
        let mut event = json!({ "type": kind, "sequence_number": number });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        number += 1;
        event
    };
    let mut begun = response("", "in_progress");
    begun["output"] = json!([]);
    let text: String = words(says).concat();
    let item = json!({ "type": "message", "id": "msg_1", "status": "in_progress", "role": "assistant", "content": [] });
    let part = json!({ "type": "output_text", "text": "", "annotations": [] });
    let at = json!({ "item_id": "msg_1", "output_index": 0, "content_index": 0 });
    let with = |more: Value| {
        let mut all = at.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let mut events = vec![
        event("response.created", json!({ "response": begun })),
        event("response.output_item.added", json!({ "output_index": 0, "item": item })),
        event("response.content_part.added", with(json!({ "part": part }))),
    ];
    for word in words(says) {
        events.push(event("response.output_text.delta", with(json!({ "delta": word, "logprobs": [] }))));
    }
    let whole = response(&text, "completed");
    let ends = vec![
        event("response.output_text.done", with(json!({ "text": text, "logprobs": [] }))),
        event("response.content_part.done", with(json!({ "part": whole["output"][0]["content"][0] }))),
        event("response.output_item.done", json!({ "output_index": 0, "item": whole["output"][0] })),
        event("response.completed", json!({ "response": whole })),
    ];
    (events, ends)
}
