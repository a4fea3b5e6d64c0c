//! Who may ask, and what they may see.

use serde_json::{Value, json};

use super::Server;
use crate::common::Home;

const ANAS: &str = "api:chat:ana";
const BENS: &str = "api:chat:ben";

/// The routes that only the owner may use.
const OWNERS: [&str; 4] = ["/v1/status", "/v1/doctor", "/v1/commands", "/v1/routines/{name}/run"];

/// What a caller who may not touch a chat tries on each route of the description.
fn attempts(method: &str, path: &str, chat: &str, ids: &Value) -> Vec<(String, Value)> {
    let (message, memory, turn) = (&ids["message"], &ids["memory"], &ids["turn"]);
    let text = |id: &Value| id.as_str().unwrap().to_owned();
    let by_chat = |path: &str| vec![(format!("{path}?chat={chat}"), Value::Null)];
    let by_memory = |tail: &str, body: Value| {
        let path = format!("/v1/memories/{}{tail}", text(memory));
        vec![(path.clone(), body.clone()), (format!("{path}?chat={chat}"), body)]
    };
    match (method, path) {
        (
            "get",
            "/v1/messages" | "/v1/memories" | "/v1/profile" | "/v1/summaries" | "/v1/conversations"
            | "/v1/events",
        ) => by_chat(path),
        ("get", "/v1/turns" | "/v1/usage") => [by_chat(path), vec![(path.to_owned(), Value::Null)]].concat(),
        ("get", "/v1/chats") => vec![(path.to_owned(), Value::Null)],
        ("get", "/v1/conversations/{id}") => {
            vec![(format!("/v1/conversations/{}", text(message)), Value::Null)]
        }
        ("get", "/v1/turns/{id}/receipt") => vec![(format!("/v1/turns/{}/receipt", text(turn)), Value::Null)],
        ("get" | "delete", "/v1/memories/{id}") => by_memory("", Value::Null),
        ("get", "/v1/memories/{id}/history") => by_memory("/history", Value::Null),
        ("patch", "/v1/memories/{id}") => by_memory("", json!({ "text": "I live in Rome" })),
        ("post", "/v1/messages" | "/v1/memories") => {
            vec![(path.to_owned(), json!({ "chat": chat, "text": "I was here" }))]
        }
        ("post", "/v1/turns") => {
            vec![(path.to_owned(), json!({ "chat": chat, "message": "where is the vault?" }))]
        }
        ("post", "/v1/context") => {
            vec![(path.to_owned(), json!({ "chat": chat, "message": "where is the vault?" }))]
        }
        ("post", "/v1/search") => vec![
            (path.to_owned(), json!({ "chat": chat, "query": "green" })),
            (path.to_owned(), json!({ "all": true, "query": "green" })),
        ],
        ("post", "/v1/forget") => vec![
            (path.to_owned(), json!({ "chat": chat, "topic": "vault" })),
            (path.to_owned(), json!({ "chat": chat, "id": message })),
            (path.to_owned(), json!({ "chat": chat, "all": true, "dry_run": true })),
            (path.to_owned(), json!({ "chat": chat, "undo": turn })),
        ],
        ("get", "/v1/lanes" | "/v1/lanes/messages") => by_chat(path),
        ("get", "/v1/routines" | "/v1/routines/runs" | "/v1/status" | "/v1/doctor") => {
            vec![(path.to_owned(), Value::Null)]
        }
        ("post", "/v1/routines/{name}/run") => {
            vec![("/v1/routines/morning-summary/run".to_owned(), Value::Null)]
        }
        ("post", "/v1/commands") => vec![(path.to_owned(), json!({ "chat": chat, "text": "/memory" }))],
        ("post", "/v1/import") => {
            vec![(format!("{path}?chat={chat}"), json!({ "role": "user", "text": "I was here" }))]
        }
        _ => panic!("{method} {path} is new: say here how a stranger would try it"),
    }
}

