//! Turns that are stopped, and turns in chats of a channel.

use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use serde_json::json;
use throughline_testkit::bot_api::BotApi;

use super::{Answer, Server, read};
use crate::common::Home;
use crate::common::served::{ANA, LONG};
use crate::telegram::scripted::{over_url, private};
use crate::telegram::talker::Talker;

const CHAT: &str = "api:chat:desk";
const NOTHING: &str = "No reply is being written here.";

fn command(server: &Server, token: &str, lane: &str) -> Answer {
    let body = json!({ "chat": CHAT, "lane": lane, "text": "/stop" });
    server.post_as(token, "/v1/commands", body)
}

/// The events of a stream that is read to its end, of which some lines were read.
fn rest(before: &str, mut stream: impl Read) -> Answer {
    let mut bytes = before.as_bytes().to_vec();
    stream.read_to_end(&mut bytes).unwrap();
    read(&bytes)
}

#[test]
fn a_turn_that_is_stopped_keeps_what_was_shown() {
    Talker::serve(|talker| {
        let server = Server::of(over_url(&talker.url()).with("THROUGHLINE_API_TOKEN", "t0ken"));
        let (ana, shop) = (
            server.adds_token("desk", &["--chat", CHAT]),
            server.adds_token("shop", &["--chat", "api:chat:shop"]),
        );
        assert_eq!(command(&server, "t0ken", "root").ok()["reply"], NOTHING);
        let headers = [("authorization", "Bearer t0ken"), ("accept", "text/event-stream")];
        let body = json!({ "chat": CHAT, "lane": "topic:7", "message": "Tell me." }).to_string();
        let mut stream = BufReader::new(server.begin("POST", "/v1/turns", &headers, &body));
        let mut seen = String::new();
        while !seen.contains(" on and") {
            assert!(stream.read_line(&mut seen).unwrap() > 0, "{seen}");
        }
        assert_eq!(command(&server, &ana, "root").ok()["reply"], NOTHING, "another lane");
        assert_eq!(command(&server, &shop, "topic:7").failure(), (403, "forbidden".to_owned()));
        assert_eq!(command(&server, &ana, "topic:7").ok()["reply"], "Stopped.");
        let events = rest(&seen, stream).events();
        let (name, done) = events.last().unwrap();
        let reply = done["reply"].as_str().unwrap();
        assert!(name == "done" && reply.starts_with("So on and"), "{name} {done}");
        let path = format!("/v1/lanes/messages?chat={CHAT}&lane=topic:7");
        let lane = server.get_as(&ana, &path).ok();
        let said: Vec<_> = lane["messages"].as_array().unwrap().iter().map(|one| &one["text"]).collect();
        assert_eq!(said, ["Tell me.", "/stop", reply]);
        assert_eq!(lane["messages"][2]["shortfall"], "stopped");
        assert_eq!(command(&server, &ana, "topic:7").ok()["reply"], NOTHING);
        assert_eq!(
            server.post_as(&ana, "/v1/commands", json!({ "text": "/status" })).failure(),
            (403, "forbidden".to_owned())
        );
    });
}

#[test]
fn c2_a_turn_in_a_telegram_chat_is_sent_there_below_a_quote_of_its_message() {
    let api = BotApi::start();
    api.hold(Duration::ZERO);
    api.person(ANA, "Ana");
    let home = Home::new()
        .with("TELEGRAM_API_URL", &api.url())
        .with("TELEGRAM_BOT_TOKEN", &api.token())
        .with("TELEGRAM_USER_ID", &ANA.to_string());
    // Refused from the start, so that no open connection can leave a send in doubt.
    api.refuse(true);
    let mut server = Server::of(home);
    let said = "I have *two* cats:\n<b>Pixel</b>\n- and Mo";
    let turn = server.post("/v1/turns", json!({ "chat": private(), "message": said })).ok();
    let lanes = server.get(&format!("/v1/lanes?chat={}", private())).ok();
    assert_eq!(lanes["connected"], true);
    // Nothing could be sent; the next process does it.
    server.tell_to_stop();
    assert_eq!(server.ended(), Some(0));
    api.refuse(false);
    server.start_again();
    let shown = api.wait(LONG, |api| api.shown(ANA).into_iter().next());
    assert_eq!(shown.text, format!("{said}\n\n{}", turn["reply"].as_str().unwrap()));
    let quote = &shown.entities[0];
    assert_eq!((&quote["type"], &quote["offset"]), (&json!("blockquote"), &json!(0)), "{:?}", shown.entities);
    assert_eq!(quote["length"], said.len());
    let path = format!("/v1/turns/{}/receipt", turn["turn"].as_str().unwrap());
    api.wait(LONG, |_| (server.get(&path).ok()["delivery"] == "sent").then_some(()));
    assert_eq!(api.shown(ANA).len(), 1);
}

#[test]
fn a_turn_in_a_chat_of_a_channel_that_is_not_connected_waits_for_nobody() {
    let server = Server::start();
    let turn = server.post("/v1/turns", json!({ "chat": private(), "message": "Hello." })).ok();
    let path = format!("/v1/turns/{}/receipt", turn["turn"].as_str().unwrap());
    assert_eq!(server.get(&path).ok()["delivery"], "sent");
    assert_eq!(server.home.json(&["status"])["outbox"]["pending"], 0);
    assert_eq!(server.get(&format!("/v1/lanes?chat={}", private())).ok()["connected"], false);
}
