//! A call that is cancelled stops working: what it waits for is let go of.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;

use serde_json::json;

use super::Server;
use crate::common::Home;

#[test]
fn a_cancelled_call_lets_go_of_what_it_waits_for_and_is_not_answered() {
    // An embedder that never answers.
    let embedder = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", embedder.local_addr().unwrap());
    let home = Home::new()
        .with("OPENAI_BASE_URL", &url)
        .with("OPENAI_API_KEY", "k")
        .with("THROUGHLINE_EMBEDDER", "openai/small");
    let mut server = Server::start(&home, &["--read-only"]);
    let id = server
        .begin("tools/call", json!({ "name": "search_memories", "arguments": { "query": "spare key" } }));
    let (stream, _) = embedder.accept().unwrap();
    let mut asked = BufReader::new(stream);
    let mut line = String::new();
    asked.read_line(&mut line).unwrap();
    assert!(line.starts_with("POST /v1/embeddings "), "{line}");
    server.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    // Only the end of the call closes the connection, well before its own time limit.
    let began = std::time::Instant::now();
    let _ = asked.read_to_end(&mut Vec::new());
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    assert_eq!(server.ask("ping", json!({}))["result"], json!({}), "the next answer is to the next question");
    assert_eq!(server.end(), Some(0));
}
