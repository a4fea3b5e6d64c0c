//! The description of the API, and that the server keeps to it.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::Server;

#[test]
fn the_description_names_every_route_of_the_api_with_its_types_and_failures() {
    let server = Server::start();
    let description = server.get("/openapi.json").ok();
    assert_eq!(description["openapi"], "3.1.0");
    let paths = description["paths"].as_object().unwrap();
    for (method, path) in [
        ("post", "/v1/messages"),
        ("post", "/v1/context"),
        ("post", "/v1/search"),
        ("post", "/v1/turns"),
        ("get", "/v1/memories"),
        ("post", "/v1/memories"),
        ("get", "/v1/memories/{id}"),
        ("patch", "/v1/memories/{id}"),
        ("delete", "/v1/memories/{id}"),
        ("post", "/v1/forget"),
        ("get", "/v1/profile"),
        ("get", "/v1/summaries"),
        ("get", "/v1/conversations"),
        ("get", "/v1/conversations/{id}"),
        ("get", "/v1/turns/{id}/receipt"),
        ("get", "/v1/chats"),
        ("get", "/v1/usage"),
    ] {
        let operation = &paths[path][method];
        assert!(operation["operationId"].is_string() && operation["summary"].is_string(), "{method} {path}");
        for status in ["200", "400", "401", "403", "404", "422", "429"] {
            assert!(operation["responses"][status]["content"].is_object(), "{method} {path} {status}");
        }
    }
    let listed = &paths["/v1/memories"]["get"];
    assert!(listed["responses"]["200"]["headers"]["ETag"].is_object(), "{listed}");
    assert!(listed["responses"]["304"]["content"].is_null() && listed["responses"]["304"].is_object());
    assert!(paths["/v1/events"]["get"]["responses"]["304"].is_null(), "a stream has no end to be named");
    let message = &description["components"]["schemas"]["NewMessage"];
    assert_eq!(message["required"], json!(["text"]), "{message}");
}

/// Random requests made from the description: what is answered must be in it, and nothing may fail inside.
#[test]
fn random_requests_get_only_answers_that_the_description_names() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/st");
    if !program.exists() {
        // `./test` installs it.
        return;
    }
    let server = Server::start();
    server.record("api:chat:main", "My cat is called Pixel.");
    let description = server.home.file("openapi.json", server.get("/openapi.json").body);
    let holds = |words: &[&str]| holds(&program, &server, &description, words);
    holds(&[]);
    // With a token of one chat, requests need not name it, so more of them lead somewhere.
    let token = server.adds_token("fuzzer", &["--chat", "api:chat:main"]);
    holds(&["--header", &format!("Authorization: Bearer {token}")]);
}

fn holds(program: &Path, server: &Server, description: &str, words: &[&str]) {
    let url = format!("http://{}", server.address);
    let checks =
        "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
    let ran = Command::new(program)
        .args(["run", description, "--url", &url, "--checks", checks])
        .args(["--phases", "examples,fuzzing", "--max-examples", "15", "--seed", "7", "--no-color"])
        // A stream that does not end, and programs of routines that this machine may not have.
        .args(["--exclude-path", "/v1/events", "--exclude-path", "/v1/routines/{name}/run"])
        .args(["--request-timeout", "10"])
        .args(words)
        .current_dir(server.home.beside(""))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{told}\n{}", String::from_utf8_lossy(&ran.stderr));
    assert!(told.contains("passed") && !told.contains("Unresolvable references"), "{told}");
}
