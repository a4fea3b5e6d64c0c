//! What each route does.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use super::Server;

const CHAT: &str = "api:chat:desk";

fn texts(page: &Value) -> Vec<&str> {
    page["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect()
}

#[test]
fn c1_a_recorded_message_is_found_and_stands_in_the_next_context() {
    let server = Server::start();
    let said = server
        .post("/v1/messages", json!({ "chat": CHAT, "text": "My cat is called Pixel.", "speaker": "Ana" }))
        .ok();
    assert_eq!((&said["chat"], &said["lane"]), (&json!(CHAT), &json!("root:desk")));
    assert_eq!(said["conversation"], said["id"], "it opens a conversation");
    assert_eq!(said.get("text"), None);
    let reply =
        json!({ "chat": CHAT, "role": "assistant", "text": "Lovely. [REMEMBER: my cat is called Pixel]" });
    let reply = server.post("/v1/messages", reply).ok();
    assert_eq!(reply["text"], "Lovely.");
    assert!(reply["memories"].is_array(), "{reply}");
    let known = server.get(&format!("/v1/memories?chat={CHAT}")).ok();
    assert_eq!(known["memories"][0]["sources"], json!([said["id"]]), "{known}");

    let found = server.post("/v1/search", json!({ "chat": CHAT, "query": "what is my cat called?" })).ok();
    assert_eq!(found["verdict"], "strong", "{found}");
    assert!(found["hits"].to_string().contains("Pixel"), "{found}");
    let context = json!({ "chat": CHAT, "message": "What is my cat called?", "format": "messages", "provider": "openai" });
    let context = server.post("/v1/context", context).ok();
    let names: Vec<&str> =
        context["layers"].as_array().unwrap().iter().map(|layer| layer["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["policy", "identity", "profile", "summaries", "memories", "recent", "quote", "message"]
    );
    assert!(context["messages"].to_string().contains("Pixel") && context.get("text").is_none(), "{context}");
    let command = server.home.json(&["context", "--chat", CHAT, "-m", "What is my cat called?"]);
    let api = server.post("/v1/context", json!({ "chat": CHAT, "message": "What is my cat called?" })).ok();
    let keys = |document: &Value| document.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&api), keys(&command), "the shapes are those of the command line");
}

#[test]
fn a_message_that_is_waited_for_can_be_found_by_meaning() {
    let server = Server::start();
    let said = server
        .post("/v1/messages?wait=indexed", json!({ "chat": CHAT, "text": "I bought a sailing boat." }))
        .ok();
    assert_eq!(said["indexed"], true, "{said}");
    let vectors: u64 =
        server.home.sql().query_row("SELECT count(*) FROM unmerged_vectors", [], |row| row.get(0)).unwrap();
    assert_eq!(vectors, 1);
    let refused = server.post("/v1/messages?wait=forever", json!({ "chat": CHAT, "text": "x" })).failure();
    assert_eq!(refused, (400, "invalid_request".to_owned()));
}

