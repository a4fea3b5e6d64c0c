//! A model that talks for as long as a test lets it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use serde_json::{Value, json};

/// A model that says word after word until it is told to come to an end, over Anthropic's wire.
pub struct Talker {
    listener: TcpListener,
    end: Sender<()>,
    ends: Mutex<Receiver<()>>,
    is_over: AtomicBool,
}

impl Talker {
    /// Talks for as long as the test runs.
    pub fn serve(test: impl FnOnce(&Self)) {
        let (end, ends) = mpsc::channel();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let talker = Self { listener, end, ends: Mutex::new(ends), is_over: AtomicBool::new(false) };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while let Ok((stream, _)) = talker.listener.accept()
                    && !talker.is_over.load(Ordering::SeqCst)
                {
                    // Who goes away in the middle has heard enough.
                    scope.spawn(|| talk(stream, &talker.ends));
                }
            });
            // A test that fails must not wait for the talker.
            let _over = Over(&talker);
            test(&talker);
        });
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.listener.local_addr().unwrap())
    }

    pub fn end(&self) {
        self.end.send(()).unwrap();
    }
}

struct Over<'t>(&'t Talker);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
        // Wakes the talker, which waits for a question.
        drop(TcpStream::connect(self.0.listener.local_addr().unwrap()));
    }
}

fn talk(mut stream: TcpStream, ends: &Mutex<Receiver<()>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let from = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let line = head.get(from..).unwrap_or_default().to_lowercase();
        length = line.strip_prefix("content-length:").map_or(length, |count| count.trim().parse().unwrap());
    }
    reader.read_exact(&mut vec![0; length])?;
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let mut say = |event: Value| -> std::io::Result<()> {
        write!(stream, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())?;
        stream.flush()
    };
    let word = |text: &str| {
        let delta = json!({ "type": "text_delta", "text": text });
        json!({ "type": "content_block_delta", "index": 0, "delta": delta })
    };
    say(json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 25, "output_tokens": 1 },
    } }))?;
    say(
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    )?;
    let ends = ends.lock().unwrap();
    say(word("So"))?;
    while ends.recv_timeout(Duration::from_millis(25)).is_err() {
        say(word(" on and"))?;
    }
    say(word(" on, **at last**."))?;
    say(json!({ "type": "content_block_stop", "index": 0 }))?;
    let stopped = json!({ "stop_reason": "end_turn", "stop_sequence": null });
    say(json!({ "type": "message_delta", "delta": stopped, "usage": { "output_tokens": 9 } }))?;
    say(json!({ "type": "message_stop" }))
}
