//! The server at `/mcp`, over requests written by hand.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{initialize, text, texts};
use crate::common::Home;
use crate::common::served::Serving;

/// An answer of the server.
pub struct Answer {
    pub status: u16,
    pub session: Option<String>,
    pub body: String,
}

impl Answer {
    /// The last message of its stream, or its JSON.
    pub fn message(&self) -> Value {
        let events = self.body.lines().filter_map(|line| line.strip_prefix("data: {"));
        let last = events.map(|rest| format!("{{{rest}")).next_back().unwrap_or_else(|| self.body.clone());
        serde_json::from_str(&last).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Posts a message. Other headers may take the place of those that a client sends.
pub fn post(address: &str, headers: &[(&str, &str)], message: &Value) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = message.to_string();
    let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let usual = [
        ("Host", address),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
    ];
    let usual = usual.into_iter().filter(|(name, _)| !given(name));
    let lines: String =
        usual.chain(headers.iter().copied()).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    // Version 1.0 is answered in one piece.
    write!(stream, "POST /mcp HTTP/1.0\r\n{lines}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut whole = String::new();
    stream.read_to_string(&mut whole).unwrap();
    let (head, body) = whole.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{whole:?}"));
    let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        session: session.map(str::to_owned),
        body: body.to_owned(),
    }
}

/// Begins a session.
pub fn begin(address: &str, headers: &[(&str, &str)]) -> String {
    let begun = post(address, headers, &initialize("a-test"));
    assert_eq!(begun.status, 200, "{}", begun.body);
    let session = begun.session.unwrap();
    let headers = [headers, &[("Mcp-Session-Id", session.as_str())]].concat();
    let told = post(address, &headers, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!(told.status, 202);
    session
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[test]
fn a1_the_header_names_the_chat_of_a_request() {
    let home = Home::new();
    home.record("The spare key is with Ana.");
    home.json(&["record", "--chat", "cli:chat:work", "The budget is due on Friday."]);
    let serving = Serving::start(&home);
    let session = begin(&serving.address, &[]);
    let ask = |chat: Option<&str>, query: &str| {
        let mut headers = vec![("Mcp-Session-Id", session.as_str())];
        headers.extend(chat.map(|chat| ("X-Throughline-Chat", chat)));
        post(
            &serving.address,
            &headers,
            &call("search_memories", json!({ "query": query, "kind": "message" })),
        )
        .message()["result"]
            .clone()
    };
    assert_eq!(texts(&ask(None, "spare key")["structuredContent"]), ["The spare key is with Ana."]);
    assert_eq!(texts(&ask(None, "budget")["structuredContent"]), [""; 0]);
    let work = Some("cli:chat:work");
    assert_eq!(texts(&ask(work, "budget")["structuredContent"]), ["The budget is due on Friday."]);
    assert_eq!(texts(&ask(work, "spare key")["structuredContent"]), [""; 0]);
    let refused = ask(Some("no chat"), "budget");
    assert!(refused["isError"] == true && text(&refused).contains("x-throughline-chat"), "{refused}");
}

#[test]
fn pages_of_other_sites_and_names_of_other_machines_are_turned_away() {
    let home = Home::new();
    let serving = Serving::start(&home);
    for (headers, status) in [
        (&[][..], 200),
        (&[("Origin", "http://localhost:6274")], 403),
        (&[("Origin", "https://evil.example")], 403),
        (&[("Origin", "null")], 403),
        (&[("Host", "evil.example")], 421),
        (&[("Host", "evil.example:7717")], 421),
    ] {
        assert_eq!(post(&serving.address, headers, &initialize("a-test")).status, status, "{headers:?}");
    }
}

#[test]
fn a_token_that_is_set_must_be_shown_to_the_server() {
    let home = Home::new().with("THROUGHLINE_API_TOKEN", "t0ken");
    let serving = Serving::start(&home);
    let refused = post(&serving.address, &[], &initialize("a-test"));
    assert_eq!((refused.status, refused.session), (401, None));
    begin(&serving.address, &[("Authorization", "Bearer t0ken")]);
}

#[test]
fn a1_a_token_that_is_bound_to_a_chat_sees_no_other_and_uses_no_session_of_another_caller() {
    let home = Home::new().with("THROUGHLINE_API_TOKEN", "t0ken");
    home.record("The spare key is with Ana.");
    home.json(&["record", "--chat", "cli:chat:work", "The budget is due on Friday."]);
    let token = home.json(&["token", "add", "--name", "desk", "--chat", "cli:chat:work"]);
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let serving = Serving::start(&home);
    let (owners, session) = (
        begin(&serving.address, &[("Authorization", "Bearer t0ken")]),
        begin(&serving.address, &[("Authorization", &bearer)]),
    );
    let ask = |session: &str, chat: &[(&str, &str)], query: &str| {
        let headers = [&[("Authorization", bearer.as_str()), ("Mcp-Session-Id", session)], chat].concat();
        post(
            &serving.address,
            &headers,
            &call("search_memories", json!({ "query": query, "kind": "message" })),
        )
    };
    let found = |answer: Answer| texts(&answer.message()["result"]["structuredContent"]);
    assert_eq!(found(ask(&session, &[], "budget")), ["The budget is due on Friday."]);
    assert_eq!(found(ask(&session, &[], "spare key")), [""; 0]);
    let refused = ask(&session, &[("X-Throughline-Chat", "cli:chat:main")], "spare key").message();
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert_eq!(ask(&owners, &[], "budget").status, 404, "the session is the owner's");
}

#[test]
fn sessions_are_few_and_the_one_that_was_not_used_for_the_longest_time_ends() {
    let home = Home::new();
    let serving = Serving::start(&home);
    let is_there = |session: &str| {
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        post(&serving.address, &[("Mcp-Session-Id", session)], &ping).status == 200
    };
    let (first, second) = (begin(&serving.address, &[]), begin(&serving.address, &[]));
    for _ in 0..62 {
        begin(&serving.address, &[]);
    }
    assert!(is_there(&first), "64 sessions have room");
    begin(&serving.address, &[]);
    assert!(!is_there(&second), "it was not used since it began");
    assert!(is_there(&first) && !is_there("of-somebody-else"));
}