#[test]
fn messages_and_conversations_are_read_page_by_page() {
    let server = Server::start();
    for day in 1..=5 {
        for minute in 0..3 {
            let message = json!({ "chat": CHAT, "text": format!("{day}-{minute}"), "at": format!("2026-02-0{day}T09:0{minute}:00Z") });
            server.post("/v1/messages", message).ok();
        }
    }
    let mut seen: Vec<String> = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("/v1/messages?chat={CHAT}&limit=4{cursor}")).ok();
        seen.extend(texts(&page).into_iter().map(str::to_owned));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 15);
    assert_eq!((seen[0].as_str(), seen[14].as_str()), ("5-2", "1-0"), "newest first");

    let first = server.get(&format!("/v1/conversations?chat={CHAT}&limit=3")).ok();
    let next = first["next_cursor"].as_str().unwrap();
    let second = server.get(&format!("/v1/conversations?chat={CHAT}&limit=3&cursor={next}")).ok();
    let from = |page: &Value| -> Vec<String> {
        let listed = page["conversations"].as_array().unwrap().iter();
        listed.map(|one| one["from"].as_str().unwrap()[..10].to_owned()).collect()
    };
    assert_eq!(from(&first), ["2026-02-05", "2026-02-04", "2026-02-03"]);
    assert_eq!(
        (from(&second), second.get("next_cursor")),
        (vec!["2026-02-02".to_owned(), "2026-02-01".to_owned()], None)
    );

    let id = first["conversations"][0]["id"].as_str().unwrap();
    let page = server.get(&format!("/v1/conversations/{id}?limit=2")).ok();
    assert_eq!((texts(&page), &page["chat"]), (vec!["5-0", "5-1"], &json!(CHAT)));
    let rest =
        server.get(&format!("/v1/conversations/{id}?cursor={}", page["next_cursor"].as_str().unwrap())).ok();
    assert_eq!((texts(&rest), &rest["id"]), (vec!["5-2"], &json!(id)));
    for path in
        [format!("/v1/messages?chat={CHAT}&cursor=soon"), format!("/v1/conversations?chat={CHAT}&limit=x")]
    {
        assert_eq!(server.get(&path).status, 400, "{path}");
    }
    assert_eq!(server.get("/v1/conversations/0").failure(), (404, "not_found".to_owned()));
}

