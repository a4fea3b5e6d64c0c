//! A server on this machine that speaks Anthropic's Messages API, streamed and plain, and the plain forms of OpenAI's and
//! Ollama's. It keeps what it was asked. What it answers is decided by the test; it can fail as the real ones do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::Home;

/// What the server does with a question.
pub enum Answer {
    /// Says this.
    Says(String),
    /// Fails with a status such as `500 Internal Server Error`.
    Fails(&'static str),
    /// Refuses the question with these words.
    Refuses(String),
    /// Begins to say this, and closes the connection.
    BreaksOff(String),
    /// Says the first, pauses, and says the rest.
    Pauses(String, Duration, String),
    /// Calls a tool with these arguments.
    Calls(String, Value),
}

/// The models that the server lists.
pub const LISTED: [&str; 2] = ["gemma-3", "qwen3"];

pub struct MessagesServer {
    listener: TcpListener,
    /// The only key that it accepts, if it wants one.
    key: Option<&'static str>,
    answer: Box<dyn Fn(&Value) -> Answer + Send + Sync>,
    asked: Mutex<Vec<Value>>,
    ends: AtomicBool,
}

impl MessagesServer {
    /// A server that answers each question, given as its JSON, with what `answer` makes of it.
    pub fn start(answer: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ends = AtomicBool::new(false);
        Self { listener, key: None, answer: Box::new(answer), asked: Mutex::default(), ends }
    }

    /// The same server, which accepts one key only.
    pub fn wants(self, key: &'static str) -> Self {
        Self { key: Some(key), ..self }
    }

    /// A home whose model is asked here.
    pub fn home(&self) -> Home {
        Home::new()
            .with("THROUGHLINE_MODEL", "anthropic/claude-sonnet-4-5")
            .with("ANTHROPIC_BASE_URL", &self.url())
            .with("ANTHROPIC_API_KEY", "test")
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.listener.local_addr().unwrap())
    }

    /// What was asked so far.
    pub fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    /// Answers for as long as the test runs.
    pub fn serve(&self, test: impl FnOnce()) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while let Ok((stream, _)) = self.listener.accept()
                    && !self.ends.load(Ordering::SeqCst)
                {
                    scope.spawn(|| self.answer(stream));
                }
            });
            // A test that fails must not wait for the server.
            let _end = End(self);
            test();
        });
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        if head.starts_with("GET ") {
            let models = LISTED.map(|name| json!({ "id": name, "name": name }));
            let _ =
                stream.write_all(plain("200 OK", &json!({ "data": models, "models": models })).as_bytes());
            return;
        }
        if !head.starts_with("POST ") {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
            return;
        }
        let length = head.lines().find_map(|line| {
            line.to_lowercase().strip_prefix("content-length: ").and_then(|n| n.trim().parse().ok())
        });
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).unwrap();
        // Forms are kept as text.
        let asked: Value = serde_json::from_slice(&body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&body).into_owned()));
        self.asked.lock().unwrap().push(asked.clone());
        let has_key = |key: &str| head.lines().any(|line| line.ends_with(&format!(" {key}")));
        let (first, rest) = match self.key {
            Some(key) if !has_key(key) => (
                plain(
                    "401 Unauthorized",
                    &json!({ "type": "error", "error": { "type": "authentication_error", "message": "invalid x-api-key" } }),
                ),
                None,
            ),
            _ => self.reply(&head, &asked),
        };
        // Who goes away in the middle has heard enough.
        let _ = stream.write_all(first.as_bytes());
        if let Some((pause, rest)) = rest {
            // A client that goes away ends the pause.
            let _ = stream.set_read_timeout(Some(pause));
            let _ = stream.read(&mut [0]);
            let _ = stream.write_all(rest.as_bytes());
        }
    }

    /// What is written at once, and after a pause the rest.
    fn reply(&self, head: &str, asked: &Value) -> (String, Option<(Duration, String)>) {
        let answer = (self.answer)(asked);
        if let Answer::Pauses(first, pause, rest) = &answer {
            let whole = reply(&Answer::Says(format!("{first}{rest}")), asked);
            // The rest of the stream begins with the event of its first word.
            let word = rest.split_inclusive(' ').next().unwrap_or_default();
            let at = whole.find(&json!({ "text": word }).to_string().replace(['{', '}'], "")).unwrap();
            let at = whole.get(..at).and_then(|before| before.rfind("event: ")).unwrap();
            let (begin, end) = whole.split_at(at);
            return (begin.to_owned(), Some((*pause, end.to_owned())));
        }
        (self.at_once(head, &answer, asked), None)
    }

    fn at_once(&self, head: &str, answer: &Answer, asked: &Value) -> String {
        match answer {
            Answer::Says(text) if head.contains("/chat/completions ") => plain(
                "200 OK",
                &json!({
                    "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
                    "usage": { "prompt_tokens": 25, "completion_tokens": 9 },
                }),
            ),
            Answer::Says(text) if head.contains("/audio/transcriptions ") => {
                plain("200 OK", &json!({ "text": text }))
            }
            Answer::Says(text) if head.contains("/api/chat ") => plain(
                "200 OK",
                &json!({ "message": { "role": "assistant", "content": text }, "done": true, "done_reason": "stop" }),
            ),
            _ => reply(answer, asked),
        }
    }
}

fn plain(status: &str, body: &Value) -> String {
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close");
    format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn reply(answer: &Answer, asked: &Value) -> String {
    let (text, whole) = match answer {
        Answer::Calls(tool, arguments) => return called(tool, arguments, asked),
        Answer::Says(text) => (text, true),
        Answer::BreaksOff(text) | Answer::Pauses(text, ..) => (text, false),
        Answer::Refuses(words) => {
            return plain(
                "400 Bad Request",
                &json!({ "type": "error", "error": { "type": "invalid_request_error", "message": words } }),
            );
        }
        Answer::Fails(status) => {
            return plain(
                status,
                &json!({ "type": "error", "error": { "type": "api_error", "message": "Overloaded" } }),
            );
        }
    };
    let usage = json!({ "input_tokens": 25, "output_tokens": 9 });
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"],
        "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn", "stop_sequence": null, "usage": usage,
    });
    if asked["stream"] != true {
        return plain("200 OK", &message);
    }
    let mut begun = message.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    let mut events = vec![
        json!({ "type": "message_start", "message": begun }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ];
    for word in text.split_inclusive(' ') {
        events.push(json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word } }));
    }
    if whole {
        events.push(json!({ "type": "content_block_stop", "index": 0 }));
        events.push(json!({
            "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null }, "usage": { "output_tokens": 9 },
        }));
        events.push(json!({ "type": "message_stop" }));
    }
    streamed(&events)
}

/// A message that calls a tool.
fn called(tool: &str, arguments: &Value, asked: &Value) -> String {
    let call = json!({ "type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments });
    let mut message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "content": [call],
        "stop_reason": "tool_use", "stop_sequence": null, "usage": { "input_tokens": 25, "output_tokens": 9 },
    });
    if asked["stream"] != true {
        return plain("200 OK", &message);
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let begun = json!({ "type": "tool_use", "id": "toolu_1", "name": tool, "input": {} });
    streamed(&[
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": begun }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": arguments.to_string() } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use", "stop_sequence": null }, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ])
}

fn streamed(events: &[Value]) -> String {
    let body: String = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}")
}

struct End<'s>(&'s MessagesServer);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::SeqCst);
        // Wakes the server, which waits for a question.
        drop(TcpStream::connect(self.0.listener.local_addr().unwrap()));
    }
}
