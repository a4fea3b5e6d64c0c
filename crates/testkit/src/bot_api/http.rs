//! A minimal HTTP/1.1 server that can also misbehave on the wire, which a framework would not allow.

use std::io::{Error, ErrorKind, Result};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::params::{Params, decoded};

/// A client's connection.
pub(super) type Connection = BufReader<TcpStream>;

/// One request.
pub(super) struct Request {
    pub path: String,
    pub params: Params,
}

/// One answer.
pub(super) struct Response {
    pub status: u16,
    pub content_type: &'static str,
    pub body: Vec<u8>,
    /// True if the connection is closed in the middle of the body.
    pub is_cut: bool,
}

/// Reads the next request; `None` when the client is done.
pub(super) async fn read(connection: &mut Connection) -> Result<Option<Request>> {
    let Some(first) = line(connection).await? else { return Ok(None) };
    let target = first.split(' ').nth(1).ok_or(ErrorKind::InvalidData)?.to_owned();
    let (mut length, mut chunked, mut content_type) = (0, false, String::new());
    while let Some(header) = line(connection).await?.filter(|header| !header.is_empty()) {
        let (name, value) = header.split_once(':').ok_or(ErrorKind::InvalidData)?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(|_| ErrorKind::InvalidData)?,
            "content-type" => content_type = value.to_owned(),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "expect" => connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?,
            _ => {}
        }
    }
    let body = if chunked { chunks(connection).await? } else { bytes(connection, length).await? };
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Ok(Some(Request { path: decoded(path), params: Params::read(query, &content_type, &body) }))
}

/// Writes an answer.
pub(super) async fn write(connection: &mut Connection, response: &Response) -> Result<()> {
    let Response { status, content_type, body, is_cut } = response;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n",
        reason(*status)
    );
    let sent = if *is_cut { body.get(..length / 2).unwrap_or_default() } else { body };
    // In one write: a second one would wait for the acknowledgement of the first.
    connection.write_all(&[head.as_bytes(), sent].concat()).await?;
    if *is_cut { Err(ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
}

/// Waits until the client has closed its side.
pub(super) async fn gone(connection: &Connection) {
    match connection.get_ref().peek(&mut [0]).await {
        Ok(0) | Err(_) => {}
        // The next request has arrived, so the client is alive.
        Ok(_) => std::future::pending().await,
    }
}

async fn line(connection: &mut Connection) -> Result<Option<String>> {
    let mut line = String::new();
    let read = connection.read_line(&mut line).await?;
    Ok((read > 0).then(|| line.trim_end().to_owned()))
}

async fn bytes(connection: &mut Connection, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    connection.read_exact(&mut bytes).await?;
    Ok(bytes)
}

async fn chunks(connection: &mut Connection) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(connection).await?.ok_or(ErrorKind::UnexpectedEof)?;
        let size = usize::from_str_radix(&size, 16).map_err(|_| Error::from(ErrorKind::InvalidData))?;
        body.extend(bytes(connection, size).await?);
        line(connection).await?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        429 => "Too Many Requests",
        502 => "Bad Gateway",
        _ => "Error",
    }
}