#[test]
fn a_memory_is_remembered_listed_changed_forgotten_and_brought_back() {
    let server = Server::start();
    let made = server.post("/v1/memories", json!({ "chat": CHAT, "text": "I live in Oslo" })).ok();
    assert_eq!(made["known"], false);
    let id = made["memories"][0]["id"].as_str().unwrap().to_owned();
    server.post("/v1/memories", json!({ "chat": CHAT, "text": "I like tea", "kind": "preference" })).ok();
    let listed = server.get(&format!("/v1/memories?chat={CHAT}&limit=1")).ok();
    assert_eq!(listed["memories"][0]["id"], json!(id));
    let rest = server
        .get(&format!("/v1/memories?chat={CHAT}&limit=1&cursor={}", listed["next_cursor"].as_str().unwrap()))
        .ok();
    assert_eq!(rest["memories"][0]["kind"], "preference");
    let facts = server.get(&format!("/v1/memories?chat={CHAT}&kind=fact")).ok();
    assert_eq!(facts["memories"].as_array().unwrap().len(), 1);

    let shown = server.get(&format!("/v1/memories/{id}")).ok();
    assert!(shown["memories"][0]["quotes"].is_array(), "{shown}");
    let edited =
        server.send("PATCH", &format!("/v1/memories/{id}"), &[], r#"{"text":"I live in Bergen"}"#).ok();
    assert_eq!(edited["memories"][0]["text"], "I live in Bergen");
    let new = edited["memories"][0]["id"].as_str().unwrap();
    let history = server.get(&format!("/v1/memories/{new}/history")).ok();
    assert_eq!(history["memories"].as_array().unwrap().len(), 2, "{history}");
    let profile = server.get(&format!("/v1/profile?chat={CHAT}")).ok();
    assert!(profile["facts"].to_string().contains("Bergen"), "{profile}");

    let preview = server.post("/v1/forget", json!({ "chat": CHAT, "topic": "tea", "dry_run": true })).ok();
    assert_eq!(
        (preview["matches"].as_array().unwrap().len(), &preview["forgotten"]),
        (1, &json!(0)),
        "{preview}"
    );
    let forgotten = server.send("DELETE", &format!("/v1/memories/{new}"), &[], "").ok();
    assert_eq!(forgotten["memories"], 1, "{forgotten}");
    let left = server.get(&format!("/v1/memories?chat={CHAT}")).ok();
    assert!(!left.to_string().contains("Bergen"), "{left}");
    let undo = json!({ "chat": CHAT, "undo": forgotten["receipt"] });
    assert_eq!(server.post("/v1/forget", undo.clone()).ok()["memories"], 1);
    assert_eq!(server.post("/v1/forget", undo).failure(), (409, "not_undone".to_owned()));
    let left = server.get(&format!("/v1/memories?chat={CHAT}")).ok();
    assert!(left.to_string().contains("Bergen"), "{left}");
    let nothing = server.post("/v1/forget", json!({ "chat": CHAT, "topic": "zeppelins" })).ok();
    assert_eq!((&nothing["matches"], &nothing["receipt"]), (&json!([]), &Value::Null));
}

#[test]
fn a_turn_is_answered_whole_or_streamed_and_explained_by_its_receipt() {
    let server = Server::start();
    server.post("/v1/turns", json!({ "chat": CHAT, "message": "My bike is a blue Kona." })).ok();
    let whole = server.post("/v1/turns", json!({ "chat": CHAT, "message": "What bike do I have?" })).ok();
    assert!(whole["reply"].as_str().unwrap().contains("Kona"), "{whole}");
    let body = json!({ "chat": CHAT, "message": "What color is my bike?" }).to_string();
    let streamed = server.send("POST", "/v1/turns", &[("accept", "text/event-stream")], &body);
    assert_eq!((streamed.status, streamed.header("content-type")), (200, Some("text/event-stream")));
    let events = streamed.events();
    let (last, deltas) = events.split_last().unwrap();
    let words: String = deltas.iter().map(|(_, data)| data["text"].as_str().unwrap()).collect();
    assert!(deltas.iter().all(|(name, _)| name == "delta"), "{events:?}");
    assert_eq!((last.0.as_str(), last.1["reply"].as_str().unwrap()), ("done", words.as_str()));

    let turn = whole["turn"].as_str().unwrap();
    let receipt = server.get(&format!("/v1/turns/{turn}/receipt")).ok();
    assert_eq!((&receipt["receipt"], &receipt["chat"]), (&whole["receipt"], &json!(CHAT)));
    assert_eq!((&receipt["status"], &receipt["delivery"]), (&json!("answered"), &json!("sent")));
    let page = server.get("/v1/turns?limit=2").ok();
    assert_eq!((&page["turns"][0]["turn"], &page["turns"][1]["turn"]), (&last.1["turn"], &json!(turn)));
    let rest =
        server.get(&format!("/v1/turns?limit=2&cursor={}", page["next_cursor"].as_str().unwrap())).ok();
    assert_eq!((rest["turns"].as_array().unwrap().len(), rest.get("next_cursor")), (1, None));
    assert_eq!(server.get("/v1/turns/soon/receipt").status, 404);

    let usage = server.get(&format!("/v1/usage?chat={CHAT}&days=1")).ok();
    assert_eq!(usage["total"]["calls"], 3, "{usage}");
    assert_eq!(usage["by"][0]["purpose"], "reply");
    let sums: u64 =
        usage["days"].as_array().unwrap().iter().map(|day| day["replies"]["calls"].as_u64().unwrap()).sum();
    assert_eq!(sums, 3);
    let chats = server.get("/v1/chats").ok();
    assert_eq!((&chats["chats"][0]["chat"], &chats["chats"][0]["messages"]), (&json!(CHAT), &json!(6)));
    let summaries = server.get(&format!("/v1/summaries?chat={CHAT}")).ok();
    assert_eq!(summaries["ongoing"]["messages"], 6, "{summaries}");
}

#[test]
fn new_messages_of_a_chat_are_told_to_those_who_listen_and_to_nobody_else() {
    let server = Server::start();
    let before = server.record(CHAT, "Before.");
    let listen = |headers: &[(&str, &str)]| {
        BufReader::new(server.begin("GET", &format!("/v1/events?chat={CHAT}"), headers, ""))
    };
    let next = |stream: &mut BufReader<_>| -> Value {
        let mut line = String::new();
        while !line.starts_with("data:") {
            line.clear();
            assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended");
        }
        serde_json::from_str(line.trim_start_matches("data:")).unwrap()
    };
    let mut live = listen(&[]);
    // The stream begins before something is said.
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        live.read_line(&mut line).unwrap();
    }
    server.record("api:chat:other", "Elsewhere.");
    server.home.ok(&["record", "--chat", CHAT, "By another process."]);
    server.record(CHAT, "By this one.");
    assert_eq!(next(&mut live)["text"], "By another process.");
    assert_eq!(next(&mut live)["text"], "By this one.");
    let mut resumed = listen(&[("last-event-id", &before)]);
    assert_eq!(next(&mut resumed)["text"], "By another process.", "nothing is missed in between");
}

