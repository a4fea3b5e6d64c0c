//! docs/mcp.md is true: every snippet is read as its client reads it, and the command or address in it is used.

use std::path::Path;

use serde_json::Value;

use super::http::begin;
use super::{search_once, texts};
use crate::common::served::Serving;
use crate::common::{BINARY, Home};

/// The blocks of a language on the page.
fn blocks(language: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let page = std::fs::read_to_string(root.join("docs/mcp.md")).unwrap();
    let begin = format!("```{language}\n");
    let blocks = page.split(&begin).skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

/// The entries of servers in a snippet.
fn servers() -> Vec<Value> {
    let json = blocks("json").into_iter().map(|block| serde_json::from_str(&block).unwrap());
    let toml = blocks("toml").into_iter().map(|block| toml::from_str::<Value>(&block).unwrap());
    let all: Vec<Value> = json.chain(toml).collect();
    let entry = |snippet: &Value| {
        let names = ["mcpServers", "servers", "context_servers", "mcp_servers"];
        let servers = names.iter().find_map(|name| snippet.get(name));
        servers.unwrap_or_else(|| panic!("{snippet}"))["throughline"].clone()
    };
    all.iter().map(entry).collect()
}

#[test]
fn every_command_on_the_page_starts_a_server() {
    let commands: Vec<Value> = servers().into_iter().filter(|server| server.get("url").is_none()).collect();
    assert!(commands.len() >= 6, "one for each client: {commands:?}");
    for server in commands {
        assert_eq!(server["command"], "throughline");
        let words: Vec<&str> =
            server["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let home = Home::new();
        let chat = server["env"]["THROUGHLINE_CHAT"].as_str().unwrap_or("cli:chat:main");
        home.json(&["record", "--chat", chat, "The spare key is with Ana."]);
        let mut command = home.command(&words);
        for (name, value) in server["env"].as_object().into_iter().flatten() {
            command.env(name, value.as_str().unwrap());
        }
        assert_eq!(texts(&search_once(command, "spare key")), ["The spare key is with Ana."], "{server}");
    }
}

#[test]
fn every_address_on_the_page_is_the_one_that_serve_listens_on() {
    let addresses: Vec<Value> = servers().into_iter().filter(|server| server.get("url").is_some()).collect();
    assert!(addresses.len() >= 5, "{addresses:?}");
    let home = Home::new();
    let serving = Serving::start(&home);
    for server in addresses {
        assert_eq!(server["url"], "http://127.0.0.1:7717/mcp");
        let headers = server.get("headers").or(server.get("http_headers")).and_then(Value::as_object);
        let headers: Vec<(&str, &str)> = headers
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
            .collect();
        begin(&serving.address, &headers);
    }
}

#[test]
fn the_command_that_adds_it_to_claude_code_is_one() {
    let shell = blocks("sh").concat();
    let line = shell.lines().find(|line| line.starts_with("claude mcp add")).unwrap();
    let (_, words) = line.split_once(" -- throughline ").unwrap();
    let home = Home::new();
    let words: Vec<&str> = words.split(' ').collect();
    assert_eq!(home.feed(&words, b"").ok(), "", "{BINARY} {words:?}");
}
