//! A server on this machine that embeds as OpenAI's API does: it knows one model and one key, and can be told to fail.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

const DIMENSIONS: usize = 32;

pub struct EmbeddingServer {
    listener: TcpListener,
    model: &'static str,
    key: &'static str,
    fails: AtomicBool,
    ends: AtomicBool,
}

impl EmbeddingServer {
    pub fn start(model: &'static str, key: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { listener, model, key, fails: AtomicBool::new(false), ends: AtomicBool::new(false) }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.listener.local_addr().unwrap())
    }

    /// Whether the server answers with its own failure from now on.
    pub fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }

    /// Answers for as long as the test runs.
    pub fn serve(&self, test: impl FnOnce()) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while let Ok((stream, _)) = self.listener.accept()
                    && !self.ends.load(Ordering::SeqCst)
                {
                    self.answer(stream);
                }
            });
            // A test that fails must not wait for the server.
            let _end = End(self);
            test();
        });
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(&stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "the client left: {head}");
        }
        let header = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
        };
        let mut body = vec![0; header("content-length").unwrap().parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        let asked: Value = serde_json::from_slice(&body).unwrap();
        let said =
            |message: &str| json!({ "error": { "message": message, "type": "invalid_request_error" } });
        let (status, answer) = if self.fails.load(Ordering::SeqCst) {
            ("500 Internal Server Error", said("The server had an error while processing your request"))
        } else if header("authorization") != Some(&format!("Bearer {}", self.key)) {
            ("401 Unauthorized", said("Incorrect API key provided"))
        } else if !head.starts_with("POST /v1/embeddings ") || asked["model"] != self.model {
            ("404 Not Found", said("The model does not exist or you do not have access to it"))
        } else {
            let texts = asked["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
            let item =
                |(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector(text) });
            let data: Vec<Value> = texts.enumerate().map(item).collect();
            ("200 OK", json!({ "object": "list", "data": data, "model": self.model }))
        };
        let answer = answer.to_string();
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close");
        write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{answer}", answer.len()).unwrap();
    }
}

struct End<'s>(&'s EmbeddingServer);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::SeqCst);
        // Wakes the server, which waits for a question.
        drop(TcpStream::connect(self.0.listener.local_addr().unwrap()));
    }
}

/// Texts that share words have vectors that point the same way.
fn vector(text: &str) -> Vec<f64> {
    let mut vector = vec![0.01; DIMENSIONS];
    for word in text.to_lowercase().split_whitespace() {
        let number = word.bytes().fold(7usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        vector[number % DIMENSIONS] += 1.0;
    }
    vector
}