#[test]
fn metrics_count_requests_turns_jobs_and_what_models_cost() {
    let server = Server::start();
    server.post("/v1/turns", json!({ "chat": CHAT, "message": "Hello!" })).ok();
    server.post("/v1/search", json!({ "chat": CHAT, "query": "hello" })).ok();
    server.get("/v1/turns/x/receipt");
    let metrics = server.get("/metrics");
    assert_eq!(
        metrics.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    for line in [
        "throughline_http_requests_total{method=\"POST\",route=\"/v1/turns\",status=\"200\"} 1",
        "throughline_http_requests_total{method=\"GET\",route=\"/v1/turns/{id}/receipt\",status=\"404\"} 1",
        "throughline_turns_total{outcome=\"answered\"} 1",
        "throughline_recall_seconds_count 1",
        "throughline_model_calls_total{purpose=\"reply\",model=\"offline\"} 1",
        "throughline_messages 2",
    ] {
        assert!(metrics.body.lines().any(|found| found == line), "{line} in {}", metrics.body);
    }
    for name in [
        "throughline_model_input_tokens_total",
        "throughline_model_cost_usd_total",
        "throughline_queue_depth",
    ] {
        assert!(metrics.body.contains(name), "{name} in {}", metrics.body);
    }
}

#[test]
fn what_a_client_has_is_not_sent_again() {
    let server = Server::start();
    let first = server.record(CHAT, "Is the cat asleep?");
    server.post("/v1/memories", json!({ "chat": CHAT, "text": "I like tea" })).ok();
    let ask = |path: &str, known: &str| server.send("GET", path, &[("if-none-match", known)], "");
    for path in [
        format!("/v1/conversations?chat={CHAT}"),
        format!("/v1/conversations/{first}"),
        format!("/v1/messages?chat={CHAT}"),
        format!("/v1/memories?chat={CHAT}"),
        format!("/v1/profile?chat={CHAT}"),
        "/openapi.json".to_owned(),
    ] {
        let whole = server.get(&path);
        whole.ok();
        let etag = whole.header("etag").unwrap();
        assert!(etag.len() > 40 && etag.starts_with('"') && etag.ends_with('"'), "{path}: {etag}");
        assert_eq!(whole.header("cache-control"), Some("private, no-cache"), "{path}");
        for known in [etag, "*", &format!("\"other\", W/{etag}")] {
            let again = ask(&path, known);
            assert_eq!((again.status, again.body.as_str()), (304, ""), "{path} {known}");
            assert_eq!((again.header("etag"), again.header("content-type")), (Some(etag), None), "{path}");
        }
        assert_eq!(ask(&path, "\"other\"").body, whole.body, "{path}");
    }
    let listed = format!("/v1/memories?chat={CHAT}");
    let before = server.get(&listed);
    server.post("/v1/memories", json!({ "chat": CHAT, "text": "I like rain" })).ok();
    let after = ask(&listed, before.header("etag").unwrap());
    assert!(after.ok()["memories"].to_string().contains("rain"));
    // What fails, or is not read, has no name.
    let unknown = ask("/v1/conversations/none", "*");
    assert_eq!((unknown.status, unknown.header("etag")), (404, None));
    assert_eq!(server.post("/v1/search", json!({ "chat": CHAT, "query": "tea" })).header("etag"), None);
}
