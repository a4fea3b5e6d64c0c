//! What is refused, and that nothing of it is left behind.

use std::io::{Read, Write};

use serde_json::json;

use super::{Server, read};
use crate::common::Home;

const CHAT: &str = "api:chat:desk";

#[test]
fn bodies_that_cannot_be_read_get_the_right_status_and_nothing_is_recorded() {
    let server = Server::start();
    let whole = json!({ "chat": CHAT, "text": "hello" }).to_string();
    let long = json!({ "chat": CHAT, "text": "a".repeat(1_000_001) }).to_string();
    let longer = json!({ "chat": CHAT, "text": "a".repeat(9 << 20) }).to_string();
    for (body, status, code) in [
        ("{", 400, "invalid_json"),
        ("\u{0}", 400, "invalid_json"),
        ("[]", 422, "invalid_body"),
        ("null", 422, "invalid_body"),
        (r#"{"chat":"api:chat:desk"}"#, 422, "invalid_body"),
        (r#"{"chat":"api:chat:desk","text":7}"#, 422, "invalid_body"),
        (r#"{"chat":"api:chat:desk","text":"x","colour":"red"}"#, 422, "invalid_body"),
        (r#"{"chat":"api:chat:desk","text":"\ud800"}"#, 400, "invalid_json"),
        (r#"{"chat":"desk","text":"x"}"#, 400, "invalid_request"),
        (r#"{"text":"x"}"#, 400, "invalid_request"),
        (r#"{"chat":"api:chat:desk","text":"x","role":"robot"}"#, 400, "invalid_request"),
        (r#"{"chat":"api:chat:desk","text":"x","lane":"left"}"#, 400, "invalid_request"),
        (r#"{"chat":"api:chat:desk","text":"x","at":"soon"}"#, 400, "invalid_request"),
        (r#"{"chat":"api:chat:desk","text":" "}"#, 422, "invalid_message"),
        (&long, 422, "invalid_message"),
        (&longer, 413, "too_large"),
    ] {
        let start: String = body.chars().take(60).collect();
        let answer = server.send("POST", "/v1/messages", &[], body);
        assert_eq!(answer.failure(), (status, code.to_owned()), "{start}");
    }
    assert_eq!(server.send("POST", "/v1/messages", &[("content-type", "")], &whole).status, 415);
    assert_eq!(
        server.send("PUT", "/v1/messages", &[], &whole).failure(),
        (405, "method_not_allowed".to_owned())
    );
    let utf8 = server.send("POST", "/v1/messages", &[("content-length", "3")], "{\u{e9}").failure();
    assert_eq!(utf8, (400, "invalid_json".to_owned()));
    assert_eq!(server.get("/v1/chats").ok()["chats"], json!([]), "nothing was recorded");
}

#[test]
fn a_body_that_does_not_arrive_is_given_up() {
    let server = Server::of(Home::new().configured("[http]\nrequest_seconds = 1\n"));
    let mut slow = server.connect();
    let head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    slow.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).unwrap();
    assert_eq!(read(&answer).failure(), (408, "timeout".to_owned()));
    let mut cut = server.connect();
    cut.write_all(head.as_bytes()).unwrap();
    cut.shutdown(std::net::Shutdown::Write).unwrap();
    // Nobody is left to be answered; the server keeps running.
    let _ = cut.read_to_end(&mut answer);
    assert_eq!(server.get("/v1/chats").ok()["chats"], json!([]), "nothing was recorded");
}

#[test]
fn a_head_that_does_not_arrive_is_given_up() {
    let server = Server::of(Home::new().configured("[http]\nrequest_seconds = 1\n"));
    for begun in ["", "GET /v1/chats HTTP/1.1\r\nhost: loc"] {
        let mut slow = server.connect();
        slow.write_all(begun.as_bytes()).unwrap();
        let mut answer = Vec::new();
        slow.read_to_end(&mut answer).unwrap();
        assert!(!String::from_utf8_lossy(&answer).contains("200 OK"), "{begun:?}");
    }
}

#[test]
fn a_caller_who_asks_too_often_is_told_when_to_come_back() {
    let server = Server::of(Home::new().configured("[http]\nrequests_per_minute = 2\n"));
    let ana = server.adds_token("ana", &[]);
    let ben = server.adds_token("ben", &[]);
    let statuses: Vec<u16> = (0..3).map(|_| server.get_as(&ana, "/v1/chats").status).collect();
    assert_eq!(statuses, [200, 429, 429]);
    let refused = server.get_as(&ana, "/v1/chats");
    assert_eq!(refused.failure(), (429, "rate_limited".to_owned()));
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
    assert_eq!(server.get_as(&ben, "/v1/chats").status, 200, "others are not kept waiting");
}

#[test]
fn each_request_has_an_id_and_the_log_says_nothing_of_what_was_said() {
    let server = Server::start();
    let body = json!({ "chat": CHAT, "text": "Zanzibar in June" }).to_string();
    let answer = server.send("POST", "/v1/messages", &[("x-request-id", "my-request-1")], &body);
    assert_eq!(answer.header("x-request-id"), Some("my-request-1"));
    server.post("/v1/search", json!({ "chat": CHAT, "query": "Zanzibar" })).ok();
    let made = server.send("GET", "/v1/chats", &[("x-request-id", "two words")], "");
    assert_eq!(made.header("x-request-id").unwrap().len(), 36, "an id of ours in place of an unsafe one");
    let logs: String = server
        .home
        .files()
        .into_iter()
        .filter(|(path, _)| path.starts_with(server.home.path().join("logs")))
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect();
    let line = logs.lines().find(|line| line.contains("my-request-1")).unwrap_or_else(|| panic!("{logs}"));
    for part in ["/v1/messages", "POST", "200", "local"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!logs.contains("Zanzibar"), "{logs}");
}
