//! mem0's own clients, pointed here by their base URL.

use serde_json::{Value, json};

use crate::common::Home;
use crate::http::Server;
use crate::proxies::script;

fn serve() -> (Server, String) {
    let server = Server::of(Home::new().with("THROUGHLINE_API_TOKEN", "t0ken"));
    let address = format!("http://{}", server.address);
    (server, address)
}

fn texts(list: &Value) -> Vec<&str> {
    list["results"].as_array().unwrap().iter().map(|memory| memory["memory"].as_str().unwrap()).collect()
}

#[test]
fn mem0s_client_in_python_adds_finds_changes_and_forgets() {
    let (server, address) = serve();
    let got = script(&server.home, "mem0.py", &[&address, "t0ken"]);
    let added = texts(&got["added"]);
    assert!(
        added.iter().any(|text| text.contains("peanuts")) && added.iter().any(|text| text.contains("Lisbon")),
        "{got:#}"
    );
    assert_eq!(got["added"]["results"][0]["event"], "ADD");
    assert_eq!(texts(&got["kept"]), ["The boiler was serviced by Mertens"], "as it was given");
    assert_eq!(got["all"]["count"].as_u64(), Some(added.len() as u64 + 1), "{got:#}");
    assert!(
        got["all"]["results"].as_array().unwrap().iter().all(|memory| memory["user_id"] == "ana"),
        "{got:#}"
    );
    assert_eq!((texts(&got["page"]).len(), got["page"]["next"].is_string()), (1, true));
    assert!(texts(&got["found"])[0].contains("peanuts"), "{got:#}");
    assert!(!got["others"].to_string().contains("peanuts"), "a user's memories are theirs");
    assert_eq!(got["one"]["memory"], "The boiler was serviced by Mertens");
    assert_eq!(got["changed"]["memory"], "The boiler was serviced by Silva");
    assert_eq!(got["again"]["memory"], "The boiler was serviced by Silva", "by the id that the client knows");
    let history: Vec<(&str, &Value)> = got["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (change["event"].as_str().unwrap(), &change["new_memory"]))
        .collect();
    assert_eq!(
        history,
        [
            ("ADD", &json!("The boiler was serviced by Mertens")),
            ("UPDATE", &json!("The boiler was serviced by Silva"))
        ]
    );
    assert_eq!(got["gone"], "MemoryNotFoundError", "{got:#}");
    assert!(got["refused"].as_str().unwrap().contains("categories"), "{got:#}");
    let users: Vec<&Value> =
        got["users"]["results"].as_array().unwrap().iter().map(|user| &user["name"]).collect();
    assert!(users.contains(&&json!("ana")) && users.contains(&&json!("ben")), "{got:#}");
    assert_eq!((&got["left"]["count"], &got["left_of_ben"]["count"]), (&json!(0), &json!(0)));
    assert_eq!(got["wrong_key"], "ValueError");
    assert!(!server.home.texts().concat().contains("peanuts"), "what was said is forgotten, too");
}

#[test]
fn mem0s_client_in_javascript_adds_finds_changes_and_forgets() {
    let (server, address) = serve();
    let got = script(&server.home, "mem0.mjs", &[&address, "t0ken"]);
    assert!(texts(&got["added"])[0].contains("nurse"), "{got:#}");
    assert!(texts(&got["all"])[0].contains("nurse") && texts(&got["found"])[0].contains("nurse"), "{got:#}");
    assert_eq!(
        (&got["changed"]["memory"], &got["one"]["memory"]),
        (&json!("I work as a midwife in Porto"), &json!("I work as a midwife in Porto"))
    );
    assert_eq!(got["history"].as_array().unwrap().len(), 2);
    assert!(got["left"]["results"].as_array().unwrap().is_empty(), "{got:#}");
}

#[test]
fn a_token_of_a_chat_is_one_user_of_mem0() {
    let server = Server::start();
    let token = server.adds_token("app", &["--chat", "api:chat:ana"]);
    let send = |method: &str, path: &str, body: Value| {
        server.send(method, path, &[("authorization", &format!("Token {token}"))], &body.to_string())
    };
    let add = |user: Value| {
        send(
            "POST",
            "/mem0/v3/memories/add/",
            json!({ "messages": [{ "role": "user", "content": "I live in Oslo." }], "user_id": user }),
        )
    };
    assert_eq!(texts(&add(json!("ana")).ok()).len(), 1);
    assert_eq!(add(Value::Null).status, 200, "the token says whose they are");
    assert_eq!(add(json!("ben")).failure(), (403, "forbidden".to_owned()));
    let open = Server::start();
    let nobody = open.post("/mem0/v3/memories/search/", json!({ "query": "Oslo" }));
    assert_eq!(nobody.failure().0, 400, "{nobody:?}");
}
