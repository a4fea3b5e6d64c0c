//! A small HTTP server for tests, which can misbehave.

use std::cell::RefCell;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The server's reaction to a request.
pub(super) enum Behavior {
    /// Answers with a status such as `200 OK`, more headers and a body.
    Answer(&'static str, &'static str, String),
    /// Announces more than it sends.
    CutShort,
    /// Closes the connection.
    Close,
    /// Never answers.
    Silence,
}

/// A received request: the head as text and the body as JSON.
pub(super) struct Asked {
    pub(super) head: String,
    pub(super) body: serde_json::Value,
}

pub(super) struct Loopback {
    listener: TcpListener,
}

impl Loopback {
    pub(super) async fn start() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap()
    }

    /// Reacts to the requests in turn until the client is done. Returns the client's result and its requests.
    pub(super) async fn serve<T>(
        self,
        client: impl Future<Output = T>,
        behaviors: impl IntoIterator<Item = Behavior>,
    ) -> (T, Vec<Asked>) {
        let asked = RefCell::new(Vec::new());
        let server = async {
            for behavior in behaviors {
                let (mut stream, _) = self.listener.accept().await.unwrap();
                let question = read(&mut stream).await;
                asked.borrow_mut().push(question);
                behave(&mut stream, behavior).await;
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

pub(super) fn ok(body: impl Into<String>) -> Behavior {
    Behavior::Answer("200 OK", "", body.into())
}

async fn read(stream: &mut TcpStream) -> Asked {
    let mut bytes = Vec::new();
    loop {
        assert!(
            stream.read_buf(&mut bytes).await.unwrap() > 0,
            "the client left before its question was whole"
        );
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let length = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
        let body = &bytes[end + 4..];
        if body.len() == length.unwrap() {
            return Asked { head, body: serde_json::from_slice(body).unwrap() };
        }
    }
}

async fn behave(stream: &mut TcpStream, behavior: Behavior) {
    let text = match behavior {
        Behavior::Answer(status, headers, body) => {
            format!(
                "HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
        }
        Behavior::CutShort => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"data\": [".to_owned(),
        Behavior::Close => return,
        Behavior::Silence => return std::future::pending().await,
    };
    stream.write_all(text.as_bytes()).await.unwrap();
}