#[test]
fn a1_no_route_leads_a_token_to_the_chats_of_others() {
    let server = Server::start();
    let ids = json!({
        "message": server.record(BENS, "The vault is behind the mill."),
        "memory": server.post("/v1/memories", json!({ "chat": BENS, "text": "My vault is green" })).ok()["memories"][0]["id"],
        "turn": server.post("/v1/turns", json!({ "chat": BENS, "message": "The vault opens at nine." })).ok()["turn"],
    });
    let chat_token = server.adds_token("of one chat", &["--chat", ANAS]);
    let person_token = server.adds_token("of a person", &["--person", "ana"]);
    let owners = server.adds_token("of the owner", &[]);
    server.post_as(&chat_token, "/v1/messages", json!({ "text": "I am Ana." })).ok();
    let before = server.home.exported();
    let memories = server.get_as(&owners, &format!("/v1/memories?chat={BENS}&all=true")).ok();
    assert!(memories.to_string().contains("vault"));

    let description = server.get_as(&owners, "/openapi.json").ok();
    let mut tried = 0;
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            for (target, body) in attempts(method, path, BENS, &ids) {
                for token in [&chat_token, &person_token] {
                    let body = if body.is_null() { String::new() } else { body.to_string() };
                    let answer = server.send_as(token, &method.to_uppercase(), &target, &body);
                    let is_refused = OWNERS.contains(&path.as_str())
                        || target.contains("ben")
                        || body.contains("ben")
                        || path.contains("{id}");
                    assert_eq!(
                        matches!(answer.status, 403 | 404),
                        is_refused,
                        "{method} {target} {body}: {answer:?}"
                    );
                    assert!(!answer.body.contains("vault"), "{method} {target}: {answer:?}");
                    let shown = answer.body.replace("api:chat:ben is not open to this connection", "");
                    assert!(!shown.contains("ben"), "{method} {target}: {answer:?}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 50, "{tried}");
    let line = json!({ "chat": BENS, "role": "user", "text": "I was here" }).to_string();
    let imported = server.send_as(&chat_token, "POST", "/v1/import", &line);
    assert!(imported.status == 403 || imported.json()["imported"] == 0, "{imported:?}");
    assert_eq!(server.home.exported(), before, "nothing was changed");
    let after = server.get_as(&owners, &format!("/v1/memories?chat={BENS}&all=true")).ok();
    let after = after["memories"].as_array().unwrap();
    for memory in memories["memories"].as_array().unwrap() {
        assert!(after.contains(memory), "{memory} in {after:?}");
    }
    assert_eq!(server.get_as(&chat_token, "/metrics").failure(), (403, "forbidden".to_owned()));
}

#[test]
fn a5_a_persons_token_shares_memories_among_the_chats_that_the_person_claimed_and_with_nobody() {
    let mut server = Server::start();
    let (ana, ben) =
        (server.adds_token("ana", &["--person", "ana"]), server.adds_token("ben", &["--person", "ben"]));
    let remember = json!({ "chat": "api:chat:kitchen", "text": "I am allergic to peanuts" });
    server.post_as(&ana, "/v1/memories", remember).ok();
    let ask = json!({ "chat": "api:chat:office", "message": "Where do we eat?" });
    let context = server.post_as(&ana, "/v1/context", ask.clone()).ok();
    assert!(context["text"].as_str().unwrap().contains("peanuts"), "{context}");
    for chat in ["api:chat:kitchen", "api:chat:office"] {
        let refused = server.get_as(&ben, &format!("/v1/memories?chat={chat}"));
        assert_eq!(refused.failure(), (403, "forbidden".to_owned()), "{chat}");
    }
    let bens = server
        .post_as(&ben, "/v1/context", json!({ "chat": "api:chat:garage", "message": "Where do we eat?" }))
        .ok();
    assert!(!bens["text"].as_str().unwrap().contains("peanuts"), "{bens}");

    server.start_again();
    assert_eq!(server.get_as(&ben, "/v1/memories?chat=api:chat:office").status, 403, "a claim is kept");
    assert!(server.post_as(&ana, "/v1/context", ask).ok()["text"].as_str().unwrap().contains("peanuts"));
    let chats = server.get_as(&ana, "/v1/chats").ok();
    assert!(!chats.to_string().contains("garage"), "{chats}");
    for chat in ["cli:chat:main", "telegram:chat:4711", "myapp:chat:x"] {
        assert_eq!(
            server.get_as(&ana, &format!("/v1/memories?chat={chat}")).status,
            403,
            "{chat} cannot be claimed"
        );
    }
}

#[test]
fn a_chat_in_which_something_was_said_or_that_a_token_names_is_not_claimed() {
    let server = Server::start();
    server.record("api:chat:used", "This is the owner's.");
    let token = server.adds_token("desk", &["--chat", "api:chat:desk"]);
    let ana = server.adds_token("ana", &["--person", "ana"]);
    for chat in ["api:chat:used", "api:chat:desk"] {
        assert_eq!(server.get_as(&ana, &format!("/v1/messages?chat={chat}")).status, 403, "{chat}");
    }
    server.post_as(&token, "/v1/messages", json!({ "text": "Mine." })).ok();
    let mine = server.get_as(&token, "/v1/messages").ok();
    assert_eq!(mine["messages"][0]["text"], "Mine.", "the chat comes from the token");
}

#[test]
fn the_owners_token_of_a_person_opens_the_terminals_chats() {
    let server = Server::start();
    server.home.ok(&["record", "I keep bees."]);
    let owner = server.adds_token("owner", &["--person", "owner"]);
    let found = server.post_as(&owner, "/v1/search", json!({ "all": true, "query": "bees" })).ok();
    assert_eq!(found["hits"][0]["chat"], "cli:chat:main", "{found}");
}

#[test]
fn tokens_are_shown_once_stored_as_hashes_and_end_when_they_are_revoked() {
    let server = Server::start();
    assert_eq!(server.get("/v1/chats").status, 200, "on this machine no token is needed until there is one");
    let token = server.adds_token("phone", &[]);
    assert_eq!(server.get("/v1/chats").failure(), (401, "unauthorized".to_owned()));
    assert_eq!(server.get_as("tl_wrong", "/v1/chats").failure(), (401, "unauthorized".to_owned()));
    assert_eq!(server.get_as(&token, "/v1/chats").status, 200);
    assert_eq!(server.get("/health").status, 200, "programs on this machine may ask for the health");
    let listed = server.home.json(&["token", "list"]);
    assert_eq!((&listed["tokens"][0]["name"], listed["tokens"][0].get("token")), (&json!("phone"), None));
    for (path, bytes) in server.home.files() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains(&token), "{}", path.display());
    }
    let twice = server.home.run(&["token", "add", "--name", "phone"]);
    assert_eq!(twice.code, Some(1), "{twice:?}");
    server.home.ok(&["token", "revoke", "phone"]);
    assert_eq!(
        server.get_as(&token, "/v1/chats").status,
        200,
        "no token is set any more, so this machine may ask"
    );
    server.adds_token("other", &[]);
    assert_eq!(server.get_as(&token, "/v1/chats").failure(), (401, "unauthorized".to_owned()));
    let unknown = server.home.run(&["token", "revoke", "phone"]);
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
}

#[test]
fn a_token_of_the_settings_works_beside_the_others() {
    let server = Server::of(Home::new().with("THROUGHLINE_API_TOKEN", "t0ken"));
    let chat = server.adds_token("desk", &["--chat", "api:chat:desk"]);
    assert_eq!(server.get_as("t0ken", "/v1/chats").status, 200);
    assert_eq!(server.get_as(&chat, "/v1/messages").status, 200);
    assert_eq!(server.get("/v1/chats").status, 401);
    assert_eq!(server.get("/nothing").status, 401, "what is there is told only to those who may ask");
    assert_eq!(server.get_as("t0ken", "/nothing").failure(), (404, "not_found".to_owned()));
}

#[test]
fn foreign_hosts_foreign_pages_and_secrets_in_addresses_are_refused() {
    let server = Server::of(Home::new().configured("[http]\nhosts = [\"memory.example\"]\n"));
    let status = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        server.send(method, path, headers, body).status
    };
    for host in ["evil", "evil.example:7717", "localhost.evil.example"] {
        assert_eq!(status("GET", "/v1/chats", &[("host", host)], ""), 421, "{host}");
        assert_eq!(status("GET", "/health", &[("host", host)], ""), 421, "{host}");
    }
    for host in ["localhost:1", "127.0.0.1", "[::1]:7717", "memory.example", "memory.example:443"] {
        assert_eq!(status("GET", "/v1/chats", &[("host", host)], ""), 200, "{host}");
    }
    let body = json!({ "chat": "api:chat:x", "text": "from a page" }).to_string();
    for headers in
        [&[("origin", "http://evil.example")][..], &[("origin", "null")], &[("sec-fetch-site", "cross-site")]]
    {
        assert_eq!(status("POST", "/v1/messages", headers, &body), 403, "{headers:?}");
    }
    // A form of a foreign page can send this without asking.
    assert_eq!(status("POST", "/v1/messages", &[("content-type", "text/plain")], &body), 415);
    assert_eq!(server.get("/v1/chats").ok()["chats"], json!([]), "nothing was recorded");
    assert_eq!(
        status("POST", "/v1/messages", &[("host", "localhost:80"), ("origin", "http://localhost:80")], &body),
        200
    );
    for query in ["token=hunter2secret", "access_token=hunter2secret"] {
        let answer = server.get(&format!("/v1/chats?{query}"));
        assert_eq!(answer.failure(), (400, "invalid_request".to_owned()));
        assert!(!answer.body.contains("hunter2secret"));
    }
    for (path, bytes) in server.home.files() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("hunter2secret"), "{}", path.display());
    }
}
