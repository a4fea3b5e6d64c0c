//! The HTTP API from the outside: `serve` itself, asked over a socket.

mod access;
mod bad_input;
mod docs;
mod openapi;
mod resources;
mod signing_in;
mod survival;
mod turns;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

use serde_json::{Value, json};

use crate::common::Home;
use crate::common::served::LONG;

/// A home that is served.
pub struct Server {
    pub home: Home,
    child: Child,
    pub address: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The document of a request that succeeded.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }

    /// The status and the code of a failure.
    pub fn failure(&self) -> (u16, String) {
        let error = &self.json()["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{self:?}");
        (self.status, error["code"].as_str().unwrap().to_owned())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The events of a stream, each with its name and its data.
    pub fn events(&self) -> Vec<(String, Value)> {
        let field = |event: &str, name: &str| {
            event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
        };
        let blocks = self.body.split("\n\n").filter(|block| block.contains("data:"));
        blocks
            .map(|block| (field(block, "event:"), serde_json::from_str(&field(block, "data:")).unwrap()))
            .collect()
    }
}

impl Server {
    pub fn start() -> Self {
        Self::of(Home::new())
    }

    pub fn of(home: Home) -> Self {
        let (child, address) = serve(&home);
        Self { home, child, address }
    }

    /// A token that `token add` makes.
    pub fn adds_token(&self, name: &str, words: &[&str]) -> String {
        let made = self.home.json(&[&["token", "add", "--name", name], words].concat());
        made["token"].as_str().unwrap().to_owned()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// Sends a request with further headers. The body is sent as it is.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = self.begin(method, path, headers, body);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        read(&answer)
    }

    /// Sends a request and leaves the answer to be read.
    pub fn begin(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = self.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        let mut add = |name: &str, value: &str| {
            if !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)) {
                let _ = write!(head, "{name}: {value}\r\n");
            }
        };
        add("host", "localhost");
        add("content-length", &body.len().to_string());
        if !body.is_empty() {
            add("content-type", "application/json");
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        // A server that refuses early leaves the rest unread.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        stream
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "")
    }

    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, &[], &body.to_string())
    }

    /// Sends a request as somebody with a token.
    pub fn send_as(&self, token: &str, method: &str, path: &str, body: &str) -> Answer {
        self.send(method, path, &[("authorization", &format!("Bearer {token}"))], body)
    }

    pub fn get_as(&self, token: &str, path: &str) -> Answer {
        self.send_as(token, "GET", path, "")
    }

    pub fn post_as(&self, token: &str, path: &str, body: Value) -> Answer {
        self.send_as(token, "POST", path, &body.to_string())
    }

    /// Records a message of a chat, and gives its id.
    pub fn record(&self, chat: &str, text: &str) -> String {
        let recorded = self.post("/v1/messages", json!({ "chat": chat, "text": text })).ok();
        recorded["id"].as_str().unwrap().to_owned()
    }

    pub fn kill(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Serves the same home once more.
    pub fn start_again(&mut self) {
        self.kill();
        (self.child, self.address) = serve(&self.home);
    }

    /// Tells the program to stop.
    pub fn tell_to_stop(&self) {
        let pid = rustix::process::Pid::from_raw(self.child.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for its end, and gives the exit code.
    pub fn ended(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn serve(home: &Home) -> (Child, String) {
    let mut child = home.command(&["--json", "serve", "--listen", "127.0.0.1:0"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(!line.is_empty(), "the program ended: {:?}", child.wait_with_output());
    let started: Value = serde_json::from_str(&line).unwrap();
    // Its stdout stays open for as long as the program lives.
    child.stdout = Some(stdout.into_inner());
    (child, started["listening"].as_str().unwrap().trim_start_matches("http://").to_owned())
}

/// Reads a whole answer.
pub fn read(bytes: &[u8]) -> Answer {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        let Some(chunk) = after.get(..size) else { break };
        body.push_str(chunk);
        rest = after.get(size + 2..).unwrap_or_default();
    }
    body
}
