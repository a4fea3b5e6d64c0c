//! The five tools, over the pipes of `throughline mcp`.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Server, search_once, text, texts};
use crate::common::Home;
use crate::common::served::LONG;

/// A tool as the contract has it: its hints, what it takes and what it gives.
fn outline(tool: &Value) -> String {
    let fields = |schema: &Value| -> Vec<String> {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().unwrap();
        let mark = |name: &String| if required.contains(&json!(name)) { "" } else { "?" };
        properties.keys().map(|name| format!("{name}{}", mark(name))).collect()
    };
    assert_eq!(
        (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
        (&json!("object"), &json!("object"))
    );
    format!(
        "{} ({})\n  hints  {}\n  takes  {}\n  gives  {}\n",
        tool["name"].as_str().unwrap(),
        tool["title"].as_str().unwrap(),
        tool["annotations"],
        fields(&tool["inputSchema"]).join(" "),
        fields(&tool["outputSchema"]).join(" ")
    )
}

fn listed(server: &mut Server) -> Vec<Value> {
    server.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn h1_the_five_tools_are_listed_with_their_hints_and_schemas() {
    let home = Home::new();
    let (mut server, itself) = Server::start_for("a-test", &home, &[]);
    let rule = include_str!("../../../../engine/prompts/tools.md").trim().trim_start_matches("- ");
    assert!(itself["instructions"].as_str().unwrap().contains(rule), "{itself}");
    let outlines: String = listed(&mut server).iter().map(outline).collect();
    insta::assert_snapshot!(outlines);
    assert!(!home.database().exists(), "the store is opened by the first call");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a1_a_connection_sees_its_own_chat_and_no_other() {
    let home = Home::new().with("THROUGHLINE_CHAT", "work");
    let private = home.record("The spare key is with Ana.");
    home.json(&["record", "--chat", "cli:chat:work", "The budget is due on Friday."]);
    home.json(&["record", "--chat", "telegram:chat:99", "The spare key is under the mat."]);
    let mut server = Server::start(&home, &[]);
    let said = |query: &str| json!({ "query": query, "kind": "message" });
    assert_eq!(texts(&server.call("search_memories", said("spare key"))), [""; 0]);
    assert_eq!(texts(&server.call("search_memories", said("budget"))), ["The budget is due on Friday."]);
    let unknown = server.refusal("get_conversation", json!({ "id": private }));
    assert!(unknown.contains("there is no conversation"), "{unknown}");
    // The memory that was learned there is the person's, its proof is not this chat's.
    let shown = server.call("forget_memory", json!({ "topic": "spare key" }));
    let kinds: Vec<&Value> =
        shown["matches"].as_array().unwrap().iter().map(|found| &found["match"]).collect();
    assert_eq!(kinds, ["memory"]);
    let refused = server.refusal("search_memories", json!({ "query": "key", "chat": "cli:chat:main" }));
    assert!(refused.contains("unknown field `chat`"), "{refused}");
    drop(server);
    // The flag wins over the variable.
    let mut server = Server::start(&home, &["--chat", "main"]);
    assert_eq!(texts(&server.call("search_memories", said("spare key"))), ["The spare key is with Ana."]);
    drop(server);
    let mut server = Server::start(&home, &["--any-chat"]);
    let tools = listed(&mut server);
    assert!(
        tools.iter().all(|tool| tool["inputSchema"]["properties"]["chat"]["type"] == "string"),
        "{tools:?}"
    );
    let in_main =
        server.call("search_memories", json!({ "query": "spare key", "kind": "message", "chat": "main" }));
    assert_eq!(texts(&in_main), ["The spare key is with Ana."]);
    let foreign =
        server.refusal("search_memories", json!({ "query": "spare key", "chat": "telegram:chat:99" }));
    assert!(foreign.contains("not one of the person's own chats"), "{foreign}");
}

#[test]
fn a5_a_memory_follows_the_person_and_is_forgotten_without_touching_another_chat() {
    let home = Home::new();
    let mut server = Server::start(&home, &["--chat", "work"]);
    let added = server.call("add_memory", json!({ "text": "I am allergic to peanuts" }));
    assert_eq!((&added["known"], &added["memories"][0]["kind"]), (&json!(false), &json!("fact")));
    assert_eq!(server.call("add_memory", json!({ "text": "I am allergic to peanuts" }))["known"], true);
    home.json(&["record", "--chat", "cli:chat:work", "Are peanuts sold out?"]);
    let mut main = Server::start(&home, &[]);
    assert_eq!(
        texts(&main.call("search_memories", json!({ "query": "peanuts" }))),
        ["I am allergic to peanuts"]
    );
    let context = main.result("get_context", json!({ "message": "What may I not eat?", "budget": 3000 }));
    assert!(text(&context).contains("- I am allergic to peanuts"), "{context}");
    assert_eq!(context["structuredContent"]["budget"], 3000);
    let forgotten = main.call("forget_memory", json!({ "topic": "peanuts", "confirm": true }));
    assert_eq!((&forgotten["memories"], &forgotten["messages"]), (&json!(1), &json!(0)), "{forgotten}");
    assert_eq!(home.texts(), ["Are peanuts sold out?"]);
}

#[test]
fn nothing_is_forgotten_before_it_was_shown_and_confirmed_and_a_receipt_undoes_it() {
    let home = Home::new();
    let message = home.record("The spare key is with Ana. The boiler is new.");
    let mut server = Server::start(&home, &[]);
    let shown = server.result("forget_memory", json!({ "topic": "spare key" }));
    assert!(text(&shown).contains(&format!("[message {message}] The spare key is with Ana.")), "{shown}");
    assert_eq!(home.texts(), ["The spare key is with Ana. The boiler is new."]);
    let done = server.call("forget_memory", json!({ "topic": "spare key", "confirm": true }));
    // The sentence, and the memory of it.
    assert_eq!((&done["memories"], &done["messages"]), (&json!(1), &json!(1)), "{done}");
    assert_eq!(home.texts(), ["[forgotten] The boiler is new."]);
    let undone = server.call("forget_memory", json!({ "undo": done["receipt"] }));
    assert_eq!((&undone["undone"], &undone["receipt"]), (&done["forgotten"], &done["receipt"]));
    assert_eq!(home.texts(), ["The spare key is with Ana. The boiler is new."]);
    let again = server.refusal("forget_memory", json!({ "undo": done["receipt"] }));
    assert!(again.contains("undo"), "{again}");
}

#[test]
fn hits_and_messages_come_in_pages() {
    let home = Home::new();
    let line = |n: u32| json!({ "chat": "cli:chat:main", "role": "user", "text": format!("Kite number {n}."), "at": format!("2026-02-01T09:00:{n:02}Z") });
    home.import(&(10..35).map(line).collect::<Vec<_>>());
    let mut server = Server::start(&home, &[]);
    for (tool, asked, list) in [
        ("search_memories", json!({ "query": "kite number", "limit": 10 }), "hits"),
        ("get_conversation", json!({ "id": "", "limit": 10 }), "messages"),
    ] {
        let mut asked = asked;
        if tool == "get_conversation" {
            let found = server.call("search_memories", json!({ "query": "kite" }));
            asked["id"] = found["hits"][0]["conversation"].clone();
        }
        let (mut seen, mut sizes) = (Vec::new(), Vec::new());
        loop {
            let page = server.call(tool, asked.clone());
            let items = page[list].as_array().unwrap();
            sizes.push(items.len());
            seen.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
            match page.get("next_cursor") {
                Some(cursor) => asked["cursor"] = cursor.clone(),
                None => break,
            }
        }
        assert_eq!(sizes, [10, 10, 5], "{tool}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 25, "{tool}");
    }
}

#[test]
fn what_cannot_be_understood_is_a_sentence_and_only_faults_of_the_protocol_are_its_errors() {
    let home = Home::new();
    let mut server = Server::start(&home, &[]);
    for (tool, arguments, why) in [
        ("search_memories", json!({}), "missing field `query`"),
        ("search_memories", json!({ "query": 7 }), "invalid type"),
        ("search_memories", json!({ "query": "x", "cursor": "?" }), "take it as it is"),
        ("search_memories", json!({ "query": "x", "since": "soon" }), "since: "),
        ("get_conversation", json!({ "id": "nothing" }), "there is no conversation"),
        ("add_memory", json!({ "text": " " }), "there is nothing in it"),
        ("add_memory", json!({ "text": "I like tea", "kind": "feeling" }), "kind: "),
        ("forget_memory", json!({}), "give one of"),
        ("forget_memory", json!({ "topic": "tea", "id": "x" }), "give one of"),
        ("forget_memory", json!({ "undo": "no-receipt", "confirm": true }), "no-receipt"),
        ("get_context", json!({ "budget": -1 }), "invalid value"),
    ] {
        let said = server.refusal(tool, arguments.clone());
        assert!(said.contains(why), "{tool} {arguments}: {said}");
    }
    let unknown = server.ask("tools/call", json!({ "name": "drop_everything", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(server.ask("memories/all", json!({}))["error"]["code"], -32601);
    server.send_line("this is no JSON");
    // Whether it is told about or passed over, the connection keeps working.
    let id = server.begin("ping", json!({}));
    let answer = std::iter::repeat_with(|| server.next()).find(|answer| answer["id"] == id).unwrap();
    assert_eq!(answer["result"], json!({}));
    assert_eq!(home.messages(), 0);
}

#[test]
fn c6_a_secret_is_refused_and_reaches_neither_disk_nor_log() {
    let home = Home::new();
    let secret = ["sk-ant-", "api03-", &"x9Yz".repeat(12)].concat();
    let mut server = Server::start(&home, &["-vv"]);
    let refused = server.refusal("add_memory", json!({ "text": format!("My key is {secret}") }));
    assert!(refused.contains("secret"), "{refused}");
    server.call("search_memories", json!({ "query": format!("What is {secret}?") }));
    server.call("add_memory", json!({ "text": "I keep bees" }));
    assert_eq!(server.end(), Some(0));
    let holds =
        |bytes: &[u8], words: &str| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    for (file, bytes) in home.files() {
        assert!(!holds(&bytes, &secret), "{}", file.display());
        let is_log = file.extension().is_some_and(|end| end == "log");
        assert!(!(is_log && holds(&bytes, "I keep bees")), "the log holds what was said");
    }
}

#[test]
fn a_memory_that_was_answered_for_survives_the_kill_of_the_server() {
    let home = Home::new();
    let mut server = Server::start(&home, &[]);
    server.call("add_memory", json!({ "text": "I moved to Berlin" }));
    server.child.kill().unwrap();
    drop(server);
    assert!(home.json(&["memory", "list"]).to_string().contains("I moved to Berlin"));
}

#[test]
fn a_server_does_the_jobs_that_its_calls_enqueue() {
    let home = Home::new();
    let mut server = Server::start(&home, &[]);
    server.call("add_memory", json!({ "text": "I moved to Berlin" }));
    let (sql, until) = (home.sql(), Instant::now() + LONG);
    while sql.query_row("SELECT count(*) FROM jobs", [], |row| row.get::<_, u64>(0)).unwrap() > 0 {
        assert!(Instant::now() < until, "jobs are still waiting");
    }
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_connection_may_be_for_reading_only_or_for_the_chat_of_its_folder() {
    let home = Home::new();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let chat = format!("claude-code:chat:{}", folder.display());
    home.json(&["record", "--chat", &chat, "The tests run with just test."]);
    let mut server = Server::start(&home, &["--read-only"]);
    let tools = listed(&mut server);
    assert_eq!(names(&tools), ["search_memories", "get_conversation", "get_context"]);
    let refused =
        server.ask("tools/call", json!({ "name": "add_memory", "arguments": { "text": "I like tea" } }));
    assert_eq!(refused["error"]["code"], -32602);
    drop(server);
    let mut command = home.command(&["mcp", "--here"]);
    command.current_dir(&folder);
    assert_eq!(texts(&search_once(command, "tests")), ["The tests run with just test."]);
}

#[test]
fn a_client_that_leaves_at_once_ends_the_process() {
    let home = Home::new();
    assert_eq!(home.feed(&["mcp"], b"").ok(), "");
    let unannounced = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "x" } });
    let answer: Value = home.feed(&["mcp"], format!("{unannounced}\n").as_bytes()).document();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let ran = Home::new().with("THROUGHLINE_CHAT", "no chat: at all").feed(&["mcp"], b"");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("THROUGHLINE_CHAT: "), "{ran:?}");
}
