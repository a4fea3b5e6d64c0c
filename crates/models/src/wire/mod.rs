//! What the wires of all models share: an answer comes in lines, and each model's dialect says what a line means.

mod endpoint;
mod lines;
mod listen;
mod server;

pub use endpoint::http_client;
pub(crate) use endpoint::{Endpoint, Wrong, retry_after};
pub(crate) use listen::{Heard, Lost, Source, listen};
pub use server::Settings as ServerSettings;
pub(crate) use server::{Kind, Server};

use serde_json::Value;

use crate::Error;
use crate::price::Tokens;

/// What a line of an answer says.
#[derive(Debug)]
pub(crate) enum Event {
    /// More words.
    Words(String),
    /// What the call took so far.
    Took(Tokens),
    /// What the call cost, where the other side knows it.
    Cost(f64),
    /// All words are there: what breaks afterwards cuts nothing.
    Complete,
    /// The words end before they were meant to, and why.
    Cut(String),
    /// There will be no answer.
    Failed(Error),
    /// Nothing follows.
    Over,
    /// A sign of life.
    Alive,
}

/// How a model writes its answers.
pub(crate) trait Dialect: Send {
    /// What a line says. One that is none of this dialect's says nothing.
    fn read(&mut self, line: &str) -> Vec<Event>;
}

/// What a line of server-sent events carries.
pub(crate) fn sse_data(line: &str) -> Option<&str> {
    line.strip_prefix("data:").map(str::trim)
}

/// What is said about a piece that is not JSON.
pub(crate) fn garbled() -> Vec<Event> {
    vec![Event::Failed(Error::Unreadable("a piece of it is not JSON".to_owned()))]
}

/// What is said about an answer that used up its tokens.
pub(crate) fn out_of_tokens() -> Event {
    Event::Cut("the answer reached the most tokens it may have".to_owned())
}

/// A text inside JSON, by its path such as `/delta/text`.
pub(crate) fn text<'a>(json: &'a Value, path: &str) -> Option<&'a str> {
    json.pointer(path).and_then(Value::as_str)
}

/// A count inside JSON, by its path; nothing where it is missing.
pub(crate) fn count(json: &Value, path: &str) -> u32 {
    let count = json.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Whether JSON has something by this path.
pub(crate) fn has(json: &Value, path: &str) -> bool {
    json.pointer(path).is_some_and(|value| !value.is_null())
}
