//! Clients that leave, requests that come twice, and a program that is killed or told to stop.

use std::io::Read;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Server, read};
use crate::common::Home;
use crate::common::messages_server::{Answer, MessagesServer};
use crate::common::served::LONG;

const CHAT: &str = "api:chat:desk";

/// A home whose model is a server of the test.
fn with_model(model: &MessagesServer) -> Home {
    Home::new()
        .with("THROUGHLINE_MODEL", "anthropic/claude-test")
        .with("ANTHROPIC_API_KEY", "sk-ant-test")
        .with("ANTHROPIC_BASE_URL", &model.url())
}

fn texts(server: &Server) -> Vec<String> {
    let page = server.get(&format!("/v1/messages?chat={CHAT}")).ok();
    let messages = page["messages"].as_array().unwrap().iter().rev();
    messages.map(|message| message["text"].as_str().unwrap().to_owned()).collect()
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < until, "{what}");
    }
}

#[test]
fn a_request_that_comes_twice_is_carried_out_once_and_answered_the_same() {
    let mut server = Server::start();
    let send = |server: &Server, key: &str, body: &Value| {
        server.send("POST", "/v1/messages", &[("idempotency-key", key)], &body.to_string())
    };
    let body = json!({ "chat": CHAT, "text": "I paid the rent." });
    let first = send(&server, "rent-1", &body).ok();
    assert_eq!(send(&server, "rent-1", &body).ok(), first);
    server.start_again();
    assert_eq!(send(&server, "rent-1", &body).ok(), first, "also after a restart");
    let other = json!({ "chat": CHAT, "text": "I paid the rent twice." });
    assert_eq!(send(&server, "rent-1", &other).failure(), (409, "conflict".to_owned()));
    assert_eq!(texts(&server), ["I paid the rent."]);
    assert_ne!(send(&server, "rent-2", &body).ok()["id"], first["id"], "another key is another request");
    assert_eq!(send(&server, &"k".repeat(201), &body).status, 400);
    let said = "I collect old maps.";
    server.record(CHAT, said);
    let reply = json!({ "chat": CHAT, "role": "assistant", "text": "Nice. [REMEMBER: I collect old maps]" });
    let recorded = send(&server, "reply-1", &reply).ok();
    assert_eq!(recorded["text"], "Nice.", "{recorded}");
    assert_eq!(send(&server, "reply-1", &reply).ok(), recorded, "what it asked to keep is told again");
    // A job has read the same message meanwhile, or does so now.
    let unread =
        || server.home.sql().query_row("SELECT count(*) FROM unextracted", [], |row| row.get::<_, u64>(0));
    wait_until("the job has read it", || unread().unwrap() == 0);
    let kept = server.home.json(&["memory", "list", "--chat", CHAT]);
    let maps = kept["memories"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|kept| kept["text"].as_str().unwrap().contains("old maps"));
    assert_eq!(maps.count(), 1, "{kept}");
}

#[test]
fn each_caller_has_keys_of_their_own() {
    let server = Server::start();
    let (ana, ben) =
        (server.adds_token("ana", &["--person", "ana"]), server.adds_token("ben", &["--person", "ben"]));
    for (token, chat) in [(&ana, "api:chat:a"), (&ben, "api:chat:b")] {
        let authorization = format!("Bearer {token}");
        let headers = [("authorization", authorization.as_str()), ("idempotency-key", "1")];
        let body = json!({ "chat": chat, "text": "hello" }).to_string();
        assert_eq!(server.send("POST", "/v1/messages", &headers, &body).status, 200, "{chat}");
    }
}

#[test]
fn c1_a_message_whose_answer_was_lost_in_a_kill_is_there_once_when_it_is_sent_again() {
    let mut server = Server::start();
    for round in 0..8 {
        let body = json!({ "chat": CHAT, "text": format!("Message {round}.") }).to_string();
        let key = format!("round-{round}");
        let headers = [("idempotency-key", key.as_str())];
        let stream = server.begin("POST", "/v1/messages", &headers, &body);
        let killer = rustix::process::Pid::from_raw(server.process().cast_signed()).unwrap();
        if round % 2 == 0 {
            // Between the record and the answer: the message is on disk, and nobody has read the answer.
            wait_until("the message is on disk", || server.home.messages_in_file() > round);
        }
        let _ = rustix::process::kill_process(killer, rustix::process::Signal::KILL);
        drop(stream);
        server.start_again();
        server.send("POST", "/v1/messages", &headers, &body).ok();
    }
    let expected: Vec<String> = (0..8).map(|round| format!("Message {round}.")).collect();
    assert_eq!(texts(&server), expected, "each exactly once");
}

