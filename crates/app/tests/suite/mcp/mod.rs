//! The MCP server: by hand over its pipes and over HTTP, and by the clients that people use.

mod cancel;
mod clients;
mod guide;
mod http;
mod tools;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::common::{Home, Ran};

/// `throughline mcp`, and the near end of its pipes.
pub struct Server {
    pub child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    asked: u64,
}

/// The first request of a client.
pub fn initialize(client: &str) -> Value {
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": client, "version": "1" } });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

impl Server {
    /// A server that has begun, and what it said of itself.
    pub fn start(home: &Home, words: &[&str]) -> Self {
        Self::start_for("a-test", home, words).0
    }

    pub fn start_for(client: &str, home: &Home, words: &[&str]) -> (Self, Value) {
        let mut command = home.command(&[&["mcp"], words].concat());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { child, stdin, stdout, asked: 0 };
        server.send(&initialize(client));
        let itself = server.next()["result"].clone();
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        (server, itself)
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub fn send_line(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next line on stdout, which is a message of the protocol or the test fails.
    pub fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Sends a request without waiting for the answer, and gives its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    /// Asks, and gives the whole answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool that must succeed, and gives its document.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool that must fail, and gives its sentence.
    pub fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text(&result)
    }

    pub fn result(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }

    /// Closes stdin, and gives the exit code. Nothing is left on stdout.
    pub fn end(mut self) -> Option<i32> {
        self.stdin = None;
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Searches messages through a server that is started for it by a command of the test's own making.
pub fn search_once(mut command: Command, query: &str) -> Value {
    let asked = json!({ "name": "search_memories", "arguments": { "query": query, "kind": "message" } });
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in [
        initialize("a-test"),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked }),
    ] {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let printed = Ran::from(child).ok();
    let answer: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    answer["result"]["structuredContent"].clone()
}

/// The text of a tool's result.
pub fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The texts of hits.
pub fn texts(found: &Value) -> Vec<String> {
    let hits = found["hits"].as_array().unwrap_or_else(|| panic!("{found}"));
    hits.iter().map(|hit| hit["text"].as_str().unwrap().to_owned()).collect()
}
