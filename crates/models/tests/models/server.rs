//! A model's server on this machine, which can behave badly.

use std::cell::RefCell;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with a question.
pub struct Behavior {
    head: String,
    body: Vec<u8>,
    then: Then,
}

/// What it does once it has sent that.
#[derive(Clone, Copy)]
pub enum Then {
    Close,
    Silence,
}

/// A question as it came.
pub struct Asked {
    pub head: String,
    pub body: Value,
}

/// Streams a body and closes the connection.
pub fn streams(body: impl Into<Vec<u8>>) -> Behavior {
    Behavior {
        head: "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_owned(),
        body: body.into(),
        then: Then::Close,
    }
}

/// Streams a body and says no more, but stays connected.
pub fn falls_silent(body: impl Into<Vec<u8>>) -> Behavior {
    Behavior { then: Then::Silence, ..streams(body) }
}

/// Promises more than it sends.
pub fn breaks_off(body: impl Into<Vec<u8>>) -> Behavior {
    Behavior { head: "HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n".to_owned(), ..streams(body) }
}

/// Refuses, with a status such as `429 Too Many Requests` and more headers.
pub fn refuses(status: &str, headers: &str, body: &str) -> Behavior {
    let head =
        format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    Behavior { head, ..streams(body) }
}

/// Says nothing at all.
pub fn never_answers() -> Behavior {
    Behavior { head: String::new(), body: Vec::new(), then: Then::Silence }
}

/// Hangs up on the question.
pub fn hangs_up() -> Behavior {
    Behavior { then: Then::Close, ..never_answers() }
}

pub struct Server {
    listener: TcpListener,
}

impl Server {
    pub async fn start() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub fn address(&self) -> String {
        let address: SocketAddr = self.listener.local_addr().unwrap();
        format!("http://{address}")
    }

    /// Behaves so, question after question, until the client is done. Gives what the client got and what it asked.
    pub async fn serve<T>(
        self,
        client: impl Future<Output = T>,
        behaviors: impl IntoIterator<Item = Behavior>,
    ) -> (T, Vec<Asked>) {
        let asked = RefCell::new(Vec::new());
        let server = async {
            let mut silent = Vec::new();
            for behavior in behaviors {
                let (mut stream, _) = self.listener.accept().await.unwrap();
                let question = read(&mut stream).await;
                asked.borrow_mut().push(question);
                stream.write_all(behavior.head.as_bytes()).await.unwrap();
                // A client that has heard enough hangs up.
                let _ = stream.write_all(&behavior.body).await;
                if let Then::Silence = behavior.then {
                    silent.push(stream);
                }
            }
            std::future::pending().await
        };
        let got = tokio::select! {
            got = client => got,
            () = server => unreachable!(),
        };
        (got, asked.into_inner())
    }
}

async fn read(stream: &mut TcpStream) -> Asked {
    let mut bytes = Vec::new();
    loop {
        assert!(
            stream.read_buf(&mut bytes).await.unwrap() > 0,
            "the client left before its question was whole"
        );
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        let body = &bytes[end + 4..];
        if body.len() == length.unwrap_or(0) {
            return Asked { head, body: serde_json::from_slice(body).unwrap_or_default() };
        }
    }
}