impl Home {
    /// How many messages are on disk.
    fn messages_in_file(&self) -> u64 {
        self.sql().query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn a_turn_that_is_sent_again_is_not_run_again() {
    let model = MessagesServer::start(|_| Answer::Says("Good morning!".to_owned()));
    model.serve(|| {
        let server = Server::of(with_model(&model));
        let body = json!({ "chat": CHAT, "message": "Good morning." }).to_string();
        let headers = [("idempotency-key", "turn-1")];
        let first = server.send("POST", "/v1/turns", &headers, &body).ok();
        let again = server.send("POST", "/v1/turns", &headers, &body).ok();
        assert_eq!((&again["reply"], &again["turn"]), (&first["reply"], &first["turn"]));
        assert_eq!(texts(&server), ["Good morning.", "Good morning!"]);
    });
}

#[test]
fn the_reply_to_a_client_that_left_is_recorded() {
    let model = MessagesServer::start(|_| {
        Answer::Pauses("One, ".to_owned(), Duration::from_millis(700), "two.".to_owned())
    });
    model.serve(|| {
        let server = Server::of(with_model(&model));
        let body = json!({ "chat": CHAT, "message": "Count to two." }).to_string();
        let mut stream = server.begin("POST", "/v1/turns", &[("accept", "text/event-stream")], &body);
        let mut seen = Vec::new();
        let mut piece = [0; 512];
        while !String::from_utf8_lossy(&seen).contains("One") {
            let count = stream.read(&mut piece).unwrap();
            assert!(count > 0, "the stream ended: {}", String::from_utf8_lossy(&seen));
            seen.extend(&piece[..count]);
        }
        drop(stream);
        wait_until("the reply is recorded", || texts(&server).len() == 2);
        assert_eq!(texts(&server), ["Count to two.", "One, two."]);
        let turn = &server.get("/v1/turns").ok()["turns"][0];
        assert_eq!((&turn["status"], &turn["delivery"]), (&json!("answered"), &json!("sent")));
    });
}

#[test]
fn a_model_that_fails_is_told_in_words_whole_and_streamed() {
    let model = MessagesServer::start(|_| Answer::Fails("400 Bad Request"));
    model.serve(|| {
        let server = Server::of(with_model(&model));
        let body = json!({ "chat": CHAT, "message": "Hello?" });
        assert_eq!(server.post("/v1/turns", body.clone()).failure(), (502, "model".to_owned()));
        let streamed =
            server.send("POST", "/v1/turns", &[("accept", "text/event-stream")], &body.to_string());
        let (name, data) = streamed.events().pop().unwrap();
        assert_eq!((name.as_str(), &data["error"]["code"]), ("error", &json!("model")), "{data}");
    });
}

#[test]
fn a_program_that_is_told_to_stop_finishes_its_turns_and_answers_them() {
    let (asked, is_asked) = mpsc::channel();
    let asked = std::sync::Mutex::new(asked);
    let model = MessagesServer::start(move |_| {
        let _ = asked.lock().unwrap().send(());
        Answer::Pauses("A long ".to_owned(), Duration::from_millis(2500), "story.".to_owned())
    });
    model.serve(|| {
        let mut server = Server::of(with_model(&model));
        let body = json!({ "chat": CHAT, "message": "Tell me a story." }).to_string();
        let mut stream = server.begin("POST", "/v1/turns", &[], &body);
        is_asked.recv_timeout(LONG).unwrap();
        server.tell_to_stop();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert_eq!(read(&answer).ok()["reply"], "A long story.");
        assert_eq!(server.ended(), Some(0));
    });
}

#[test]
fn a_thousand_clients_that_only_listen_are_held_in_150_mb() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let server = Server::start();
    let path = format!("/v1/events?chat={CHAT}");
    let mut clients: Vec<_> = (0..1_000).map(|_| server.begin("GET", &path, &[], "")).collect();
    let mut piece = [0; 256];
    for client in &mut clients {
        let count = client.read(&mut piece).unwrap();
        assert!(piece[..count].starts_with(b"HTTP/1.1 200 OK"), "{}", String::from_utf8_lossy(&piece));
    }
    server.record(CHAT, "Hello, all of you.");
    let last = clients.last_mut().unwrap();
    let mut told = String::new();
    while !told.contains("all of you") {
        let count = last.read(&mut piece).unwrap();
        assert!(count > 0, "the stream ended: {told}");
        told.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).unwrap();
    let held = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let held: u64 = held.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(held < 150 * 1024, "{held} kB");
}
